"""Batch files of a run: what a model would be asked goes out as a file, its results come in to the reply cache.

Answers go first, because the judge's requests hold them: out, in, out, in, and the run finds every reply in the cache.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from msgspec import Struct

from assay.errors import AssayError
from assay.llm import price_of
from assay.llm.batch import BatchResult, keep, read_batch, write_batch
from assay.llm.outbox import Waiting
from assay.llm.prices import cost
from assay.rag.bench import Bench
from assay.rag.clean import clean_output
from assay.rag.subject import answer_of
from assay.records import Case
from assay.systems.secrets import secrets_of


class BatchWritten(Exception):
    """The file is written, and there is nothing more to do until its results are there."""


class Exchange(Struct, frozen=True, kw_only=True):
    """Files that are taken in before a run, and one that is written instead of it."""

    take: tuple[Path, ...] = ()
    write: Path | None = None

    async def __call__(self, bench: Bench) -> None:
        if not self.take and self.write is None:
            return
        try:
            _check(bench)
            told = [failed for path in self.take for failed in await _take(bench, path)]
            bench.models.notes.extend(told)
            if self.write is not None:
                raise BatchWritten("\n".join([*told, await _write(bench, self.write)]))
        except BaseException:
            await bench.system.close()
            raise


def _check(bench: Bench) -> None:
    if bench.config.llm.cache != "record":
        raise AssayError("batch files need the reply cache", hint="Set llm.cache to record")
    if bench.origin is None and bench.config.run.pipeline.system != "embedded":
        what = "batch files are for models that Assay asks, not for what a system of your own asks"
        raise AssayError(what, hint="Run it with --judge reference, then: assay score RUN --judge … --batch-out FILE")


async def _missing(bench: Bench) -> dict[str, Waiting]:
    """Every request that has no reply yet. Nothing is sent."""
    judged, secrets = bench.config.run.judging.judge != "reference", secrets_of(bench.config)

    async def ask(case: Case) -> None:
        output = clean_output(await bench.system.run(case), secrets)
        if judged and output.fault is None and output.answer is not None:
            await bench.judge.judge(answer_of(case, output))

    with bench.models.memory.outbox.opened() as waiting:
        await asyncio.gather(*map(ask, bench.cases))
    return waiting


async def _take(bench: Bench, path: Path) -> list[str]:
    """What is told of the results that are none."""
    waiting = await _missing(bench)
    requests = {address: one.request for address, one in waiting.items()}
    store = bench.models.memory.store
    assert store is not None
    result = read_batch([path], requests, lambda address: store.get(address) is not None)
    for address, reply in result.replies.items():
        one = waiting[address]
        alone = BatchResult(replies={address: reply}, failed={}, missing=())
        await keep(alone, requests, store, provider=one.provider, identity=one.identity)
        price = price_of(f"{one.provider}/{one.request.model}", bench.config.llm.prices, batch=True)
        if reply.usage is not None and price is not None:
            bench.models.budget.spend(cost(reply.usage, price).total)
    if not result.failed:
        return []
    count, total = len(result.failed), len(result.failed) + len(result.replies)
    return [f"{path}: {count} of {total} results failed and are asked for again ({next(iter(result.failed.values()))})"]


async def _write(bench: Bench, path: Path) -> str:
    """One file is for one model: of the answers as long as any is missing, then of the judge."""
    waiting = await _missing(bench)
    if not waiting:
        return "no reply is missing: nothing was written"
    first = min(waiting.values(), key=lambda one: not one.request.label.startswith("answer"))
    chosen = [one.request for one in waiting.values() if one.service == first.service]
    if first.provider != "openai":
        what = f"'{first.provider}/{first.request.model}' takes no batch file in OpenAI's format"
        raise AssayError(what, expected="a model of the provider openai, perhaps with a base_url")
    write_batch(path, chosen, provider=first.provider, identity=first.identity)
    model = f"{first.provider}/{first.request.model}"
    counted = f"{len(chosen)} request{'s' if len(chosen) != 1 else ''}"
    return f"{path}: {counted} to {model}. Take its results in with --batch-in"
