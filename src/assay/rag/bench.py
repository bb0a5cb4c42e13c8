"""What a RAG run is made from, read and checked before the first question."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from assay.config import Config
from assay.corpus.index import Index
from assay.embedders.cache import cached
from assay.errors import AssayError
from assay.gold.cases import CaseSet, load_cases
from assay.judges import Judge
from assay.judges.words import Similarity
from assay.llm import Connections, Price, price_of
from assay.llm.connect import Model
from assay.llm.prices import FREE
from assay.rag.archetypes import BY_RULES
from assay.rag.client import with_client
from assay.rag.judging import make_judge
from assay.rag.measures import check_rules
from assay.records import Case
from assay.sampling import per_bucket, stratified
from assay.systems.build import build
from assay.systems.protocol import Context, RagSystem

TEST_PER_BUCKET, TEST_LIMIT = 5, 30


class Order(Struct, frozen=True, kw_only=True):
    """What to run."""

    config: Config
    gold: Path
    index: Path | None
    quick: int | None = None
    test: bool = False
    resume: str | None = None
    record: Path | None = None
    """Where the replies that were used are kept, to be committed and replayed."""
    command: tuple[str, ...] = ()
    overrides: tuple[str, ...] = ()
    """What the command line changed of the settings, as `precision_k 25 → 3`: such a run is an ad hoc one."""


class Bench(Struct, frozen=True, kw_only=True):
    """Everything that is made from an order before the first question."""

    order: Order
    gold: CaseSet
    cases: Sequence[Case]
    index: Index | None
    models: Connections
    system: RagSystem
    judge: Judge
    similarity: Similarity
    origin: dict[str, Any] | None = None
    """The summary of the run whose answers are judged again."""

    @property
    def config(self) -> Config:
        return self.order.config

    @property
    def namer(self) -> Model | None:
        """The model that is asked for archetypes."""
        name = self.config.run.judging.archetypes
        return None if name == BY_RULES else self.models.model(name)


def select_cases(order: Order) -> tuple[CaseSet, Sequence[Case]]:
    """The questions of the corpus, and those that are asked."""
    gold = load_cases(order.gold, "answers")
    cases = gold.cases
    if order.test:
        cases = per_bucket(cases, TEST_PER_BUCKET, TEST_LIMIT, order.config.seed)
    if order.quick:
        cases = stratified(cases, order.quick, order.config.seed)
    if not cases:
        reasons = ", ".join(f"{n} {reason}" for reason, n in gold.reasons.items())
        raise AssayError(f"no question can be asked: {reasons}", where=str(order.gold))
    return gold, cases


def prepare(order: Order, models: Connections) -> Bench:
    """Read and check everything, so that a mistake is told before anything is spent."""
    check_rules(order.config)
    gold, cases = select_cases(order)
    order = replace(order, config=with_client(order.config, gold))
    config = order.config
    index = Index.open(order.index) if order.index else None
    similarity = Similarity(cached(config.embedder, config.path("cache")))
    system = build(config.run.pipeline.system, Context(config=config, index=index, models=models))
    judge = make_judge(config, models, similarity)
    return Bench(
        order=order,
        gold=gold,
        cases=cases,
        index=index,
        models=models,
        system=system,
        judge=judge,
        similarity=similarity,
    )


def prices(bench: Bench) -> tuple[Price | None, Price | None]:
    """Of the model that writes and the one that judges. What needs no model is free; None: not known."""
    pipeline, judging = bench.config.run.pipeline, bench.config.run.judging
    if pipeline.system == "embedded":
        answers = bench.models.model(pipeline.model).price if pipeline.model else FREE
    else:
        answers = price_of(pipeline.model, bench.config.llm.prices) if pipeline.model else None
    return answers, bench.models.model(judging.judge).price if judging.judge != "reference" else FREE
