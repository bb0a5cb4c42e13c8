"""The pictures that are not curves or bars: heat map, stack, waterfall, both sides, reliability, marks."""

from __future__ import annotations

import re
from typing import get_args
from xml.etree.ElementTree import Element, fromstring

import pytest
from report_samples import pictures

from assay.report.blocks import Chart, Kind, Mark, Point, Series, Tone
from assay.report.charts import svg
from assay.report.charts.frame import KINDS, WIDTH
from assay.report.charts.heat import STRONGEST
from assay.report.charts.stack import shade
from assay.report.charts.waterfall import walk
from assay.report.html import style
from assay.report.tables import cell_texts, table_of


def drawn(chart: Chart) -> Element:
    return fromstring(svg(chart, "k"))


def texts(root: Element) -> list[str]:
    return [element.text or "" for element in root.iter("text")]


def rects(root: Element, name: str) -> list[dict[str, str]]:
    return [element.attrib for element in root.iter("rect") if element.attrib.get("class") == name]


def numbers(element: dict[str, str], *names: str) -> tuple[float, ...]:
    return tuple(float(element[name]) for name in names)


def test_every_kind_has_a_name_and_a_sample() -> None:
    assert set(KINDS) == set(get_args(Kind)) == {chart.kind for chart in pictures()}


@pytest.mark.parametrize("chart", pictures(), ids=lambda chart: chart.title)
def test_no_colour_is_written_into_a_picture(chart: Chart) -> None:
    picture = svg(chart, "k")
    assert not re.search(r"#[0-9a-f]{3}|rgb|fill=|stroke=|style=", picture)
    for name in re.findall(r'class="([^"]*)"', picture):
        assert any(f".{each}" in style() for each in name.split()), name


@pytest.mark.parametrize("chart", pictures(), ids=lambda chart: chart.title)
def test_every_picture_has_a_table_that_says_the_same(chart: Chart) -> None:
    table = table_of(chart)
    told = " ".join(text for row in table.rows for text in cell_texts(table, row))
    for series in chart.series:
        assert all(point.x in told for point in series.points)
    values = [point.y for series in chart.series for point in series.points if point.y]
    assert len(table.rows) * len(chart.series) >= len(values)


def test_a_heat_map_has_a_cell_for_each_value_and_a_dash_for_none() -> None:
    rows = (Point("easy", 1.0, n=3), Point("hard", None))
    root = drawn(Chart("heat", (Series("factual", rows), Series("all", (Point("easy", 0.0, n=4),))), "MRR"))
    cells = rects(root, "cell")
    assert [float(cell["fill-opacity"]) for cell in cells] == [STRONGEST, 0.06], "0 is faint, 1 is strong"
    shown = texts(root)
    assert shown.count("–") == 2, "not measured, and not there at all"
    assert {"1.000", "0.000", "n 3", "n 4", "easy", "hard", "factual", "all"} <= set(shown)


def test_a_heat_map_of_other_scales_is_strongest_at_its_greatest() -> None:
    series = (Series("a", (Point("x", 40.0), Point("y", 10.0))),)
    strengths = [float(cell["fill-opacity"]) for cell in rects(drawn(Chart("heat", series, "T", y_max=None)), "cell")]
    assert strengths == [STRONGEST, pytest.approx(0.06 + (STRONGEST - 0.06) / 4, abs=0.006)]


def test_the_parts_of_a_stack_fill_its_whole() -> None:
    series = tuple(Series(name, (Point("cost", value),)) for name, value in (("in", 1.0), ("out", 2.0), ("judge", 1.0)))
    root = drawn(Chart("stack", series, "Cost", form="dollars"))
    swatches, parts = rects(root, "part")[:3], rects(root, "part")[3:]
    assert len(swatches) == len(parts) == 3
    widths = [numbers(part, "width")[0] + 1 for part in parts]
    assert widths[1] == pytest.approx(2 * widths[0], abs=0.1)
    ends = [sum(numbers(part, "x", "width")) + 1 for part in parts]
    assert [numbers(part, "x")[0] for part in parts[1:]] == pytest.approx(ends[:2], abs=0.1)
    assert "$4.0000" in texts(root), "the whole stands beside it"


