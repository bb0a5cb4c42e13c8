"""A comparison as a section of a report, or as a report of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from assay.compare import Comparison, Flip
from assay.compare import Row as Difference
from assay.report.blocks import (
    Block,
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
from assay.report.numbers import format_value
from assay.report.text import counted

HEADLINES = ("recall", "page_recall", "mrr", "ndcg")
RUN_HEADLINES = ("pass_rate", "partial_rate", "fail_rate", "acceptable_rate", "overall_score_avg", "mrr")
"""Families of measures that stand first; all others are in the detailed table."""
LONGEST_NAME = 16
"""Of a column; a longer one says less than before and now."""
LEGEND = (
    "Paired by question. p is corrected for many measures (Holm); detectable is the smallest difference that these "
    "questions can show (–: none)."
)


def comparison_report(comparison: Comparison) -> Report:
    sections = (brief_section("Comparison", (comparison,)), full_section("Every measure", (comparison,)))
    return Report(
        f"{comparison.before} → {comparison.now}", f"{counted(comparison.common, 'question')} in common", sections
    )


def brief_section(title: str, comparisons: Sequence[Comparison], *, among: bool = False) -> Section:
    """What matters. `among`: variants of one run, where worse is no regression."""
    return Section(title, tuple(b for comparison in comparisons for b in _brief(comparison, among=among)), LEGEND)


def full_section(title: str, comparisons: Sequence[Comparison], *, among: bool = False) -> Section:
    """Every measure, and between runs every question that changed."""
    blocks = tuple(block for comparison in comparisons for block in _full(comparison, among=among))
    return Section(title, blocks, detail=True)


def _brief(comparison: Comparison, *, among: bool) -> list[Block]:
    between = f"{comparison.before} → {comparison.now}"
    blocks: list[Block] = [Note(f"Mind: {warning}.", "warn") for warning in comparison.warnings]
    bad = comparison.failed and not among
    blocks.append(Note(f"{between}: {headline(comparison, among=among)}", "bad" if bad else "plain"))
    rows = measured(comparison)
    shown = [row for row in rows if row.measure in brief_measures({row.measure for row in rows})]
    blocks.append(_differences(comparison, shown or rows))
    blocks += [] if among else _left_out(comparison)
    if comparison.flips and not among:
        blocks += [_flip_counts(comparison), _flip_segments(comparison)]
    return [*blocks, _figures(comparison)] if comparison.figures else blocks


def measured(comparison: Comparison) -> list[Difference]:
    """Without those that neither side has a value of; all of them, if there is nothing else."""
    rows = comparison.rows
    return [row for row in rows if not (row.before is None and row.now is None)] or list(rows)


def _left_out(comparison: Comparison) -> list[Note]:
    known = measured(comparison)
    families = dict.fromkeys(row.measure.partition("@")[0] for row in comparison.rows if row not in known)
    return [Note(f"Left out, neither side has a value: {', '.join(families)}.")] if families else []


def _flip_segments(comparison: Comparison) -> Chart:
    """Which kinds of questions changed, both ways; documents are left to the list of questions."""
    tally: Counter[tuple[str, str, str]] = Counter()
    for flip in comparison.flips:
        way = "gained" if flip.now > flip.before else "lost"
        tally.update((key, value, way) for key, value in flip.tags.items() if key != "source")
    kinds = sorted({(key, value) for key, value, _ in tally if {v for k, v, _ in tally if k == key} != {"unknown"}})
    series = tuple(
        Series(way, tuple(Point(f"{key}: {value}", float(tally[key, value, way])) for key, value in kinds))
        for way in ("lost", "gained")
    )
    title = f"Questions whose {comparison.flip_measure} changed"
    return Chart("diverging", series, title, "segment", "questions", y_max=None, form="integer")


def _figures(comparison: Comparison) -> Table:
    columns = (Column("figure"), Column("before", "score"), Column("now", "score"), Column("difference", "score"))
    rows = tuple(Row((f.name, f.before, f.now, f.delta), "bad" if f.exceeded else "plain") for f in comparison.figures)
    return Table(columns, rows, "Of the whole run; nothing to test.")


def brief_measures(names: Iterable[str], cut: str = "5") -> set[str]:
    """One measure of each headline family: recall at the usual cut-off where there is one, else at the last."""
    known = set(names)
    if "f1" in known:
        return known & {"precision", "recall", "f1", "perfect"}
    if "pass_rate" in known:
        return {name for name in known if name in RUN_HEADLINES or name.startswith("recall_at_")}
    chosen = set()
    for family in HEADLINES:
        own = sorted((name for name in known if name.partition("@")[0] == family), key=_cut_off)
        usual = f"{family}@{cut}"
        if own:
            chosen.add(usual if usual in own and family.endswith("recall") else own[-1])
    return chosen


def _cut_off(name: str) -> int:
    """That of a case's own k is not known here."""
    cut = name.partition("@")[2]
    return int(cut) if cut.isdigit() else 0


