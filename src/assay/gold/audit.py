"""How many questions a person must check, which ones, and what their verdicts prove about all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

from assay.errors import AssayError, nearest
from assay.files import read_jsonl
from assay.gold.cases import case_of
from assay.gold.gold_file import GoldFile
from assay.gold.schema import Question
from assay.records import Case, Chunk
from assay.sampling import stratified
from assay.stats.exact import clopper_pearson_upper, hypergeometric_upper, sample_size
from assay.validation import convert

VERDICTS = ("good", "bad")


class AuditOptions(Struct, frozen=True, kw_only=True):
    """What is to be proved."""

    confidence: float = 0.95
    max_bad: float = 0.05
    allowed: int = 0
    """Bad ones that may be found in the sample."""
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.confidence < 1 or not 0 < self.max_bad < 1:
            raise AssayError("confidence and max-bad are shares", expected="numbers between 0 and 1, as 0.95 and 0.05")
        if self.allowed < 0:
            raise AssayError("the bad ones that are allowed cannot be fewer than none")


class Verdict(Struct, frozen=True, kw_only=True):
    """One line of the sheet a person fills."""

    id: str
    verdict: Literal["good", "bad"] | None = None
    """None: not yet looked at."""
    note: str = ""
    rater: str = ""
    at: str = ""
    """When it was given. A later one replaces the earlier one by the same person, as the viewer writes them."""


class Audit(Struct, frozen=True, kw_only=True):
    """The plan, and what is known so far."""

    questions: int
    options: AuditOptions
    sample: tuple[str, ...]
    checked: int = 0
    bad: tuple[str, ...] = ()
    outside: int = 0
    """Verdicts on questions that are not in the sample: they were not drawn by chance, and prove nothing."""
    upper: float | None = None
    """Share of bad questions not exceeded with the asked confidence (Clopper–Pearson)."""
    upper_here: float | None = None
    """The same for this very set, of which a part has been seen: exact, and never above the other."""
    notes: dict[str, str] = {}

    @property
    def open(self) -> int:
        return len(self.sample) - self.checked

    @property
    def proved(self) -> bool:
        """Only by the whole sample: one that is stopped when it looks well proves less than it says."""
        return self.open == 0 and self.upper_here is not None and self.upper_here <= self.options.max_bad


def plan(gold: GoldFile, options: AuditOptions) -> Audit:
    """The sample: stratified by kind of question, drawn by seed and id."""
    size = sample_size(len(gold.questions), options.max_bad, options.confidence, options.allowed)
    chosen = stratified([_case(question) for question in gold.questions], size, options.seed)
    return Audit(questions=len(gold.questions), options=options, sample=tuple(case.id for case in chosen))


def _case(question: Question) -> Case:
    """The strata are those of the sampling: question type and difficulty; the unanswerable are a type of their own."""
    case = case_of(question)
    kind = question.classification.hard_type if question.content.is_impossible else case.tags["question_type"]
    return Case(id=case.id, question=case.question, tags={**case.tags, "question_type": str(kind)})


def conclude(audit: Audit, verdicts: Sequence[Verdict]) -> Audit:
    """The bounds that the verdicts prove."""
    drawn = set(audit.sample)
    told = [verdict for verdict in verdicts if verdict.id in drawn and verdict.verdict]
    outside = sum(1 for verdict in verdicts if verdict.id not in drawn and verdict.verdict)
    bad = tuple(verdict.id for verdict in told if verdict.verdict == "bad")
    n, options = len(told), audit.options
    upper = clopper_pearson_upper(len(bad), n, options.confidence) if n else None
    here = hypergeometric_upper(len(bad), n, audit.questions, options.confidence) / audit.questions if n else None
    return Audit(
        questions=audit.questions,
        options=options,
        sample=audit.sample,
        checked=n,
        bad=bad,
        outside=outside,
        upper=upper,
        upper_here=here,
        notes={verdict.id: verdict.note for verdict in told if verdict.note},
    )


def read_verdicts(path: Path, gold: GoldFile) -> list[Verdict]:
    """JSON lines of `{"id": ..., "verdict": "good"|"bad"|null, "note": ...}`; further keys are the sheet's own.

    Where several people looked at a question, one who calls it bad is enough: the proof must not rest on a doubt.
    """
    known = {question.id for question in gold.questions}
    found: dict[tuple[str, str], Verdict] = {}
    for number, line in read_jsonl(path):
        where = f"{path}:{number}"
        verdict = _verdict(line, where)
        if verdict.id not in known:
            near = " or ".join(nearest(verdict.id, known))
            hint = f"Did you mean {near}?" if near else "The sheet is of another gold set"
            raise AssayError(f"unknown question '{verdict.id}'", where=where, hint=hint)
        key = (verdict.id, verdict.rater)
        if key in found and not verdict.at:
            raise AssayError(f"the question '{verdict.id}' has two verdicts", where=where)
        found[key] = verdict
    return _strictest(found.values())


def _verdict(line: Any, where: str) -> Verdict:
    if isinstance(line, dict) and line.get("verdict") == "":
        line = {**line, "verdict": None}  # a cell that nobody filled
    return convert(line, Verdict, lambda _: where)


def _strictest(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """One for each question, in the order in which they were first looked at."""
    strict = {None: 0, "good": 1, "bad": 2}
    found: dict[str, Verdict] = {}
    for verdict in verdicts:
        before = found.setdefault(verdict.id, verdict)
        if strict[verdict.verdict] > strict[before.verdict]:
            found[verdict.id] = verdict
    return list(found.values())


def sheet(audit: Audit, gold: GoldFile, chunks: dict[str, Chunk]) -> list[dict[str, Any]]:
    """The lines a person fills: `verdict` and, if need be, `note`."""
    by_id = {question.id: question for question in gold.questions}
    return [_line(by_id[id_], chunks.get(by_id[id_].provenance.chunk_id or "")) for id_ in audit.sample]


def _line(question: Question, chunk: Chunk | None) -> dict[str, Any]:
    impossible = question.content.is_impossible
    return {
        "id": question.id,
        "verdict": None,
        "note": "",
        "question": question.content.question,
        "answer": question.content.expected_answer or "",
        "unanswerable": question.classification.hard_type if impossible else None,
        "corpus_truth": question.provenance.answer_explanation if impossible else None,
        "chunk_id": question.provenance.chunk_id,
        "chunk": chunk.text if chunk else None,
    }


def strata_of(audit: Audit, gold: GoldFile) -> dict[str, int]:
    """How many of each kind are in the sample."""
    drawn = set(audit.sample)
    kinds = (_case(q).tags["question_type"] for q in gold.questions if q.id in drawn)
    return dict(sorted(Counter(kinds).items()))
