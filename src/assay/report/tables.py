"""Charts as tables, for renderers without pictures and readers who want the numbers; and cells as text."""

from __future__ import annotations

from collections import Counter

from assay.report.blocks import Block, Chart, Column, Form, Point, Row, Series, Table
from assay.report.numbers import format_value

Place = tuple[str, int]
"""A category and which occurrence of it."""


def cell_texts(table: Table, row: Row) -> list[str]:
    """Each cell of a row in its column's form. A row that does not fit its table is a fault of the view."""
    return [format_value(cell, column.form) for cell, column in zip(row.cells, table.columns, strict=True)]


def filled(table: Table) -> Table:
    """Without the columns and rows that have no value at all; the first column names the rows."""
    kept = [0, *(at for at in range(1, len(table.columns)) if any(row.cells[at] is not None for row in table.rows))]
    rows = [row for row in table.rows if any(cell is not None for cell in row.cells[1:])]
    return Table(
        tuple(table.columns[at] for at in kept),
        tuple(Row(tuple(row.cells[at] for at in kept), row.tone) for row in rows),
        table.caption,
    )


def form_of(chart: Chart) -> Form:
    """The form of a chart's values: as given, or what they look like."""
    if chart.form is not None:
        return chart.form
    values = [point.y for series in chart.series for point in series.points if point.y is not None]
    large = any(abs(value) > 1 for value in values)
    if (large or chart.y_max is None) and all(float(value).is_integer() for value in values):
        return "integer"
    return "score" if large else "share"


def placed(series: Series) -> dict[Place, Point]:
    """The points of a series by place. A category that occurs twice is two places: no point hides another."""
    seen: Counter[str] = Counter()
    points = {}
    for point in series.points:
        points[(point.x, seen[point.x])] = point
        seen[point.x] += 1
    return points


def places(chart: Chart) -> list[Place]:
    """The places on the category axis, each once, in the order in which they first appear."""
    return list(dict.fromkeys(place for series in chart.series for place in placed(series)))


def table_of(chart: Chart) -> Table:
    """One row for each category and one column for each series, with intervals and counts where there are any."""
    form = form_of(chart)
    points = [placed(series) for series in chart.series]
    counts = {place: {at[place].n for at in points if place in at} for place in places(chart)}
    shared = any(count != {None} for count in counts.values()) and all(len(count) == 1 for count in counts.values())
    columns = [Column(chart.x_label), *(Column(series.name or chart.y_label, form) for series in chart.series)]
    rows = []
    for place, count in counts.items():
        cells = [_cell(at.get(place), form, with_n=not shared) for at in points]
        rows.append(Row((place[0], *cells, *(count if shared else ()))))
    if shared:
        columns.append(Column("n", "integer"))
    return Table(tuple(columns), tuple(rows), caption=chart.title)


def _cell(point: Point | None, form: Form, *, with_n: bool) -> str | float | None:
    if point is None or point.y is None:
        return None
    low_high = [] if point.low is None or point.high is None else [point.low, point.high]
    count = f" (n={format_value(point.n, 'integer')})" if with_n and point.n is not None else ""
    if not low_high and not count:
        return point.y
    interval = f" [{', '.join(format_value(end, form) for end in low_high)}]" if low_high else ""
    return f"{format_value(point.y, form)}{interval}{count}"


def told_elsewhere(chart: Chart, blocks: tuple[Block, ...]) -> bool:
    """Whether a table beside the chart has all its values, so that a renderer without pictures can leave it out."""
    values = {point.y for series in chart.series for point in series.points if point.y is not None}
    names = [{series.name for series in chart.series}, {x for x, _ in places(chart)}]
    for table in blocks:
        if not isinstance(table, Table):
            continue
        cells = {cell for row in table.rows for cell in row.cells}
        words = {str(cell) for cell in cells} | {column.name for column in table.columns}
        if values <= cells and any(name <= words for name in names):
            return True
    return False
