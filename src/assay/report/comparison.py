"""A comparison as a section of a report, or as a report of its own."""

from __future__ import annotations

from collections.abc import Sequence

from assay.compare import Comparison
from assay.compare import Row as Difference
from assay.report.blocks import Block, Column, Note, Report, Row, Section, Table, Tone
from assay.report.numbers import format_value

SHOWN_FLIPS = 200


def comparison_report(comparison: Comparison) -> Report:
    section = comparison_section("Comparison", (comparison,))
    return Report(f"{comparison.before} → {comparison.now}", f"{comparison.common} questions in common", (section,))


def comparison_section(title: str, comparisons: Sequence[Comparison]) -> Section:
    return Section(title, tuple(block for comparison in comparisons for block in _blocks(comparison)))


def _blocks(comparison: Comparison) -> list[Block]:
    blocks: list[Block] = [
        Note(f"{comparison.before} → {comparison.now}, paired by question ({comparison.common} in common).")
    ]
    blocks += [Note(f"Mind: {warning}.", "warn") for warning in comparison.warnings]
    blocks += [Note(headline(comparison), "bad" if comparison.regressions else "plain"), _differences(comparison)]
    if comparison.flips:
        blocks += [_flip_counts(comparison), _flips(comparison)]
    return blocks


def headline(comparison: Comparison) -> str:
    """One sentence: what got worse or better beyond chance, or that nothing did."""
    better = [row for row in comparison.rows if row.verdict == "better"]
    if comparison.regressions:
        said = f"Regression: {_names(comparison.regressions)}."
    elif any(row.verdict == "worse" for row in comparison.rows):
        said = f"Worse, but by less than matters: {_names([r for r in comparison.rows if r.verdict == 'worse'])}."
    else:
        said = "No regression."
    if better:
        said += f" Better: {_names(better)}."
    suspects = [row for row in comparison.rows if row.flagged and row.verdict == "no evidence either way"]
    if suspects:
        said += f" Beyond its threshold but not beyond chance: {_names(suspects)}."
    return said


def _names(rows: Sequence[Difference]) -> str:
    return ", ".join(f"{row.measure} ({row.variant})" for row in rows)


def _differences(comparison: Comparison) -> Table:
    columns = (
        Column("variant"),
        Column("measure"),
        Column("before", "share"),
        Column("now", "share"),
        Column("difference", "signed"),
        Column("interval"),
        Column("p (corrected)", "p"),
        Column("verdict"),
        Column("smallest detectable", "share"),
        Column("pairs", "integer"),
    )
    return Table(columns, tuple(map(_difference, comparison.rows)))


def _difference(row: Difference) -> Row:
    bounds = None if row.low is None else f"{format_value(row.low, 'signed')} – {format_value(row.high, 'signed')}"
    tone: Tone = "bad" if row.regression else "good" if row.verdict == "better" else "warn" if row.flagged else "plain"
    said = row.verdict if not row.flagged or row.verdict != "no evidence either way" else f"{row.verdict} (flagged)"
    cells = (row.variant, row.measure, row.before, row.now, row.delta, bounds, row.p, said, row.detectable, row.pairs)
    return Row(cells, tone)


def _flip_counts(comparison: Comparison) -> Note:
    lost = sum(flip.now < flip.before for flip in comparison.flips)
    gained = len(comparison.flips) - lost
    return Note(
        f"{comparison.flip_measure} changed for {len(comparison.flips)} questions: {gained} gained, {lost} lost."
    )


def _flips(comparison: Comparison) -> Table:
    keys = sorted({key for flip in comparison.flips for key in flip.tags})
    columns = (
        Column("variant"),
        Column("question"),
        Column("before", "share"),
        Column("now", "share"),
        *map(Column, keys),
    )
    shown = comparison.flips[:SHOWN_FLIPS]
    rows = tuple(
        Row(
            (flip.variant, flip.case_id, flip.before, flip.now, *(flip.tags.get(key) for key in keys)),
            "good" if flip.now > flip.before else "bad",
        )
        for flip in shown
    )
    rest = len(comparison.flips) - len(shown)
    return Table(columns, rows, f"{rest} more are in the results files." if rest else "")
