"""What people say of answers and of gold questions: lines appended beside what they are about.

The one thing the viewer writes. A later line of the same person about the same thing replaces the earlier one.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from assay.errors import AssayError
from assay.files import append_line, dump_json
from assay.gold.audit import Verdict
from assay.judges.judgment import DIMENSIONS
from assay.judges.labels import MARKS, Label, Marks, parse_label
from assay.viewer.refusal import mistaken

Name = Annotated[str, Meta(min_length=1, max_length=60, pattern=r"^[^\x00-\x1f\x7f]*$")]
Text = Annotated[str, Meta(max_length=4000)]
Id = Annotated[str, Meta(min_length=1, max_length=1000)]
Whole = Annotated[int, Meta(ge=1, le=5)] | None
LIMIT = 32_768
"""Bytes of what may be sent."""


class AnswerMark(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is sent about an answer."""

    id: Id
    rater: Name
    verdict: Literal["pass", "partial", "fail"] | None = None
    correctness: Whole = None
    completeness: Whole = None
    faithfulness: Whole = None
    relevance: Whole = None
    clarity: Whole = None
    note: Text = ""
    withdrawn: bool = False

    def __post_init__(self) -> None:
        if not self.withdrawn and self.verdict is None and all(getattr(self, name) is None for name in DIMENSIONS):
            raise ValueError("a verdict or a grade is needed")


class GoldMark(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is sent about a gold question."""

    id: Id
    rater: Name
    verdict: Literal["good", "bad"] | None = None
    note: Text = ""
    withdrawn: bool = False

    def __post_init__(self) -> None:
        if (self.verdict is None) != self.withdrawn:
            raise ValueError("a verdict is needed, or withdrawn")


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def keep_answer_mark(path: Path, mark: AnswerMark, row: Mapping[str, Any]) -> Label:
    """Append it with what the judge said of the same answer, so that the file can be checked by itself."""
    if mark.withdrawn:
        label = Label(case_id=mark.id, rater=mark.rater, at=now(), withdrawn=True)
    else:
        label = Label(
            case_id=mark.id,
            rater=mark.rater,
            human=Marks(verdict=mark.verdict, **{name: getattr(mark, name) for name in DIMENSIONS}),
            judge=_judge_marks(row),
            answer_length=len((row.get("answer") or "").split()),
            note=mark.note,
            at=now(),
        )
    append_line(path, dump_json(msgspec.to_builtins(label)))
    return label


def _judge_marks(row: Mapping[str, Any]) -> Marks | None:
    judgment = row.get("judgment") or {}
    marks = Marks(**{name: judgment.get(name) for name in MARKS})
    return None if marks.is_empty else marks


def keep_gold_mark(path: Path, mark: GoldMark) -> Verdict:
    """Append it as a line of the sheet that `assay gold audit --verdicts` reads."""
    verdict = Verdict(id=mark.id, verdict=mark.verdict, note=mark.note, rater=mark.rater, at=now())
    append_line(path, dump_json(msgspec.to_builtins(verdict)))
    return verdict


AnswerLabels = dict[str, dict[str, Label]]
"""By case and person."""
GoldLabels = dict[str, dict[str, Verdict]]


def answer_labels(path: Path) -> AnswerLabels:
    """Those that stand. A line that cannot be read is passed over here; `assay judge check` names it."""
    found: AnswerLabels = {}
    for number, text in _lines(path):
        try:
            label = parse_label(text, str(path), number)
        except AssayError:
            continue
        by_rater = found.setdefault(label.case_id, {})
        by_rater.pop(label.rater, None)
        if not label.withdrawn and label.human is not None:
            by_rater[label.rater] = label
    return {case: by_rater for case, by_rater in found.items() if by_rater}


def gold_labels(path: Path) -> GoldLabels:
    """Those that stand."""
    found: GoldLabels = {}
    for _, text in _lines(path):
        try:
            verdict = msgspec.json.decode(text, type=Verdict)
        except msgspec.MsgspecError:
            continue
        by_rater = found.setdefault(verdict.id, {})
        by_rater.pop(verdict.rater, None)
        if verdict.verdict is not None:
            by_rater[verdict.rater] = verdict
    return {id_: by_rater for id_, by_rater in found.items() if by_rater}


def _lines(path: Path) -> list[tuple[int, str]]:
    try:
        text = path.read_bytes().decode("utf-8", "replace")
    except OSError:
        return []
    return [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]


def gold_labels_path(gold: Path) -> Path:
    """Beside the gold set: `gold.json` has `gold.labels.jsonl`."""
    return gold.with_name(f"{gold.stem}.labels.jsonl")


def parse_mark(data: Mapping[str, Any], kind: type[Any]) -> Any:
    """What was sent, checked; empty fields of a form are fields that were not filled."""
    filled = {name: value for name, value in data.items() if value not in ("", None)}
    try:
        return msgspec.convert(filled, kind, strict=False)
    except msgspec.ValidationError as fault:
        raise mistaken(f"not a label: {fault}") from None
