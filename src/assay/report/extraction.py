"""An extraction run as a report: what was found, what was missed, what the confidence is worth, what it cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assay.compare import Comparison
from assay.report.blocks import (
    Block,
    Card,
    Cards,
    Chart,
    Column,
    Field,
    Item,
    Items,
    Note,
    Point,
    Report,
    Row,
    Section,
    Series,
    Table,
    Tone,
)
from assay.report.comparison import brief_section, full_section, headline
from assay.report.numbers import MISSING, fixed, format_value

Summary = Mapping[str, Any]
Lines = Sequence[Mapping[str, Any]]
HEADLINES = ("precision", "recall", "f1")
TONES: dict[str, Tone] = {"right": "good", "wrong": "bad", "missed": "bad", "extra": "bad"}


def extraction_report(summary: Summary, rows: Lines, baseline: Comparison | None = None) -> Report:
    """From the summary and the results."""
    scored = [row for row in rows if row["scored"]]
    sections = [
        Section("Result", _result(summary, baseline)),
        *([brief_section("Against the baseline", (baseline,))] if baseline else []),
        Section("What goes wrong", _narrative(summary)),
        Section("By category", (_groups(summary["by_category"], "category"),)),
        Section("By level of tolerance", (_groups(summary["by_level"], "level"),), detail=True),
        Section("By field", (_fields(summary),)),
        Section("Confidence", _confidence(summary)),
        Section("Time, tokens and cost", _cost(summary)),
        *([Section("Failures", _failures(summary, rows))] if summary["errors"]["total"] else []),
        Section("Worst samples", (_worst(summary, scored),)),
        Section("Samples", (_items(scored),), "Expected against actual, field by field.", detail=True),
        *([Section("Left out", _left_out(rows))] if summary["skipped"]["count"] else []),
        Section("All measures", (_measures(summary),), detail=True),
        *([full_section("Against the baseline: all measures", (baseline,))] if baseline else []),
        Section("Execution", (_execution(summary),), detail=True),
    ]
    corpus = summary["corpus"]
    return Report(
        title=f"Extraction: {summary['system']} on {corpus['name']}",
        subtitle=f"{summary['run_id']} · {summary['created_date']} · {corpus['tested']} samples scored",
        sections=tuple(sections),
    )


def _result(summary: Summary, baseline: Comparison | None) -> tuple[Block, ...]:
    intervals, counts = summary["intervals"], summary["overall"]["counts"]
    cards = [
        Card(name.capitalize(), format_value(_mean(intervals, name), "share"), _bounds(intervals, name))
        for name in HEADLINES
    ]
    cards.append(Card("Micro F1", format_value(_mean(intervals, "micro_f1"), "share"), "all records as one sample"))
    found = f"{counts['true_positives']} right, {counts['false_positives']} wrong, {counts['false_negatives']} missed"
    cards.append(Card("Records", str(counts["true_positives"] + counts["false_negatives"]), found))
    cards.append(Card("Cost", _dollars(summary["cost"]["total_cost_usd"]), "the summary's own call included"))
    cards += [_gate(gate) for gate in summary["gates"]]
    notes = [Note(text, "warn") for text in (*_warnings(summary), *summary["notes"], *summary["execution"]["warnings"])]
    if baseline:
        notes.append(Note(headline(baseline), "bad" if baseline.failed else "plain"))
    return (Cards(tuple(cards)), *notes)


def _warnings(summary: Summary) -> Iterable[str]:
    if summary["partial"]:
        yield f"Partial: {summary['partial']}."
    failed = summary["overall"]["failed"]
    if failed:
        yield f"{failed} extractions failed: all their expected records count as missed."


def _gate(gate: Mapping[str, Any]) -> Card:
    tone: Tone = "good" if gate["passed"] else "bad" if gate["severity"] == "blocking" else "warn"
    note = "holds" if gate["passed"] else "fails"
    return Card(f"Gate {gate['measure']} ≥ {gate['at_least']:g}", format_value(gate["value"], "share"), note, tone)


def _mean(intervals: Mapping[str, Any], name: str) -> float | None:
    found = intervals.get(name)
    return found["mean"] if found else None


def _bounds(intervals: Mapping[str, Any], name: str) -> str:
    found = intervals.get(name)
    if not found:
        return "nothing to score"
    scored = f"n = {found['n_scored']} / {found['n_cases']}"
    if found["low"] is None:
        return scored
    return f"{fixed(found['low'], 2)} – {fixed(found['high'], 2)}, {scored}"


def _dollars(value: float | None) -> str:
    return "unknown" if value is None else f"${value:.4f}"


def _narrative(summary: Summary) -> tuple[Block, ...]:
    said = summary["narrative"]
    if said["text"]:
        return (Note(said["text"]), Note(f"Written by {said['model']} from the figures and the worst samples."))
    return (Note(f"No summary was written: {said['reason']}."),)


def _groups(groups: Mapping[str, Any], name: str) -> Table:
    columns = (
        Column(name),
        Column("samples", "integer"),
        Column("failed", "integer"),
        *(Column(measure, "share") for measure in HEADLINES),
        Column("F1 interval"),
        Column("micro F1", "share"),
        Column("right", "integer"),
        Column("wrong", "integer"),
        Column("missed", "integer"),
    )
    return Table(columns, tuple(_group(value, part) for value, part in groups.items()))


def _group(value: str, part: Mapping[str, Any]) -> Row:
    found, counts = part["metrics"], part["counts"]
    means = [_mean(found, measure) for measure in HEADLINES]
    right, wrong, missed = (counts[key] for key in ("true_positives", "false_positives", "false_negatives"))
    micro = _mean(found, "micro_f1")
    return Row((value, part["n"], part["failed"], *means, _bounds(found, "f1"), micro, right, wrong, missed))


def _fields(summary: Summary) -> Table:
    columns = (
        Column("field"),
        Column("compared", "integer"),
        Column("right", "integer"),
        Column("accuracy", "percent"),
        Column("most often wrong"),
    )
    rows = tuple(
        Row((name, each["compared"], each["right"], each["accuracy"], _often(each["often"])))
        for name, each in summary["by_field"].items()
    )
    return Table(columns, rows, "Of all pairs of an expected and an actual record.")


def _often(told: Sequence[Sequence[Any]]) -> str:
    return "; ".join(f"{detail} (×{count})" if count > 1 else str(detail) for detail, count in told)


def _confidence(summary: Summary) -> tuple[Block, ...]:
    data = summary["confidence"]
    if not data["told"] and not data["unreadable"]:
        return (Note("The extractor told no confidence."),)
    blocks: list[Block] = []
    if data["levels"]:
        blocks.append(_levels(data["levels"]))
    if data["numbers"]:
        blocks += _numbers(data["numbers"], data["minimum"])
    if data["unreadable"]:
        blocks.append(Note(f"{data['unreadable']} confidences are neither a word nor a number from 0 to 1.", "warn"))
    return tuple(blocks)


def _levels(levels: Lines) -> Table:
    columns = (Column("confidence"), Column("records", "integer"), Column("accuracy", "percent"), Column("interval"))
    rows = tuple(
        Row((level["name"], level["n"], level["accuracy"], _level_note(level)), "plain" if level["enough"] else "warn")
        for level in levels
    )
    return Table(columns, rows, "A record is right if it was expected and all its scored fields are within tolerance.")


def _level_note(level: Mapping[str, Any]) -> str:
    bounds = f"{fixed(level['low'], 1, 100)} – {fixed(level['high'], 1, 100)} %"
    return f"{bounds}; {level['reason']}" if level["reason"] else bounds


def _numbers(numbers: Mapping[str, Any], minimum: int) -> list[Block]:
    columns = (Column("measure"), Column("value", "score"), Column("meaning"))
    meanings = {
        "n": "records with a confidence from 0 to 1",
        "accuracy": "share that is right",
        "mean_confidence": "what the extractor claims",
        "ece": "expected calibration error: 0 is perfect",
        "brier": "mean squared error of the confidence: 0 is perfect",
        "auroc": "chance that a right record has more confidence than a wrong one; 0.5 is a coin",
    }
    table = Table(columns, tuple(Row((name, numbers[name], text)) for name, text in meanings.items()))
    curve = [each for each in numbers["curve"] if each["n"]]
    names = [f"{each['low']:g}–{each['high']:g}" for each in curve]
    bins = Table(
        (Column("bin"), Column("records", "integer"), Column("confidence", "share"), Column("accuracy", "share")),
        tuple(Row((name, c["n"], c["confidence"], c["accuracy"])) for name, c in zip(names, curve, strict=True)),
    )
    actual = tuple(Point(name, c["accuracy"], n=c["n"]) for name, c in zip(names, curve, strict=True))
    claimed = tuple(Point(name, c["confidence"], n=c["n"]) for name, c in zip(names, curve, strict=True))
    diagram = Chart(
        "lines",
        (Series("accuracy", actual), Series("confidence", claimed)),
        "Reliability: accuracy where the extractor claims so much confidence",
        x_label="confidence",
        y_label="accuracy",
    )
    few = [] if numbers["enough"] else [Note(f"Too few: {numbers['n']} records, {minimum} needed to judge.", "warn")]
    return [table, diagram, bins, *few]


def _cost(summary: Summary) -> tuple[Block, ...]:
    total = summary["latency"]["total"]
    times = Table(
        (Column("seconds a sample"), *(Column(name, "seconds") for name in ("mean", "p50", "p95", "max"))),
        (Row(("extraction", total["avg"], total["p50"], total["p95"], total["max"])),),
    )
    kinds = ("prompt", "completion", "thinking", "cached", "total")
    tokens = Table(
        (Column("tokens"), *(Column(kind, "integer") for kind in kinds)),
        tuple(Row((who, *((used or {}).get(kind) for kind in kinds))) for who, used in summary["tokens"].items()),
    )
    lines = [
        Row((name.removesuffix("_usd").replace("question", "sample").replace("_", " "), _dollars(v)))
        for name, v in summary["cost"].items()
    ]
    return (times, tokens, Table((Column("cost"), Column("US dollars")), tuple(lines)))


def _failures(summary: Summary, rows: Lines) -> tuple[Block, ...]:
    failed = [Row((row["case_id"], row["error"]["message"]), "bad") for row in rows if row["error"]]
    broken = [Row((each["id"], each["message"]), "bad") for each in summary["errors"]["broken"]]
    return (Table((Column("sample"), Column("what happened")), (*failed, *broken)),)


def _worst(summary: Summary, rows: Lines) -> Block:
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


def _items(rows: Lines) -> Items:
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
    return Item(row["case_id"], shown, {"outcome": outcome, **row["tags"]}, tuple(fields), tone)


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
    from assay.files import dump_json

    if value is None or value == "" or value == []:
        return MISSING
    is_line = isinstance(value, str) and len(value.splitlines()) == 1
    return value if is_line else dump_json(value)


def _left_out(rows: Lines) -> tuple[Block, ...]:
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


def _measures(summary: Summary) -> Table:
    columns = (Column("measure"), Column("mean", "share"), Column("interval"))
    rows = [
        Row((name, found["mean"], _bounds(summary["intervals"], name))) for name, found in summary["intervals"].items()
    ]
    return Table(columns, tuple(rows), "precision, recall, f1: mean over samples; micro: over all records.")


def _execution(summary: Summary) -> Table:
    execution = summary["execution"]
    facts = {
        "run id": summary["run_id"],
        "record type": summary["record_type"],
        "model": summary["model"],
        "started": execution["timestamp"],
        "duration": format_value(execution["duration"], "seconds"),
        "samples a second": execution["samples_per_second"],
        "workers": execution["workers"],
        "delay": format_value(execution["delay"], "seconds"),
        "seed": summary["seed"],
        "assay": summary["environment"]["assay"],
        "python": summary["environment"]["python"],
    }
    return Table((Column("what"), Column("is")), tuple(Row((key, value)) for key, value in facts.items()))
