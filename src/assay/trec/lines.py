"""The lines of a run file, query by query."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.metrics.ranking.judged import Ints
from assay.trec.blocks import BLOCK_BYTES, Block, make_block, query_blocks
from assay.trec.columns import Layout, cut
from assay.trec.numbers import Words, parse_numbers
from assay.trec.tokens import Tokens, decode, first_twice, twice

RUN = Layout("run file", ("query", "Q0", "document", "rank", "score", "tag"), (0, 2, 4), open_ended=True)


class ScatteredError(Exception):
    """The lines of a query do not stand together; `gathered_blocks` brings them together."""


class Lines:
    """The lines of one block, in groups: neighbours of the same query."""

    def __init__(self, block: Block):
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
            raise self.block.fault(
                int(self.score.start[at[0]]), f"score '{decode(self.score[at].bytes()[0])}'", "a number"
            )
        return scores

    def hashes(self, salt: Ints) -> Words:
        """A number for each document and the salt of its group; a document that stands twice is a fault."""
        hashes = self.document.hashes(salt[self.group].astype(np.uint64))
        if again := first_twice(self.group, self.document, hashes):
            raise twice(self.block, self.document, again, self.names[self.group[again[1]]])
        return hashes


def gathered_blocks(path: Path) -> Iterator[Block]:
    """The file's lines brought together by query, in blocks of whole queries that know each line's number."""
    pending: list[tuple[bytes, Ints]] = []
    for pieces in _pieces(path).values():
        pending += pieces
        if sum(len(piece) for piece, _ in pending) >= BLOCK_BYTES:
            yield _joined(path, pending)
            pending = []
    if pending:
        yield _joined(path, pending)


def _pieces(path: Path) -> dict[bytes, list[tuple[bytes, Ints]]]:
    """Query → its pieces of the file, each with the numbers of its lines."""
    pieces: dict[bytes, list[tuple[bytes, Ints]]] = {}
    for block in query_blocks(path):
        lines, data = Lines(block), block.data
        starts = [data.rfind(b"\n", 0, start) + 1 for start in lines.start.tolist()]
        number = block.line(starts[0]) if starts else 0
        for name, start, end in zip(lines.names, starts, [*starts, block.end][1:], strict=True):
            count = data.count(b"\n", start, end)
            pieces.setdefault(name, []).append((data[start:end], np.arange(number, number + count)))
            number += count
    return pieces


def _joined(path: Path, pieces: list[tuple[bytes, Ints]]) -> Block:
    content = b"".join(piece for piece, _ in pieces)
    return make_block(path, content, lines=np.concatenate([numbers for _, numbers in pieces]))
