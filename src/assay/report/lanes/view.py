"""A run over lanes as a report: what is missing from the index first, then case by case, then the means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.compare import Comparison
from assay.report.against import brief_sections, full_sections
from assay.report.blocks import (
    Block,
    Cards,
    Chart,
    Column,
    Item,
    Items,
    Note,
    Report,
    Row,
    Section,
    Series,
    Table,
    Tone,
)
from assay.report.intervals import confidence_of, gate_card, point_of
from assay.report.numbers import MISSING, fixed, format_value
from assay.report.text import are, counted, moment
from assay.report.trend import Step
from assay.report.verdict import Compared, Number, verdict_of

Summary = Mapping[str, Any]
SHOWN = ("recall@k", "p@k", "p_max@k", "mrr@k", "hit@k", "ndcg@k")
BRIEF = ("recall@k", "mrr@k", "p@k", "p_max@k")
ON_TOP = ("recall@k", "mrr@k", "hit@k")
LONGEST = 40
"""Results that are shown at once."""
NAMED = 10
"""Cases that are named in a sentence."""
REASONS = 3
"""Why searches failed."""
LARGEST = 20
"""Segments of one tag."""
PLAIN = ("p@k", "p_max@k")
"""Without an interval: what matters is how far the first is from the second."""


def lanes_report(
    summary: Summary,
    cases: Sequence[Item],
    variants: Sequence[Comparison] = (),
    compared: Compared | None = None,
    history: Sequence[Step] = (),
) -> Report:
    """`variants` are the comparisons within the run, `compared` the one with an earlier run."""
    compared = compared or Compared()
    baseline = compared.baseline
    sections = [
        *([Section("Missing from the index", _missing(summary))] if summary["missing"] else []),
        Section("Cases", _cases(summary)),
        *(
            [Section("All cases", (_table_of(summary, _worst_first(summary)),), detail=True)]
            if _is_long(summary)
            else []
        ),
        Section("Means", _means(summary), f"Mean [{confidence_of(summary)} interval], n scored / cases."),
        *brief_sections(summary, baseline, history, variants),
        *_segments(summary),
        Section(
            "Every case",
            listed(summary, cases),
            "Those that were not found whole first.",
            detail=True,
        ),
        *full_sections(baseline, variants),
        Section("Run", (_run(summary),), detail=True),
    ]
    corpus = summary["corpus"]
    return Report(
        title=f"Lanes: {corpus['name']}",
        subtitle=f"{summary['run_id']} · {moment(summary['created_date'])} · {counted(corpus['tested'], 'case')}",
        sections=tuple(sections),
        verdict=verdict_of(summary, compared, _numbers(summary)),
    )


def listed(summary: Summary, cases: Sequence[Item]) -> tuple[Block, ...]:
    """Every case that there is room for; how many are not there is said."""
    items = Items(tuple(cases), "No case was searched.")
    left = len({result["case_id"] for result in summary["results"]}) - len(cases)
    return (Note(f"{counted(left, 'case')} more {are(left)} in results.jsonl."), items) if left else (items,)


def _numbers(summary: Summary) -> list[Number]:
    best = summary.get("decision", {}).get("variant") or summary["variants"][0]
    metrics = summary["metrics"].get(best, {})
    return [Number(name, f"{name}, {best}", metrics.get(name), variant=best) for name in ON_TOP]


def _missing(summary: Summary) -> tuple[Block, ...]:
    """An ingestion problem, not a ranking miss."""
    missing = summary["missing"]
    tone: Tone = "bad" if summary["strict"] else "warn"
    cases = len({entry["case_id"] for entry in missing})
    said = f"Expected ids that cannot be found: {len(missing)} (cases: {cases}). No denominator counts them."
    rows = tuple(Row((entry["case_id"], entry["expected_id"], _where(entry)), tone) for entry in missing[:LONGEST])
    if len(missing) > LONGEST:
        said += f" The first {LONGEST} are listed; all are in run_summary.json."
    return (Note(said, tone), Table((Column("case_id"), Column("expected id"), Column("where it is")), rows))


def _where(entry: Mapping[str, Any]) -> str:
    if entry["lane"]:
        return f"in the lane {entry['lane']}"
    near = entry.get("near")
    return f"not in the index; perhaps {near}" if near else "not in the index"


def _is_long(summary: Summary) -> bool:
    return len(summary["results"]) > LONGEST


def _worst_first(summary: Summary) -> list[Mapping[str, Any]]:
    """Missing ids first. Of a long list then what was not found, since nobody reads on; a short one stays by id."""
    is_long = _is_long(summary)

    def place(result: Mapping[str, Any]) -> tuple[bool, float, str]:
        recall = result["recall_at_k"] if is_long else 0
        return not result["missing_expected_ids"], -1 if recall is None else recall, result["case_id"]

    return sorted(summary["results"], key=place)


def _cases(summary: Summary) -> tuple[Block, ...]:
    """The table of results, or its worst part."""
    notes: list[Block] = [Note(text, "warn") for text in _warnings(summary)]
    results = _worst_first(summary)
    if _is_long(summary):
        notes.append(
            Note(f"The worst {LONGEST} of {len(results)} results; the report lists every one under All cases.")
        )
    return (*notes, _table_of(summary, results[:LONGEST]))


def _table_of(summary: Summary, results: Sequence[Mapping[str, Any]]) -> Table:
    several = len(summary["variants"]) > 1
    names = ("case_id", *(["variant"] if several else []), "lane", "source")
    columns = (
        *(Column(name) for name in names),
        Column("k", "integer"),
        *(Column(name, "share") for name in ("P@k", "(max)", "R@k", "MRR")),
        Column("missing", "integer"),
    )
    rows = tuple(_case(result, names) for result in results)
    return Table(columns, rows, "(max) is the precision a perfect search would reach with k results.")


def _case(result: Mapping[str, Any], names: Sequence[str]) -> Row:
    measured = (
        result["precision_at_k"],
        result.get("max_precision_at_k"),
        result["recall_at_k"],
        result["mrr"],
    )
    shown = tuple(MISSING if value is None else fixed(value, 2) for value in measured)
    cells = (*(result[name] for name in names), result["k"], *shown, len(result["missing_expected_ids"]))
    return Row(cells, _tone(result))


def _tone(result: Mapping[str, Any]) -> Tone:
    if result["status"] == "error":
        return "bad"
    if result["missing_expected_ids"] or result["status"] == "undefined":
        return "warn"
    return "plain" if result["recall_at_k"] else "bad"


def _warnings(summary: Summary) -> list[str]:
    undefined = sorted({r["case_id"] for r in summary["results"] if r["status"] == "undefined"})
    listed = ", ".join(undefined[:NAMED]) + (f" and {len(undefined) - NAMED} more" if len(undefined) > NAMED else "")
    said = [f"Undefined, nothing that is expected can be found: {listed}."] if undefined else []
    if summary["errors"]["total"]:
        total = summary["errors"]["total"]
        said.append(f"{counted(total, 'search', 'searches')} failed and {are(total)} in no mean.")
        messages = summary["errors"].get("messages", {})  # older summaries have none
        said += [f"{count} × {message}" for message, count in list(messages.items())[:REASONS]]
    return said


def _means(summary: Summary) -> tuple[Block, ...]:
    gates = Cards(tuple(gate_card(gate) for gate in summary["gates"]))
    lanes = {"all": {"n": summary["corpus"]["tested"], "metrics": summary["metrics"]}}
    by_lane = summary["segments"].get("lane", {})
    lanes |= by_lane if len(by_lane) > 1 else {}
    return (gates, _table(summary, "lane", lanes, BRIEF))


def _table(summary: Summary, key: str, values: Mapping[str, Any], names: Sequence[str]) -> Table:
    several = len(summary["variants"]) > 1
    columns = (
        Column(key),
        *([Column("variant")] if several else []),
        *(Column("(max)" if name == "p_max@k" else name, "share") for name in names),
        Column("n"),
    )
    rows = []
    for value, segment in values.items():
        for variant in summary["variants"]:
            intervals = segment["metrics"][variant]
            first = intervals[names[0]]
            cells = (*([variant] if several else []), *(_cell(name, intervals[name]) for name in names))
            rows.append(Row((value, *cells, f"{first['n_scored']} / {first['n_cases']}")))
    return Table(columns, tuple(rows))


def _cell(name: str, interval: Mapping[str, Any]) -> str:
    mean = format_value(interval["mean"], "share")
    if interval["low"] is None or name in PLAIN:
        return mean
    return f"{mean} [{fixed(interval['low'], 2)}, {fixed(interval['high'], 2)}]"


def _segments(summary: Summary) -> list[Section]:
    """A tag of one value says nothing that the means do not."""
    return [
        Section(f"By {key}", _segment_blocks(summary, key, values), detail=True)
        for key, values in summary["segments"].items()
        if len(values) > 1
    ]


def _segment_blocks(summary: Summary, key: str, values: Mapping[str, Any]) -> tuple[Block, ...]:
    """Of many values those with the most cases: there may be a file for each case."""
    kept = sorted(values, key=lambda value: -int(values[value]["n"]))[:LARGEST]
    shown = {value: segment for value, segment in values.items() if value in set(kept)}
    said = f"The {LARGEST} with the most cases, of {len(values)}; all are in run_summary.json."
    notes = (Note(said),) if len(values) > LARGEST else ()
    return (*notes, _picture(summary, key, shown), _table(summary, key, shown, SHOWN))


def _picture(summary: Summary, key: str, values: Mapping[str, Any]) -> Chart:
    series = tuple(
        Series(variant, tuple(point_of(value, part["metrics"][variant]["recall@k"]) for value, part in values.items()))
        for variant in summary["variants"]
    )
    return Chart("bars", series, f"recall@k by {key}")


def _run(summary: Summary) -> Table:
    facts = {
        "run id": summary["run_id"],
        "cases": f"{summary['corpus']['name']} (sha256 {summary['corpus']['sha256'][:12]})",
        "seed": str(summary["seed"]),
        "strict": "yes" if summary["strict"] else "no",
        "assay": summary["environment"]["assay"],
        "duration": format_value(summary["execution"]["duration"], "seconds"),
    }
    for index in summary["indexes"]:
        lanes = ", ".join(f"{count} {lane}" for lane, count in index["lanes"].items())
        facts[f"index {index['name']}"] = f"{lanes} (fingerprint {index['fingerprint'][:12]})"
    return Table((Column("what"), Column("is")), tuple(Row((key, value)) for key, value in facts.items()))
