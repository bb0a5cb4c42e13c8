"""One line of `results.jsonl` for each question, with everything a person needs to look into it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from assay.config import RunOptions
from assay.evaluate import Named
from assay.judges import DIMENSIONS, Judgment
from assay.judges.words import Similarity, content_terms, language_of
from assay.llm.protocol import Usage
from assay.metrics.answers import (
    Passage as Shown,
)
from assay.metrics.answers import (
    citation_scores,
    exact_match,
    groundedness,
    rouge_l,
    token_f1,
    without_citations,
)
from assay.rag.retrieved import Found, find
from assay.rag.subject import Judged, answer_of
from assay.rag.tally import RATES, tokens_of
from assay.records import Case, Fault, Score
from assay.runs.passages import PassageStore
from assay.runs.results import Row
from assay.systems.protocol import Output

VERDICTS = ("pass", "partial", "fail")
UNKNOWN = "unknown"
FAILED = {name: Score(float(name == "error_rate")) for name in RATES}
"""Of a question that failed for good: it counts in the rates, and in nothing else."""


class RagScorer:
    """Outputs and judgments → rows."""

    def __init__(self, options: RunOptions, passages: PassageStore, similarity: Similarity | None) -> None:
        self._options, self._passages, self._similarity = options, passages, similarity

    def __call__(self, system: Named, cases: Sequence[Case], outputs: Sequence[Judged]) -> list[Row]:
        return [self.row(system.name, case, judged) for case, judged in zip(cases, outputs, strict=True)]

    def row(self, variant: str, case: Case, judged: Judged) -> Row:
        output = judged.output
        found = find(case, output.candidates)
        fault = fault_of(judged)
        scores = self._scores(case, judged, found) if fault is None else dict(FAILED)
        return {
            "variant": variant,
            "case_id": case.id,
            "question_id": case.id,
            "status": "ok" if fault is None else "error",
            "error": msgspec.to_builtins(fault) if fault else None,
            "question_type": case.tags.get("question_type", UNKNOWN),
            "difficulty": case.tags.get("difficulty", UNKNOWN),
            "tags": case.tags,
            "question": case.question,
            "expected_answer": case.answer,
            "accepted_answers": list(case.accepted),
            "answerable": case.answerable,
            "category": case.category,
            "truth": case.truth,
            "expected_ids": list(case.expected_ids),
            "expected_sources": list(case.sources),
            "answer": output.answer,
            "answer_length": len(output.answer) if output.answer is not None else None,
            "judgment": _judgment(judged),
            "recall_by": found.by,
            "recall_hit": found.hit,
            "mrr": found.reciprocal_rank,
            "expected_ranks": list(found.ranks),
            "retrieval_candidates": None if output.candidates is None else len(output.candidates),
            "scale": output.scale,
            "retrieved": _retrieved(output),
            "context": self._context(output),
            "scores": {name: score.value for name, score in scores.items()},
            "undefined": {name: score.reason for name, score in scores.items() if score.value is None},
            "time": (timing := _timing(judged))["total"],
            "timing": timing,
            "tokens": tokens_of(output.usage),
            "judge_tokens": tokens_of(_judge_usage(judged)),
            "llm_metadata": msgspec.to_builtins(output.metadata),
            "retry_info": _retry(judged),
        }

    def _scores(self, case: Case, judged: Judged, found: Found) -> dict[str, Score]:
        """By the names they have in summary, comparison and gates. A rate is 1 or 0 for one question."""
        assert judged.judgement is not None
        judgment = judged.judgement.judgment
        scores = {f"{name}_rate": Score(float(judgment.verdict == name)) for name in VERDICTS}
        scores["error_rate"] = Score(0.0)
        scores["acceptable_rate"] = Score(float(judgment.verdict in ("pass", "partial")))
        scores[f"recall_at_{self._options.pipeline.recall_k}"] = _score(found.recall, found.reason)
        scores["mrr"] = _score(found.reciprocal_rank, found.reason)
        scores["overall_score_avg"] = _score(judgment.overall_score, "not graded")
        for name in DIMENSIONS:
            scores[name] = _score(getattr(judgment, name), "the judge could not grade it")
        return scores | self._beside_the_judge(case, judged)

    def _beside_the_judge(self, case: Case, judged: Judged) -> dict[str, Score]:
        """Measures that need no judge. Of an unanswerable question there is nothing to compare with.

        What is compared is what the answer says: the `[1]` of a citation is no word of it, and no number.
        """
        answer = answer_of(case, judged.output)
        said = without_citations(answer.text)
        references = answer.references if case.answerable else ()
        language = language_of(answer, "auto")
        shown = [Shown(p.id or "", p.source or "", p.page) for p in judged.output.context or ()]
        cited = citation_scores(answer.text, shown, case.expected_ids)
        return {
            "exact_match": exact_match(said, references, language),
            "token_f1": token_f1(said, references, language),
            "rouge_l": rouge_l(said, references),
            "similarity": self._alike(said, references),
            "groundedness": groundedness(said, answer.context, content_terms(language)).score,
            "citation_precision": cited.precision,
            "citation_recall": cited.recall,
        }

    def _alike(self, text: str, references: Sequence[str]) -> Score:
        if not references or self._similarity is None:
            return Score(None, "undefined", "no expected answer" if not references else "no embedder")
        return Score(max(self._similarity(text, reference) for reference in references))

    def _context(self, output: Output) -> list[dict[str, Any]] | None:
        if output.context is None:
            return None
        return [
            {"id": p.id, "source": p.source, "page": p.page, "text": self._passages.keep(p.text or "")}
            for p in output.context
        ]


def fault_of(judged: Judged) -> Fault | None:
    """What kept the question from being answered and judged."""
    if judged.output.fault is not None:
        return judged.output.fault
    if judged.judgement is None:
        return Fault("generation", "no answer came")
    judgment = judged.judgement.judgment
    return None if judgment.status == "ok" else Fault("judge", judgment.reason)


def _score(value: float | None, reason: str) -> Score:
    return Score(None, "undefined", reason) if value is None else Score(value)


def _judgment(judged: Judged) -> dict[str, Any] | None:
    if judged.judgement is None:
        return None
    judgment: Judgment = judged.judgement.judgment
    data: dict[str, Any] = msgspec.to_builtins(judgment)
    return data


def _retrieved(output: Output) -> list[dict[str, Any]] | None:
    if output.candidates is None:
        return None
    return [
        {"rank": rank, "id": p.id, "source": p.source, "page": p.page, "score": p.score}
        for rank, p in enumerate(output.candidates, 1)
    ]


def _timing(judged: Judged) -> dict[str, float | None]:
    """Seconds by phase. The total is what the system says of itself, or its known phases, and the judge.

    A generation or a judge whose time is not known leaves the total unknown, too.
    """
    timing = judged.output.timing
    phases = {"retrieval": timing.retrieval, "rerank": timing.rerank, "generation": timing.generation}
    known = [value for value in phases.values() if value is not None]
    system = timing.total if timing.total is not None or timing.generation is None else sum(known)
    parts = [system, *([judged.judge_seconds] if judged.judgement else [])]
    phases |= {"judge": judged.judge_seconds, "total": None if None in parts else sum(filter(None, parts))}
    return {name: None if value is None else round(value, 6) for name, value in phases.items()}


def _judge_usage(judged: Judged) -> Usage | None:
    """All that was paid for, replies that could not be read and earlier failures among it. None: no tokens known."""
    judgement = judged.judgement
    lost = judged.lost.usage + judgement.retry.discarded if judgement else judged.lost.usage
    told = judgement.reply.usage if judgement and judgement.reply else None
    if told is not None:
        return told + lost
    return lost if lost.total else None


def _retry(judged: Judged) -> dict[str, Any]:
    """Tries over all phases and sessions, the judge's among them: 1 if everything went at once."""
    system = judged.output.retry
    judge = judged.judgement.retry if judged.judgement else None
    more = judge.attempts - 1 + judged.lost.tries if judge else 0
    return {
        "attempts": system.attempts + more,
        "by_judge": more,
        "recovered": fault_of(judged) is None and system.attempts + more > 1,
        "error": system.error or (judge.error if judge else None) or judged.lost.error,
    }