def test_a_stack_without_a_value_is_a_dash_and_one_of_nothing_has_no_part() -> None:
    root = drawn(Chart("stack", (Series("a", (Point("x", None), Point("y", 0.0))),), "T"))
    assert len(rects(root, "part")) == 1, "the swatch alone"
    assert "–" in texts(root)


def test_series_of_a_stack_are_shaded_by_tone_grade_or_order() -> None:
    points = (Point("x", 1.0),)
    toned = Chart("stack", (Series("pass", points, "good"), Series("fail", points, "bad")), "T")
    assert [g.attrib["class"] for g in drawn(toned).iter("g")][:2] == ["good", "bad"]
    graded = Chart("stack", tuple(Series(str(i), points) for i in range(5)), "T", ordinal=True)
    assert [g.attrib["class"] for g in drawn(graded).iter("g")][:5] == ["r0", "r1", "r2", "r4", "r5"]
    plain = Chart("stack", tuple(Series(str(i), points) for i in range(2)), "T")
    assert [g.attrib["class"] for g in drawn(plain).iter("g")][:2] == ["c0", "c1"]


def test_a_waterfall_goes_from_level_to_level() -> None:
    """237 asked − 54 − 63 leaves 120; a step without a value moves nothing."""
    points = [Point("asked", 237.0, level=True), Point("a", -54.0), Point("?", None), Point("b", -63.0)]
    steps = walk([*points, Point("left", 120.0, level=True)])
    ends = [(step.start, step.end) for step in steps]
    assert ends == [(0, 237), (237, 183), (183, 183), (183, 120), (0, 120)]
    root = drawn(Chart("waterfall", (Series("n", tuple(points)),), "Lost", form="integer"))
    assert [g.attrib["class"] for g in root.iter("g")] == ["level", "less", "more", "less"]
    assert len(rects(root, "part")) == 3
    assert "–" in texts(root)
    assert "−54" in texts(root)


def test_a_waterfall_upwards_stays_in_its_picture() -> None:
    points = (Point("retrieval", 0.5), Point("generation", 1.5), Point("total", 2.0, level=True))
    root = drawn(Chart("waterfall", (Series("s", points),), "Time", form="seconds"))
    first, second, total = (numbers(part, "x", "width") for part in rects(root, "part"))
    assert second[0] == pytest.approx(sum(first), abs=0.1)
    assert sum(second) == pytest.approx(sum(total), abs=0.1)
    assert max(sum(each) for each in (first, second, total)) < WIDTH


def test_both_sides_grow_from_the_middle() -> None:
    lost, gained = (Point("easy", 1.0), Point("hard", 4.0)), (Point("easy", 2.0),)
    root = drawn(Chart("diverging", (Series("lost", lost), Series("gained", gained)), "Flips", y_max=None))
    easy_lost, easy_gained, hard_lost = (numbers(part, "x", "width") for part in rects(root, "part"))
    middle = easy_gained[0]
    assert sum(easy_lost) == pytest.approx(middle, abs=0.1)
    assert sum(hard_lost) == pytest.approx(middle, abs=0.1)
    assert hard_lost[1] == pytest.approx(4 * easy_lost[1], abs=0.1)
    assert {"← lost", "gained →", "1", "2", "4"} <= set(texts(root))


