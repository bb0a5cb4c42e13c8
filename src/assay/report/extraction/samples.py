"""Every sample of an extraction run: expected against actual, field by field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from assay.extraction.expense import Expenses
from assay.files import dump_json
from assay.report.blocks import Block, Column, Facts, Field, Item, Items, Note, Row, Table, Tone
from assay.report.numbers import MISSING, call_dollars, format_value
from assay.report.text import are, counted
from assay.runs.folder import RunFolder

Summary = Mapping[str, Any]
Lines = Sequence[Mapping[str, Any]]
HEADLINES = ("precision", "recall", "f1")
SHOWN = 2000
"""Samples that are shown; the others are in the files."""
FEW = 200
"""So many samples are all in a text, those without a mistake too."""


class Samples(Struct, frozen=True, kw_only=True):
    """What the report needs of the results."""

    scored: tuple[Item, ...]
    worst: dict[str, dict[str, Any]]
    """Rows by id."""
    failed: tuple[Row, ...]
    """Id and message."""
    left_out: tuple[Item, ...]
    total: int
    """How many were scored."""


def samples_of(run: RunFolder, *, questions: bool = True) -> Samples:
    """One pass over the results. Of a great many samples, those with a mistake come before those without."""
    summary = run.summary
    total, room = summary["corpus"]["tested"], SHOWN if questions else 0
    expenses = Expenses(summary)
    shown: dict[bool, list[tuple[int, Item]]] = {True: [], False: []}
    worst: dict[str, dict[str, Any]] = {}
    failed: list[Row] = []
    left_out: list[Item] = []
    for number, row in enumerate(run.results.rows()):
        if row["case_id"] in summary["worst"]:
            worst[row["case_id"]] = row
        if row["error"] and len(failed) < SHOWN:
            failed.append(Row((row["case_id"], row["error"]["message"]), "bad"))
        if not row["scored"]:
            left_out += [_unscored(row)] if len(left_out) < room else []
        elif len(right := shown[bool(row["scores"]["perfect"])]) < room:
            right.append((number, _item(row, expenses(row), routine=total > FEW)))
    chosen = shown[False] + shown[True][: room - len(shown[False])]
    items = tuple(item for _, item in sorted(chosen, key=lambda each: each[0]))
    return Samples(scored=items, worst=worst, failed=tuple(failed), left_out=tuple(left_out), total=total)


def worst_block(summary: Summary, by_id: Mapping[str, Mapping[str, Any]]) -> Block:
    columns = (Column("sample"), *(Column(measure, "share") for measure in HEADLINES), Column("what is wrong"))
    lines = [
        Row((id_, *(by_id[id_]["scores"][measure] for measure in HEADLINES), _wrong(by_id[id_])))
        for id_ in summary["worst"]
    ]
    return Table(columns, tuple(lines)) if lines else Note("Every sample is right.", "good")


def _wrong(row: Mapping[str, Any]) -> str:
    if row["error"]:
        return str(row["error"]["message"])
    failures = [f for pair in row["pairs"] if not pair["matched"] for f in pair["failures"] if f["scored"]]
    said = [f"{failure['field']}: {failure['detail']}" for failure in failures]
    said += [f"{len(row[key])} {key}" for key in ("missed", "extra") if row[key]]
    return "; ".join(said)


def samples_blocks(samples: Samples) -> tuple[Block, ...]:
    left = samples.total - len(samples.scored)
    more = (Note(f"{counted(left, 'sample')} more {are(left)} in results.jsonl."),) if left else ()
    return (*more, Items(samples.scored, "No sample was scored."))


def _item(row: Mapping[str, Any], dollars: float | None, *, routine: bool) -> Item:
    scores = row["scores"]
    fields = [Field("Error", row["error"]["message"])] if row["error"] else []
    for number, pair in enumerate(row["pairs"], 1):
        verdict = "right" if pair["matched"] else "outside tolerance"
        expected, actual = row["expected"][pair["expected"]], row["actual"][pair["actual"]]
        fields.append(Field(f"Record {number}, {verdict}", _diff(expected, actual, pair["failures"]), mono=True))
    fields += [Field("Missed", _lines(row["expected"][place], "-"), mono=True) for place in row["missed"]]
    fields += [Field("Not expected", _lines(row["actual"][place], "+"), mono=True) for place in row["extra"]]
    if not fields:
        fields = [Field("Records", "None expected, none given.")]
    title = "  ".join(f"{name[0].upper()}={scores[name]:.2f}" for name in ("precision", "recall"))
    outcome = "error" if row["error"] else "perfect" if scores["perfect"] else "wrong"
    tone: Tone = "good" if scores["perfect"] else "bad"
    shown = f"{title}  {row['description']}".rstrip()
    tags = {"outcome": outcome, **row["tags"]}
    known = _facts(row, dollars)
    return Item(row["case_id"], shown, tags, tuple(fields), tone, known, routine=routine and outcome == "perfect")


def _facts(row: Mapping[str, Any], dollars: float | None) -> tuple[Facts, ...]:
    scores = {name: value for name, value in row["scores"].items() if value is not None}
    told = {
        "time": None if row["seconds"] is None else format_value(row["seconds"], "seconds"),
        "tokens": format_value(row["tokens"]["total"], "integer") if row["tokens"] else None,
        "cost": call_dollars(dollars) if row["tokens"] else None,
        "model": row["model"],
        "tries": str(row["attempts"]) if (row["attempts"] or 1) > 1 else None,
        "confidence": ", ".join(str(each) for each in row["confidences"] if each is not None) or None,
    }
    return (
        Facts("Measures", tuple((name, format_value(value, "share")) for name, value in scores.items())),
        Facts("Call", tuple((name, text) for name, text in told.items() if text)),
    )


def _diff(expected: Mapping[str, Any], actual: Mapping[str, Any], failures: Lines) -> str:
    """A line where both agree or the difference is tolerated (`~`), two where it is not (`-`, `+`)."""
    wrong = {failure["field"]: failure["detail"] for failure in failures}
    lines = []
    for name in dict.fromkeys([*expected, *actual]):
        old, new = _shown(expected.get(name)), _shown(actual.get(name))
        if old == new == MISSING:
            continue
        if name in wrong:
            lines += [f"- {name}: {old}", f"+ {name}: {new}    ({wrong[name]})"]
        elif name not in expected:
            lines.append(f"  {name}: {new}    (not compared)")
        else:
            lines.append(f"  {name}: {old}" if old == new else f"~ {name}: {old}  ≈  {new}")
    return "\n".join(lines)


def _lines(record: Mapping[str, Any], mark: str) -> str:
    return "\n".join(f"{mark} {name}: {_shown(value)}" for name, value in record.items() if _shown(value) != MISSING)


def _shown(value: Any) -> str:
    if value is None or value == "" or value == []:
        return MISSING
    is_line = isinstance(value, str) and len(value.splitlines()) == 1
    return value if is_line else dump_json(value)


def _unscored(row: Mapping[str, Any]) -> Item:
    return Item(
        row["case_id"],
        f"{len(row['actual'])} records, no sidecar to score them",
        row["tags"],
        tuple(Field(f"Record {n}", _lines(each, "+"), mono=True) for n, each in enumerate(row["actual"], 1)),
    )
