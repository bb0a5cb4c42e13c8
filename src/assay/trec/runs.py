"""Run files: what a system retrieved, met with the judgements without ever building an object for a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from assay.errors import AssayError
from assay.metrics.ranking.judged import Ints, Judged
from assay.metrics.ranking.order import ranks, sort_keys
from assay.records import Ranking
from assay.trec.blocks import BLOCK_BYTES, Block, make_block, query_blocks
from assay.trec.columns import Layout, cut
from assay.trec.numbers import WINDOW, Words, parse_numbers
from assay.trec.pool import Pool, decode, twice
from assay.trec.tokens import Tokens, first_twice

RUN = Layout("run file", ("query", "Q0", "document", "rank", "score", "tag"), (0, 2, 4), open_ended=True)


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
    try:
        return _Judging(pool).judge(path, query_blocks(path), level)
    except _ScatteredError:
        return _Judging(pool).judge(path, _gathered(path), level)


def read_run(path: Path) -> dict[str, Ranking]:
    """Query → ranking, best first: score descending, then id descending. Bytes that are not UTF-8 are kept as
    surrogates."""
    try:
        return _rankings(query_blocks(path))
    except _ScatteredError:
        return _rankings(_gathered(path))


class _ScatteredError(Exception):
    """The lines of a query do not stand together."""


class _Lines:
    """The lines of one block, whole queries each."""

    def __init__(self, block: Block):
        columns = cut(block, RUN)
        self.block = block
        query, self.document, self.number = (
            Tokens(block.data, start, end) for start, end in zip(columns.start, columns.end, strict=True)
        )
        self.first = query.changes()
        self.names = query[self.first].bytes()
        self.sizes = np.diff(self.first, append=len(query))
        self.group = np.repeat(np.arange(len(self.first)), self.sizes)
        self.query_start = query.start[self.first]

    def scores(self) -> NDArray[np.float32]:
        """In single precision; what is no number is a fault."""
        start, end = self.number.start, self.number.start + self.number.size
        scores, wrong = parse_numbers(self.block.data, start, end)
        if len(wrong):
            text = decode(self.number[wrong[:1]].bytes()[0])
            raise self.block.fault(int(start[wrong[0]]), f"score '{text}'", "a number")
        return scores

    def keys(self, salt: Ints) -> Words:
        """A number for each document and the salt of its query; a document that stands twice is a fault."""
        keys = self.document.hashes(salt[self.group].astype(np.uint64))
        if again := first_twice(self.group, self.document, keys):
            raise twice(self.block, self.document, again, self.names[self.group[again[1]]])
        return keys


def _rankings(blocks: Iterable[Block]) -> dict[str, Ranking]:
    result: dict[str, Ranking] = {}
    for lines in map(_Lines, blocks):
        lines.keys(np.arange(len(lines.names)))
        rows = list(zip(lines.scores().tolist(), lines.document.bytes(), lines.number.bytes(), strict=True))
        for name, first, size in zip(map(decode, lines.names), lines.first.tolist(), lines.sizes.tolist(), strict=True):
            if name in result:
                raise _ScatteredError
            best = sorted(rows[first : first + size], reverse=True)
            result[name] = Ranking(
                tuple(decode(document) for _, document, _ in best), tuple(float(text) for *_, text in best), "run"
            )
    return result


def _gathered(path: Path) -> Iterator[Block]:
    """The file's lines brought together by query, in blocks of whole queries that know each line's number."""
    pieces: dict[bytes, list[tuple[bytes, Ints]]] = {}
    for block in query_blocks(path):
        lines, data = _Lines(block), block.data
        starts = [data.rfind(b"\n", 0, start) + 1 for start in lines.query_start.tolist()]
        number = block.line(starts[0]) if starts else 0
        for name, start, end in zip(lines.names, starts, [*starts[1:], len(data) - WINDOW], strict=True):
            piece = data[start:end]
            count = piece.count(b"\n")
            pieces.setdefault(name, []).append((piece, np.arange(number, number + count)))
            number += count
    pending: list[tuple[bytes, Ints]] = []
    size = 0
    for of_query in pieces.values():
        pending += of_query
        size += sum(len(piece) for piece, _ in of_query)
        if size >= BLOCK_BYTES:
            yield _joined(path, pending)
            pending, size = [], 0
    if pending:
        yield _joined(path, pending)


def _joined(path: Path, pieces: list[tuple[bytes, Ints]]) -> Block:
    content = b"".join(piece for piece, _ in pieces)
    return make_block(path, content, lines=np.concatenate([numbers for _, numbers in pieces]))


class _Judging:
    """Collects what the blocks of one run give."""

    def __init__(self, pool: Pool):
        self.pool = pool
        self.retrieved = np.zeros(len(pool.queries), np.int64)
        self.found: list[tuple[Ints, Ints, Ints]] = []
        self.unknown: dict[bytes, None] = {}

    def judge(self, path: Path, blocks: Iterable[Block], level: int) -> JudgedRun:
        for block in blocks:
            self._add(_Lines(block))
        if not self.retrieved.any() and not self.unknown:
            raise AssayError("no results in the file", where=str(path), expected=RUN.expected)
        query, rank, entry = (np.concatenate(column) for column in zip(*self.found, strict=True))
        pool = self.pool
        judged = Judged.build((query, rank, pool.grade[entry]), self.retrieved, (pool.query, pool.grade), level)
        missing = [name for name, number in pool.queries.items() if not self.retrieved[number]]
        return JudgedRun(path, judged, tuple(map(decode, missing)), tuple(map(decode, self.unknown)))

    def _add(self, lines: _Lines) -> None:
        number = self._numbers(lines)
        query = number[lines.group]
        which, entry = self.pool.find(query, lines.document, lines.keys(number))
        rank = ranks(sort_keys(lines.group, lines.scores()), which, lambda equals: lines.document[equals].bytes())
        self.found.append((query[which], rank, entry))

    def _numbers(self, lines: _Lines) -> Ints:
        """The number of each query of the block; queries nobody judged are numbered behind the others."""
        judged = len(self.pool.queries)
        numbers = np.empty(len(lines.names), np.int64)
        for at, name in enumerate(lines.names):
            number = self.pool.queries.get(name)
            if name in self.unknown or (number is not None and self.retrieved[number]):
                raise _ScatteredError
            if number is None:
                numbers[at] = judged + len(self.unknown)
                self.unknown[name] = None
            else:
                numbers[at] = number
                self.retrieved[number] = lines.sizes[at]
        return numbers
