"""Charts as tables: every value, interval and count is there, and nothing is there twice."""

from __future__ import annotations

import pytest

from assay.report.blocks import Chart, Column, Form, Note, Point, Row, Series, Table
from assay.report.tables import cell_texts, filled, form_of, table_of, told_elsewhere


def texts(chart: Chart) -> list[list[str]]:
    table = table_of(chart)
    return [[column.name for column in table.columns], *(cell_texts(table, row) for row in table.rows)]


def test_intervals_and_a_common_count() -> None:
    points = (Point("1", 0.5, 0.4, 0.6, 1200), Point("5", None, None, None, 0))
    chart = Chart("lines", (Series("bm25", points), Series("hybrid", points[:1])), "Recall", "k")
    assert texts(chart) == [
        ["k", "bm25", "hybrid", "n"],
        ["1", "0.500 [0.400, 0.600]", "0.500 [0.400, 0.600]", "1,200"],
        ["5", "–", "–", "0"],
    ]


def test_counts_that_differ_stand_with_their_values() -> None:
    series = (
        Series("a", (Point("x", 0.5, n=3), Point("y", None, n=0))),
        Series("b", (Point("x", 1.0, n=4), Point("y", 0.25, n=8))),
    )
    assert texts(Chart("bars", series, "t"))[1:] == [["x", "0.500 (n=3)", "1.000 (n=4)"], ["y", "–", "0.250 (n=8)"]]


def test_a_category_that_occurs_twice_is_two_rows() -> None:
    chart = Chart("columns", (Series("runs", (Point("Monday", 3), Point("Monday", 4))),), "t", y_max=None)
    assert texts(chart)[1:] == [["Monday", "3"], ["Monday", "4"]]


def test_a_row_that_does_not_fit_its_table_is_a_fault() -> None:
    table = Table((Column("a"), Column("b")), (Row(("x",)),))
    with pytest.raises(ValueError, match="zip"):
        cell_texts(table, table.rows[0])


@pytest.mark.parametrize(
    ("values", "y_max", "form"),
    [
        ([0.5, 1.0], 1.0, "share"),
        ([0.0, 1.0], 1.0, "share"),
        ([0, 0], None, "integer"),
        ([12, 7], None, "integer"),
        ([12.5, 7], None, "score"),
        ([None], 1.0, "share"),
        ([], 1.0, "share"),
    ],
)
def test_the_form_follows_the_values(values: list[float | None], y_max: float | None, form: Form) -> None:
    points = tuple(Point(str(index), value) for index, value in enumerate(values))
    assert form_of(Chart("bars", (Series("s", points),), "t", y_max=y_max)) == form


def test_a_given_form_is_taken() -> None:
    assert form_of(Chart("bars", (), "t", form="percent")) == "percent"


CHART = Chart("lines", (Series("bm25", (Point("1", 0.5), Point("5", 0.75))),), "Recall at k")


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        (("bm25", 0.5, 0.75), True),
        (("bm25", 0.5, 0.7), False),
        (("other", 0.5, 0.75), False),
        (("bm25", "0.500", "0.750"), False),
    ],
)
def test_a_chart_is_told_by_a_table_that_has_its_names_and_values(cells: tuple[str | float, ...], told: bool) -> None:
    table = Table((Column("variant"), Column("recall@1", "share"), Column("recall@5", "share")), (Row(cells),))
    assert told_elsewhere(CHART, (Note("x"), table)) is told


def test_a_point_is_finite_or_none() -> None:
    with pytest.raises(ValueError, match="finite"):
        Point("x", float("nan"))


def test_what_has_no_value_anywhere_is_left_out() -> None:
    columns = (Column("who"), Column("a", "score"), Column("b", "score"))
    rows = (Row(("x", None, 0.0), "bad"), Row(("y", None, None)), Row(("z", None, 1.0)))
    assert filled(Table(columns, rows, "c")) == Table(
        (columns[0], columns[2]), (Row(("x", 0.0), "bad"), Row(("z", 1.0))), "c"
    )
    assert filled(Table(columns, (Row(("y", None, None)),))) == Table((columns[0],), ())
