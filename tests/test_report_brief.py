"""What a page opens to, told in a text or without a script."""

from __future__ import annotations

import pytest

from assay.report.blocks import Facts, Field, Item, Items, Passage, Ranking, Report, Section
from assay.report.brief import FULL, NAMED, WITH_TEXT, brief
from assay.report.html_item import fields_html, tags_line
from assay.report.intervals import denominators, gate_card, mean_of, number_card, spread, with_bounds
from assay.report.markdown import to_markdown
from assay.report.numbers import format_value
from assay.report.text import moment

INTERVAL = {"mean": 0.7688, "low": 0.7005, "high": 0.8254, "n_scored": 173, "n_cases": 180}


def found(count: int, text: str = "text") -> tuple[Passage, ...]:
    return tuple(Passage(f"c{i}", text, "guide.pdf p. 2", 0.5, i, expected=i == 2) for i in range(1, count + 1))


def test_rankings_and_facts_become_fields_and_routine_items_are_counted() -> None:
    facts = (Facts("Grades", (("clarity", "5"), ("relevance", "4"))),)
    item = Item(
        "q1", "t", {}, (Field("Answer", "x" * 2000),), facts=facts, rankings=(Ranking("Found", found(7), "rrf"),)
    )
    told, others = brief(Items((item, Item("q2", "t", {}, (), routine=True))))
    assert others == 1
    answer, grades, *passages, rest = told.items[0].fields
    assert answer.text.endswith("[…500 characters more]")
    assert (grades.label, grades.text) == ("Grades", "clarity 5 · relevance 4")
    assert len(passages) == WITH_TEXT
    assert passages[1].label == "Found, 2: c2 (guide.pdf p. 2) rrf 0.5000, expected"
    assert rest.text == "6: c6 (guide.pdf p. 2) rrf 0.5000 · 7: c7 (guide.pdf p. 2) rrf 0.5000"


def test_passages_are_written_out_for_the_first_items_and_named_for_the_others() -> None:
    items = [Item(f"q{n}", "t", {}, (), rankings=(Ranking("Found", found(7)),)) for n in range(FULL + 2)]
    told, _ = brief(Items((Item("fine", "t", {}, (), routine=True), *items)))
    assert [len(item.fields) for item in told.items] == [WITH_TEXT + 1] * FULL + [1] * 2
    assert told.items[-1].fields[0].text.count("guide.pdf") == 7


def test_of_a_long_ranking_without_texts_the_first_are_named() -> None:
    item = Item("q", "t", {}, (), rankings=(Ranking("Found", found(NAMED + 4, "")), Ranking("Seen", (), empty="none")))
    first, second = brief(Items((item,)))[0].items[0].fields
    assert first.text.endswith(" · … 4 more")
    assert (second.label, second.text) == ("Seen", "none")


def test_a_text_groups_what_stands_together() -> None:
    items = tuple(
        Item(f"q{i}", "t", {}, (), group=group) for i, group in enumerate(("Failures", "Failures", "Partial"))
    )
    text = to_markdown(Report("t", "", (Section("s", (Items((*items, Item("q9", "t", {}, (), routine=True))),)),)))
    assert text.count("**Failures**") == 1
    assert text.index("**Failures**") < text.index("q1") < text.index("**Partial**") < text.index("q2")
    assert "1 other is in the HTML report." in text


def test_what_is_said_of_a_case_is_escaped_and_a_long_label_stands_above() -> None:
    item = Item("q", "t", {"verdict": "fail"}, (Field("A" * 50, "<b>"), Field("short", "x" * 20)))
    html = fields_html(item, 9)
    assert f'<dt class="wide">{"A" * 50}</dt><dd>&lt;b&gt;</dd>' in html
    assert "<dt>short</dt><dd>xxx" in html
    assert "x" * 20 not in html, "cut at so many bytes"
    assert tags_line(item) == '<p class="tags">verdict: fail</p>'
    assert tags_line(Item("q", "t", {}, ())) == ""


def test_intervals_as_text() -> None:
    bare = INTERVAL | {"low": None, "high": None}
    assert spread(INTERVAL) == "0.70 – 0.83, n = 173 / 180"
    assert spread(INTERVAL, "percent") == "70.1 – 82.5, n = 173 / 180"
    assert spread(bare) == "n = 173 / 180"
    assert with_bounds(INTERVAL) == "0.769 [0.70, 0.83]"
    assert with_bounds(bare) == "0.769"
    assert denominators([INTERVAL, INTERVAL, bare | {"n_scored": 9}]) == "173 / 180 · 9 / 180"
    assert mean_of({"f1": INTERVAL}, "f1") == 0.7688
    assert mean_of({}, "f1") is None
    assert number_card("F1", None).note == "nothing to score"


@pytest.mark.parametrize(
    ("passed", "severity", "tone"), [(True, "blocking", "good"), (False, "blocking", "bad"), (False, "warning", "warn")]
)
def test_a_gate_is_a_card(passed: bool, severity: str, tone: str) -> None:
    card = gate_card({"measure": "overall", "at_least": 4, "value": 3.2, "passed": passed, "severity": severity})
    assert (card.label, card.value, card.tone) == ("Gate overall ≥ 4", "3.200", tone)


def test_moments_and_money() -> None:
    assert moment("2026-11-15T07:18:35.331+00:00") == "2026-11-15 07:18 UTC"
    assert moment("yesterday") == "yesterday"
    amounts = [format_value(value, "dollars") for value in (0.0042, 12.5, 0.0, 0.00001, -1.5, None)]
    assert amounts == ["$0.0042", "$12.5000", "$0.0000", "<$0.0001", "−$1.5000", "–"]
