"""A report as one HTML file: style, script and pictures inside, nothing asked of any network, everything escaped."""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files

from msgspec import Struct

from assay import __version__
from assay.report.blocks import Report
from assay.report.html_blocks import section_html, verdict_html
from assay.report.markup import Markup, element, void

STYLES = ("report.css",)
SCRIPTS = ("report.js", "items.js")


class Link(Struct, frozen=True):
    """An entry of the list of contents."""

    text: str
    href: str


class Page(Struct, frozen=True, kw_only=True):
    """What a whole page is made of; everything but `body` is text."""

    title: str
    subtitle: str = ""
    body: Markup
    lead: Markup = Markup("")
    """What stands under the title, over the whole width."""
    links: tuple[Link, ...] = ()
    top: Markup = Markup("")
    """What stands above the title, such as where one is."""
    policy: str = ""
    """The content security policy; empty: only the page's own style and script, known by their hashes."""
    more: tuple[Markup, ...] = ()
    """Further elements of the head."""
    referrer: str = "no-referrer"
    """The policy of referrers."""


def to_html(report: Report) -> str:
    """The whole file. It works from a disk, without a network and without scripts, in the dark and on paper."""
    links = [Link(section.title, f"#s{number}") for number, section in enumerate(report.sections, 1)]
    sections = [section_html(section, number) for number, section in enumerate(report.sections, 1)]
    lead = verdict_html(report.verdict) if report.verdict else Markup("")
    body = Markup("".join(sections))
    return page(Page(title=report.title, subtitle=report.subtitle, lead=lead, body=body, links=tuple(links)))


def page(shown: Page) -> str:
    """A page with the report's style and script inside; the viewer's pages are made by it as well."""
    head = element("head", _policy(shown.policy or own_policy()), *_head(shown))
    body = element("body", *_body(shown))
    return f"<!doctype html>\n{element('html', head, body, lang='en')}\n"


@cache
def asset(name: str) -> Markup:
    """A packaged style sheet or script. Line ends are made those the browser will hash."""
    return Markup(files("assay.report").joinpath("assets", name).read_text("utf-8").replace("\r\n", "\n"))


@cache
def style() -> Markup:
    """Everything that makes a page look as it does."""
    return Markup("".join(map(asset, STYLES)))


@cache
def script() -> Markup:
    """Everything that moves on a page."""
    return Markup("".join(map(asset, SCRIPTS)))


@cache
def own_policy() -> str:
    """Only our own style and script, known by their hashes; no request, no frame, no form, not even an image."""
    styled, scripted = (b64encode(sha256(text.encode()).digest()).decode() for text in (style(), script()))
    rules = (
        "default-src 'none'",
        f"style-src 'sha256-{styled}'",
        f"script-src 'sha256-{scripted}'",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
    )
    return "; ".join(rules)


def _policy(rules: str) -> Markup:
    return void("meta", http_equiv="Content-Security-Policy", content=rules)


def _head(shown: Page) -> list[Markup]:
    return [
        void("meta", charset="utf-8"),
        void("meta", name="viewport", content="width=device-width, initial-scale=1"),
        void("meta", name="color-scheme", content="light dark"),
        void("meta", name="referrer", content=shown.referrer),
        # An icon of nothing: a browser that is given none asks the server for one.
        void("link", rel="icon", href="data:,"),
        element("title", shown.title),
        element("style", style()),
        element("script", script()),
        *shown.more,
    ]


def _body(shown: Page) -> list[Markup]:
    header = element(
        "header",
        shown.top,
        element("h1", shown.title),
        element("p", shown.subtitle, class_="subtitle"),
        element("button", "Dark", id="theme", type="button", hidden=""),
    )
    links = [element("li", element("a", link.text, href=link.href)) for link in shown.links]
    nav = element("nav", element("ol", *links), aria_label="Sections") if len(links) > 1 else Markup("")
    return [
        element("a", "Skip to the report", class_="skip", href="#report"),
        header,
        shown.lead,
        element("div", nav, element("main", shown.body, id="report", tabindex="-1"), class_="page"),
        element("footer", f"Assay {__version__}"),
    ]
