"""Makes the vectors of `assay selftest`: `python tests/ranking_vectors.py` writes them, a test compares.

Values come from trec_eval's own code (pytrec_eval). What it does not have comes from it too where it can: `mrr@k` is
its `recip_rank` of the first k documents. `err` is gdeval's formula in exact fractions, `judged` and `p_max` are
counted.
"""

from __future__ import annotations

import json
import random
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytrec_eval

import assay.selftest
from assay.metrics import MEASURES

FOLDER = Path(assay.selftest.__file__).parent / "vectors"
TREC_EVAL = {
    "recall@1": "recall_1", "recall@5": "recall_5", "recall@10": "recall_10", "recall": "set_recall",
    "hit@1": "success_1", "hit@3": "success_3", "p@1": "P_1", "p@5": "P_5", "p@10": "P_10", "rprec": "Rprec",
    "map": "map", "map@5": "map_cut_5", "map@10": "map_cut_10", "mrr": "recip_rank",
    "ndcg": "ndcg", "ndcg@3": "ndcg_cut_3", "ndcg@10": "ndcg_cut_10", "bpref": "bpref",
}  # fmt: skip
Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]
Values = dict[str, dict[str, float | None]]


def is_built_in(name: str) -> bool:
    """The documentation's examples add measures of their own."""
    function = MEASURES.get(name).function
    return function is None or function.__module__.startswith("assay.")


BUILT_IN = [name for name in MEASURES.names() if is_built_in(name)]


def reference(qrels: Qrels, run: Run, measures: dict[str, str], level: int = 1) -> Values:
    """Measure → query → trec_eval's value: 0 for a missing query, None where nothing is relevant."""
    asked = {name if name.rpartition("_")[2].isalpha() else ".".join(name.rsplit("_", 1)) for name in measures.values()}
    found = pytrec_eval.RelevanceEvaluator(qrels, asked, relevance_level=level).evaluate(run)
    return {
        ours: {
            query: found.get(query, {}).get(theirs, 0.0) if is_defined(grades, theirs, level) else None
            for query, grades in qrels.items()
        }
        for ours, theirs in measures.items()
    }


def is_defined(grades: dict[str, int], theirs: str, level: int) -> bool:
    """trec_eval says 0 where nothing is relevant; we say undefined. The level does not touch nDCG."""
    return max(grades.values()) >= (1 if theirs.startswith("ndcg") else level)


def best_first(scores: dict[str, float]) -> list[str]:
    """trec_eval's order: score in single precision, then id, both descending."""
    return sorted(scores, key=lambda document: (np.float32(scores[document]), document), reverse=True)


def cut(run: Run, k: int) -> Run:
    return {query: {document: scores[document] for document in best_first(scores)[:k]} for query, scores in run.items()}


def counted(qrels: Qrels, run: Run) -> Values:
    """What is simple enough to be counted."""
    values: Values = {"judged@10": {}, "p_max@5": {}, "err@20": {}}
    for query, grades in qrels.items():
        first = best_first(run.get(query, {}))
        relevant = sum(grade > 0 for grade in grades.values())
        seen = [document for document in first[:10] if grades.get(document, -1) >= 0]
        values["judged@10"][query] = len(seen) / len(first[:10]) if first else None
        values["p_max@5"][query] = min(relevant, 5) / 5 if relevant else None
        values["err@20"][query] = float(err([grades.get(each, 0) for each in first[:20]])) if relevant else None
    return values


def err(grades: list[int]) -> Fraction:
    total, reach = Fraction(0), Fraction(1)
    for rank, grade in enumerate(grades, 1):
        stop = Fraction(2 ** max(grade, 0) - 1, 16)
        total, reach = total + reach * stop / rank, reach * (1 - stop)
    return total


def made_up() -> tuple[Qrels, Run]:
    """Every case that measures have been got wrong for."""
    chance = random.Random(20)
    documents = [f"d{number:02}" for number in range(40)]
    qrels: Qrels = {}
    run: Run = {}
    for number in range(1, 11):
        judged = chance.sample(documents, chance.randint(3, 25))
        qrels[f"q{number}"] = {document: chance.choice((-1, 0, 0, 1, 1, 2, 3, 4)) for document in judged}
        found = chance.sample(documents, chance.randint(2, 30))
        run[f"q{number}"] = {document: chance.randint(0, 12) / 4 for document in found}
    qrels["nothing_relevant"] = {"d01": 0, "d02": 0, "d03": -1}
    run["nothing_relevant"] = {"d01": 1.0, "d09": 0.5}
    qrels["not_in_run"] = {"d01": 1, "d02": 0}
    run["not_in_qrels"] = {"d01": 1.0}
    qrels["all_scores_equal"] = {"d01": 1, "d05": 2, "d09": 0}
    run["all_scores_equal"] = dict.fromkeys(documents[:10], 1.0)
    qrels["equal_in_single_precision"] = {"d01": 1, "d02": 0}
    run["equal_in_single_precision"] = {"d01": 0.12345678901, "d02": 0.12345678900}
    qrels["more_relevant_than_k"] = dict.fromkeys(documents[:30], 1)
    run["more_relevant_than_k"] = {document: -float(at) for at, document in enumerate(documents[20:])}
    return qrels, run


def files() -> dict[Path, str]:
    """All of them, by path."""
    qrels, run = made_up()
    expected = {
        "trec_eval 9.0, by pytrec_eval-terrier 0.5.11": reference(qrels, run, TREC_EVAL)
        | {"mrr@3": reference(qrels, cut(run, 3), {"mrr": "recip_rank"})["mrr"]},
        "counted, err by gdeval's formula": counted(qrels, run),
    }
    judgements = [f"{query} 0 {document} {grade}" for query, of in qrels.items() for document, grade in of.items()]
    results = [
        f"{query} Q0 {document} 0 {score!r} made_up" for query, of in run.items() for document, score in of.items()
    ]
    return {
        FOLDER / "qrels.txt": "\n".join(judgements) + "\n",
        FOLDER / "run.txt": "\n".join(results) + "\n",
        FOLDER / "expected.json": json.dumps(expected, indent=1) + "\n",
    }


if __name__ == "__main__":
    for path, text in files().items():
        path.write_text(text, "utf-8")
        print(path, len(text), file=sys.stderr)
