"""The gates of the gold set, measured again from text, index and embeddings, as `assay gold verify` does."""

from __future__ import annotations

import msgspec

from assay.corpus.index import Index
from assay.gold.verify import Verification, verify
from assay.report.blocks import Report
from assay.report.gold import verification_report
from assay.report.html import Link
from assay.report.html_blocks import section_html, verdict_html
from assay.report.markup import join
from assay.viewer.gold_set import gold_of
from assay.viewer.visit import Content, Data, View, Visit


def data(visit: Visit) -> Data:
    places, shown = visit.desk.places, gold_of(visit)
    files = (places.gold, places.index)
    found = visit.desk.made.get("gates", files, lambda: _verified(visit))
    report = verification_report(found, {question.id: question for question in shown.whole.questions})
    return {"view": "gold_gates", "verification": found.as_data(), "report": msgspec.to_builtins(report)}


def _verified(visit: Visit) -> Verification:
    """By rule, without a model: looking costs nothing."""
    places, gold = visit.desk.places, gold_of(visit).whole
    with Index.open(places.index) as index:
        return verify(gold, index, places.config)


def show(data: Data, _: Visit) -> Content:
    report = msgspec.convert(data["report"], Report)
    sections = [section_html(section, number) for number, section in enumerate(report.sections, 1)]
    links = tuple(Link(section.title, f"#s{number}") for number, section in enumerate(report.sections, 1))
    trail = (Link("Gold set", "/gold"),)
    lead = [verdict_html(report.verdict)] if report.verdict else []
    body = join([*lead, *sections])
    return Content(title=report.title, subtitle=report.subtitle, body=body, links=links, trail=trail)


VIEW = View("/gold/gates", data, show)
