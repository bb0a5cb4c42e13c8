"""Charts are well-formed pictures that draw what was measured and nothing else."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree.ElementTree import Element, fromstring

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_samples import HOSTILE, every_field

from assay.report.blocks import Chart, Point, Series
from assay.report.charts import svg
from assay.report.charts.scale import apart, text_width, value_axis
from assay.report.html import asset

KINDS = ("lines", "bars", "columns")
ELEMENTS = {"svg", "title", "desc", "g", "path", "rect", "circle", "text"}


def drawn(chart: Chart) -> Element:
    return fromstring(svg(chart, "k"))


def texts(root: Element, name: str = "text") -> list[str]:
    return [element.text or "" for element in root.iter(name)]


def chart(kind: str, *values: float | None, y_max: float | None = 1.0, reference: float | None = None) -> Chart:
    points = tuple(Point(f"x{index}", value) for index, value in enumerate(values))
    return Chart(kind, (Series("one", points),), "Title", "across", "up", y_max, reference)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_element_comes_from_text(text: str) -> None:
    for block in every_field(text).sections[0].blocks:
        if isinstance(block, Chart):
            root = drawn(block)
            assert {element.tag for element in root.iter()} <= ELEMENTS
            assert not {name for element in root.iter() for name in element.attrib if name.startswith(("on", "href"))}


@pytest.mark.parametrize("kind", KINDS)
def test_a_chart_has_a_name_and_a_description(kind: str) -> None:
    root = drawn(chart(kind, 0.5, 0.75))
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-labelledby"] == "kt kd"
    assert [(element.attrib.get("id"), element.text) for element in root[:1]] == [("kt", "Title")]
    assert root[1].attrib["id"] == "kd"
    assert "one" in (root[1].text or "")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "values", [(), (None,), (None, None), (0.0,), (0.5,), (1.0, None, 0.25)], ids=lambda values: str(values)
)
def test_missing_values_are_not_drawn(kind: str, values: tuple[float | None, ...]) -> None:
    root = drawn(chart(kind, *values))
    known = sum(value is not None for value in values)
    marks = [e for e in root.iter() if e.attrib.get("class") in ({"mark"} if kind == "lines" else {"bar"})]
    assert len(marks) == known
    dashes = sum(text.endswith("–") for text in texts(root))
    expected = (known == 0) if kind == "lines" else len(values) - known
    assert dashes == expected


@pytest.mark.parametrize("kind", KINDS)
def test_a_chart_without_series_is_still_a_picture(kind: str) -> None:
    root = drawn(Chart(kind, (), "Empty"))  # type: ignore[arg-type]
    assert root.tag == "svg"


def test_a_gap_breaks_the_line() -> None:
    root = drawn(chart("lines", 0.1, 0.2, None, 0.3, 0.4))
    assert len([e for e in root.iter("path") if e.attrib["class"] == "line"]) == 2


@pytest.mark.parametrize("kind", KINDS)
def test_every_coordinate_is_a_number_inside_the_picture(kind: str) -> None:
    points = tuple(Point(f"category {i}", i / 10 - 0.3, i / 10 - 0.4, i / 10 - 0.2, 10 * i) for i in range(12))
    root = drawn(Chart(kind, (Series("a", points), Series("b", points[3:])), "t", y_max=None, reference=0.25))  # type: ignore[arg-type]
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    for element in root.iter():
        for name, limit in (("x", width), ("y", height)):
            if name in element.attrib:
                assert -1 <= float(element.attrib[name]) <= limit + 1
        assert "nan" not in element.attrib.get("d", "")
        assert "inf" not in element.attrib.get("d", "")


def test_intervals_of_one_curve_are_a_band_and_of_several_are_whiskers() -> None:
    points = (Point("1", 0.5, 0.4, 0.6), Point("3", 0.6, 0.5, 0.7))
    one = svg(Chart("lines", (Series("a", points),), "t"), "k")
    two = svg(Chart("lines", (Series("a", points), Series("b", points)), "t"), "k")
    assert (one.count('"band c0"'), one.count('"whisker"')) == (1, 0)
    assert (two.count('"band'), two.count('"whisker"')) == (0, 4)


def test_bars_say_value_and_n() -> None:
    root = drawn(Chart("bars", (Series("hybrid", (Point("easy", 0.8125, 0.7, 0.9, 1234), Point("hard", None))),), "t"))
    assert {"easy", "hard", "0.813", "1,234", "–", "n"} <= set(texts(root))
    assert "hybrid · easy: 0.813 [0.700, 0.900], n=1,234" in texts(root, "title")


def test_the_reference_is_drawn_and_named_once() -> None:
    for kind in KINDS:
        root = drawn(chart(kind, 0.5, reference=0.85))
        assert [e.attrib["class"] for e in root.iter("path")].count("reference") == 1
        assert texts(root).count("0.85") == 1


def test_curves_are_labelled_at_their_ends_without_touching() -> None:
    series = tuple(Series(f"variant {i}", (Point("1", 0.5), Point("5", 0.8 + i / 1000))) for i in range(6))
    root = drawn(Chart("lines", series, "t"))
    heights = sorted(float(e.attrib["y"]) for e in root.iter("text") if e.attrib.get("class", "").startswith("end"))
    assert len(heights) == 6
    assert min(b - a for a, b in pairwise(heights)) >= 14.9


def test_names_of_columns_never_overlap() -> None:
    """Forty numbers: every third; six long names: aslant."""
    many = texts(drawn(chart("columns", *(0.5 for _ in range(40)))))
    assert 5 < sum(text.startswith("x") for text in many) < 40
    names = Chart("columns", (Series("", tuple(Point(f"a rather long name {i}", 0.5) for i in range(6))),), "t")
    assert svg(names, "k").count("rotate(-35") == 6


def test_the_axis_reaches_beyond_the_data() -> None:
    axis = value_axis(chart("lines", -0.3, 1.7, reference=2.1), 0, 100)
    assert axis.ticks[0] <= -0.3
    assert axis.ticks[-1] >= 2.1
    assert [axis.label(tick) for tick in axis.ticks] == ["−0.5", "0.0", "0.5", "1.0", "1.5", "2.0", "2.5"]


@pytest.mark.parametrize(("reference", "text"), [(0.8, "0.8"), (0.75, "0.75"), (0.855, "0.855"), (1 / 3, "0.333")])
def test_a_reference_has_the_decimals_it_needs(reference: float, text: str) -> None:
    assert value_axis(chart("bars", 0.5), 0, 1).exact(reference) == text


def test_counts_have_whole_ticks() -> None:
    axis = value_axis(chart("columns", 0, 2, y_max=None), 0, 1)
    assert [axis.label(tick) for tick in axis.ticks] == ["0", "1", "2"]


@given(
    st.lists(st.floats(-1e6, 1e6, allow_nan=False) | st.none(), max_size=6),
    st.sampled_from(KINDS),
    st.none() | st.floats(0.001, 1e6),
)
def test_any_values_make_a_well_formed_picture(values: list[float | None], kind: str, y_max: float | None) -> None:
    root = drawn(chart(kind, *values, y_max=y_max))
    assert not re.search(r"\b(nan|inf)\b", "".join(e.attrib.get("d", "") for e in root.iter()))


@given(st.lists(st.floats(0, 200), max_size=10))
def test_labels_moved_apart_keep_their_order_and_their_gap(wanted: list[float]) -> None:
    placed = apart(wanted, 15, 0, 200)
    pairs = sorted(zip(wanted, placed, strict=True))
    assert all(b[1] - a[1] >= 15 - 1e-6 for a, b in pairwise(pairs) if a[0] < b[0])
    assert all(-1e-6 <= place <= 200 + 1e-6 for place in placed)


def test_wide_characters_need_more_room() -> None:
    assert text_width("日本", 10) > text_width("ab", 10) > text_width("il", 10)


def test_every_class_of_a_chart_has_a_style() -> None:
    pictures = "".join(svg(chart(kind, 0.5, None, reference=0.5), "k") for kind in KINDS)
    named = {name for group in re.findall(r'class="([^"]*)"', pictures) for name in group.split()}
    unstyled = {"bars", "columns", "figure", "one"}
    assert {name for name in named - unstyled if f".{name}" not in asset("report.css")} == set()


def test_series_can_be_told_apart_and_read_on_light_and_on_dark() -> None:
    """Contrast of text is at least 4.5 by WCAG 2, for ink, tones and each colour of a series."""
    pairs = dict(re.findall(r"--(\w+): light-dark\((#\w{6}, #\w{6})\)", asset("report.css")))
    for mode in (0, 1):
        colours = {name: pair.split(", ")[mode] for name, pair in pairs.items()}
        names = ["ink", "soft", "accent", "good", "warn", "bad", *(f"s{index}" for index in range(6))]
        assert min(contrast(colours[name], colours["paper"]) for name in names) >= 4.5
        assert len({colours[f"s{index}"] for index in range(6)}) == 6


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    shares = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