def test_a_claim_that_holds_stands_on_the_diagonal() -> None:
    points = (Point("0.2", 0.2, n=5), Point("0.8", 0.6, 0.5, 0.7, 20), Point("0.9", None))
    root = drawn(Chart("calibration", (Series("accuracy", points),), "Reliability", "confidence", "accuracy"))
    [(x, y, small), (_, below, large)] = [numbers(dot.attrib, "cx", "cy", "r") for dot in root.iter("circle")]
    assert x - 40 == pytest.approx(276 - y, abs=0.1), "as far from the left as from the bottom"
    assert below > 276 - 0.8 * 250, "claims too much: under the diagonal"
    assert large > small, "more cases, larger dot"
    assert len([path for path in root.iter("path") if path.attrib.get("class") == "whisker"]) == 1


def test_marks_stand_at_their_places_and_unknown_ones_nowhere() -> None:
    points = tuple(Point(f"run {i}", 0.5) for i in range(3))
    marks = (Mark("run 1", "v7"), Mark("elsewhere", "v8"))
    root = drawn(Chart("lines", (Series("f1", points),), "Trend", marks=marks))
    assert "v7" in texts(root)
    assert "v8" not in texts(root)


@pytest.mark.parametrize("kind", get_args(Kind))
def test_a_picture_of_nothing_is_still_a_picture(kind: Kind) -> None:
    assert drawn(Chart(kind, (), "T")).tag == "svg"
    assert drawn(Chart(kind, (Series("s", ()),), "T")).tag == "svg"


def test_a_part_of_the_same_tone_as_one_before_it_is_stronger() -> None:
    tones: tuple[Tone, ...] = ("good", "warn", "bad", "bad")
    chart = Chart("stack", tuple(Series(str(i), (Point("a", 1.0),), tone) for i, tone in enumerate(tones)), "Verdicts")
    assert [shade(chart, number) for number in range(4)] == ["good", "warn", "bad", "bad again"]


Colour = tuple[float, float, float]


def colours() -> dict[str, tuple[Colour, Colour]]:
    """By name, in the light and in the dark."""
    found = re.findall(r"--(\w+): light-dark\(#(\w{6}), #(\w{6})\)", style())
    return {name: (rgb(light), rgb(dark)) for name, light, dark in found}


def rgb(text: str) -> Colour:
    red, green, blue = (int(text[at : at + 2], 16) / 255 for at in (0, 2, 4))
    return red, green, blue


def mixed(strength: float, over: Colour, under: Colour) -> Colour:
    red, green, blue = (strength * a + (1 - strength) * b for a, b in zip(over, under, strict=True))
    return red, green, blue


def contrast(one: Colour, other: Colour) -> float:
    """WCAG 2: from 1 to 21."""

    def luminance(colour: Colour) -> float:
        parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_text_on_a_coloured_ground_can_be_read(theme: int) -> None:
    """At least 4.5, in cells of any strength and in parts of any colour."""
    known = {name: pair[theme] for name, pair in colours().items()}
    assert contrast(rgb("000000"), rgb("ffffff")) == pytest.approx(21)
    assert contrast(mixed(STRONGEST, known["s0"], known["paper"]), known["ink"]) >= 4.5
    plain = re.search(r"\.chart \.part \{ fill: color-mix\(in srgb, var\(--c\) (\d+)%", style())
    again = re.search(r"\.chart \.again \.part \{ fill: color-mix\(in srgb, var\(--c\) (\d+)%", style())
    assert plain
    assert again
    for name in ("s0", "s1", "s2", "s3", "s4", "s5", "good", "warn", "bad"):
        assert contrast(mixed(int(plain[1]) / 100, known[name], known["paper"]), known["ink"]) >= 4.5, name
    for name in ("good", "warn", "bad"):
        assert contrast(mixed(int(again[1]) / 100, known[name], known["paper"]), known["paper"]) >= 4.5, name
    for step, percent in re.findall(r"\.chart \.r(\d) \.part \{ fill: color-mix\(in srgb, var\(--s0\) (\d+)%", style()):
        text = known["paper"] if int(step) >= 4 else known["ink"]
        assert contrast(mixed(int(percent) / 100, known["s0"], known["paper"]), text) >= 4.5, f"step {step}"
