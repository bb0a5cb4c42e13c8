"""A retrieval run as a report: what a person wants to know first, then everything else."""

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
from assay.report.comparison import HEADLINES, brief_section, full_section
from assay.report.numbers import fixed, format_value
from assay.report.text import are, counted, was
from assay.retrieval.diagnosis import CUT, MEANING

Summary = Mapping[str, Any]
FAMILIES = ("recall", "page_recall", "hit", "mrr", "ndcg", "map", "p", "p_max")
TEXT_LIMIT = 1500
SHOWN_REASONS = 3
LEVELS: dict[str, Tone] = {"good": "good", "tune": "warn", "poor": "bad", "undecided": "warn"}


def retrieval_report(
    summary: Summary,
    failures: Sequence[Mapping[str, Any]],
    variants: Sequence[Comparison] = (),
    baseline: Comparison | None = None,
) -> Report:
    """`variants` are the comparisons within the run, `baseline` the one with an earlier run."""
    sections = [
        Section("Summary", _overview(summary)),
        _headlines(summary),
        Section("Recall at k", _recall_curves(summary), detail=True),
        *([brief_section("Against the baseline", (baseline,))] if baseline else []),
        *([brief_section("Variants compared", variants, among=True)] if variants else []),
        Section("Where the expected chunk stands", (_ranks(summary),), detail=True),
        *_segments(summary),
        Section("Failures", _failures(summary, failures)),
        Section("Health of the gold set", _health(summary)),
        Section("What was left out", _skipped(summary)),
        Section("All measures", (_measures(summary),), detail=True),
        *([full_section("Against the baseline: all measures", (baseline,))] if baseline else []),
        *([full_section("Variants compared: all measures", variants, among=True)] if variants else []),
        Section("Run", _run(summary), detail=True),
    ]
    corpus = summary["corpus"]
    return Report(
        title=f"Retrieval: {corpus['name']}",
        subtitle=f"{summary['run_id']} · {summary['created_date']} · {counted(corpus['tested'], 'question')}",
        sections=tuple(sections),
    )


def _overview(summary: Summary) -> tuple[Block, ...]:
    decision, gates = summary["decision"], summary["gates"]
    best = decision["variant"]
    cards = [
        Card("Decision", decision["text"], f"best variant: {best or 'none'}", LEVELS[decision["level"]]),
        *(_gate_card(gate) for gate in gates),
    ]
    if best:
        cards += [_measure_card(name, summary["metrics"][best][name]) for name in _card_names(summary)]
    notes = [Note(text, "warn") for text in warnings_of(summary)]
    return (Cards(tuple(cards)), *notes)


def _card_names(summary: Summary) -> list[str]:
    """Page recall where the decision is taken, and the last cut-off of mrr and ndcg."""
    cut = summary["decision"]["measure"].partition("@")[2]
    wanted = [f"page_recall@{cut}", *(names[-1] for f in ("mrr", "ndcg") if (names := _of_family(summary, (f,))))]
    return [name for name in wanted if name in summary["measures"]]


def warnings_of(summary: Summary) -> list[str]:
    """What a reader must know before believing the numbers."""
    said = []
    if summary["partial"]:
        said.append(f"A partial run: {summary['partial']}.")
    errors, unknown = summary["errors"], summary["unknown_results"]
    if errors["total"]:
        said.append(f"{counted(errors['total'], 'search', 'searches')} failed and {are(errors['total'])} in no mean.")
        said += [f"{count} × {message}" for message, count in list(errors["messages"].items())[:SHOWN_REASONS]]
    if unknown and unknown["count"]:
        told = (
            f"{unknown['count']} of {counted(unknown['of'], 'retrieved id')} {are(unknown['count'])} not in the index"
        )
        said.append(f"{told}, such as '{unknown['example']}'.")
    said += summary["warnings"]
    health = summary["health"]
    if health:
        said += [f"{counted(n, 'expected id')} {are(n)} {state}." for state, n in health["counts"].items() if n]
        if health["unknown_documents"]:
            said.append(f"Documents not found in the index: {', '.join(health['unknown_documents'][:5])}.")
    return said


