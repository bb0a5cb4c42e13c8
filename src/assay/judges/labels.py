"""Human labels beside the judge's: JSON lines, one answer and one person a line.

{"case_id": "q1", "rater": "ana", "human": {"verdict": "pass", "overall_score": 4.5},
 "judge": {"verdict": "partial", "overall_score": 3}, "answer": "The duty officer."}

The viewer appends to such a file: a line with a time, `at`, replaces the earlier one about the same answer by the same
person, and takes it back if it is `withdrawn`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct

from assay.errors import AssayError
from assay.files import line_of, parse_json, read_text
from assay.judges.judgment import DIMENSIONS, Verdict
from assay.validation import convert

Grade = Annotated[float, Meta(ge=1, le=5)] | None
MARKS = ("verdict", *DIMENSIONS, "overall_score")


class Marks(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A verdict, grades, or both."""

    verdict: Verdict | None = None
    correctness: Grade = None
    completeness: Grade = None
    faithfulness: Grade = None
    relevance: Grade = None
    clarity: Grade = None
    overall_score: Grade = None

    @property
    def is_empty(self) -> bool:
        return all(getattr(self, name) is None for name in MARKS)


class Label(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """One line. Without `human` it is a case that only the judge has seen: it counts for the corrected pass rate."""

    case_id: Annotated[str, Meta(min_length=1)]
    rater: str = ""
    human: Marks | None = None
    judge: Marks | None = None
    repeats: tuple[Marks, ...] = ()
    """Further judgments of the same answer by the same judge."""
    answer: str | None = None
    answer_length: Annotated[int, Meta(ge=0)] | None = None
    """In words; counted from `answer` if that is given."""
    evidence_rank: Annotated[int, Meta(ge=1)] | None = None
    """Where in the context the passage stands that holds the answer."""
    note: str = ""
    at: str = ""
    """When it was given."""
    withdrawn: bool = False

    @property
    def length(self) -> int | None:
        return len(self.answer.split()) if self.answer is not None else self.answer_length


def read_labels(path: Path) -> tuple[Label, ...]:
    """Those that stand; the first fault found is told with its line."""
    labels: dict[tuple[str, str], Label] = {}
    lines: dict[tuple[str, str], int] = {}
    for number, text in enumerate(read_text(path).split("\n"), 1):
        if text.strip():
            label = parse_label(text, str(path), number)
            key = (label.case_id, label.rater)
            if key in labels and not label.at:
                who = f" by '{label.rater}'" if label.rater else ""
                what = f"case '{label.case_id}' is labelled twice{who}, first in line {lines[key]}"
                raise AssayError(what, where=f"{path}:{number}")
            labels[key], lines[key] = label, number
    standing = tuple(label for label in labels.values() if not label.withdrawn)
    if not standing:
        raise AssayError("holds no label", where=str(path))
    return standing


def parse_label(text: str, path: str, number: int) -> Label:
    """One line, checked."""
    data = parse_json(text, path, number)
    label = convert(data, Label, lambda keys: f"{path}:{number + line_of(text, keys) - 1}")
    given = [marks for marks in (label.human, label.judge, *label.repeats) if marks is not None]
    if label.withdrawn:
        return label
    if not given or any(marks.is_empty for marks in given):
        raise AssayError("a label without a mark", where=f"{path}:{number}", expected=f"one of {', '.join(MARKS)}")
    return label
