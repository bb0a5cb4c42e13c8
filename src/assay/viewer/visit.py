"""One visit of a page: what is shown, who asks, what for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote, urlencode

from msgspec import Struct

from assay.report.html import Link
from assay.report.markup import Markup
from assay.runs.folder import LABELS, RunFolder
from assay.viewer.catalogue import Catalogue
from assay.viewer.labels import AnswerLabels, GoldLabels, answer_labels, gold_labels, gold_labels_path
from assay.viewer.memory import Memory
from assay.viewer.places import Places
from assay.viewer.refusal import mistaken

Data = dict[str, Any]


class Desk:
    """What all visits share: where everything is, and what has been read of it."""

    def __init__(self, places: Places) -> None:
        self.places = places
        self.catalogue = Catalogue(places)
        self.made = Memory(64)
        """Reports, comparisons, gates: what takes long to make."""
        self._labels = Memory(16)

    def answer_labels(self, run: RunFolder) -> AnswerLabels:
        path = run.path / LABELS
        return self._labels.get(run.name, (path,), lambda: answer_labels(path))

    def gold_labels(self) -> GoldLabels:
        path = gold_labels_path(self.places.gold)
        return self._labels.get("", (path,), lambda: gold_labels(path))


class Visit(Struct, frozen=True, kw_only=True):
    """What was asked."""

    desk: Desk
    path: str
    query: Mapping[str, str]
    run_name: str = ""
    rater: str = ""
    """Who labels, as far as known."""
    may_label: bool = False

    @property
    def run(self) -> RunFolder:
        return self.desk.places.run(self.run_name)

    def wanted(self, name: str) -> str:
        """A part of the query that must be there."""
        value = self.query.get(name, "")
        if not value:
            raise mistaken(f"the address needs {name}=...")
        return value

    def with_query(self, **changes: str | int | None) -> str:
        """This page with another query; None takes a part away."""
        query: dict[str, Any] = {**self.query, **changes}
        return address(self.path, {name: value for name, value in query.items() if value not in (None, "")})


class Content(Struct, frozen=True, kw_only=True):
    """What a page shows, but for what all pages have."""

    title: str
    subtitle: str = ""
    body: Markup
    links: tuple[Link, ...] = ()
    trail: tuple[Link, ...] = ()
    """The pages this one is below of."""
    live: str = ""
    """Where the page asks whether it has to be shown anew; empty: it never has to."""


class View(Struct, frozen=True):
    """A page: its data, which are its JSON twin, and how they are shown."""

    path: str
    data: Callable[[Visit], Data]
    show: Callable[[Data, Visit], Content]


def address(path: str, query: Mapping[str, Any] | None = None) -> str:
    return f"{path}?{urlencode(query, errors='surrogatepass')}" if query else path


def run_address(name: str, page: str = "", query: Mapping[str, Any] | None = None) -> str:
    path = f"/runs/{quote(name, safe='')}"
    return address(f"{path}/{page}" if page else path, query)
