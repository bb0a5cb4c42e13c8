"""Every sample of an extraction run: expected against actual, field by field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.files import dump_json
from assay.report.blocks import Block, Column, Facts, Field, Item, Items, Note, Row, Table, Tone
from assay.report.numbers import MISSING, format_value

Summary = Mapping[str, Any]
Lines = Sequence[Mapping[str, Any]]
HEADLINES = ("precision", "recall", "f1")


def worst_block(summary: Summary, rows: Lines) -> Block:
    by_id = {row["case_id"]: row for row in rows}
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


def samples_list(rows: Lines) -> Items:
    return Items(tuple(_item(row) for row in rows), "No sample was scored.")


def _item(row: Mapping[str, Any]) -> Item:
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
    return Item(row["case_id"], shown, tags, tuple(fields), tone, _facts(row), routine=outcome == "perfect")


def _facts(row: Mapping[str, Any]) -> tuple[Facts, ...]:
    scores = {name: value for name, value in row["scores"].items() if value is not None}
    told = {
        "time": None if row["seconds"] is None else format_value(row["seconds"], "seconds"),
        "tokens": format_value(row["tokens"]["total"], "integer") if row["tokens"] else None,
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


def left_out_blocks(rows: Lines) -> tuple[Block, ...]:
    items = [
        Item(
            row["case_id"],
            f"{len(row['actual'])} records, no sidecar to score them",
            row["tags"],
            tuple(Field(f"Record {n}", _lines(each, "+"), mono=True) for n, each in enumerate(row["actual"], 1)),
        )
        for row in rows
        if not row["scored"]
    ]
    return (Items(tuple(items)),)
