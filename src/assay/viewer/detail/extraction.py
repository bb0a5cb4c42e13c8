"""A sample: expected and extracted records side by side, field by field."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.files import dump_json
from assay.report.blocks import Tone
from assay.report.html_blocks import mark
from assay.report.markup import Markup, element, join
from assay.report.numbers import MISSING, call_dollars, format_value
from assay.viewer.detail.scores import scores, tags
from assay.viewer.parts import NOTHING, fields, section

SIGNS: dict[str, Tone] = {
    "right": "good",
    "tolerated": "good",
    "differs": "bad",
    "missed": "bad",
    "not expected": "bad",
}


def sample(row: Mapping[str, Any], cost: float | None) -> Markup:
    """`cost` in US dollars; None: not known, or no tokens were used."""
    error, tokens = row.get("error"), row.get("tokens")
    pairs = [
        ("Error", error["message"] if error else None),
        ("Model", row.get("model")),
        ("Time", None if row.get("seconds") is None else format_value(row["seconds"], "seconds")),
        ("Tokens", format_value(tokens["total"], "integer") if tokens else None),
        ("Cost", call_dollars(cost) if tokens else None),
        ("Tries", str(row["attempts"]) if row.get("attempts", 1) > 1 else None),
    ]
    return join([fields(pairs, "fields big"), tags(row)])


def text(shown: str | None) -> Markup:
    """What the extractor read."""
    return section("The text", element("p", shown, class_="passage")) if shown else NOTHING


def records(row: Mapping[str, Any]) -> Markup:
    """Pairs first, then what was missed, then what nobody expected."""
    parts = [_pair(number, row, pair) for number, pair in enumerate(row["pairs"], 1)]
    parts += [_alone("Missed", row["expected"][place], "missed") for place in row["missed"]]
    parts += [_alone("Not expected", row["actual"][place], "not expected") for place in row["extra"]]
    if not row["scored"]:
        parts = [_alone(f"Record {n}, not scored", record, None) for n, record in enumerate(row["actual"], 1)]
    if not parts:
        parts = [element("p", "No record was expected, none was given.", class_="note")]
    return join([*parts, scores(row, "scores")])


def _pair(number: int, row: Mapping[str, Any], pair: Mapping[str, Any]) -> Markup:
    expected, actual = row["expected"][pair["expected"]], row["actual"][pair["actual"]]
    wrong = {failure["field"]: failure["detail"] for failure in pair["failures"]}
    lines = []
    for name in dict.fromkeys([*expected, *actual]):
        old, new = _shown(expected.get(name)), _shown(actual.get(name))
        if old == new == MISSING:
            continue
        told = "not compared" if name not in expected else _outcome(old, new, wrong, name)
        lines.append((name, old, new, told, wrong.get(name, "")))
    said = "right" if pair["matched"] else "outside tolerance"
    return section(f"Record {number}, {said}", diff(lines))


def _outcome(old: str, new: str, wrong: Mapping[str, str], name: str) -> str:
    return "differs" if name in wrong else "right" if old == new else "tolerated"


def _alone(title: str, record: Mapping[str, Any], said: str | None) -> Markup:
    shown = [(name, _shown(value)) for name, value in record.items() if _shown(value) != MISSING]
    is_expected = said == "missed"
    lines = [
        (name, text if is_expected else MISSING, MISSING if is_expected else text, said or "not scored", "")
        for name, text in shown
    ]
    return section(title, diff(lines))


def diff(lines: list[tuple[str, str, str, str, str]]) -> Markup:
    """Field, expected, extracted, what is said of the two."""
    head = element("tr", *(element("th", name, scope="col") for name in ("field", "expected", "extracted", "is")))
    rows = [
        element(
            "tr",
            element("th", name, scope="row", class_="k"),
            element("td", old, class_="mono"),
            element("td", new, class_="mono"),
            element("td", mark(SIGNS.get(said, "plain")), f"{said}: {why}" if why else said),
            class_=tone if (tone := SIGNS.get(said, "plain")) == "bad" else None,
        )
        for name, old, new, said, why in lines
    ]
    inner = element("table", element("thead", head), element("tbody", *rows), class_="diff")
    return element("div", inner, class_="scroll", tabindex=0, role="region", aria_label="Fields")


def _shown(value: Any) -> str:
    if value is None or value == "" or value == []:
        return MISSING
    return value if isinstance(value, str) else dump_json(value)
