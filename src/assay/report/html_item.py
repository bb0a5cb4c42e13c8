"""One case in HTML, without a script: for pages of their own, and for readers whose browser runs none."""

from __future__ import annotations

from assay.report.blocks import Facts, Field, Item, Passage, Ranking
from assay.report.island import LONGEST, cut, score_text
from assay.report.markup import Markup, element, join

WIDE = 40
"""A longer label stands above its text."""


def item_html(item: Item) -> Markup:
    """Everything about a case."""
    parts = [tags_line(item), fields_html(item, LONGEST)]
    parts += [_facts(facts) for facts in item.facts]
    parts += [ranking_html(ranking) for ranking in item.rankings]
    return element("div", *parts, class_="case")


def fields_html(item: Item, limit: int) -> Markup:
    """What is said about a case, each text cut where it is longer than that many bytes."""
    return element("dl", *(part for field in item.fields for part in _field(field, limit)), class_="fields")


def tags_line(item: Item) -> Markup:
    text = " · ".join(f"{name}: {value}" for name, value in item.tags.items())
    return element("p", text, class_="tags") if text else Markup("")


def _field(field: Field, limit: int) -> list[Markup]:
    label = element("dt", field.label, class_="wide" if len(field.label) > WIDE else None)
    return [label, element("dd", cut(field.text, limit), class_="mono" if field.mono else None)]


def _facts(facts: Facts) -> Markup:
    pairs = [element("div", element("dt", name), element("dd", value)) for name, value in facts.pairs]
    return join([element("h4", facts.title), element("dl", *pairs, class_="facts")])


def ranking_html(ranking: Ranking) -> Markup:
    """Each passage a line that opens to its text where that is known."""
    title = f"{ranking.title} ({ranking.scale})" if ranking.scale else ranking.title
    if not ranking.passages:
        return join([element("h4", title), element("p", ranking.empty, class_="tags")])
    rows = [element("li", _passage(passage)) for passage in ranking.passages]
    return join([element("h4", title), element("ol", *rows, class_="ranking")])


def _passage(passage: Passage) -> Markup:
    marks = [*(["expected"] if passage.expected else []), *(["seen"] if passage.seen else [])]
    line = [
        element("span", "" if passage.rank is None else str(passage.rank), class_="rank"),
        element("code", passage.id),
        element("span", passage.where, class_="where"),
        *(element("em", mark, class_=f"is-{mark}") for mark in marks),
        element("span", "" if passage.score is None else score_text(passage.score), class_="score"),
    ]
    if not passage.text:
        return element("div", *line, class_="line")
    return element("details", element("summary", *line), element("p", cut(passage.text, LONGEST), class_="mono"))
