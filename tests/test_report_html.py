"""The HTML report: one file that asks nothing of any network and in which text stays text."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from hashlib import sha256
from html.parser import HTMLParser
from typing import Any
from xml.etree.ElementTree import fromstring

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_samples import HOSTILE, every_field, small

from assay.report.blocks import (
    Column,
    Facts,
    Field,
    Item,
    Items,
    Note,
    Passage,
    Ranking,
    Report,
    Row,
    Section,
    Table,
)
from assay.report.html import SCRIPTS, STYLES, asset, script, style, to_html
from assay.report.text import visible

VOID = {"meta", "link", "input"}
SHAPES = {"path", "rect"}


class Page(HTMLParser):
    """What a browser would make of a file: elements with their attributes, text, and whether everything is closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: list[tuple[str, str]] = []
        self.comments: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((self.open[-1] if self.open else "", data))

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    def text(self) -> str:
        return "".join(data for tag, data in self.texts if tag not in {"style", "script"})

    def shape(self) -> list[tuple[str, tuple[str, ...]]]:
        return [(tag, tuple(attributes)) for tag, attributes in self.elements]


def page(report: Report) -> Page:
    return Page(to_html(report))


@pytest.mark.parametrize("text", HOSTILE)
def test_no_element_and_no_attribute_comes_from_text(text: str) -> None:
    """The page of hostile text has the elements and attributes of a page of harmless text as long, one for one.

    Pictures are left out here: what they draw depends on the width of their text. They have their own test.
    """
    hostile, harmless = (to_html(every_field(each)) for each in (text, "x" * len(text)))
    found, expected = (Page(re.sub(r"(?s)<svg.*?</svg>", "", html)) for html in (hostile, harmless))
    assert found.open == []
    assert found.comments == []
    assert found.shape() == expected.shape()


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_shown_as_it_is(text: str) -> None:
    assert visible(text) in page(every_field(text)).text()


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_is_asked_of_any_network(text: str) -> None:
    for tag, attributes in page(every_field(text)).elements:
        assert tag not in {"img", "iframe", "object", "embed", "base", "form", "video", "audio", "source"}
        for name, value in attributes.items():
            assert not name.startswith("on")
            assert name not in {"src", "srcset", "style", "action", "formaction", "xlink:href", "srcdoc"}
            if name == "href":
                assert re.fullmatch(r"#[a-z0-9-]+|data:,", value or "")
    for name in (*STYLES, *SCRIPTS):
        assert not re.search(r"https?:|//[a-z]|url\(|@import|fetch|XMLHttp|import\(|eval|innerHTML", asset(name))


def test_the_policy_allows_our_style_and_our_script_alone() -> None:
    found = page(small())
    policy = next(a["content"] or "" for tag, a in found.elements if a.get("http-equiv") == "Content-Security-Policy")
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == "'none'"
    assert "unsafe" not in policy
    for kind, tag in (("style-src", "style"), ("script-src", "script")):
        inside = next(data for t, data in found.texts if t == tag)
        digest = b64decode(rules[kind].removeprefix("'sha256-").removesuffix("'"))
        assert digest == sha256(inside.encode()).digest()
    first = [tag for tag, _ in found.elements][:3]
    assert first == ["html", "head", "meta"]


def test_packaged_assets_cannot_end_their_element() -> None:
    assert "</" not in style()
    assert "</" not in script()
    assert "\r" not in style() + script()


def test_pictures_inside_are_well_formed() -> None:
    html = to_html(every_field(HOSTILE[2]))
    pictures = re.findall(r"<svg.*?</svg>", html, re.DOTALL)
    assert len(pictures) == 8
    for picture in pictures:
        assert fromstring(picture).tag == "svg"