def _gate_card(gate: Mapping[str, Any]) -> Card:
    tone: Tone = "good" if gate["passed"] else "bad" if gate["severity"] == "blocking" else "warn"
    value = format_value(gate["value"], "share")
    return Card(f"Gate {gate['measure']} ≥ {gate['at_least']:.2f}", value, "holds" if gate["passed"] else "fails", tone)


def _measure_card(name: str, interval: Mapping[str, Any]) -> Card:
    return Card(name, format_value(interval["mean"], "share"), _range(interval))


def _range(interval: Mapping[str, Any]) -> str:
    scored = f"n = {interval['n_scored']} / {interval['n_cases']}"
    if interval["low"] is None:
        return scored
    return f"{fixed(interval['low'], 2)} – {fixed(interval['high'], 2)}, {scored}"


def _of_family(summary: Summary, families: Sequence[str]) -> list[str]:
    """The run's measures of these families, in that order, cut-offs ascending as given."""
    return [name for family in families for name in summary["measures"] if name.partition("@")[0] == family]


def _ordered(summary: Summary) -> list[str]:
    usual = _of_family(summary, FAMILIES)
    return usual + [name for name in summary["measures"] if name not in usual]


def _headlines(summary: Summary) -> Section:
    """The measures people ask for, one column for each variant."""
    variants, cut = summary["variants"], max(summary["config"]["retrieval"]["k"])
    names = [name for name in _ordered(summary) if is_headline(name, cut)]
    found = {name: [summary["metrics"][variant][name] for variant in variants] for name in names}
    scored = {_denominators(intervals) for intervals in found.values()}
    columns = [Column("measure"), *(Column(variant, "share") for variant in variants)]
    rows = [[name, *map(_with_bounds, intervals)] for name, intervals in found.items()]
    intro = f"Mean [{_confidence(summary)} interval]"
    if len(scored) == 1:
        intro += f", n scored / cases: {scored.pop()}"
    else:
        columns.append(Column("n scored / cases"))
        rows = [[*row, _denominators(found[str(row[0])])] for row in rows]
    return Section("Measures", (Table(tuple(columns), tuple(Row(tuple(row)) for row in rows)),), f"{intro}.")


def is_headline(name: str, cut: int) -> bool:
    """recall and page recall at every k; mrr and ndcg at the last; what was asked for besides."""
    family, _, k = name.partition("@")
    return family in HEADLINES and (family.endswith("recall") or k in ("", str(cut)))


def _with_bounds(interval: Mapping[str, Any]) -> str:
    """Bounds to two digits: they are an estimate, and three variants fit into 80 columns."""
    mean = format_value(interval["mean"], "share")
    if interval["low"] is None:
        return mean
    return f"{mean} [{fixed(interval['low'], 2)}, {fixed(interval['high'], 2)}]"


def _confidence(summary: Summary) -> str:
    return f"{summary['config']['statistics']['confidence']:.0%}"


def _measures(summary: Summary) -> Table:
    variants = summary["variants"]
    columns = [Column("measure")]
    for variant in variants:
        columns += [Column(variant, "share"), Column(f"{_confidence(summary)} interval")]
    columns.append(Column("n scored / cases"))
    rows = []
    for name in _ordered(summary):
        intervals = [summary["metrics"][variant][name] for variant in variants]
        cells: list[str | float | None] = [name]
        for interval in intervals:
            cells += [interval["mean"], _bounds(interval)]
        rows.append(Row((*cells, _denominators(intervals))))
    return Table(
        tuple(columns), tuple(rows), "p_max is the precision a perfect retriever would reach: compare p with it."
    )


def _bounds(interval: Mapping[str, Any]) -> str | None:
    if interval["low"] is None:
        return None
    return f"{format_value(interval['low'], 'share')}, {format_value(interval['high'], 'share')}"


def _denominators(intervals: Iterable[Mapping[str, Any]]) -> str:
    return " · ".join(dict.fromkeys(f"{interval['n_scored']} / {interval['n_cases']}" for interval in intervals))


