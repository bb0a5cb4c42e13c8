"""Meaning: exact cosine similarity of embeddings, in blocks, so that memory stays flat."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from weakref import WeakKeyDictionary

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from assay.config import EmbedderOptions
from assay.corpus.index import Index
from assay.embedders import Embedder, create
from assay.embedders.cache import cached
from assay.records import Fault, Ranking
from assay.retrievers.bm25 import ranking, rows_of
from assay.retrievers.filters import allowed_rows
from assay.retrievers.protocol import RETRIEVERS, Context, Query, Request
from assay.retrievers.topk import Hits, candidates, ordered, rank_of

DIGITS = 6
"""Of a cosine that are kept: all that single precision is sure of."""
_SLACK = 1e-4
"""The last bits of a matrix product depend on the machine and on the size of the block. It only chooses candidates,
generously; their cosines are computed again one by one, so that equal chunks tie, and a tie is settled by id."""
_BLOCK_BYTES = 32 * 1024 * 1024
_PAIRS = 1024
"""Cosines computed again together: measured the quickest, because they stay in the processor's cache."""


class Matrix(Struct, frozen=True):
    """The embeddings of an index."""

    rows: NDArray[np.float32]
    blank: NDArray[np.intp]
    """Rows without a direction: texts without a single known word."""


_loaded: WeakKeyDictionary[Index, Matrix] = WeakKeyDictionary()


def load(index: Index) -> Matrix:
    """Read once for an open index."""
    matrix = _loaded.get(index)
    if matrix is None:
        rows = index.embeddings()
        matrix = _loaded[index] = Matrix(rows, np.flatnonzero(~rows.any(axis=1)))
    return matrix


@RETRIEVERS.register("vector")
class Vector:
    """Every chunk is compared. A text without a known word has no direction: it is never found and finds nothing."""

    name = "vector"
    scale = "cosine"
    local = True

    def __init__(self, context: Context) -> None:
        self._index = context.need_index("vector")
        self._embedder = cached(context.config.embedder, context.config.path("cache"))
        self._index.check_embedder(self._embedder)

    def search(self, queries: Sequence[Query], request: Request) -> list[Ranking | Fault]:
        encoded = encode(self._embedder, [query.text for query in queries])
        return [ranking(self._index, hits, self.scale) for hits in self._hits(encoded, request)]

    def ranks(self, queries: Sequence[Query], wanted: Sequence[Sequence[str]], request: Request) -> list[int | None]:
        """How high the best of the wanted chunks stands for each query, however deep."""
        encoded = encode(self._embedder, [query.text for query in queries])
        places = iter(rows_of(self._index, wanted))
        found = []
        for block, scores in self._scores(encoded, request):
            for query, cosines_, rows in zip(block, scores, places, strict=False):
                found.append(rank_of(np.round(cosines_, DIGITS), rows, above=-np.inf) if query.any() else None)
        return found

    def _hits(self, queries: NDArray[np.float32], request: Request) -> Iterator[Hits]:
        rows = load(self._index).rows
        for block, scores in self._scores(queries, request):
            scores[~block.any(axis=1)] = -np.inf
            yield from _top(block, scores, rows, request.k)

    def _scores(
        self, queries: NDArray[np.float32], request: Request
    ) -> Iterator[tuple[NDArray[np.float32], NDArray[np.float32]]]:
        """Some queries at a time with their cosines to every row; rows that cannot be results have −∞."""
        matrix = load(self._index)
        allowed = allowed_rows(self._index, request)
        hidden = matrix.blank if allowed is None else np.union1d(matrix.blank, np.flatnonzero(~allowed))
        for block, scores in _products(queries, matrix.rows):
            scores[:, hidden] = -np.inf
            yield block, scores


def _top(
    queries: NDArray[np.float32], scores: NDArray[np.float32], rows: NDArray[np.float32], k: int
) -> Iterator[Hits]:
    owners, chosen = candidates(scores, k, _SLACK)
    exact = np.concatenate(
        [
            cosines(rows[chosen[start : start + _PAIRS]], queries[owners[start : start + _PAIRS]])
            for start in range(0, max(len(chosen), 1), _PAIRS)
        ]
    )
    for start, stop in pairwise(np.searchsorted(owners, np.arange(len(queries) + 1)).tolist()):
        yield ordered(chosen[start:stop], exact[start:stop], k)


def cosines(rows: NDArray[np.float32], queries: NDArray[np.float32]) -> NDArray[np.float64]:
    """Of each row with its query, or with the only one: of each by itself, whichever the others are."""
    exact = np.asarray(np.einsum("ij,ij->i", rows, np.broadcast_to(queries, rows.shape)), dtype=np.float64)
    return np.asarray(np.round(exact, DIGITS), dtype=np.float64)


def _products(
    queries: NDArray[np.float32], rows: NDArray[np.float32]
) -> Iterator[tuple[NDArray[np.float32], NDArray[np.float32]]]:
    """Some queries at a time with their cosines to every row; the array of cosines is used again for the next."""
    size = max(1, min(len(queries), _BLOCK_BYTES // (4 * max(len(rows), 1))))
    space = np.empty((size, len(rows)), dtype=np.float32)
    for start in range(0, len(queries), size):
        block = queries[start : start + size]
        yield block, np.matmul(block, rows.T, out=space[: len(block)])


def encode(embedder: Embedder, texts: Sequence[str]) -> NDArray[np.float32]:
    """Half a surrogate pair, which no tokenizer takes, becomes a question mark. White space alone says nothing: it has
    no direction, whatever the model makes of it."""
    said = [row for row, text in enumerate(texts) if text.strip()]
    found = np.zeros((len(texts), embedder.dim), dtype=np.float32)
    if said:
        found[said] = embedder.embed([texts[row].encode("utf-8", "replace").decode() for row in said], kind="query")
    return found


def similarities(
    pairs: Sequence[tuple[str, str]], index: Index, options: EmbedderOptions, cache: Path | None = None
) -> list[float | None]:
    """The cosine of each (text, chunk id); None where the chunk is not there or one of the two has no direction.

    `cache` is the folder of embeddings already computed.
    """
    embedder = cached(options, cache) if cache else create(options)
    index.check_embedder(embedder)
    rows = index.vectors(id_ for _, id_ in pairs)
    texts = list(dict.fromkeys(text for text, _ in pairs))
    encoded = dict(zip(texts, encode(embedder, texts), strict=True))
    return [_cosine(encoded[text], rows[id_]) if id_ in rows else None for text, id_ in pairs]


def _cosine(query: NDArray[np.float32], row: NDArray[np.float32]) -> float | None:
    return float(cosines(row[None], query)[0]) if query.any() and row.any() else None
