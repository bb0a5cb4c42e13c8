"""What every page has around it: where one is, the other pages, style and script."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from assay.report.html import Link, Page, own_policy, page
from assay.report.markup import Markup, element, void
from assay.viewer.visit import Content

PAGES = (
    Link("Runs", "/runs"),
    Link("Compare", "/compare"),
    Link("Baselines", "/baselines"),
    Link("History", "/history"),
    Link("Gold set", "/gold"),
)
REFERRER = "same-origin"
"""Told to nobody else. A page that tells not even itself sends its forms with the origin `null`, as a stranger's."""
ASSETS = {"viewer.css": "text/css", "viewer.js": "text/javascript"}


@cache
def asset(name: str) -> str:
    return files("assay.viewer").joinpath("assets", name).read_text("utf-8")


@cache
def policy() -> str:
    """The report's own style and script by their hashes, the viewer's from here, questions to here; nothing else."""
    rules = [rule for rule in own_policy().split("; ") if not rule.startswith("form-action")]
    own = [f"{rule} 'self'" if rule.startswith(("style-src", "script-src")) else rule for rule in rules]
    return "; ".join((*own, "connect-src 'self'", "form-action 'self'"))


def html(content: Content, place: str) -> str:
    """The whole page. `place` is its address, which marks where one is."""
    trail = [element("a", link.text, href=link.href) for link in content.trail]
    top = element(
        "div", _pages(place), element("p", *_joined(trail), class_="trail") if trail else Markup(""), class_="top"
    )
    more = (
        void("link", rel="stylesheet", href="/assets/viewer.css"),
        element("script", src="/assets/viewer.js", defer=""),
    )
    body = element("div", content.body, id="live", data_live=content.live or None)
    shown = Page(
        title=content.title,
        subtitle=content.subtitle,
        body=body,
        links=content.links,
        top=top,
        policy=policy(),
        more=more,
        referrer=REFERRER,
    )
    return page(shown)


def _pages(place: str) -> Markup:
    links = [
        element(
            "a",
            each.text,
            href=each.href,
            aria_current="page" if place == each.href or place.startswith(f"{each.href}/") else None,
        )
        for each in PAGES
    ]
    return element("div", *links, class_="pages", role="navigation", aria_label="Pages")


def _joined(trail: list[Markup]) -> list[Markup]:
    return [part for each in trail for part in (each, Markup(" › "))]
