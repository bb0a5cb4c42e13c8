"""Reports to render: a small ordinary one, and one with the same hostile text in every field that holds text."""

from __future__ import annotations

from assay.report.blocks import (
    Block,
    Card,
    Cards,
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
)

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
        *(Chart(kind, series, text, text, text, reference=0.5) for kind in ("lines", "bars", "columns")),
        Items((item(text), item("other")), text),
        Items((), text),
    )
    return Report(text, text, (Section(text, blocks, text), Section("Second", ())))


def item(text: str) -> Item:
    long = text + "x" * 300
    fields = (Field(text, text), Field(text, text, mono=True), Field(text, long), Field(text, long, mono=True))
    return Item(text, text, {"tag": text, text: "value"}, fields, "bad")


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