def test_ids_are_unique_and_every_link_leads_somewhere() -> None:
    found = page(every_field("x" * 250))
    ids = [attributes["id"] for _, attributes in found.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = {a["href"] for _, a in found.elements if (a.get("href") or "").startswith("#")}
    assert {link for link in links if link and link[1:] not in ids} == set()


def test_missing_cells_are_dashes_and_never_zero() -> None:
    columns = tuple(Column(form, form) for form in ("integer", "share", "percent", "signed", "p", "seconds", "score"))
    table = Table((Column("name"), *columns), (Row(("x", *(None for _ in columns))),))
    found = page(Report("t", "", (Section("s", (table,)),)))
    cells = [data for tag, data in found.texts if tag == "td"]
    assert cells == ["–"] * len(columns)


def test_numbers_stand_to_the_right_under_their_heading() -> None:
    html = to_html(small())
    assert '<th scope="col" class="r">recall@5</th>' in html
    assert '<td class="r">0.813</td><td class="r">+0.065</td><td class="r">&lt;0.001</td>' in html
    assert '<tr class="good"><th scope="row" class="k"><b class="mark">✓</b>hybrid</th>' in html


@pytest.mark.parametrize(
    "report",
    [
        Report("", "", ()),
        Report("t", "s", (Section("", ()),)),
        Report("t", "s", (Section("s", (Table((), ()), Table((Column("a"),), ()), Items(()))),)),
    ],
    ids=["nothing", "empty section", "empty blocks"],
)
def test_there_may_be_nothing_to_show(report: Report) -> None:
    assert page(report).open == []


def test_an_empty_list_says_so() -> None:
    assert "No question failed." in page(Report("t", "", (Section("s", (Items((), "No question failed."),)),))).text()


def test_items_can_be_filtered_by_each_tag_with_counts() -> None:
    items = tuple(
        Item(f"q{i}", "title", {"class": "ab"[i % 2], "only": "one", **({"rare": "yes"} if i == 0 else {})}, ())
        for i in range(5)
    )
    found = page(Report("t", "", (Section("s", (Items(items),)),)))
    options = [data for tag, data in found.texts if tag == "option"]
    assert options == ["all (5)", "a (3)", "b (2)", "all (5)", "– (4)", "yes (1)"]
    [data] = islands(to_html(Report("t", "", (Section("s", (Items(items),)),))))
    assert [item[3] for item in data["items"]] == [[0, 1], [1, 0], [0, 0], [1, 0], [0, 0]]


def islands(html: str) -> list[dict[str, Any]]:
    return [json.loads(data) for data in re.findall(r'<script type="application/json">(.*?)</script>', html)]


def test_controls_are_hidden_until_a_script_runs() -> None:
    found = page(small())
    controls = next(a for _, a in found.elements if a.get("class") == "controls")
    assert "hidden" in controls
    assert all("hidden" not in a for tag, a in found.elements if tag in {"details", "main", "section"})


def test_without_a_script_the_cases_worth_looking_into_are_there_in_brief() -> None:
    bad = Item("q1", "Who signs it?", {"verdict": "fail"}, (Field("Answer", "Nobody. " * 200),), "bad")
    fine = Item("q2", "When?", {"verdict": "pass"}, (Field("Answer", "At six."),), "good", routine=True)
    html = to_html(Report("t", "", (Section("s", (Items((bad, fine)),)),)))
    inside = html[html.index("<noscript>") : html.index("</noscript>")]
    assert "Who signs it?" in inside
    assert "[…1,200 characters more]" in inside
    assert "At six." not in inside
    assert "1 more with a script." in inside


def test_a_long_text_is_written_once_in_the_data() -> None:
    text = "A chunk that many questions find. " * 20
    passages = (Passage("c1", text, "guide.pdf p. 3", 0.5, 1), Passage("c2", "", rank=2))
    items = tuple(Item(f"q{i}", "t", {}, (), rankings=(Ranking("Found", passages),), routine=True) for i in range(3))
    html = to_html(Report("t", "", (Section("s", (Items(items),)),)))
    assert html.count(text) == 1
    [data] = islands(html)
    assert len(data["passages"]) == 2


def test_a_report_of_500_questions_is_under_two_megabytes() -> None:
    """25 passages a question of 3,000 in all, of 1,200 characters each: 3.6 MB, more than there is room for.

    What is said of a question is whole; the passages' texts are cut, with a mark.
    """
    names = [f"handbook-{i:04}.pdf-p{i % 90:03}-parent{i % 30:03}-child{i % 7:02}" for i in range(3000)]
    texts = [f"{i} " + "The duty officer countersigns every float plan. " * 25 for i in range(3000)]
    items = []
    for i in range(500):
        own = [(i * 17 + j * 113) % 3000 for j in range(25)]
        told = [(names[n], texts[n][:1200], f"handbook-{n:04}.pdf p. 3") for n in own]
        found = tuple(Passage(*each, 1 / (60 + rank), rank) for rank, each in enumerate(told, 1))
        seen = tuple(Passage(*each, rank=rank) for rank, each in enumerate(told, 1))
        measures = tuple((f"measure_{m}", f"{(i * m) % 1000 / 1000:.3f}") for m in range(20))
        fields = tuple(Field(label, f"{label} {i}: " + "some words " * n) for label, n in FIELDS.items())
        tags = {"verdict": ("pass", "fail")[i % 2], "difficulty": "hard", "source": f"document {i % 14}"}
        rankings = (Ranking("Seen", seen), Ranking("Retrieved", found, "rrf"))
        id_ = f"client:handbook:section:{i:03}:{i * 7919:08x}"
        items.append(Item(id_, fields[0].text[:120], tags, fields, "bad", (Facts("M", measures),), rankings))
    html = to_html(Report("t", "", (Section("Questions", (Items(tuple(items)),)),)))
    assert len(html.encode()) < 2_000_000
    [data] = islands(html)
    assert len(data["items"]) == 500
    assert len(data["passages"]) == 3000
    assert not any(text.startswith("Answer") and "characters more" in text for text in data["texts"])
    assert "characters more]" in html


FIELDS = {"Question": 9, "Expected answer": 14, "Answer": 40, "Judge": 25, "Lost": 7}


def test_the_same_report_gives_the_same_bytes() -> None:
    assert to_html(small()) == to_html(small())


@given(st.text(), st.text())
def test_any_text_stays_text(title: str, text: str) -> None:
    found = page(Report(title, "", (Section("s", (Note(text),)),)))
    assert found.open == []
    assert found.shape() == page(Report("t", "", (Section("s", (Note("x"),)),))).shape()
    to_html(Report(title, text, ())).encode("utf-8")
