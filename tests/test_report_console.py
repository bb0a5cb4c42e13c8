"""The terminal shows the numbers, whole, and nothing of the data moves its cursor."""

from __future__ import annotations

import re
from io import StringIO

import pytest
from report_samples import HOSTILE, every_field, small
from rich.console import Console

from assay.report.blocks import Cards, Chart, Column, Item, Items, Note, Point, Report, Row, Section, Series, Table
from assay.report.console import print_report
from assay.report.text import one_line


def printed(report: Report, width: int = 100, **options: object) -> str:
    out = StringIO()
    print_report(report, Console(file=out, width=width, **options))  # type: ignore[arg-type]
    return "\n".join(line.rstrip() for line in out.getvalue().split("\n"))


def test_a_small_report() -> None:
    assert (
        printed(small())
        == """\
Retrieval: demo
128 questions

Summary
Gate    ✓ holds  recall@5 ≥ 0.80
mrr@10  0.655
! 22 questions were left out.

Measures
Means with intervals.
Two variants
variant   recall@5  difference       p
bm25         0.748           –       –
✓ hybrid     0.813      +0.065  <0.001

Recall at k
k                          bm25                        hybrid
1  0.500 [0.420, 0.580] (n=128)  0.550 [0.470, 0.630] (n=128)
5  0.748 [0.670, 0.820] (n=128)                             –

Failures
✗ q7  ranked_low  Who signs the float plan?
"""
    )


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("terminal", [False, True])
def test_no_control_character_passes(text: str, terminal: bool) -> None:
    """On a terminal only our own styles are left, and none of the codes that move or retitle."""
    shown = printed(every_field(text), force_terminal=terminal, legacy_windows=False)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", shown) if terminal else shown
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", plain)


def test_markup_and_emoji_codes_stay_text() -> None:
    shown = printed(Report("[bold]t[/bold]", ":smile:", (Section("[red]s", (Note("[link=x]n[/link]"),)),)))
    assert "[bold]t[/bold]\n:smile:\n\n[red]s\n[link=x]n[/link]\n" in shown


def test_no_color_is_honoured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    coloured = printed(small(), force_terminal=True, color_system="standard", legacy_windows=False)
    assert "\x1b[32m" in coloured.replace("1;", "")
    monkeypatch.setenv("NO_COLOR", "1")
    plain = printed(small(), force_terminal=True, color_system="standard", legacy_windows=False)
    assert not re.search(r"\x1b\[[0-9;]*(3[0-7]|9[0-7])m", plain)
    assert "✗ q7" in re.sub(r"\x1b\[[0-9;]*m", "", plain)


def test_a_wide_table_is_split_and_no_number_is_cut() -> None:
    columns = (Column("variant"), *(Column(f"measure@{i}", "share") for i in range(12)))
    table = Table(columns, (Row(("hybrid", *(0.1 + i / 1000 for i in range(12)))),))
    shown = printed(Report("t", "", (Section("s", (table,)),)), width=60)
    assert max(map(len, shown.split("\n"))) <= 60
    assert all(f"measure@{i}" in shown and f"0.1{i:02}" in shown for i in range(12))
    assert shown.count("hybrid") > 1


def test_a_table_that_just_fits_is_not_split() -> None:
    """Columns of 9, 8 and 8 with two spaces between them: 29."""
    columns = (Column("variant01"), Column("recall@5", "share"), Column("recall@9", "share"))
    report = Report("t", "", (Section("s", (Table(columns, (Row(("hybrid", 0.1, 0.2)),)),)),))
    assert "variant01  recall@5  recall@9" in printed(report, width=29)
    assert "variant01  recall@9" in printed(report, width=28)


def test_a_chart_is_left_out_when_a_table_says_the_same() -> None:
    table = Table((Column("variant"), Column("recall@5", "share")), (Row(("bm25", 0.75)),))
    chart = Chart("bars", (Series("bm25", (Point("5", 0.75),)),), "A picture")
    assert "A picture" not in printed(Report("t", "", (Section("s", (table, chart)),)))
    assert "A picture" in printed(Report("t", "", (Section("s", (chart,)),)))


def test_a_title_is_said_once() -> None:
    table = Table((Column("variant"),), (Row(("bm25",)),), "Runs")
    shown = printed(Report("History", "", (Section("History", (Note("none"),)), Section("Runs", (table,)))))
    assert shown == "History\n\nnone\n\nRuns\nvariant\nbm25\n"


def test_details_are_left_to_the_files() -> None:
    shown = printed(Report("t", "", (Section("Shown", ()), Section("Details", (Note("x"),), detail=True))))
    assert "Shown" in shown
    assert "Details" not in shown


def test_the_first_items_are_listed_and_the_rest_is_counted() -> None:
    items = tuple(Item(f"q{i}", "why? " * 60, {"diagnosis": "ranked_low"}, ()) for i in range(1205))
    shown = printed(Report("t", "", (Section("s", (Items(items),)),)))
    assert "q4  ranked_low  why?" in shown
    assert "q5" not in shown
    assert "… and 1,200 more" in shown
    assert max(map(len, shown.split("\n"))) <= 100


@pytest.mark.parametrize(
    "report",
    [
        Report("", "", ()),
        Report("t", "", (Section("s", (Table((), ()), Table((Column("a"),), ()), Cards(()), Items(()))),)),
        Report("t", "", (Section("s", (Chart("lines", (Series("x", (Point("1", None),)),), "c"),)),)),
    ],
    ids=["nothing", "empty blocks", "all missing"],
)
def test_there_may_be_nothing_to_show(report: Report) -> None:
    assert one_line(report.title) in printed(report)


def test_missing_cells_are_dashes() -> None:
    table = Table((Column("a"), Column("b", "share"), Column("n", "integer")), (Row(("x", None, None)),))
    assert "x  –  –" in printed(Report("t", "", (Section("s", (table,)),)))
