"""Ids as bytes: equal or not, and a 64-bit number for each, without a loop over lines."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError
from assay.metrics.ranking.judged import Ints
from assay.trec.blocks import Block
from assay.trec.numbers import ROOM, Words, words_of

_LONG = ROOM - 16
"""Longer ids are rare: they are handled one by one, so that a single huge one does not slow all others."""
_SHOWN_BYTES = 60
_FIRST = np.array([(1 << 8 * size) - 1 for size in range(9)], np.uint64)
"""The first `size` bytes of a word."""
_ODD, _OTHER_ODD, _HALF = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F), np.uint64(32)


class Tokens:
    """Pieces of one text that has `ROOM` spare bytes behind them."""

    def __init__(self, data: bytes, start: Ints, end: Ints) -> None:
        self.data, self.start, self.end = data, start, end
        self.size = end - start
        self._shortest, self._longest = int(self.size.min(initial=0xFFFFFFFF)), int(self.size.max(initial=0))

    def __len__(self) -> int:
        return len(self.start)

    def __getitem__(self, which: Ints | slice) -> Tokens:
        return Tokens(self.data, self.start[which], self.end[which])

    def bytes(self) -> list[bytes]:
        return [self.data[start:end] for start, end in zip(self.start.tolist(), self.end.tolist(), strict=True)]

    def words(self) -> Iterator[tuple[int, Words]]:
        """(offset, the eight bytes from there on), zero where the token has ended; of a long one the beginning."""
        words = words_of(self.data)
        for offset in range(0, min(self._longest, _LONG), 8):
            word = words[self.start + offset]
            if self._shortest == self._longest:
                word &= _FIRST[min(self._longest - offset, 8)]
            elif self._shortest < offset + 8:
                word &= _FIRST[np.clip(self.size - offset, 0, 8)]
            yield offset, word

    def equals(self, other: Tokens) -> NDArray[np.bool_]:
        """Whether each is the same as its partner."""
        equal: NDArray[np.bool_] = self.size == other.size
        for (_, word), (_, other_word) in zip(self.words(), other.words(), strict=False):
            equal &= word == other_word
        _compare_long(self, other, equal)
        return equal

    def changes(self) -> Ints:
        """Where a token differs from the one before; the first does."""
        same = self.size[1:] == self.size[:-1]
        for _, word in self.words():
            same &= word[1:] == word[:-1]
        _compare_long(self[1:], self[:-1], same)
        return np.flatnonzero(np.concatenate(([True], ~same))[: len(self)])

    def hashes(self, salt: Words) -> Words:
        """A number for each token and its salt; equal ones have equal numbers, others hardly ever."""
        result = salt * _OTHER_ODD + self.size.astype(np.uint64)
        for offset, word in self.words():
            mixed = (result ^ word) * _ODD
            mixed ^= mixed >> _HALF
            result = mixed if self._shortest > offset else np.where(self.size > offset, mixed, result)
        for at in np.flatnonzero(self.size > _LONG).tolist():
            digest = blake2b(self.data[self.start[at] : self.end[at]], digest_size=8).digest()
            result[at] ^= np.uint64(int.from_bytes(digest, "little"))
        return (result ^ result >> _HALF) * _ODD


def _compare_long(some: Tokens, others: Tokens, equal: NDArray[np.bool_]) -> None:
    """Correct what the beginnings of long ones have told."""
    long = np.flatnonzero(equal & (some.size > _LONG))
    equal[long] = [a == b for a, b in zip(some[long].bytes(), others[long].bytes(), strict=True)]


def decode(token: bytes) -> str:
    return token.decode("utf-8", "surrogateescape")


def shown(token: bytes) -> str:
    """As a message says it: never longer than a line."""
    return decode(token if len(token) <= _SHOWN_BYTES else token[:_SHOWN_BYTES] + "…".encode())


def twice(block: Block, document: Tokens, pair: tuple[int, int], query: bytes) -> AssayError:
    """The error for a document that stands twice in a query."""
    earlier, later = pair
    first = block.line(int(document.start[earlier]))
    name = shown(document[np.array([later])].bytes()[0])
    what = f"document '{name}' of query '{shown(query)}' stands here again, first in line {first}"
    return block.fault(int(document.start[later]), what, "each pair once")


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
    bits = len(keys).bit_length() + 3
    slot = (keys >> np.uint64(64 - bits)).astype(np.int64)
    entry = np.arange(len(keys), dtype=np.int32)
    table = np.empty(1 << bits, np.int32)
    table[slot] = entry
    holder = table[slot]
    pushed_out = np.flatnonzero(holder != entry)
    own = keys[pushed_out]
    ordered = np.sort(own)
    shared = np.concatenate((own[own == keys[holder[pushed_out]]], ordered[1:][ordered[1:] == ordered[:-1]]))
    return np.flatnonzero(np.isin(keys, shared)) if len(shared) else shared.astype(np.int64)
