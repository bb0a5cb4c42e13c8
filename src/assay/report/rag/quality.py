"""How good the answers are: by kind of question, by grade, and where the failed ones were lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from assay.rag.outcomes import ARCHETYPES, STAGES
from assay.report.blocks import Block, Chart, Column, Note, Point, Row, Series, Table
from assay.report.intervals import mean_of, point_of
from assay.report.rag.lines import GRADES, Lines
from assay.report.tables import filled
from assay.report.text import counted
from assay.stats import mean

Summary = Mapping[str, Any]
DEFINITIONS = {
    "overall_score": "the judge's grade of the whole answer, 1 to 5; the verdict follows from it by a written rule",
    "correctness": "does the answer say what the expected answer says?",
    "completeness": "does it say all of it?",
    "faithfulness": "is everything in it supported by the passages the generator saw?",
    "relevance": "does it answer the question that was asked?",
    "clarity": "can it be understood at once, without padding or repetition?",
}
BINS = ((4.5, 5.0), (4.0, 4.5), (3.0, 4.0), (2.0, 3.0), (1.0, 2.0))
"""Where there are too many different grades for a line each."""


def kinds(rows: Lines, key: str) -> list[str]:
    """The values of a tag, the easy first."""
    order = {"easy": 0, "medium": 1, "hard": 2, "unknown": 9}
    return sorted({getattr(row, key) for row in rows}, key=lambda value: (order.get(value, 5), value))


def matrix_blocks(rows: Lines) -> tuple[Block, ...]:
    """Difficulty × type with totals; an empty cell is not 0."""
    if all(row.mrr is None for row in rows):
        return (Note("No question has one: nothing is expected, or the system does not tell what it retrieves."),)
    levels, types = [*kinds(rows, "difficulty"), None], [*kinds(rows, "question_type"), None]
    cells = {(level, name): _ranks(rows, level, name) for level in levels for name in types}
    series = tuple(
        Series(name or "all", tuple(_point(level or "all", cells[level, name]) for level in levels)) for name in types
    )
    return (Chart("heat", series, "Mean reciprocal rank of what is expected", "difficulty", "MRR"),)


def _ranks(rows: Lines, level: str | None, name: str | None) -> list[float]:
    return [
        row.mrr
        for row in rows
        if row.mrr is not None and level in (None, row.difficulty) and name in (None, row.question_type)
    ]


def _point(x: str, values: list[float]) -> Point:
    return Point(x, mean(values), n=len(values)) if values else Point(x, None)


def definitions_table(summary: Summary) -> Table:
    judging = summary["config"]["run"]["judging"]
    rows = [Row((name, text)) for name, text in DEFINITIONS.items()]
    rule = f"pass: overall ≥ {judging['pass_at']:g}; partial: ≥ {judging['partial_at']:g}; else fail"
    rows.append(Row(("verdict", f"{rule}; never pass with correctness ≤ {judging['never_pass_at']:g}")))
    return Table((Column("score"), Column("meaning")), tuple(rows))


def scores_blocks(rows: Lines) -> tuple[Block, ...]:
    """How often each grade was given, as a table and as shares; and the means."""
    names = [name for name in DEFINITIONS if _grades(rows, name)]
    table = _distribution(rows, names)
    grades = [str(row.cells[0]) for row in reversed(table.rows)]
    counts = {str(row.cells[0]): row.cells[1:] for row in table.rows}
    series = tuple(
        Series(grade, tuple(Point(name, _count(counts[grade][at])) for at, name in enumerate(names)))
        for grade in grades
    )
    picture = Chart("stack", series, "Grades given", y_label="answers", form="integer", ordinal=True)
    points = tuple(Point(name, mean(_grades(rows, name))) for name in names)
    means = Chart("bars", (Series("mean grade", points),), "Mean grade", y_max=5.0, form="score")
    return ((*([picture, means] if points else []), table)) if grades else (Note("No answer was graded."),)


def _count(value: Any) -> float:
    return float(value)


def _grades(rows: Lines, name: str) -> list[float]:
    place = GRADES.index(name)
    found = [row.grades[place] for row in rows if row.status == "ok"]
    return [grade for grade in found if grade is not None]


def _distribution(rows: Lines, names: Sequence[str]) -> Table:
    """How often each grade was given; grades between whole numbers keep their own line."""
    tallies = {name: Counter(round(grade, 2) for grade in _grades(rows, name)) for name in names}
    values = sorted({value for tally in tallies.values() for value in tally}, reverse=True)
    if len(values) > 12:
        return _binned(rows, names)
    columns = (Column("grade"), *(Column(name, "integer") for name in names))
    return Table(columns, tuple(Row((f"{value:g}", *(tallies[name][value] for name in names))) for value in values))


def _binned(rows: Lines, names: Sequence[str]) -> Table:
    columns = (Column("grade"), *(Column(name, "integer") for name in names))
    lines = []
    for low, high in BINS:
        inside = [sum(low <= g < high or (g == high == 5.0) for g in _grades(rows, name)) for name in names]
        lines.append(Row((f"{low:g} to {'' if high == 5.0 else 'below '}{high:g}", *inside)))
    return Table(columns, tuple(lines))


def faults_of(rows: Lines) -> list[tuple[str, int]]:
    """Why questions have no result, and how many, the most frequent reason first."""
    return Counter(row.error for row in rows if row.error).most_common()


def losses_blocks(summary: Summary) -> tuple[Block, ...]:
    """From all questions to those that were answered acceptably, by what was lost on the way."""
    lost = {stage: count for stage, count in summary["waterfall"].items() if count}
    if not lost:
        total = summary["errors"]["total"]
        return (Note(f"{counted(total, 'question')} without a result." if total else "No question failed."),)
    stages = tuple(Row((stage, count, STAGES[stage])) for stage, count in lost.items())
    archetypes = tuple(Row((name, count, ARCHETYPES[name])) for name, count in summary["archetypes"].items() if count)
    asked = summary["corpus"]["tested"]
    steps = [Point(stage.replace("_", " "), -float(count)) for stage, count in lost.items()]
    ends = (Point("asked", float(asked), level=True), *steps)
    left = Point("not lost", float(asked - sum(lost.values())), level=True)
    return (
        Chart("waterfall", (Series("questions", (*ends, left)),), "Where failed questions were lost", form="integer"),
        Table((Column("first place lost"), Column("questions", "integer"), Column("meaning")), stages),
        Table((Column("archetype"), Column("questions", "integer"), Column("meaning")), archetypes),
    )


def breakdown_blocks(summary: Summary, block: str, name: str) -> tuple[Block, ...]:
    shown = ("pass_rate", "partial_rate", "fail_rate", "error_rate")
    recall = next((key for key in summary["intervals"] if key.startswith("recall_at_")), None)
    grades = ("overall_score_avg", "mrr", *([recall] if recall else []))
    columns = (
        Column(name),
        Column("n", "integer"),
        *(Column(key, "percent") for key in shown),
        *(Column(key, "score") for key in grades),
    )
    parts = summary[block]
    rows = tuple(
        Row((value, part["n"], *(mean_of(part["metrics"], key) for key in (*shown, *grades))))
        for value, part in parts.items()
    )
    points = tuple(point_of(value, part["metrics"]["pass_rate"]) for value, part in parts.items())
    picture = Chart("bars", (Series("pass rate", points),), f"Pass rate by {name}", form="percent")
    return (picture, filled(Table(columns, rows)))
