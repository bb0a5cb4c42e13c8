"""The make-up of a gold set as a report."""

from __future__ import annotations

from collections.abc import Mapping

from assay.gold.candidate import HARD
from assay.gold.stats import ALL_LEAVES, BINS, GoldStats, Quantiles
from assay.report.blocks import (
    Block,
    Card,
    Cards,
    Chart,
    Column,
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
from assay.report.text import are, counted

LEAST_HARD = 0.10
SHOWN = 30
"""Documents that are named; a corpus may have thousands."""
TRIVIAL = 0.80
"""Share of questions that bm25 ranks first above which a set tells little about retrievers."""


def stats_report(stats: GoldStats) -> Report:
    sections = [
        Section("Summary", _overview(stats)),
        Section("Distributions", tuple(_distribution(name, stats) for name in stats.distributions if name != "source")),
        Section("Difficulty", (_difficulty(stats), _hardness(stats))),
        Section("Lengths and completeness", (_lengths(stats),)),
    ]
    if stats.coverage:
        sections.append(Section("Coverage of the corpus", _coverage(stats)))
    if stats.sessions:
        table = Table((Column("session"), Column("questions", "integer")), tuple(map(_row, stats.sessions.items())))
        sections.append(
            Section("Exam sessions", (table,), f"{counted(stats.exam_questions, 'multiple-choice question')}.")
        )
    subtitle = f"{counted(stats.questions, 'question')}, {stats.questions - stats.answerable} of them unanswerable"
    return Report(f"Gold set: {stats.name}", subtitle, tuple(sections))


def _row(pair: tuple[str, int]) -> Row:
    return Row(pair)


def _overview(stats: GoldStats) -> tuple[Block, ...]:
    unanswerable = 1 - stats.answerable / stats.questions
    hard: Tone = "good" if (stats.hard_answerable or 0) >= LEAST_HARD else "warn"
    cards = [
        Card("Questions", str(stats.questions)),
        Card("Unanswerable", format_value(unanswerable, "percent")),
        Card("Hard", format_value(stats.hard, "percent"), f"difficulty ≥ {HARD:g}"),
        Card("Hard among the answerable", format_value(stats.hard_answerable, "percent"), "", hard),
    ]
    notes: list[Block] = []
    if stats.trivial is not None:
        tone: Tone = "warn" if stats.trivial >= TRIVIAL else "good"
        cards.append(Card("Trivial", format_value(stats.trivial, "percent"), "bm25 ranks the chunk first", tone))
    if stats.coverage and stats.coverage.unknown_chunks:
        them = stats.coverage.unknown_chunks
        text = f"{counted(them, 'question')} {are(them)} of {'a chunk that is' if them == 1 else 'chunks that are'} not"
        notes.append(Note(f"{text} in the index.", "bad"))
    if stats.coverage and stats.coverage.without_chunk:
        notes.append(Note(f"{counted(stats.coverage.without_chunk, 'question')} without a chunk.", "warn"))
    return (Cards(tuple(cards)), *notes)


def _distribution(name: str, stats: GoldStats) -> Chart:
    everything, answerable = stats.distributions[name], stats.answerable_distributions[name]
    series = (
        Series("all", _points(everything, everything)),
        Series("answerable", _points(everything, answerable)),
    )
    return Chart("bars", series, name.replace("_", " "), name, "questions", y_max=None, form="integer")


def _points(names: Mapping[str, int], counts: Mapping[str, int]) -> tuple[Point, ...]:
    return tuple(Point(name, float(counts.get(name, 0))) for name in names)


def _difficulty(stats: GoldStats) -> Chart:
    names = [f"{number / BINS:.1f}–{(number + 1) / BINS:.1f}" for number in range(BINS)]
    series = tuple(
        Series(name, tuple(Point(x, float(count)) for x, count in zip(names, counts, strict=True)))
        for name, counts in (("all", stats.difficulty), ("answerable", stats.difficulty_answerable))
    )
    return Chart("columns", series, "Difficulty", "difficulty", "questions", y_max=None, form="integer")


def _hardness(stats: GoldStats) -> Note:
    hard, own = format_value(stats.hard, "percent"), format_value(stats.hard_answerable, "percent")
    unknown = f" {stats.difficulty_unknown} have no difficulty." if stats.difficulty_unknown else ""
    text = f"Hard (≥ {HARD:g}): {hard} of all, {own} of the answerable. "
    return Note(f"{text}A set whose hard questions are all unanswerable is not hard.{unknown}")


def _lengths(stats: GoldStats) -> Table:
    rows = {
        "words of a question": stats.question_words,
        "words of an answer": stats.answer_words,
        f"leaves that count, of {ALL_LEAVES}": stats.leaves,
        "success rate in the exam": stats.success_rate,
    }
    columns = (Column("of"), *(Column(name, "score") for name in ("least", "25 %", "median", "75 %", "most")))
    made = [Row((name, *_ends(found), found.n)) for name, found in rows.items() if found]
    return Table((*columns, Column("n", "integer")), tuple(made))


def _ends(found: Quantiles) -> tuple[float, ...]:
    return (found.low, found.q25, found.median, found.q75, found.high)


def _coverage(stats: GoldStats) -> tuple[Block, ...]:
    found = stats.coverage
    assert found is not None
    rows = (
        Row(("documents", found.documents_asked, found.documents, _share(found.documents_asked, found.documents))),
        Row(("chunks", found.chunks_asked, found.chunks, _share(found.chunks_asked, found.chunks))),
    )
    columns = (Column("of"), Column("asked about", "integer"), Column("in the corpus", "integer"))
    table = Table((*columns, Column("share", "percent")), rows)
    points = tuple(Point(name, float(count)) for name, count in found.per_document.items())
    series = (Series("questions", points[:SHOWN]),)
    chart = Chart("bars", series, "Questions by document", "document", "questions", y_max=None)
    more = [Note(f"… and {counted(len(points) - SHOWN, 'document')} more; --json has all.")] if points[SHOWN:] else []
    missing, rest = found.missing_documents[:SHOWN], len(found.missing_documents) - SHOWN
    named = f"Without a question: {', '.join(missing)}{f' … and {rest} more' if rest > 0 else ''}"
    return (table, chart, *more, *([Note(named, "warn")] if missing else []))


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
