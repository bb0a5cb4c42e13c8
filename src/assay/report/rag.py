"""A RAG run as a report, in the order people read it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from assay.compare import Comparison
from assay.judges import DIMENSIONS
from assay.rag.outcomes import ARCHETYPES, STAGES
from assay.rag.tally import PHASES, RATES
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
from assay.report.numbers import fixed, format_value
from assay.report.retrieval import cut
from assay.report.trust import trust_blocks
from assay.runs.folder import RunFolder
from assay.runs.passages import PassageStore
from assay.stats import mean, quantile

Summary = Mapping[str, Any]
Lines = Sequence[Mapping[str, Any]]
STATUS: dict[str, Tone] = {"good": "good", "fair": "warn", "poor": "bad", "unknown": "warn"}
VERDICT_TONES: dict[str, Tone] = {"pass": "good", "partial": "warn", "fail": "bad", "error": "bad"}
DEFINITIONS = {
    "overall_score": "the judge's grade of the whole answer, 1 to 5; the verdict follows from it by a written rule",
    "correctness": "does the answer say what the expected answer says?",
    "completeness": "does it say all of it?",
    "faithfulness": "is everything in it supported by the passages the generator saw?",
    "relevance": "does it answer the question that was asked?",
    "clarity": "can it be understood at once, without padding or repetition?",
}


LIGHT = ("question_type", "difficulty", "mrr", "time", "status")
SHOWN, SEEN = 500, 5
"""Questions of a kind, and passages of a question, that are shown; the others are in the files."""


class Pages(Struct, frozen=True):
    """What the report needs of the results: a little of every row, all of those a person will look into."""

    light: list[dict[str, Any]]
    full: list[dict[str, Any]]
    texts: dict[str, str]


def pages_of(run: RunFolder) -> Pages:
    """One pass over the results."""
    verdicts = {entry["case_id"]: entry["verdict"] for entry in run.summary["not_passed"]}
    light, full = [], []
    shown: Counter[str] = Counter()
    for row in run.results.rows():
        grades = {name: (row["judgment"] or {}).get(name) for name in DEFINITIONS}
        message = row["error"]["message"][:200] if row["error"] else None
        light.append({**{key: row[key] for key in LIGHT}, "judgment": grades, "error": message})
        verdict = verdicts.get(row["case_id"])
        if verdict and shown[verdict] < SHOWN:
            shown[verdict] += 1
            full.append(row)
    needed = {passage["text"] for row in full for passage in (row["context"] or ())[:SEEN]}
    texts = {key: text for key, text in PassageStore(run.path).read().items() if key in needed}
    return Pages(light, full, texts)


def rag_report(summary: Summary, pages: Pages, baseline: Comparison | None = None) -> Report:
    rows, texts = pages.light, pages.texts
    said = {entry["case_id"]: entry for entry in summary["not_passed"]}
    sections = [
        Section("Run context", _context(summary)),
        Section("Executive summary", _executive(summary, baseline)),
        *([brief_section("Against the baseline", (baseline,))] if baseline else []),
        Section("MRR by difficulty and type", (_mrr_matrix(rows),), detail=True),
        Section("What the scores mean", (_definitions(summary),), detail=True),
        Section("Distribution of scores", (_distribution(rows), *_score_charts(rows)), detail=True),
        Section("Answered or refused", (_abstention(summary),)),
        *([Section("Trust in the judge", trust_blocks(summary["trust"]))] if summary.get("trust") else []),
        Section("Where questions were lost", _losses(summary)),
        Section("Latency", _latency(summary, rows), detail=True),
        Section("Tokens and cost", _cost(summary)),
        Section("By type", (_breakdown(summary, "breakdown_by_type", "type"),), detail=True),
        Section("By difficulty", (_breakdown(summary, "breakdown_by_difficulty", "difficulty"),), detail=True),
        Section("Retries and errors", _retries(summary, rows), detail=True),
        Section("Failures", _items(pages.full, said, texts, ("fail", "error"))),
        Section("Partial answers", _items(pages.full, said, texts, ("partial",)), detail=True),
        Section("All measures", (_measures(summary),), detail=True),
        *([full_section("Against the baseline: all measures", (baseline,))] if baseline else []),
        Section("Execution", (_execution(summary),), detail=True),
        Section("Questions", _questions(summary), detail=True),
    ]
    corpus = summary["corpus"]
    return Report(
        title=f"RAG run: {summary['system']} on {corpus['name']}",
        subtitle=f"{summary['run_id']} · {summary['created_date']} · {corpus['tested']} questions",
        sections=tuple(sections),
    )


def _context(summary: Summary) -> tuple[Block, ...]:
    pipeline = summary["config"]["run"]["pipeline"]
    reasons = [*([summary["partial"]] if summary["partial"] else []), *summary.get("overrides", ())]
    kind = f"ad hoc: {', '.join(reasons)}" if reasons else "core: the full corpus at the configured k"
    facts = {
        "run": kind,
        "system": summary["system"],
        "judge": summary["judge"]["name"],
        "recall k / precision k": f"{pipeline['recall_k']} / {pipeline['precision_k']}",
        "status": f"{summary['status']} (pass rate {format_value(summary['metrics']['pass_rate'], 'percent')})",
    }
    rows = tuple(Row((key, value)) for key, value in facts.items())
    notes = [Note(warning, "warn") for warning in summary["execution"]["warnings"]]
    return (Table((Column("what"), Column("is")), rows), *notes)


def _executive(summary: Summary, baseline: Comparison | None) -> tuple[Block, ...]:
    metrics, intervals = summary["metrics"], summary["intervals"]
    cards = [
        Card(
            "Pass rate",
            format_value(metrics["pass_rate"], "percent"),
            _bounds(intervals["pass_rate"], "percent"),
            STATUS[summary["status"]],
        ),
        Card("Acceptable", format_value(metrics["acceptable_rate"], "percent"), "pass or partial"),
        Card("Overall score", format_value(metrics["overall_score_avg"], "score"), "1 to 5"),
        Card("Cost", _dollars(summary["cost"]["total_cost_usd"]), "of all replies"),
        Card("Median time", format_value(summary["latency"]["total"]["p50"], "seconds"), "a question"),
        *(_gate(gate) for gate in summary["gates"]),
    ]
    blocks: list[Block] = [Cards(tuple(cards))]
    if baseline:
        blocks.append(Note(headline(baseline), "bad" if baseline.failed else "plain"))
    rates = [(name.removesuffix("_rate"), metrics[name]) for name in RATES if name != "acceptable_rate"]
    columns = (Column("verdict"), Column("share", "percent"), Column("interval"))
    rows = [
        Row((name, value, _bounds(intervals[f"{name}_rate"], "percent")), VERDICT_TONES[name]) for name, value in rates
    ]
    return (*blocks, Table(columns, tuple(rows)))


def _gate(gate: Mapping[str, Any]) -> Card:
    tone: Tone = "good" if gate["passed"] else "bad" if gate["severity"] == "blocking" else "warn"
    note = "holds" if gate["passed"] else "fails"
    return Card(f"Gate {gate['measure']} ≥ {gate['at_least']:g}", format_value(gate["value"], "score"), note, tone)


def _bounds(interval: Mapping[str, Any], form: str) -> str:
    scored = f"n = {interval['n_scored']} / {interval['n_cases']}"
    if interval["low"] is None:
        return scored
    scale, digits = (100, 1) if form == "percent" else (1, 2)
    low, high = fixed(interval["low"] * scale, digits), fixed(interval["high"] * scale, digits)
    return f"{low} – {high}, {scored}"


def _dollars(value: float | None) -> str:
    return "unknown" if value is None else f"${value:.4f}"


def _kinds(rows: Lines, key: str) -> list[str]:
    order = {"easy": 0, "medium": 1, "hard": 2, "unknown": 9}
    return sorted({row[key] for row in rows}, key=lambda value: (order.get(value, 5), value))


def _mrr_matrix(rows: Lines) -> Table:
    """Difficulty × type with totals; an empty cell is not 0."""
    types = _kinds(rows, "question_type")
    columns = (Column("difficulty"), *(Column(name) for name in types), Column("all"))
    lines = [
        Row((level, *(_mrr(rows, level, name) for name in types), _mrr(rows, level, None)))
        for level in _kinds(rows, "difficulty")
    ]
    total = Row(("all", *(_mrr(rows, None, name) for name in types), _mrr(rows, None, None)))
    return Table(columns, (*lines, total), "Mean reciprocal rank (n).")


def _mrr(rows: Lines, level: str | None, name: str | None) -> str | None:
    values = [
        row["mrr"]
        for row in rows
        if row["mrr"] is not None and level in (None, row["difficulty"]) and name in (None, row["question_type"])
    ]
    return f"{format_value(mean(values), 'share')} ({len(values)})" if values else None


def _definitions(summary: Summary) -> Table:
    judging = summary["config"]["run"]["judging"]
    rows = [Row((name, text)) for name, text in DEFINITIONS.items()]
    rule = f"pass: overall ≥ {judging['pass_at']:g}; partial: ≥ {judging['partial_at']:g}; else fail"
    rows.append(Row(("verdict", f"{rule}; never pass with correctness ≤ {judging['never_pass_at']:g}")))
    return Table((Column("score"), Column("meaning")), tuple(rows))


def _grades(rows: Lines, name: str) -> list[float]:
    found = [row["judgment"].get(name) for row in rows if row["status"] == "ok"]
    return [grade for grade in found if grade is not None]


def _distribution(rows: Lines) -> Table:
    """How often each grade was given; grades between whole numbers keep their own line."""
    tallies = {name: Counter(round(grade, 2) for grade in _grades(rows, name)) for name in DEFINITIONS}
    values = sorted({value for tally in tallies.values() for value in tally}, reverse=True)
    if len(values) > 12:
        return _binned(rows)
    columns = (Column("grade"), *(Column(name, "integer") for name in DEFINITIONS))
    return Table(
        columns, tuple(Row((f"{value:g}", *(tallies[name][value] for name in DEFINITIONS))) for value in values)
    )


BINS = ((4.5, 5.0), (4.0, 4.5), (3.0, 4.0), (2.0, 3.0), (1.0, 2.0))


def _binned(rows: Lines) -> Table:
    columns = (Column("grade"), *(Column(name, "integer") for name in DEFINITIONS))
    lines = []
    for low, high in BINS:
        inside = [sum(low <= g < high or (g == high == 5.0) for g in _grades(rows, name)) for name in DEFINITIONS]
        lines.append(Row((f"{low:g} to {'' if high == 5.0 else 'below '}{high:g}", *inside)))
    return Table(columns, tuple(lines))


def _score_charts(rows: Lines) -> list[Chart]:
    names = ("overall_score", *DIMENSIONS)
    points = tuple(Point(name, mean(grades)) for name in names if (grades := _grades(rows, name)))
    return [Chart("bars", (Series("mean grade", points),), "Mean grade", y_max=5.0)] if points else []


def _abstention(summary: Summary) -> Table:
    counts = summary["abstention"]
    columns = (
        Column("question"),
        Column("answered", "integer"),
        Column("refused", "integer"),
        Column("not judged", "integer"),
        Column("wrong"),
    )
    rows = [
        Row(
            (
                kind,
                counts[f"{kind}_answered"],
                counts[f"{kind}_refused"],
                counts[f"{kind}_unjudged"],
                _wrong(counts[rate]),
            )
        )
        for kind, rate in (("answerable", "false_refusal_rate"), ("unanswerable", "false_answer_rate"))
    ]
    return Table(columns, tuple(rows), "Wrong: answerable questions refused, unanswerable ones answered.")


def _wrong(interval: Mapping[str, Any]) -> str | None:
    if interval["mean"] is None:
        return None
    return f"{format_value(interval['mean'], 'percent')} ({_bounds(interval, 'percent')})"


def _losses(summary: Summary) -> tuple[Block, ...]:
    lost = sum(summary["waterfall"].values())
    if not lost:
        return (Note("No question failed."),)
    stages = tuple(Row((stage, count, STAGES[stage])) for stage, count in summary["waterfall"].items() if count)
    kinds = tuple(Row((name, count, ARCHETYPES[name])) for name, count in summary["archetypes"].items() if count)
    points = tuple(Point(stage, float(count)) for stage, count in summary["waterfall"].items() if count)
    return (
        Table((Column("first place lost"), Column("questions", "integer"), Column("meaning")), stages),
        Chart("bars", (Series("questions", points),), "First place where failed questions were lost", y_max=None),
        Table((Column("archetype"), Column("questions", "integer"), Column("meaning")), kinds),
    )


def _latency(summary: Summary, rows: Lines) -> tuple[Block, ...]:
    latency = summary["latency"]
    known = sum(times["avg"] for times in latency["by_phase"].values() if times["avg"] is not None)
    columns = (
        Column("phase"),
        Column("mean", "seconds"),
        Column("median", "seconds"),
        Column("p95", "seconds"),
        Column("share", "percent"),
        Column("n", "integer"),
    )
    phases = [
        Row((name, t["avg"], t["p50"], t["p95"], t["avg"] / known if t["avg"] is not None and known else None, t["n"]))
        for name, t in latency["by_phase"].items()
    ]
    total = latency["total"]
    phases.append(Row(("total", total["avg"], total["p50"], total["p95"], None, total["n"])))
    kinds = [
        Row((f"difficulty {name}", t["avg"], t["p50"], t["p95"], t["n"]))
        for name, t in latency["by_difficulty"].items()
    ]
    for name in _kinds(rows, "question_type"):
        values = [row["time"] for row in rows if row["question_type"] == name and row["time"] is not None]
        kinds.append(Row((f"type {name}", mean(values), quantile(values, 0.5), quantile(values, 0.95), len(values))))
    return (
        Table(columns, tuple(phases), "A phase the system does not measure has no value."),
        Chart(
            "bars",
            (Series("mean seconds", tuple(Point(p, latency["by_phase"][p]["avg"]) for p in PHASES)),),
            "Mean seconds by phase",
            y_max=None,
        ),
        Table((Column("questions"), *columns[1:4], Column("n", "integer")), tuple(kinds)),
    )


def _cost(summary: Summary) -> tuple[Block, ...]:
    kinds = ("prompt", "completion", "thinking", "cached", "total")
    columns = (Column("who"), *(Column(kind, "integer") for kind in kinds))
    rows = tuple(Row((who, *((used or {}).get(kind) for kind in kinds))) for who, used in summary["tokens"].items())
    cost = summary["cost"]
    spent = summary["execution"]["spent_usd"]
    lines = [Row((name.removesuffix("_usd").replace("_", " "), _dollars(value))) for name, value in cost.items()]
    unknown = cost["total_cost_usd"] is None
    paid = None if unknown and not spent else _dollars(spent)
    lines.append(Row(("spent on this run, as far as known" if unknown else "spent on this run", paid)))
    note = Note(
        "Cost is that of all replies; those from the cache were paid for earlier. Unknown: the tokens were not told, or"
        " have no known price."
    )
    return (Table(columns, rows, "Tokens"), Table((Column("cost"), Column("US dollars")), tuple(lines)), note)


def _breakdown(summary: Summary, block: str, name: str) -> Table:
    shown = ("pass_rate", "partial_rate", "fail_rate", "error_rate")
    recall = next((key for key in summary["intervals"] if key.startswith("recall_at_")), None)
    grades = ("overall_score_avg", "mrr", *([recall] if recall else []))
    columns = (
        Column(name),
        Column("n", "integer"),
        *(Column(key, "percent") for key in shown),
        *(Column(key, "score") for key in grades),
    )
    rows = tuple(
        Row((value, part["n"], *(_mean(part, key) for key in (*shown, *grades))))
        for value, part in summary[block].items()
    )
    return Table(columns, rows)


def _mean(part: Mapping[str, Any], key: str) -> float | None:
    interval = part["metrics"].get(key)
    return interval["mean"] if interval else None


def _retries(summary: Summary, rows: Lines) -> tuple[Block, ...]:
    stats, errors = summary["retry_stats"], summary["errors"]
    again = f"{stats['questions_retried']} questions needed another try, {stats['recovered']} of them recovered"
    note = Note(f"{again}; {stats['total_attempts']} tries in all.")
    if not errors["total"]:
        return (note, Note("No question failed for good."))
    by_phase = tuple(Row((phase, count), "bad") for phase, count in errors["by_phase"].items())
    told = Counter(row["error"] for row in rows if row["error"])
    messages = tuple(Row((text, count)) for text, count in told.most_common(20))
    return (
        note,
        Table((Column("phase"), Column("errors", "integer")), by_phase),
        Table((Column("message"), Column("errors", "integer")), messages),
    )


def _items(
    rows: Lines, said: Mapping[str, Any], texts: Mapping[str, str], verdicts: Sequence[str]
) -> tuple[Block, ...]:
    chosen = [row for row in rows if said[row["case_id"]]["verdict"] in verdicts]
    total = sum(entry["verdict"] in verdicts for entry in said.values())
    items = Items(tuple(_item(row, said[row["case_id"]], texts) for row in chosen))
    if total == len(chosen):
        return (items,)
    return (Note(f"The first {len(chosen)} of {total}; all of them are in results.jsonl."), items)


def _item(row: Mapping[str, Any], entry: Mapping[str, Any], texts: Mapping[str, str]) -> Item:
    judgment = row["judgment"] or {}
    grades = ", ".join(f"{name} {judgment[name]:g}" for name in DIMENSIONS if judgment.get(name) is not None)
    ranks = ", ".join("not found" if rank is None else str(rank) for rank in row["expected_ranks"])
    pairs = [
        ("Question", row["question"]),
        (
            "Expected answer",
            row["expected_answer"]
            if row["answerable"]
            else f"None: unanswerable ({row['category']}). {row['truth'] or ''}",
        ),
        ("Answer", row["answer"]),
        ("Error", f"{row['error']['phase']}: {row['error']['message']}" if row["error"] else None),
        ("Judge", judgment.get("reason")),
        ("Grades", grades or None),
        ("Lost", f"{entry['stage']}: {STAGES[entry['stage']]}" if entry["stage"] else None),
        ("Archetype", f"{entry['archetype']}: {ARCHETYPES[entry['archetype']]}" if entry["archetype"] else None),
        ("Rank of what is expected", ranks or None),
        ("Tries", str(row["retry_info"]["attempts"]) if row["retry_info"]["attempts"] > 1 else None),
    ]
    fields = [Field(label, cut(text)) for label, text in pairs if text]
    for number, passage in enumerate((row["context"] or ())[:SEEN], 1):
        where = passage["id"] or passage["source"] or "passage"
        fields.append(Field(f"Seen {number}: {where}", cut(texts.get(passage["text"], "")), mono=True))
    tags = {"archetype": entry["archetype"] or entry["verdict"], "lost": entry["stage"] or "–", **row["tags"]}
    return Item(row["case_id"], row["question"], tags, tuple(fields), VERDICT_TONES[entry["verdict"]])


def _measures(summary: Summary) -> Table:
    columns = (Column("measure"), Column("mean", "score"), Column("interval"))
    rows = tuple(Row((name, i["mean"], _bounds(i, "score"))) for name, i in summary["intervals"].items())
    return Table(columns, rows)


def _execution(summary: Summary) -> Table:
    execution = summary["execution"]
    facts = {
        "run id": summary["run_id"],
        "started": execution["timestamp"],
        "duration": format_value(execution["duration"], "seconds"),
        "questions a second": execution["questions_per_second"],
        "workers": execution["workers"],
        "seed": summary["seed"],
        "judge fingerprint": summary["judge"]["fingerprint"][:12],
        "assay": summary["environment"]["assay"],
        "python": summary["environment"]["python"],
    }
    return Table((Column("what"), Column("is")), tuple(Row((key, value)) for key, value in facts.items()))


def _questions(summary: Summary) -> tuple[Block, ...]:
    corpus, skipped = summary["corpus"], summary["skipped"]
    blocks: list[Block] = [
        Note(f"{corpus['tested']} of {corpus['question_count']} questions of {corpus['name']} were asked.")
    ]
    asked = corpus.get("tested_distribution", corpus["distribution"])
    for key, counts in corpus["distribution"].items():
        rows = tuple(Row((value, count, asked.get(key, {}).get(value, 0))) for value, count in counts.items())
        blocks.append(Table((Column(key), Column("in the corpus", "integer"), Column("asked", "integer")), rows))
    if skipped["count"]:
        rows = tuple(Row((reason, count)) for reason, count in skipped["reasons"].items())
        blocks.append(Table((Column("left out because"), Column("questions", "integer")), rows))
    return tuple(blocks)
