"""Ids as bytes: equal or not, and a 64-bit number for each, without a loop over lines."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from assay.metrics.ranking.judged import Ints
from assay.trec.numbers import Words, words_of

_LONG = 64
"""Longer ids are rare: they are handled one by one, so that a single huge one does not slow all others."""
_FIRST = np.array([(1 << 8 * size) - 1 for size in range(9)], np.uint64)
"""The first `size` bytes of a word."""
_SLOT_BITS = 20
_ODD, _OTHER_ODD, _HALF = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F), np.uint64(32)


class Tokens:
    """Pieces of one text."""

    def __init__(self, data: bytes, start: Ints, end: Ints):
        self.data, self.start, self.size = data, start, end - start
        self._words = words_of(data)

    def __len__(self) -> int:
        return len(self.start)

    def __getitem__(self, which: Ints) -> Tokens:
        return Tokens(self.data, self.start[which], self.start[which] + self.size[which])

    def bytes(self) -> list[bytes]:
        pairs = zip(self.start.tolist(), self.size.tolist(), strict=True)
        return [self.data[start : start + size] for start, size in pairs]

    def word(self, offset: int) -> Words:
        """The eight bytes from that offset on; zero where the token has ended."""
        start = np.minimum(self.start + offset, len(self._words) - 1)
        return self._words[start] & _FIRST[np.clip(self.size - offset, 0, 8)]

    def equals(self, other: Tokens) -> NDArray[np.bool_]:
        """Whether each is the same as its partner."""
        equal = self.size == other.size
        for offset in range(0, min(int(self.size.max(initial=0)), _LONG), 8):
            equal &= self.word(offset) == other.word(offset)
        long = np.flatnonzero(equal & (self.size > _LONG))
        equal[long] = [a == b for a, b in zip(self[long].bytes(), other[long].bytes(), strict=True)]
        return equal

    def changes(self) -> Ints:
        """Where a token differs from the one before; the first does."""
        if not len(self):
            return np.zeros(0, np.int64)
        last, following = slice(None, -1), slice(1, None)
        end = self.start + self.size
        same = Tokens(self.data, self.start[following], end[following]).equals(
            Tokens(self.data, self.start[last], end[last])
        )
        return np.flatnonzero(np.concatenate(([True], ~same)))

    def hashes(self, salt: Words) -> Words:
        """A number for each token and its salt; equal ones have equal numbers, others hardly ever."""
        result = salt * _OTHER_ODD + self.size.astype(np.uint64)
        for offset in range(0, min(int(self.size.max(initial=0)), _LONG), 8):
            mixed = (result ^ self.word(offset)) * _ODD
            mixed ^= mixed >> _HALF
            result = np.where(self.size > offset, mixed, result)
        for at in np.flatnonzero(self.size > _LONG).tolist():
            start = int(self.start[at])
            digest = blake2b(self.data[start : start + int(self.size[at])], digest_size=8).digest()
            result[at] ^= np.uint64(int.from_bytes(digest, "little"))
        return (result ^ result >> _HALF) * _ODD


def first_twice(query: Ints, document: Tokens, keys: Words) -> tuple[int, int] | None:
    """The first document that stands again in its query, as (earlier, later). Equal ones have equal keys."""
    suspects = _repeated(keys)
    seen: dict[tuple[int, bytes], int] = {}
    for at, pair in zip(
        suspects.tolist(), zip(query[suspects].tolist(), document[suspects].bytes(), strict=True), strict=True
    ):
        if pair in seen:
            return seen[pair], at
        seen[pair] = at
    return None


def _repeated(keys: Words) -> Ints:
    """The entries whose key is not theirs alone.

    Each entry is written to a slot of a table, so that of those who share a slot only the last is left there. The
    others, few, are compared with it and among themselves: a tenth of the cost of sorting all.
    """
    slot = (keys >> np.uint64(64 - _SLOT_BITS)).astype(np.int64)
    entry = np.arange(len(keys), dtype=np.int32)
    table = np.empty(1 << _SLOT_BITS, np.int32)
    table[slot] = entry
    holder = table[slot]
    pushed_out = np.flatnonzero(holder != entry)
    own = keys[pushed_out]
    ordered = np.sort(own)
    shared = np.concatenate((own[own == keys[holder[pushed_out]]], ordered[1:][ordered[1:] == ordered[:-1]]))
    return np.flatnonzero(np.isin(keys, shared)) if len(shared) else shared.astype(np.int64)
