"""A small corpus, questions about it, and everything a system under test is made from."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from small_index import write_index

from assay.config import Config, LlmOptions, ModelOptions, Pipeline, RunOptions
from assay.corpus.index import Index
from assay.llm import connect
from assay.records import Case, Chunk
from assay.systems.build import build
from assay.systems.protocol import Context, Output, RagSystem

CHUNKS = [
    Chunk(id="fees-1", text="Visitors pay a fee of £20 a night. Members pay nothing.", source="fees.md", page=1),
    Chunk(id="fees-2", text="The deposit for a key is £50 and is given back.", source="fees.md", page=2),
    Chunk(id="safety-1", text="The skipper files the float plan before departure.", source="safety.pdf", page=3),
    Chunk(id="safety-2", text="The duty officer countersigns every float plan.", source="safety.pdf", page=4),
    Chunk(id="race-1", text="Races start at noon on Sundays from May to September.", source="race.md", page=1),
    Chunk(id="race-2", text="The race officer postpones when the wind exceeds 25 knots.", source="race.md", page=2),
]
QUESTIONS = {
    "q1": "What fee do visitors pay for a night?",
    "q2": "Who files the float plan before departure?",
    "q3": "When do races start on Sundays?",
    "q4": "Who countersigns every float plan?",
}
CASES = [Case(id=id_, question=question) for id_, question in QUESTIONS.items()]


def corpus(folder: Path) -> Index:
    """The index, made when first asked for."""
    path = folder / "corpus.db"
    return Index.open(path) if path.exists() else write_index(path, CHUNKS)


def settings(root: Path, model: dict[str, Any] | None = None, **pipeline: Any) -> Config:
    """bm25, three passages for the generator, quick waits; a model is called `m`."""
    given: dict[str, Any] = {"retriever": "bm25", "recall_k": 5, "precision_k": 3, "first_wait": 0.002, "timeout": 5.0}
    models = {"m": ModelOptions(**{"first_wait": 0.002, "timeout": 5.0, **model})} if model else {}
    pipeline = given | ({"model": "m"} if model else {}) | pipeline
    return Config(root=str(root), llm=LlmOptions(models=models), run=RunOptions(pipeline=Pipeline(**pipeline)))


@asynccontextmanager
async def system(spelling: str, config: Config, *, with_index: bool = True) -> Any:
    """The system, closed at the end together with what it was made from."""
    index = corpus(Path(config.root)) if with_index else None
    async with connect(config) as models:
        made: RagSystem = build(spelling, Context(config=config, index=index, models=models))
        try:
            yield made
        finally:
            await made.close()
            if index is not None:
                index.close()


def outputs(spelling: str, config: Config, cases: Sequence[Case] = CASES, *, with_index: bool = True) -> list[Output]:
    """All cases at once; a fault of all of them is raised."""

    async def run() -> list[Output]:
        async with system(spelling, config, with_index=with_index) as made:
            return list(await asyncio.gather(*map(made.run, cases)))

    return asyncio.run(run())


def output(spelling: str, config: Config, case: Case = CASES[0], *, with_index: bool = True) -> Output:
    return outputs(spelling, config, [case], with_index=with_index)[0]
