"""One query, and why each result came back."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from assay.config import Config
from assay.corpus.index import LANES, Index
from assay.errors import AssayError
from assay.records import Chunk, Fault, Lane, Ranking
from assay.retrievers.lexical import Lexical, load
from assay.retrievers.protocol import Query, Request, stages_of
from assay.retrievers.snippet import Snippet, snippet
from assay.retrievers.variants import build


class Place(Struct, frozen=True):
    """Where a chunk stands in one of the lists a ranking was made from."""

    rank: int
    score: float
    scale: str


class Hit(Struct, frozen=True, kw_only=True):
    rank: int
    id: str
    score: float
    source: str | None
    """None: the id is not in the index."""
    page: int | None
    lines: tuple[int, int] | None
    """Of a unit of code, in its file."""
    terms: dict[str, float]
    """What each term of the query adds to the chunk's bm25 score."""
    stages: dict[str, Place]
    snippet: Snippet


class Explanation(Struct, frozen=True, kw_only=True):
    query: str
    retriever: str
    scale: str
    chunks: int
    """In the index, or in the lane."""
    lane: Lane | None
    """None: all chunks together."""
    terms: tuple[str, ...]
    """What words were looked for."""
    hits: tuple[Hit, ...]


def explain(query: str, variant: str, config: Config, index: Index, request: Request) -> Explanation:
    """Search one query with one variant. What would be a query's fault in an evaluation is an error here."""
    retriever = build(variant, config, index)
    asked = Query("query", query)
    ranking = retriever.search([asked], request)[0]
    if isinstance(ranking, Fault):
        raise AssayError(f"{variant}: {ranking.message}")
    stages = stages_of(retriever, asked, request)
    lexical = load(index, request.lane)
    reasons = _Reasons(index, lexical, lexical.terms(query, config.retrieval.code.weights), stages)
    return Explanation(
        query=query,
        retriever=retriever.name,
        scale=ranking.scale,
        chunks=lexical.postings.members,
        lane=request.lane,
        terms=tuple(term for term in reasons.terms if "@" not in term),
        hits=tuple(reasons.hits(ranking)),
    )


def explain_lanes(query: str, variant: str | None, config: Config, index: Index, request: Request) -> list[Explanation]:
    """Of an index with several lanes each is searched by itself: scores of different statistics share no list."""
    lanes = sorted(set(index.lanes), key=LANES.index) or ["document"]
    if request.lane and request.lane not in lanes:
        raise AssayError(f"the index has no {request.lane} lane", where=str(index.path), expected=" or ".join(lanes))
    if request.lane or len(lanes) < 2:
        chosen = variant or default_variant(index, request.lane or lanes[0])
        return [explain(query, chosen, config, index, request)]
    return [
        explain(query, variant or default_variant(index, lane), config, index, replace(request, lane=lane))
        for lane in lanes
    ]


def default_variant(index: Index, lane: Lane) -> str:
    """Names are what code is asked by, and embeddings of general text blur them."""
    return "hybrid" if index.metadata.get("model_id") and lane != "code" else "bm25"


class _Reasons:
    def __init__(
        self, index: Index, lexical: Lexical, terms: dict[str, float], stages: Mapping[str, Ranking | Fault]
    ) -> None:
        self.index, self.lexical, self.terms = index, lexical, terms
        self.places = {
            name: {
                id_: Place(rank, score, ranking.scale)
                for rank, (id_, score) in enumerate(zip(ranking.ids, ranking.scores, strict=True), 1)
            }
            for name, ranking in stages.items()
            if isinstance(ranking, Ranking)
        }

    def hits(self, ranking: Ranking) -> list[Hit]:
        chunks = self.index.chunks(ranking.ids)
        return [
            self._hit(rank, id_, score, chunks.get(id_), self.index.rows.get(id_))
            for rank, (id_, score) in enumerate(zip(ranking.ids, ranking.scores, strict=True), 1)
        ]

    def _hit(self, rank: int, id_: str, score: float, chunk: Chunk | None, row: int | None) -> Hit:
        added = {} if row is None else self.lexical.postings.contributions(self.terms, row)
        return Hit(
            rank=rank,
            id=id_,
            score=score,
            source=chunk.source if chunk else None,
            page=chunk.page if chunk else None,
            lines=_lines(chunk),
            terms=dict(sorted(added.items(), key=lambda item: (-item[1], item[0]))),
            stages={name: places[id_] for name, places in self.places.items() if id_ in places},
            snippet=snippet(chunk.text if chunk else "", added, self.lexical.analyzers),
        )


def _lines(chunk: Chunk | None) -> tuple[int, int] | None:
    match chunk.metadata.get("lines") if chunk and chunk.lane == "code" else None:
        case [int(first), int(last)]:
            return first, last
    return None