def _full(comparison: Comparison, *, among: bool) -> list[Block]:
    blocks: list[Block] = [
        Note(f"{comparison.before} → {comparison.now}, {counted(comparison.common, 'question')} in common.")
    ]
    blocks.append(_differences(comparison, measured(comparison)))
    if comparison.flips and not among:
        blocks.append(_flips(comparison))
    return blocks


def headline(comparison: Comparison, *, among: bool = False) -> str:
    """One sentence: what got worse or better beyond chance, or that nothing did."""
    brief = brief_measures({row.measure for row in comparison.rows}) if not among else set()
    families = (*HEADLINES, *brief)
    rows = [row for row in comparison.rows if row.measure.partition("@")[0] in families] or list(comparison.rows)
    better, worse = ([row for row in rows if row.verdict == said] for said in ("better", "worse"))
    said = []
    if comparison.exceeded and not among:
        said.append(f"beyond its limit: {', '.join(figure.name for figure in comparison.exceeded)}")
    if comparison.regressions and not among:
        said.append(f"regression: {_names(comparison.regressions)}")
    elif worse:
        said.append(f"worse{'' if among else ', but by less than matters'}: {_names(worse)}")
    if better:
        said.append(f"better: {_names(better)}")
    if not said and all(row.delta is None for row in comparison.rows):
        said.append("nothing to compare, no question has a score in both")
    elif not said:
        said.append("no difference beyond chance" if among else "no regression")
    suspects = [row for row in rows if row.flagged and row.verdict == "no evidence either way"]
    if suspects and not among:
        said.append(f"beyond its threshold but not beyond chance: {_names(suspects)}")
    return "; ".join(said) + "."


def _names(rows: Sequence[Difference]) -> str:
    """The measures, with their variants where there are several."""
    several = len({row.variant for row in rows}) > 1
    return ", ".join(f"{row.measure} ({row.variant})" if several else row.measure for row in rows)


def _differences(comparison: Comparison, rows: Sequence[Difference]) -> Table:
    several = len({row.variant for row in comparison.rows}) > 1
    columns = (
        *([Column("variant")] if several else []),
        Column("measure"),
        *(Column(name, "share") for name in _sides(comparison, several=several)),
        Column("difference", "signed"),
        Column("interval"),
        Column("p", "p"),
        Column("detectable", "share"),
        Column("verdict"),
    )
    return Table(columns, tuple(_difference(row, several=several) for row in rows))


def _sides(comparison: Comparison, *, several: bool) -> tuple[str, str]:
    """Variants by their names; of runs and baselines, before and now are what matters."""
    names = (comparison.before, comparison.now)
    return ("before", "now") if several or max(map(len, names)) > LONGEST_NAME else names


def _difference(row: Difference, *, several: bool) -> Row:
    bounds = None if row.low is None else f"{format_value(row.low, 'signed')}, {format_value(row.high, 'signed')}"
    tone: Tone = "bad" if row.regression else "good" if row.verdict == "better" else "warn" if row.flagged else "plain"
    cells = (row.measure, row.before, row.now, row.delta, bounds, row.p, row.detectable, row.verdict)
    return Row((row.variant, *cells) if several else cells, tone)


def _flip_counts(comparison: Comparison) -> Note:
    lost = sum(flip.now < flip.before for flip in comparison.flips)
    gained = len(comparison.flips) - lost
    return Note(
        f"{comparison.flip_measure} changed for {counted(len(comparison.flips), 'question')}: "
        f"{gained} gained, {lost} lost."
    )


def _flips(comparison: Comparison) -> Items:
    several = len({flip.variant for flip in comparison.flips}) > 1
    return Items(tuple(_flip(flip, comparison.flip_measure, several=several) for flip in comparison.flips))


def _flip(flip: Flip, measure: str, *, several: bool) -> Item:
    gained = flip.now > flip.before
    change = f"{format_value(flip.before, 'share')} → {format_value(flip.now, 'share')}"
    tags = {"change": "gained" if gained else "lost", "variant": flip.variant, **flip.tags}
    id_ = f"{flip.case_id} · {flip.variant}" if several else flip.case_id
    tone: Tone = "good" if gained else "bad"
    return Item(id_, f"{measure} {change}", tags, (Field(measure, change),), tone, about=flip.case_id)
