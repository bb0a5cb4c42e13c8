"""The settings of `assay retrieval` and `assay lanes`."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from assay.config.settings import Gate, NotNegative, Positive, Settings, Share, require


class Hybrid(Settings, frozen=True):
    """Reciprocal rank fusion: sum of weight / (constant + rank), ranks from 1."""

    constant: Annotated[Positive, Meta(description="the constant of the formula")] = 60
    bm25_weight: Annotated[float, Meta(ge=0, description="weight of the bm25 list")] = 0.5
    vector_weight: Annotated[float, Meta(ge=0, description="weight of the vector list")] = 0.5
    candidates: Annotated[Positive, Meta(description="taken from each list")] = 100

    def __post_init__(self) -> None:
        require(self.bm25_weight + self.vector_weight > 0, "one of bm25_weight and vector_weight must be above 0")


class Rerank(Settings, frozen=True):
    """The optional second stage, written `+rerank` behind a variant."""

    name: Annotated[str, Meta(description="overlap (built in) or python:module:function")] = "overlap"
    candidates: Annotated[Positive, Meta(description="how many of the first stage are ranked again")] = 50


class Http(Settings, frozen=True):
    """A retriever behind HTTP: POST {query, k} gives {results: [{id, score}]}."""

    token_env: Annotated[str | None, Meta(description="environment variable with a bearer token")] = None
    timeout: Annotated[float, Meta(gt=0, description="seconds for one call")] = 30.0
    workers: Annotated[Positive, Meta(description="calls at once")] = 8
    retries: Annotated[int, Meta(ge=0, le=10, description="further tries after a fault worth retrying")] = 4


class Decision(Settings, frozen=True):
    """What to do next, from the best variant's value of one measure."""

    measure: Annotated[str, Meta(description="which measure decides")] = "recall@5"
    good: Annotated[Share, Meta(description="from here on: good enough")] = 0.80
    tune: Annotated[Share, Meta(description="from here on: tune; below: fine-tune")] = 0.60
    good_text: Annotated[str, Meta(description="said when good")] = "Good enough as it is."
    tune_text: Annotated[str | None, Meta(description="said in between; null: what fits the best variant")] = None
    poor_text: Annotated[str | None, Meta(description="said below; null: what fits the best variant")] = None

    def __post_init__(self) -> None:
        require(self.tune <= self.good, "tune must not be more than good")


class CodeFields(Settings, frozen=True):
    """What bm25 searches beside the text of a unit of code: a match there counts so many times one in the text."""

    symbol: Annotated[
        NotNegative,
        Meta(description="its name; 4 times that for the whole name, 8 times for class and method together"),
    ] = 0.5
    path: Annotated[NotNegative, Meta(description="the path of its file; 32 times that for the path as written")] = 0.25

    @property
    def weights(self) -> dict[str, float]:
        return {"symbol": self.symbol, "path": self.path}


class MemoryRanking(Settings, frozen=True):
    """Memories rank by relevance / best relevance + recency · 2^(−age / half_life_days) + priority · its own."""

    recency: Annotated[NotNegative, Meta(description="weight of a memory's date; 0: does not count")] = 0.0
    half_life_days: Annotated[float, Meta(gt=0, description="after so many days a date counts half")] = 30.0
    today: Annotated[
        str | None, Meta(description="ages are counted to this date (2026-01-31); null: that of the newest memory")
    ] = None
    priority: Annotated[NotNegative, Meta(description="weight of a memory's priority, 0 to 1; 0: does not count")] = 0.0
    candidates: Annotated[Positive, Meta(description="how many of the most relevant are ranked again")] = 100


class RetrievalOptions(Settings, frozen=True):
    """`assay retrieval`: does the right chunk come back, how high, and if not, why?"""

    variants: Annotated[
        tuple[str, ...],
        Meta(
            min_length=1,
            description="bm25, vector, hybrid, each also with +rerank; python:module:function, a URL, run:FILE",
        ),
    ] = ("bm25", "vector", "hybrid")
    k: Annotated[tuple[Positive, ...], Meta(min_length=1, description="cut-offs")] = (1, 3, 5, 10)
    measures: Annotated[
        tuple[str, ...], Meta(description="further measures, such as map or judged@10; the usual ones are always there")
    ] = ()
    depth: Annotated[
        Positive, Meta(description="how far a missed chunk is searched for where its rank is not simply counted")
    ] = 1000
    tolerance: Annotated[int, Meta(ge=0, description="pages to either side that count for page recall")] = 2
    page_match: Annotated[
        Literal["document", "page"], Meta(description="page: number alone, whatever the document (looser)")
    ] = "document"
    sources: Annotated[tuple[str, ...], Meta(description="search only in these documents; empty: all")] = ()
    ignore_identical_ids: Annotated[
        bool, Meta(description="leave the chunk that has the question's own id out of its results, as BEIR does")
    ] = False
    hybrid: Hybrid = Hybrid()
    rerank: Rerank = Rerank()
    http: Http = Http()
    code: CodeFields = CodeFields()
    memory: MemoryRanking = MemoryRanking()
    gates: Annotated[tuple[Gate, ...], Meta(description="rules on the best variant")] = (
        Gate(measure="recall@5", at_least=0.80),
    )
    decision: Decision = Decision()


class LanesOptions(Settings, frozen=True):
    """`assay lanes`: documents, memories and code, each searched in its own lane."""

    variants: Annotated[tuple[str, ...], Meta(min_length=1, description="retrievers, as under retrieval")] = ("bm25",)
    k: Annotated[Positive, Meta(description="cut-off of a case that has none of its own")] = 5
    cases: Annotated[tuple[str, ...], Meta(description="case files (JSON), relative to assay.yaml")] = ()
    gates: Annotated[
        tuple[Gate, ...], Meta(description="rules on the best variant: recall@k, mrr@k, p@k, hit@k, ndcg@k")
    ] = ()
