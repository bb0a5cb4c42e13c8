"""The judgements of a qrels file (TREC or BEIR), ready to be met by runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from assay.errors import AssayError
from assay.metrics.ranking.judged import Ints
from assay.trec.blocks import Block, read_block
from assay.trec.columns import Columns, Layout, cut
from assay.trec.numbers import ROOM, Words, parse_numbers
from assay.trec.tokens import Tokens, decode, first_twice, shown, twice

TREC = Layout("qrels file", ("query", "iteration", "document", "grade"), (0, 2, 3))
BEIR = Layout("BEIR qrels file", ("query-id", "corpus-id", "score"), (0, 1, 2), tabs_only=True)
_HEADER = (b"score", b"grade", b"relevance", b"rel", b"label")
_FILTER_BITS = 22
"""Of a table that tells cheaply of nearly every document of a run that nobody judged it."""


class Pool:
    """Who was judged for which query, and how."""

    def __init__(self, block: Block, columns: Columns) -> None:
        query, document, grade = (
            Tokens(block.data, start, end) for start, end in zip(columns.start, columns.end, strict=True)
        )
        self.path = block.path
        self.grade = _grades(block, grade)
        self.queries: dict[bytes, int] = {}
        """Number of each query, in the order of the file."""
        self.query = self._number(query)
        self._document = document
        hashes = document.hashes(self.query.astype(np.uint64))
        if again := first_twice(self.query, document, hashes):
            raise twice(block, document, again, list(self.queries)[self.query[again[1]]])
        keys = self._key(self.query, hashes)
        self._entry = np.argsort(keys, kind="stable")
        self._keys = keys[self._entry]
        self._longest = _longest_run(self._keys)
        self._filter = np.zeros(1 << _FILTER_BITS, np.bool_)
        self._filter[_slot(hashes)] = True

    def __len__(self) -> int:
        return len(self.grade)

    def find(self, query: Ints, document: Tokens, hashes: Words) -> tuple[Ints, Ints]:
        """(which, entry): those of the given documents that were judged for their query, and their judgements.

        `hashes` are those of the documents, each salted with the number of its query.
        """
        which = np.flatnonzero(self._filter[_slot(hashes)])
        keys = self._key(query[which], hashes[which])
        place = np.searchsorted(self._keys, keys)
        found = np.full(len(which), -1)
        for step in range(self._longest):  # once, unless two ids share a key
            candidate = np.minimum(place + step, len(self._keys) - 1)
            near = np.flatnonzero(self._keys[candidate] == keys)
            entry = self._entry[candidate[near]]
            same = self.query[entry] == query[which[near]]
            same &= self._document[entry].equals(document[which[near]])
            found[near[same]] = entry[same]
        is_judged = found >= 0
        return which[is_judged], found[is_judged]

    def _key(self, query: Ints, hashes: Words) -> Words:
        """Query first, so that what belongs together is looked up together."""
        bits = np.uint64(len(self.queries).bit_length() + 1)
        return (query.astype(np.uint64) << (np.uint64(64) - bits)) | (hashes >> bits)

    def as_dict(self) -> dict[str, dict[str, int]]:
        """Query → document → grade."""
        result: dict[str, dict[str, int]] = {decode(query): {} for query in self.queries}
        rows = list(result.values())
        for query, document, grade in zip(
            self.query.tolist(), self._document.bytes(), self.grade.tolist(), strict=True
        ):
            rows[query][decode(document)] = grade
        return result

    def _number(self, query: Tokens) -> Ints:
        first = query.changes()
        numbers = [self.queries.setdefault(name, len(self.queries)) for name in query[first].bytes()]
        return np.repeat(np.array(numbers, np.int64), np.diff(first, append=len(query)))


def read_pool(path: Path) -> Pool:
    """A TREC qrels file (query, iteration, document, grade), a BEIR one (query-id, corpus-id, score), or the folder
    of a BEIR data set, of which `qrels/test.tsv` is taken, or the first if there is none of that name."""
    path = _file_in(path) if path.is_dir() else path
    block = read_block(path)
    layout = _layout(block)
    columns = cut(block, layout)
    if layout is BEIR:
        columns = _without_header(block, columns)
    if not len(columns):
        raise AssayError("no judgements in the file", where=str(path), expected=layout.expected)
    return Pool(block, columns)


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """Query → document → grade. Bytes that are not UTF-8 are kept as surrogates."""
    return read_pool(path).as_dict()


def _file_in(folder: Path) -> Path:
    files = sorted((folder / "qrels").glob("*.tsv")) or sorted(folder.glob("*.tsv"))
    if not files:
        raise AssayError("no qrels in this folder", where=str(folder), expected="a BEIR folder with qrels/*.tsv")
    return next((file for file in files if file.stem == "test"), files[0])


def _layout(block: Block) -> Layout:
    """BEIR if the first line has three columns separated by tabs, else TREC."""
    first = block.data[ROOM : ROOM + 4096].lstrip().split(b"\n", 1)[0]
    return BEIR if first.count(b"\t") == len(BEIR.names) - 1 else TREC


def _without_header(block: Block, columns: Columns) -> Columns:
    """A BEIR file usually begins with the names of its columns."""
    first = Tokens(block.data, columns.start[2][:1], columns.end[2][:1]).bytes()
    skip = int(any(text.lower() in _HEADER for text in first))
    return Columns(tuple(start[skip:] for start in columns.start), tuple(end[skip:] for end in columns.end))


def _grades(block: Block, grade: Tokens) -> Ints:
    numbers, wrong = parse_numbers(block.data, grade.start, grade.end)
    wrong = wrong if len(wrong) else np.flatnonzero((numbers != np.trunc(numbers)) | (np.abs(numbers) > 1 << 20))
    if len(wrong):
        text = shown(grade[wrong[:1]].bytes()[0])
        raise block.fault(int(grade.start[wrong[0]]), f"grade '{text}'", "a whole number")
    return numbers.astype(np.int64)


def _slot(hashes: Words) -> Ints:
    return (hashes >> np.uint64(64 - _FILTER_BITS)).astype(np.int64)


def _longest_run(ordered: Words) -> int:
    """How many neighbours at most are equal."""
    longest = 1
    while (ordered[longest:] == ordered[:-longest]).any():
        longest += 1
    return longest
