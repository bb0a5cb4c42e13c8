"""Meaning: exact cosine similarity of embeddings, in blocks, so that memory stays flat."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from weakref import WeakKeyDictionary

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from assay.config import EmbedderOptions
from assay.corpus.index import Index
from assay.embedders import Embedder, create
from assay.records import Fault, Ranking
from assay.retrievers.bm25 import ranking
from assay.retrievers.filters import allowed_rows
from assay.retrievers.protocol import RETRIEVERS, Context, Query, Request
from assay.retrievers.topk import NO_HITS, Hits, best_rounded

DIGITS = 6
"""A matrix product differs in its last bits with the machine and the size of the block; the digits kept do not, so
that equal chunks tie, and a tie is settled by id."""
_BLOCK_BYTES = 32 * 1024 * 1024


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

    def __init__(self, context: Context):
        self._index = context.need_index("vector")
        self._embedder: Embedder = create(context.config.embedder)
        self._index.check_embedder(self._embedder)

    def search(self, queries: Sequence[Query], request: Request) -> list[Ranking | Fault]:
        encoded = encode(self._embedder, [query.text for query in queries])
        return [ranking(self._index, hits, self.scale) for hits in self._hits(encoded, request)]

    def _hits(self, queries: NDArray[np.float32], request: Request) -> Iterator[Hits]:
        matrix = load(self._index)
        allowed = allowed_rows(self._index, request)
        hidden = matrix.blank if allowed is None else np.union1d(matrix.blank, np.flatnonzero(~allowed))
        for query, scores in _products(queries, matrix.rows):
            scores[hidden] = -np.inf
            yield best_rounded(scores, request.k, DIGITS) if query.any() else NO_HITS


def _products(
    queries: NDArray[np.float32], rows: NDArray[np.float32]
) -> Iterator[tuple[NDArray[np.float32], NDArray[np.float32]]]:
    """Each query with its cosine to every row; the array of cosines is used again for the next."""
    size = max(1, min(len(queries), _BLOCK_BYTES // (4 * max(len(rows), 1))))
    space = np.empty((size, len(rows)), dtype=np.float32)
    for start in range(0, len(queries), size):
        block = queries[start : start + size]
        yield from zip(block, np.matmul(block, rows.T, out=space[: len(block)]), strict=True)


def encode(embedder: Embedder, texts: Sequence[str]) -> NDArray[np.float32]:
    """Half a surrogate pair, which no tokenizer takes, becomes a question mark."""
    return embedder.embed([text.encode("utf-8", "replace").decode() for text in texts], kind="query")


def similarities(pairs: Sequence[tuple[str, str]], index: Index, options: EmbedderOptions) -> list[float | None]:
    """The cosine of each (text, chunk id); None where the chunk is not there or one of the two has no direction."""
    embedder = create(options)
    index.check_embedder(embedder)
    matrix = load(index)
    row_of = {id_: row for row, id_ in enumerate(index.ids)}
    texts = list(dict.fromkeys(text for text, _ in pairs))
    encoded = dict(zip(texts, encode(embedder, texts), strict=True))
    return [_cosine(encoded[text], matrix.rows[row_of[id_]]) if id_ in row_of else None for text, id_ in pairs]


def _cosine(a: NDArray[np.float32], b: NDArray[np.float32]) -> float | None:
    return round(float(a @ b), DIGITS) if a.any() and b.any() else None
