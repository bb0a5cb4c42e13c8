"""The lines of a run file, query by query."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError
from assay.metrics.ranking.judged import Ints
from assay.trec.blocks import BLOCK_BYTES, Block, make_block, read_block
from assay.trec.columns import Layout, cut
from assay.trec.numbers import ROOM, Words, parse_numbers
from assay.trec.tokens import Tokens, first_twice, shown, twice

RUN = Layout("run file", ("query", "Q0", "document", "rank", "score", "tag"), (0, 2, 4), open_ended=True)


class ScatteredError(Exception):
    """The lines of a query do not stand together; `gathered_blocks` brings them together."""


class Lines:
    """The lines of one block, in groups: neighbours of the same query."""

    def __init__(self, block: Block) -> None:
        columns = cut(block, RUN)
        self.block = block
        query, self.document, self.score = (
            Tokens(block.data, start, end) for start, end in zip(columns.start, columns.end, strict=True)
        )
        self.first = query.changes()
        self.start = query.start[self.first]
        self.names = query[self.first].bytes()
        self.sizes = np.diff(self.first, append=len(query))
        self.group = np.repeat(np.arange(len(self.first)), self.sizes)

    def scores(self) -> NDArray[np.float32]:
        """In single precision; what is no number is a fault."""
        scores, wrong = parse_numbers(self.block.data, self.score.start, self.score.end)
        if len(wrong):
            at = wrong[:1]
            text = shown(self.score[at].bytes()[0])
            raise self.block.fault(int(self.score.start[at[0]]), f"score '{text}'", "a number")
        return scores

    def hashes(self, salt: Ints) -> Words:
        """A number for each document and the salt of its group; a document that stands twice is a fault."""
        hashes = self.document.hashes(salt[self.group].astype(np.uint64))
        if again := first_twice(self.group, self.document, hashes):
            raise twice(self.block, self.document, again, self.names[self.group[again[1]]])
        return hashes


def gathered_blocks(path: Path) -> Iterator[Block]:
    """The file's lines brought together by query, in blocks of whole queries that know each line's number."""
    if not path.is_file():
        raise AssayError(
            "the lines of a query do not stand together, and a pipe can be read only once",
            where=str(path),
            hint="Write the run to a file first",
        )
    block = read_block(path)
    lines, data = Lines(block), block.data
    names: dict[bytes, int] = {}
    query = np.array([names.setdefault(name, len(names)) for name in lines.names], np.int64)
    newline = np.flatnonzero(np.frombuffer(data, np.uint8, block.end) == ord("\n"))
    before = np.searchsorted(newline, lines.start)
    start, first = newline[before - 1] + 1, before - ROOM
    end, last = np.append(start[1:], block.end), np.append(first[1:], len(newline) - ROOM)
    order = np.argsort(query, kind="stable")
    for chosen in _chunks(query[order], (end - start)[order]):
        groups = order[chosen]
        pieces = [data[a:b] for a, b in zip(start[groups].tolist(), end[groups].tolist(), strict=True)]
        counts = last[groups] - first[groups]
        numbers = np.arange(counts.sum()) + np.repeat(first[groups] + 1 - (np.cumsum(counts) - counts), counts)
        yield make_block(path, b"".join(pieces), lines=numbers)


def _chunks(query: Ints, size: Ints) -> Iterator[slice]:
    """Neighbours of about `BLOCK_BYTES` together that do not part a query."""
    first = np.flatnonzero(np.diff(query, prepend=-1))
    filled = (np.cumsum(size) - size)[first] // BLOCK_BYTES
    starts = first[np.flatnonzero(np.diff(filled, prepend=-1))]
    for start, end in zip(starts.tolist(), [*starts.tolist(), len(query)][1:], strict=True):
        yield slice(start, end)
