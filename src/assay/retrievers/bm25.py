"""Words: BM25 over stemmed terms."""

from __future__ import annotations

from collections.abc import Sequence

from assay.corpus.index import Index
from assay.records import Fault, Ranking
from assay.retrievers.filters import allowed_rows
from assay.retrievers.lexical import load
from assay.retrievers.protocol import RETRIEVERS, Context, Query, Request
from assay.retrievers.topk import Hits


@RETRIEVERS.register("bm25")
class Bm25:
    """Searches a lane, if one is asked for, with that lane's own statistics."""

    name = "bm25"
    scale = "bm25"
    local = True

    def __init__(self, context: Context) -> None:
        self._index = context.need_index("bm25")
        self._fields = context.config.retrieval.code.weights

    def search(self, queries: Sequence[Query], request: Request) -> list[Ranking | Fault]:
        lexical = load(self._index, request.lane)
        # The structure of a lane holds that lane's rows alone; only the source filter is left to do.
        allowed = allowed_rows(self._index, Request(k=request.k, sources=request.sources))
        terms = [lexical.terms(query.text, self._fields) for query in queries]
        hits = lexical.postings.search(terms, request.k, allowed)
        return [ranking(self._index, hit, self.scale) for hit in hits]

    def ranks(self, queries: Sequence[Query], wanted: Sequence[Sequence[str]], request: Request) -> list[int | None]:
        """How high the best of the wanted chunks stands for each query, however deep."""
        lexical = load(self._index, request.lane)
        allowed = allowed_rows(self._index, Request(k=request.k, sources=request.sources))
        terms = [lexical.terms(query.text, self._fields) for query in queries]
        return lexical.postings.ranks(terms, rows_of(self._index, wanted), allowed)


def rows_of(index: Index, wanted: Sequence[Sequence[str]]) -> list[list[int]]:
    """The rows of chunks that are in the index."""
    return [[index.rows[id_] for id_ in ids if id_ in index.rows] for ids in wanted]


def ranking(index: Index, hits: Hits, scale: str) -> Ranking:
    ids = index.ids
    return Ranking(tuple([ids[row] for row in hits.rows.tolist()]), tuple(hits.scores.tolist()), scale)
