"""The one thing every retriever is: many queries in, one ranking for each out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

from msgspec import Struct

from assay.config import Config
from assay.corpus.index import Index
from assay.errors import AssayError
from assay.records import Chunk, Fault, Lane, Ranking
from assay.registry import Registry


class Query(Struct, frozen=True):
    """A question; the id is what a finished run file knows it by."""

    id: str
    text: str


class Request(Struct, frozen=True, kw_only=True):
    """How far to search, and where."""

    k: int
    sources: tuple[str, ...] = ()
    """Only chunks of these documents; empty: all."""
    lane: Lane | None = None


class Retriever(Protocol):
    """Batch first: all queries of an evaluation are searched together.

    What concerns one query alone (a callable that raises, an answer that makes no sense) is a Fault in its place;
    what concerns them all (no such file, wrong key) is raised.
    """

    name: str
    scale: str
    local: bool
    """Searching costs nothing but time here: a deeper search may be asked for at will."""

    def search(self, queries: Sequence[Query], request: Request) -> list[Ranking | Fault]: ...


@runtime_checkable
class Staged(Protocol):
    """A retriever whose ranking is made from others: it can show them."""

    def stages(self, query: Query, request: Request) -> dict[str, Ranking | Fault]: ...


def stages_of(retriever: Retriever, query: Query, request: Request) -> dict[str, Ranking | Fault]:
    """The lists by name that the ranking of this query was made from; none for a retriever of one stage."""
    return retriever.stages(query, request) if isinstance(retriever, Staged) else {}


@runtime_checkable
class Ranked(Protocol):
    """A retriever that can tell how high a chunk stands without listing what stands above it."""

    def ranks(
        self, queries: Sequence[Query], wanted: Sequence[Sequence[str]], request: Request
    ) -> list[int | None]: ...


@runtime_checkable
class Batched(Protocol):
    """A retriever that is not ours, and how many queries it should get at once: results are kept after each batch."""

    batch_size: int


class Reranker(Protocol):
    """The second stage: a score for each chunk, higher is better. It sees the texts, not the first stage's scores."""

    scale: str

    def rerank(self, query: str, chunks: Sequence[Chunk]) -> list[float]: ...


class Context(Struct, frozen=True, kw_only=True):
    """What a retriever or a reranker is made from."""

    config: Config
    index: Index | None
    argument: str = ""
    """What stands behind the colon of a variant: `python:module:function` gives `module:function`."""

    def need_index(self, purpose: str) -> Index:
        if self.index is None:
            raise AssayError(f"{purpose} needs an index", hint="Name one with --index FILE.")
        return self.index


RETRIEVERS: Registry[Callable[[Context], Retriever]] = Registry("retriever", "assay.retrievers")
RERANKERS: Registry[Callable[[Context], Reranker]] = Registry("reranker", "assay.retrievers")
