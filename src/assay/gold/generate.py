"""Phases 1 and 2: the batches are asked, the replies read, everything logged, in the order of the plan.

Calls run at once as the model allows; the log is written in the plan's order whatever comes back first. A build that
is stopped anywhere goes on behind the last whole batch, and its log ends up the same, byte for byte.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from assay.files import append_line, write_atomic
from assay.gold.asking import Batch, messages, prompt_of
from assay.gold.candidate import LogLine, encode_lines, read_log
from assay.gold.people import Written
from assay.gold.replies import Origin, read_reply, schema_of
from assay.llm import ChatRequest, LlmError, Model, Unparsed
from assay.records import Chunk, Progress, Step

_ATTEMPTS = 2
"""A reply that is not what was asked is asked for again once."""
_EXCERPT = 300


class Given(Struct, frozen=True):
    """A reply that came through the file exchange."""

    batch: str
    text: str
    model: str


class Workshop(Struct, frozen=True, kw_only=True):
    """What the phases need: the plan, its chunks, and who writes the questions."""

    batches: tuple[Batch, ...]
    chunks: dict[str, Chunk]
    strata: dict[str, str]
    per_chunk: int
    log: Path
    model: Model | None = None
    given: dict[str, tuple[Given, ...]] = {}
    """Replies from outside, by batch; they come before the model's."""
    people: tuple[Written, ...] = ()


def request_of(batch: Batch, chunks: Mapping[str, Chunk], model: Model, *, again: bool = False) -> ChatRequest:
    return model.request(
        messages(batch, chunks, again=again),
        json_schema=schema_of(batch.kind),
        repeat=1 if again else 0,
        label=f"gold {batch.id}{' again' if again else ''}",
    )


def missing(shop: Workshop) -> list[Batch]:
    """Batches that are not done and that nobody has answered in a readable way."""
    done = finished(read_log(shop.log))
    return [batch for batch in shop.batches if batch.id not in done and not _readable(shop, batch)]


def finished(lines: Sequence[LogLine]) -> set[str]:
    """The batches whose end is in the log."""
    return {line.batch for line in lines if line.event == "batch"}


def _readable(shop: Workshop, batch: Batch) -> bool:
    return any(
        not isinstance(read_reply(given.text, _origin(shop, batch, given.model)), Unparsed)
        for given in shop.given.get(batch.id, ())
    )


async def generate(shop: Workshop, progress: Progress) -> list[LogLine]:
    """The whole log of both phases. Batches that nobody can answer are left out of it."""
    before = [line for line in read_log(shop.log) if line.event != "decision"]
    done = finished(before)
    if shop.log.exists():
        write_atomic(shop.log, encode_lines(before))  # what a killed writer left behind the last whole batch goes
    waiting = [batch for batch in shop.batches if batch.id not in done and _can_be_asked(shop, batch)]
    total, count = len(done) + len(waiting), len(done)
    tasks = [asyncio.create_task(_ask(shop, batch)) for batch in waiting]
    lines = list(before)
    try:
        for task in tasks:
            progress(Step("questions", count, total))
            fresh = await task
            append_line(shop.log, encode_lines(fresh).decode().rstrip("\n"))
            lines += fresh
            count += 1
        progress(Step("questions", count, total))
        for written in shop.people:
            if written.batch not in done:
                append_line(shop.log, encode_lines(written.lines).decode().rstrip("\n"))
                lines += written.lines
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return lines


def _can_be_asked(shop: Workshop, batch: Batch) -> bool:
    return shop.model is not None or batch.id in shop.given


def _origin(shop: Workshop, batch: Batch, model: str) -> Origin:
    return Origin(batch=batch, model=model, strata=shop.strata, per_chunk=shop.per_chunk)


async def _ask(shop: Workshop, batch: Batch) -> list[LogLine]:
    """All lines of one batch: each reply, each question of the first readable one, and the end of the batch."""
    lines: list[LogLine] = []
    for given in shop.given.get(batch.id, ()):
        if _taken(given.text, _origin(shop, batch, given.model), lines):
            return [*lines, _end(batch, lines)]
    if shop.model is None:
        return lines
    for attempt in range(_ATTEMPTS):
        origin = _origin(shop, batch, str(shop.model.spelling))
        try:
            reply = await shop.model.complete(request_of(batch, shop.chunks, shop.model, again=attempt > 0))
        except LlmError as fault:  # of this batch alone; without its end it is asked again when the build is resumed
            return [*lines, _attempt(origin, lines, reason=f"no reply: {fault.what}")]
        if _taken(reply.text, origin, lines):
            break
    return [*lines, _end(batch, lines)]


def _taken(text: str, origin: Origin, lines: list[LogLine]) -> bool:
    found = read_reply(text, origin)
    if isinstance(found, Unparsed):
        lines.append(_attempt(origin, lines, reason=f"unreadable: {found.reason}", text=text[:_EXCERPT]))
        return False
    lines.append(_attempt(origin, lines))
    lines.extend(found)
    return True


def _attempt(origin: Origin, lines: Sequence[LogLine], reason: str | None = None, text: str | None = None) -> LogLine:
    return LogLine(
        event="reply",
        batch=origin.batch.id,
        attempt=1 + sum(line.event == "reply" for line in lines),
        accepted=reason is None,
        reason=reason,
        prompt=prompt_of(origin.batch).identity,
        model=origin.model,
        text=text,
    )


def _end(batch: Batch, lines: Sequence[LogLine]) -> LogLine:
    kept = sum(bool(line.accepted) for line in lines if line.event == "candidate")
    refused = sum(not line.accepted for line in lines if line.event == "candidate")
    return LogLine(event="batch", batch=batch.id, accepted=kept > 0, reason=f"{kept} kept, {refused} refused")
