"""Write `recording.jsonl`: the replies that `gold-build.yaml` gives in the place of a model.

No model wrote them. The answerable questions are those of `sources/questions-*.jsonl`, the others were written by hand
(`sources/unanswerable.jsonl`), each for the passage and the category that its prompt names. A reply is found again by
the mark of its prompt, so it answers that prompt and no other. `--check` verifies that the shipped file is up to date.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from make_gold import chunk_of, rows

from assay.config import load
from assay.gold.asking import Batch, messages
from assay.gold.bench import Bench, Order, prepared

HERE = Path(__file__).parent
TARGET = HERE / "recording.jsonl"
COPIED = ("question", "answer", "explanation", "keywords", "reasoning_class", "question_type", "cognitive_level")


def main() -> int:
    config = load(HERE / "gold-build.yaml")
    with tempfile.TemporaryDirectory() as folder:
        TARGET.touch()
        order = Order(
            config=config,
            index=HERE / "corpus.db",
            out=Path(folder) / "gold.json",
            folder=Path(folder) / "build",
            today="2026-11-15",
        )
        with prepared(order) as bench:
            lines = [*map(dump, replies(bench)), *map(dump, proofs())]
    text = "".join(lines)
    if "--check" in sys.argv:
        return 0 if TARGET.read_text(encoding="utf-8") == text else 1
    TARGET.write_text(text, encoding="utf-8")
    print(f"{len(lines)} replies")
    return 0


def dump(line: dict[str, Any]) -> str:
    return json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n"


def replies(bench: Bench) -> list[dict[str, Any]]:
    """One for each batch."""
    written = answerable(bench)
    absent = {row["chunk_id"]: row for row in hand_written()}
    found = []
    for batch in bench.shop.batches:
        prompt = messages(batch, bench.shop.chunks)[1].content
        opening = re.search(r"<<<passage 1 \w+>>>", prompt)
        assert opening is not None
        if batch.kind == "answerable":
            questions = within_quotas(batch, written)
        else:
            questions = [
                {"passage": number, **{key: value for key, value in absent[id_].items() if key != "chunk_id"}}
                for number, id_ in enumerate(batch.chunks, 1)
                if id_ in absent
            ]
        found.append({"contains": opening[0], "reply": {"questions": questions}})
    return found


def answerable(bench: Bench) -> dict[str, list[dict[str, Any]]]:
    """The questions that were written for the gold set, by their chunk."""
    chunks = list(bench.index.chunks(bench.index.ids).values())
    found: dict[str, list[dict[str, Any]]] = {}
    for row in [*rows("a"), *rows("b")]:
        if row.get("unanswerable") or row.get("mcq") or row.get("requires_context") or len(row["evidence"]) > 1:
            continue
        evidence = row["evidence"][0]
        chunk = chunk_of(evidence["quote"], evidence["doc"], chunks)
        item = {key: row[key] for key in (*COPIED, "reasoning_type", "answer_type", "difficulty")}
        found.setdefault(chunk.id, []).append(item | {"quote": evidence["quote"], "article_reference": None})
    return found


def within_quotas(batch: Batch, written: dict[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """As a model would that stays within the numbers it was given."""
    taken: Counter[str] = Counter()
    questions = []
    for number, id_ in enumerate(batch.chunks, 1):
        for item in written.get(id_, [])[:3]:
            kind = item["reasoning_class"]
            if taken[kind] < batch.classes[kind] and taken.total() < batch.wanted:
                taken[kind] += 1
                questions.append({"passage": number, **item})
    return questions


def hand_written() -> list[dict[str, Any]]:
    text = (HERE / "sources" / "unanswerable.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def proofs() -> list[dict[str, Any]]:
    """What whoever wrote the question found in the whole corpus: what it says instead of an answer."""
    return [
        {
            "contains": row["question"],
            "reply": {"answered": False, "passage": 0, "quote": "", "reason": row["corpus_truth"]},
        }
        for row in hand_written()
    ]


if __name__ == "__main__":
    sys.exit(main())
