"""The one thing every retriever is: many queries in, one ranking for each out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from msgspec import Struct

from assay.config import Config
from assay.corpus.index import Index
from assay.records import Lane, Ranking
from assay.registry import Registry


class Request(Struct, frozen=True, kw_only=True):
    """How far to search, and where."""

    k: int
    sources: tuple[str, ...] = ()
    """Only chunks of these documents; empty: all."""
    lane: Lane | None = None


class Retriever(Protocol):
    """Batch first: all queries of an evaluation are searched together."""

    name: str
    scale: str

    def search(self, queries: Sequence[str], request: Request) -> list[Ranking]: ...


class Context(Struct, frozen=True, kw_only=True):
    """What a retriever is made from."""

    config: Config
    index: Index | None
    argument: str = ""
    """What stands behind the colon of a variant: `python:module:function` gives `module:function`."""


RETRIEVERS: Registry[Callable[[Context], Retriever]] = Registry("retriever", "assay.retrievers")
