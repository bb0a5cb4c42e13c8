"""Run files: what a system retrieved. Met with the judgements without an object for any line."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import numpy as np
from msgspec import Struct

from assay.errors import AssayError
from assay.metrics.ranking.judged import Ints, Judged
from assay.metrics.ranking.order import ranks, sort_keys
from assay.records import Ranking
from assay.trec.blocks import BLOCK_BYTES, Block, query_blocks
from assay.trec.lines import RUN, Lines, ScatteredError, gathered_blocks
from assay.trec.pool import Pool
from assay.trec.tokens import decode

_WORKERS = 2
"""More would only wait for each other: reading and Python's own lock take the rest."""


class JudgedRun(Struct, frozen=True):
    """A run met with the judgements, and what could not be."""

    path: Path
    judged: Judged
    missing: tuple[str, ...]
    """Queries of the qrels that are not in the run: they score 0."""
    unknown: tuple[str, ...]
    """Queries of the run that are not in the qrels: they are left out."""


def judge_file(path: Path, pool: Pool, *, level: int = 1) -> JudgedRun:
    """The run in that file met with the judgements. Its lines may stand in any order."""
    with suppress(ScatteredError):
        return _combine(path, pool, _found(path, pool, query_blocks(path)), level)
    return _combine(path, pool, _found(path, pool, gathered_blocks(path)), level)


def read_run(path: Path) -> dict[str, Ranking]:
    """Query → ranking, best first: score descending, then id descending.

    Bytes that are not UTF-8 are kept as surrogates.
    """
    with suppress(ScatteredError):
        return _rankings(path, query_blocks(path))
    return _rankings(path, gathered_blocks(path))


class _Found(Struct, frozen=True):
    """What one block gives."""

    names: list[bytes]
    sizes: list[int]
    query: Ints
    rank: Ints
    entry: Ints


def _found(path: Path, pool: Pool, blocks: Iterable[Block]) -> Iterator[_Found]:
    """What each block gives, in order; large files are read by two threads."""
    judge_block = partial(_judge_block, pool)
    is_large = path.is_file() and path.stat().st_size > 4 * BLOCK_BYTES
    if not is_large or os.cpu_count() == 1:
        yield from map(judge_block, blocks)
        return
    from concurrent.futures import Future, ThreadPoolExecutor

    with ThreadPoolExecutor(_WORKERS) as executor:
        waiting: deque[Future[_Found]] = deque()
        for block in blocks:
            waiting.append(executor.submit(judge_block, block))
            if len(waiting) > _WORKERS:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _judge_block(pool: Pool, block: Block) -> _Found:
    lines = Lines(block)
    unjudged = len(pool.queries)
    number = np.array([pool.queries.get(name, unjudged + at) for at, name in enumerate(lines.names)], np.int64)
    query = number[lines.group]
    which, entry = pool.find(query, lines.document, lines.hashes(number))
    rank = ranks(sort_keys(lines.group, lines.scores()), which, lambda equals: lines.document[equals].bytes())
    return _Found(lines.names, lines.sizes.tolist(), query[which], rank, entry)


def _combine(path: Path, pool: Pool, blocks: Iterable[_Found], level: int) -> JudgedRun:
    sizes: dict[bytes, int] = {}
    columns: list[tuple[Ints, Ints, Ints]] = []
    for found in blocks:
        _add_sizes(sizes, found.names, found.sizes)
        columns.append((found.query, found.rank, found.entry))
    if not sizes:
        raise _empty(path)
    query, rank, entry = (np.concatenate(column) for column in zip(*columns, strict=True))
    retrieved = [sizes.get(name, 0) for name in pool.queries]
    judged = Judged.build((query, rank, pool.grade[entry]), retrieved, (pool.query, pool.grade), level)
    missing = tuple(decode(name) for name in pool.queries if name not in sizes)
    unknown = tuple(decode(name) for name in sizes if name not in pool.queries)
    return JudgedRun(path, judged, missing, unknown)


def _add_sizes(sizes: dict[bytes, int], names: list[bytes], new: list[int]) -> None:
    before = len(sizes)
    sizes.update(zip(names, new, strict=True))
    if len(sizes) != before + len(names):
        raise ScatteredError


def _rankings(path: Path, blocks: Iterable[Block]) -> dict[str, Ranking]:
    result: dict[str, Ranking] = {}
    sizes: dict[bytes, int] = {}
    for lines in map(Lines, blocks):
        _add_sizes(sizes, lines.names, lines.sizes.tolist())
        lines.hashes(np.arange(len(lines.names)))
        rows = list(zip(lines.scores().tolist(), lines.document.bytes(), lines.score.bytes(), strict=True))
        for name, first in zip(lines.names, lines.first.tolist(), strict=True):
            best = sorted(rows[first : first + sizes[name]], reverse=True)
            ids, scores = tuple(decode(document) for _, document, _ in best), tuple(float(text) for *_, text in best)
            result[decode(name)] = Ranking(ids, scores, "run")
    if not sizes:
        raise _empty(path)
    return result


def _empty(path: Path) -> AssayError:
    return AssayError("no results in the file", where=str(path), expected=RUN.expected)
