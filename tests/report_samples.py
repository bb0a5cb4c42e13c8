"""Reports to render: a small ordinary one, and one with the same hostile text in every field that holds text."""

from __future__ import annotations

from assay.report.blocks import (
    Block,
    Card,
    Cards,
    Chart,
    Column,
    Facts,
    Field,
    Item,
    Items,
    Kind,
    Mark,
    Note,
    Passage,
    Point,
    Ranking,
    Report,
    Row,
    Section,
    Series,
    Table,
    Verdict,
)

KINDS: tuple[Kind, ...] = ("lines", "bars", "columns", "heat", "stack", "waterfall", "diverging")
"""All but calibration, whose categories are numbers."""
HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\"><svg onload=alert(1)> '><b onclick='x'>",
    "</style></script></title></textarea><iframe src=//evil.example>",
    "]]> --> <!-- <![CDATA[",
    "&lt;b&gt; &#60;i&#62; &copy; &amp;",
    "[link](http://evil.example) ![image](//evil.example/x.png) <http://evil.example>",
    "see http://evil.example and www.evil.example and me@evil.example, mailto:a@b.example",
    "@octocat, #12, GH-12",
    "[bold red]markup[/bold red] [link=http://evil.example]x[/link] :smile:",
    "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x9b2J \x07 \x08",
    "\u202eevil\u202c \u2066isolate\u2069",
    "null \x00 byte, lone \ud800 surrogate, \ufffe nothing",
    "a | b\n--- | ---\nc | d",
    "# heading\n- item\n1. one\n> quote\n=== \n    code\n```\nfence",
    "- item",
    "# heading",
    "`code` ``two`` *a* _b_ __c__ ~~d~~ $x$ \\ \\| \\",
    "\r\n\u2028\u2029\t tabs and ends \r",
    "",
)


def every_field(text: str) -> Report:
    """A report in which everything that can be text is that text."""
    point = Point(text, 0.5, 0.4, 0.6, 3)
    series = (Series(text, (point, Point("b", None))), Series(text, (point,)))
    blocks: tuple[Block, ...] = (
        Note(text),
        Note(text, "bad"),
        Cards((Card(text, text, text, "warn"),)),
        Table((Column(text), Column(text, "share")), (Row((text, text), "good"), Row((text, None))), text),
        *(Chart(kind, series, text, text, text, reference=0.5, marks=(Mark(text, text),)) for kind in KINDS),
        Chart("calibration", (Series(text, (Point("0.7", 0.5, 0.4, 0.6, 3),)),), text, text, text),
        Items((item(text), item("other")), text),
        Items((), text),
    )
    verdict = Verdict(text, text, "bad", (Card(text, text, text),), text, "warn")
    return Report(text, text, (Section(text, blocks, text), Section("Second", ())), verdict)


def item(text: str) -> Item:
    long = text + "x" * 300
    fields = (Field(text, text), Field(text, text, mono=True), Field(text, long), Field(text, long, mono=True))
    passages = (Passage(text, text, text, 0.5, 1, expected=True, seen=True), Passage(text))
    rankings = (Ranking(text, passages, text), Ranking(text, (), empty=text))
    tags = {"tag": text, text: "value"}
    return Item(text, text, tags, fields, "bad", (Facts(text, ((text, text),)),), rankings, group=text)


def small() -> Report:
    """What a retrieval run looks like, cut down to two variants."""
    measures = Table(
        (Column("variant"), Column("recall@5", "share"), Column("difference", "signed"), Column("p", "p")),
        (Row(("bm25", 0.748, None, None)), Row(("hybrid", 0.8125, 0.0645, 0.0004), "good")),
        "Two variants",
    )
    curve = Chart(
        "lines",
        (
            Series("bm25", (Point("1", 0.5, 0.42, 0.58, 128), Point("5", 0.748, 0.67, 0.82, 128))),
            Series("hybrid", (Point("1", 0.55, 0.47, 0.63, 128), Point("5", None))),
        ),
        "Recall at k",
        "k",
        "recall",
        reference=0.8,
    )
    failure = Item(
        "q7",
        "Who signs the float plan?",
        {"diagnosis": "ranked_low", "difficulty": "hard"},
        (
            Field("expected", "float-plans.md-p002-child00", mono=True),
            Field("text", "The duty officer countersigns.\nThe skipper files."),
        ),
        "bad",
    )
    return Report(
        "Retrieval: demo",
        "128 questions",
        (
            Section(
                "Summary",
                (
                    Cards((Card("Gate", "holds", "recall@5 ≥ 0.80", "good"), Card("mrr@10", "0.655"))),
                    Note("22 questions were left out.", "warn"),
                ),
            ),
            Section("Measures", (measures, curve), "Means with intervals."),
            Section("Failures", (Items((failure,)),)),
        ),
    )


