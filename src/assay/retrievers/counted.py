"""What was counted for the structure of an index: when the index changes, the next one is made from that.

Kept beside the structure of all chunks, whose terms and rows it shares: how often each term stands in each row, and
what each row was made from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from assay.retrievers.counting import Before
from assay.retrievers.postings import LABEL, Counts, Postings

Columns = Mapping[str, tuple[Sequence[str], Sequence[str]]]
"""By field, the own text first: the texts of all rows and their languages."""
_KEY = 16


def row_keys(ids: Sequence[str], columns: Columns) -> list[bytes]:
    """One for each row, of all that its counts depend on."""
    texts, languages = zip(*columns.values(), strict=True)
    # The first column alone has several languages.
    return [_digest(row) for row in zip(ids, languages[0], *texts, strict=True)]


def _digest(parts: Sequence[str]) -> bytes:
    return blake2b(f"{[*map(len, parts)]}{''.join(parts)}".encode(), digest_size=_KEY).digest()


class Counted(Struct, frozen=True):
    keys: Sequence[bytes]
    columns: Mapping[str, Counts]

    def to_bytes(self, label: bytes, way: bytes) -> bytes:
        """The labels of the structure it belongs to and of the way of counting (32 bytes each), the number of rows and
        of the terms of each column, keys, frequencies; little-endian."""
        sizes = [len(self.keys), len(self.columns), *(len(each.vocabulary) for each in self.columns.values())]
        frequencies = [each.frequencies.astype("<i4").tobytes() for each in self.columns.values()]
        return b"".join([label, way, np.array(sizes, dtype="<i8").tobytes(), *self.keys, *frequencies])

    def before(self, keys: Sequence[bytes]) -> dict[str, Before]:
        """For rows of these keys."""
        place = {key: row for row, key in enumerate(keys)}
        moved = np.array([place.get(key, -1) for key in self.keys], dtype=np.int64)
        return {field: Before(counts, moved) for field, counts in self.columns.items()}


def read_counted(structure: bytes, counted: bytes, way: bytes, fields: Sequence[str]) -> Counted | None:
    """None when one was not made with the other, or in another way, or for other fields."""
    label = structure[:LABEL]
    postings = Postings.from_bytes(structure, label)
    if postings is None or counted[: 2 * LABEL] != label + way:
        return None
    rows, columns = np.frombuffer(counted, "<i8", 2, 2 * LABEL).tolist()
    if columns != len(fields) or rows != postings.size:
        return None
    sizes = np.frombuffer(counted, "<i8", columns, 2 * LABEL + 16).tolist()
    keys_at = 2 * LABEL + 16 + 8 * columns
    if len(counted) != keys_at + _KEY * rows + 4 * len(postings.rows):
        return None
    frequencies = np.frombuffer(counted, "<i4", -1, keys_at + _KEY * rows).astype(np.int64)
    keys = [counted[at : at + _KEY] for at in range(keys_at, keys_at + _KEY * rows, _KEY)]
    return Counted(keys, dict(zip(fields, _split(postings, sizes, frequencies), strict=True)))


def _split(postings: Postings, sizes: Sequence[int], frequencies: NDArray[np.int64]) -> list[Counts]:
    """The columns, which stand one after the other. Terms are told apart by the prefix of their field."""
    found, first = [], 0
    for number, size in enumerate(sizes):
        starts = postings.starts[first : first + size + 1]
        inside = slice(int(starts[0]), int(starts[-1]))
        names = postings.vocabulary[first : first + size]
        vocabulary = [name.partition("@")[2] for name in names] if number else names
        terms = np.repeat(np.arange(size), np.diff(starts))
        found.append(Counts(vocabulary, terms, postings.rows[inside].astype(np.int64), frequencies[inside]))
        first += size
    return found
