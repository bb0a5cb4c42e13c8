"""One word for what became of a question, in each kind of run, and why."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from assay.files import read_jsonl
from assay.report.blocks import Tone
from assay.retrieval.diagnosis import is_missed
from assay.runs.folder import FAILURES, RunFolder

TONES: dict[str, Tone] = {
    "pass": "good",
    "partial": "warn",
    "fail": "bad",
    "found": "good",
    "partly found": "warn",
    "missed": "bad",
    "perfect": "good",
    "wrong": "bad",
    "error": "bad",
    "good": "good",
    "bad": "bad",
}
"""Of every outcome; one that is not here (`not scored`) is plain."""
HEADLINES = ("overall_score_avg", "f1", "ndcg@10", "mrr@10", "mrr@k")
"""The measure by which questions are sorted: the first that a row has."""
Reasons = Mapping[tuple[str, str], tuple[str, ...]]
"""By variant and case."""


class Judged(Struct, frozen=True):
    """What is needed of a judgment."""

    verdict: str | None = None


class Failure(Struct, frozen=True):
    """A field of a record that differs."""

    field: str
    scored: bool = True


class Pair(Struct, frozen=True):
    """An expected and an actual record."""

    matched: bool = True
    failures: tuple[Failure, ...] = ()


class Sketch(Struct, frozen=True):
    """What a list needs of a row; decoding skips the rest."""

    variant: str
    case_id: str
    status: str = "ok"
    tags: dict[str, str] = {}
    question: str | None = None
    description: str | None = None
    answer: str | None = None
    judgment: Judged | None = None
    rank: int | None = None
    scores: dict[str, float | None] = {}
    scored: bool = True
    pairs: tuple[Pair, ...] = ()
    missed: tuple[Any, ...] = ()
    extra: tuple[Any, ...] = ()
    time: float | None = None
    seconds: float | None = None

    @property
    def headline(self) -> float | None:
        return next((self.scores[name] for name in HEADLINES if name in self.scores), None)


def outcome_of(kind: str, row: Sketch) -> str:
    """By the kind of the run."""
    if row.status == "error":
        return "error"
    if row.judgment is not None:
        return row.judgment.verdict or "not scored"
    if kind == "extraction":
        return "not scored" if not row.scored else "perfect" if row.scores.get("perfect") else "wrong"
    if not row.scores or all(value is None for value in row.scores.values()):
        return "not scored"
    return _found(row)


def _found(row: Sketch) -> str:
    """A lane has its own k and may find a part; elsewhere the first five count, as in the diagnosis of failures."""
    recall = row.scores.get("recall@k")
    if recall is not None:
        return "found" if recall == 1 else "partly found" if recall else "missed"
    missed = is_missed(row.scores)
    found = row.rank is not None if missed is None else not missed
    return "found" if found else "missed"


def own_reasons(row: Sketch) -> tuple[str, ...]:
    """What is wrong in an extraction: records missed or not expected, fields outside their tolerance."""
    names = {f.field for pair in row.pairs if not pair.matched for f in pair.failures if f.scored}
    found = [f"field {name}" for name in sorted(names)]
    found += [what for what, records in (("missed", row.missed), ("not expected", row.extra)) if records]
    return tuple(map(sys.intern, found))


def told_reasons(run: RunFolder) -> Reasons:
    """What the finished run says of its failed questions: the stage they were lost at, or the diagnosis."""
    if not run.finished:
        return {}
    path = run.path / FAILURES
    if path.exists():
        return {(f["variant"], f["case_id"]): (f["diagnosis"],) for _, f in read_jsonl(path) if "diagnosis" in f}
    return _lost(run.summary.get("system", ""), run.summary.get("not_passed", ()))


def _lost(system: str, entries: Sequence[Mapping[str, Any]]) -> Reasons:
    return {
        (system, entry["case_id"]): tuple(filter(None, (entry["stage"], entry["archetype"])))
        for entry in entries
        if entry["verdict"] != "pass"
    }