def pictures() -> tuple[Chart, ...]:
    """One chart of each kind, with figures as they occur."""
    levels, kinds = ("easy", "medium", "hard"), ("factual", "comparative", "procedural", "scenario", "all")
    cells = [
        tuple(Point(x, None if (i + j) % 5 == 4 else (i + j) / 7, n=12) for i, x in enumerate(levels)) for j in range(5)
    ]
    grades = [tuple(Point(name, float(j * 7 + 3)) for name in ("correctness", "faithfulness")) for j in range(5)]
    steps = (Point("asked", 237.0, level=True), Point("below the cut", -54.0), Point("answered unanswerable", -63.0))
    days = tuple(Point(f"11-1{i} 07:18", 0.7 + i / 50, 0.6, 0.9, 173) for i in range(5))
    flips = tuple(tuple(Point(f"difficulty: {x}", float(i * k)) for i, x in enumerate(levels)) for k in (1, 3))
    claims = tuple(Point(f"{0.1 + i / 5:.3f}", 0.15 + i / 6, n=3 + i * 20) for i in range(5))
    return (
        small_curve(),
        Chart("bars", (Series("f1", tuple(Point(x, 0.5, 0.3, 0.8, 1200) for x in levels)),), "F1 by category"),
        Chart("columns", (Series("n", tuple(Point(x, 12.0) for x in levels)),), "Ranks", "rank", y_max=None),
        Chart("heat", tuple(Series(k, c) for k, c in zip(kinds, cells, strict=True)), "MRR", "difficulty"),
        Chart("stack", tuple(Series(f"grade {j}", c) for j, c in enumerate(grades, 1)), "Grades", ordinal=True),
        Chart("waterfall", (Series("questions", (*steps, Point("not lost", 120.0, level=True))),), "Lost"),
        Chart("lines", (Series("pass_rate", days),), "Trend", marks=(Mark("11-12 07:18", "v3"),)),
        Chart("diverging", (Series("lost", flips[0]), Series("gained", flips[1])), "Flips", y_max=None),
        Chart("calibration", (Series("accuracy", claims),), "Reliability (ECE 0.043)", "confidence", "accuracy"),
    )


def small_curve() -> Chart:
    points = (Point("1", 0.5, 0.42, 0.58, 128), Point("5", 0.748, 0.67, 0.82, 128))
    return Chart("lines", (Series("bm25", points),), "Recall at k", "k", "recall", reference=0.8)


def rich(count: int = 9) -> Report:
    """A report with a verdict, every kind of picture and a list of questions, a third of which failed."""
    cards = (Card("Pass rate", "66.7 %", "51.0 – 79.0, n = 9 / 9"), Card("mrr", "0.557"), Card("Cost", "$0.0042"))
    verdict = Verdict("Fail", "gate fails: recall@5 is 0.612, not 0.7.", "bad", cards, "No baseline.")
    questions = tuple(question(i) for i in range(count))
    sections = (
        Section("Pictures", pictures()),
        Section("Measures", small().sections[1].blocks),
        Section("Questions", (Items(questions),)),
    )
    return Report("RAG run: demo", "run_1 · 9 questions", sections, verdict)


def question(i: int) -> Item:
    failed = i % 3 == 0
    text = f"Passage {i}: the duty officer countersigns every float plan before a boat leaves."
    seen = (Passage(f"float-plans.md-p{i:03}", text, "float-plans.md p. 2", rank=1, expected=True),)
    found = (Passage(seen[0].id, text, "float-plans.md p. 2", 0.0164, 1, expected=True, seen=True),)
    return Item(
        f"q{i}",
        f"Who signs float plan number {i}? Élodie asks.",
        {"verdict": "fail" if failed else "pass", "difficulty": ("easy", "hard")[i % 2]},
        (Field("Question", f"Who signs float plan number {i}?"), Field("Answer", f"The officer of day {i}.")),
        "bad" if failed else "good",
        (Facts("Grades", (("correctness", "4"), ("clarity", "5"))), Facts("Time", (("generation", "1.20 s"),))),
        (Ranking("Context as the generator saw it", seen), Ranking("Retrieved", found, "rrf")),
        routine=not failed,
    )
