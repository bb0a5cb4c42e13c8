"""The Markdown report: GitHub makes of it what was meant, and of hostile text nothing."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from report_samples import HOSTILE, every_field, small

from assay.report.blocks import Field, Item, Items, Note, Report, Section
from assay.report.markdown import inline, paragraph, to_markdown
from assay.report.text import one_line, visible

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
OURS = {"<details>", "</details>", "<br>"}

GOLDEN = """\
# Retrieval: demo

128 questions

## Summary

|        |             |                 |
| ------ | ----------- | --------------- |
| Gate   | ✓ **holds** | recall@5 ≥ 0.80 |
| mrr@10 | **0.655**   |                 |

> [!WARNING]
> 22 questions were left out.

## Measures

Means with intervals.

**Two variants**

| variant  | recall@5 | difference |         p |
| -------- | -------: | ---------: | --------: |
| bm25     |    0.748 |          – |         – |
| ✓ hybrid |    0.813 |     +0.065 | &lt;0.001 |

**Recall at k**

| k   |                           bm25 |                         hybrid |
| --- | -----------------------------: | -----------------------------: |
| 1   | 0.500 \\[0.420, 0.580\\] (n=128) | 0.550 \\[0.470, 0.630\\] (n=128) |
| 5   | 0.748 \\[0.670, 0.820\\] (n=128) |                              – |

## Failures

<details>
<summary>✗ q7 · Who signs the float plan?</summary>

diagnosis: ranked_low · difficulty: hard

**expected**: `float-plans.md-p002-child00`

**text**

> The duty officer countersigns.<br>
> The skipper files.

</details>
"""


def test_a_small_report() -> None:
    assert to_markdown(small()) == GOLDEN


def tokens(text: str) -> list[Token]:
    return [token for block in PARSER.parse(text) for token in (block, *(block.children or ()))]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_makes_no_link_image_html_list_or_heading(text: str) -> None:
    found = tokens(to_markdown(every_field(text)))
    kinds = Counter(token.type for token in found)
    assert not {
        kind for kind in kinds if kind.startswith(("link", "image", "s_open", "em_", "bullet", "ordered", "hr"))
    }
    assert kinds["heading_open"] == 3
    assert kinds["table_open"] == 11
    for token in found:
        if token.type in {"html_block", "html_inline"}:
            for line in token.content.strip().split("\n"):
                assert line in OURS or re.fullmatch(r"<summary>[^<>]*</summary>", line)


@pytest.mark.parametrize("text", HOSTILE)
def test_github_finds_no_address_mention_or_issue(text: str) -> None:
    """GitHub links these in plain text, escaped or not; code is exempt."""
    markdown = re.sub(r"(?ms)^(`{3,})text$.*?^\1$|`[^`\n]+`", "", to_markdown(every_field(text)))
    assert not re.search(r"(?i)://|\bwww\.|(?<!\w)@\w|@[\w.-]+\.\w|mailto:\w|(?<!&)#\d|\bGH-\d", markdown)


@pytest.mark.parametrize("text", [text for text in HOSTILE if "\n" not in visible(text)])
def test_what_is_shown_is_the_text(text: str) -> None:
    [_, line, _] = PARSER.parse(f"a {inline(text)}")
    shown = "".join(token.content for token in line.children or ())
    assert shown.replace("\u200b", "") == f"a {one_line(text)}".rstrip()


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("recall@5 of page_recall@5", "recall@5 of page_recall@5"),
        ("a|b", "a\\|b"),
        ("`x`", "\\`x\\`"),
        ("R&D &lt;", "R&D &amp;lt;"),
        ("_x_ a_b", "\\_x\\_ a_b"),
        ("two\nlines", "two lines"),
    ],
)
def test_escapes(text: str, escaped: str) -> None:
    assert inline(text) == escaped


def test_lines_that_would_begin_something() -> None:
    assert paragraph("# a\n- b\n+ c\n1. d\n2) e\n=\n    f") == (
        "\\# a<br>\n\\- b<br>\n\\+ c<br>\n1\\. d<br>\n2\\) e<br>\n\\=<br>\nf"
    )


@pytest.mark.parametrize("run", ["`", "``", "```", "`````"])
def test_no_run_of_backticks_ends_the_code_it_is_in(run: str) -> None:
    text = f"a {run} b\n{run}\n# c"
    item = Item("q", "t", {}, (Field("code", text, mono=True),))
    found = tokens(to_markdown(Report("r", "", sections=(Section("s", (Items((item,)),)),))))
    assert [token.content for token in found if token.type == "fence"] == [text + "\n"]
    assert sum(token.type == "heading_open" for token in found) == 2


def test_code_with_backticks_has_a_longer_fence() -> None:
    item = Item("q", "t", {}, (Field("code", "```\nx\n````", mono=True),))
    text = to_markdown(Report("t", "", (Section("s", (Items((item,)),)),)))
    assert "`````text\n```\nx\n````\n`````" in text


def test_an_empty_report_is_a_title() -> None:
    assert to_markdown(Report("Nothing", "", ())) == "# Nothing\n"


@given(st.text())
def test_any_text_is_one_paragraph_of_text(text: str) -> None:
    found = PARSER.parse(to_markdown(Report("t", "", (Section("s", (Note(f"a{text}"),)),))))
    assert Counter(token.type for token in found)["paragraph_open"] == 1
    kinds = {child.type for token in found for child in token.children or ()}
    assert kinds <= {"text", "text_special", "html_inline", "softbreak"}