def _recall_curves(summary: Summary) -> tuple[Chart, ...]:
    """Chunks and pages, each with the limit its gate sets."""
    limits = {gate["measure"].partition("@")[0]: gate["at_least"] for gate in summary["gates"]}
    charts = []
    for family, label in (("recall", "chunks"), ("page_recall", "pages")):
        names = _of_family(summary, (family,))
        series = tuple(
            Series(v, tuple(_point(name.partition("@")[2], summary["metrics"][v][name]) for name in names))
            for v in summary["variants"]
        )
        if any(point.y is not None for line in series for point in line.points):
            charts.append(Chart("lines", series, f"Recall of {label}", "k", "recall", reference=limits.get(family)))
    return tuple(charts)


def _point(x: str, interval: Mapping[str, Any]) -> Point:
    return Point(x, interval["mean"], interval["low"], interval["high"], interval["n_scored"])


def _ranks(summary: Summary) -> Chart:
    series = tuple(
        Series(variant, tuple(Point(name, float(count)) for name, count in bins.items()))
        for variant, bins in summary["ranks"].items()
    )
    return Chart("columns", series, "Rank of the first expected chunk", "rank", "questions", y_max=None)


def _segments(summary: Summary) -> list[Section]:
    """A chart of the deciding measure for each tag, and a table with every measure."""
    measure, best = summary["decision"]["measure"], summary["decision"]["variant"]
    sections = []
    for key, values in summary["segments"].items():
        blocks: list[Block] = []
        if best:
            points = tuple(_point(v, s["metrics"][best][measure]) for v, s in values.items())
            blocks.append(Chart("bars", (Series(best, points),), f"{measure} by {key}, {best}"))
        blocks.append(_segment_table(summary, key, values))
        sections.append(Section(f"By {key}", tuple(blocks), detail=True))
    return sections


def _segment_table(summary: Summary, key: str, values: Mapping[str, Any]) -> Table:
    names = [name for name in _ordered(summary) if not name.startswith("p_max")]
    columns = (Column(key), Column("variant"), Column("n", "integer"), *(Column(name, "share") for name in names))
    rows = tuple(
        Row((value, variant, segment["n"], *(_with_bounds(segment["metrics"][variant][name]) for name in names)))
        for value, segment in values.items()
        for variant in summary["variants"]
    )
    return Table(columns, rows)


def _failures(summary: Summary, failures: Sequence[Mapping[str, Any]]) -> tuple[Block, ...]:
    if summary["diagnosis"] is None:
        return (Note(f"Not examined: {summary['not_examined']}."),)
    variants = summary["variants"]
    columns = (Column("diagnosis"), *(Column(variant, "integer") for variant in variants), Column("meaning"))
    counts = summary["diagnosis"]
    rows = tuple(Row((name, *(counts[v][name] for v in variants), text)) for name, text in MEANING.items())
    items = Items(tuple(map(_failure, failures)), empty="Every expected chunk is among the first five.")
    note = Note(f"A question fails when no expected chunk is among the first {CUT}.")
    return (note, Table(columns, rows), items)


def _failure(entry: Mapping[str, Any]) -> Item:
    rank = entry["rank"]
    fields = [
        Field("Question", entry["question"]),
        *([Field("Expected answer", entry["answer"])] if entry["answer"] else []),
        Field("Diagnosis", f"{entry['diagnosis']}: {entry['explanation']}"),
        Field("Rank in a deep search", str(rank) if rank else "not found"),
        *(
            [Field("Similarity to the expected chunk", f"{entry['similarity']:.3f}")]
            if entry["similarity"] is not None
            else []
        ),
        Field("Words in common", ", ".join(entry["shared_words"]) or "none"),
        *(Field(f"Expected: {_where(chunk)}", cut(chunk["text"]), mono=True) for chunk in entry["expected"]),
        *([Field("Expected, not in the index", ", ".join(entry["expected_ids"]))] if not entry["expected"] else []),
        *(
            Field(f"Retrieved {c['rank']}: {_where(c)} · {entry['scale']} {c['score']:.4g}", cut(c["text"]), mono=True)
            for c in entry["retrieved"]
        ),
        *([] if entry["retrieved"] else [Field("Retrieved", "nothing")]),
    ]
    tags = {"diagnosis": entry["diagnosis"], "variant": entry["variant"], **entry["tags"]}
    return Item(f"{entry['case_id']} · {entry['variant']}", entry["question"], tags, tuple(fields), "bad")


def _where(chunk: Mapping[str, Any]) -> str:
    if not chunk["in_index"]:
        return f"{chunk['id']} (not in the index)"
    page = f" p. {chunk['page']}" if chunk["page"] is not None else ""
    return f"{chunk['id']} ({chunk['source']}{page})"


def cut(text: str) -> str:
    """Long text with a visible mark where it was cut."""
    return text if len(text) <= TEXT_LIMIT else f"{text[:TEXT_LIMIT]} […{len(text) - TEXT_LIMIT} characters more]"


def _health(summary: Summary) -> tuple[Block, ...]:
    health = summary["health"]
    if health is None:
        return (Note("Not examined: there is no index."),)
    trivial = format_value(health["trivial"], "percent")
    blocks: list[Block] = [
        Note(
            f"{health['present']} of {counted(health['expected'], 'expected id')} "
            f"{are(health['present'])} in the index."
        ),
        Note(f"{trivial} of the questions are trivial: bm25 alone ranks the expected chunk first."),
    ]
    if health["moved"]:
        columns = (Column("question"), Column("expected id"), Column("state"), Column("now"), Column("how"))
        rows = tuple(
            Row((m["case_id"], m["expected_id"], m["state"], ", ".join(m["candidates"]) or None, m["how"]), "warn")
            for m in health["moved"]
        )
        blocks.append(Table(columns, rows))
    if health["accepted"]:
        blocks.append(_accepted(summary))
    return tuple(blocks)


def _accepted(summary: Summary) -> Table:
    columns = (
        Column("measure"),
        Column("variant"),
        Column("as it stands", "share"),
        Column("relocated accepted", "share"),
    )
    rows = tuple(
        Row((name, variant, summary["metrics"][variant][name]["mean"], accepted[name]["mean"]))
        for name in _of_family(summary, ("recall", "mrr", "ndcg"))
        for variant, accepted in summary["health"]["accepted"].items()
    )
    return Table(columns, rows, "Scores as they stand, and with relocated ids accepted.")


def _skipped(summary: Summary) -> tuple[Block, ...]:
    skipped = summary["skipped"]
    if not skipped["count"]:
        return (Note("Nothing: every question was tested."),)
    rows = tuple(Row((reason, count)) for reason, count in skipped["reasons"].items())
    total = summary["corpus"]["question_count"]
    return (
        Note(f"{skipped['count']} of {counted(total, 'question')} {was(skipped['count'])} not tested."),
        Table((Column("reason"), Column("questions", "integer")), rows),
    )


def _index_size(index: Mapping[str, Any]) -> str:
    return f"{index['name']}: {counted(index['chunks'], 'chunk')} of {counted(index['documents'], 'document')}"


def _run(summary: Summary) -> tuple[Block, ...]:
    index, execution = summary["index"] or {}, summary["execution"]
    facts = {
        "run id": summary["run_id"],
        "gold set": f"{summary['corpus']['name']} (sha256 {summary['corpus']['sha256'][:12]})",
        "index": _index_size(index) if index else None,
        "embedder": index.get("model_id"),
        "index fingerprint": (index.get("fingerprint") or "")[:12] or None,
        "seed": str(summary["seed"]),
        "assay": summary["environment"]["assay"],
        "python": f"{summary['environment']['python']} on {summary['environment']['platform']}",
    }
    columns = (
        Column("variant"),
        Column("search", "seconds"),
        Column("questions", "integer"),
        Column("a second", "integer"),
    )
    rows = tuple(
        Row((name, t["seconds"] if t["questions"] else None, t["questions"], t["questions_per_second"]))
        for name, t in execution["search"].items()
    )
    return (
        Table((Column("what"), Column("is")), tuple(Row((key, value)) for key, value in facts.items())),
        Table(columns, rows, f"{format_value(execution['duration'], 'seconds')} in all."),
    )
