"""Many samples matched together: what `match` gives for each, with the work on a field done once for all of them.

Samples of one shape are a grid (sample × expected × actual) of costs. Where every expected record of a sample has one
cheapest partner of its own, these are the only best pairs, and most samples are settled there. The others go the way
that `match` goes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from assay.metrics.records.columns import Column, read
from assay.metrics.records.comparator import Zone
from assay.metrics.records.costs import Part, key_weight
from assay.metrics.records.matching import Matching, Pair, judged, match
from assay.metrics.records.scheme import Record, Scheme
from assay.metrics.records.unique import SMALL, Lines, solved

BLOCK = 1024
"""Samples held at a time, so that memory does not grow with their number."""
_FEW = 4
"""So many samples of a shape are not worth a grid."""

Sides = tuple[Sequence[Record], Sequence[Record]]
"""The expected and the actual records of a sample."""
Grid = NDArray[np.float64]


def match_all(samples: Iterable[Sides], scheme: Scheme, zone: Zone = None) -> Iterator[Matching]:
    """`match` of each sample, in their order."""
    pending = iter(samples)
    while block := list(islice(pending, BLOCK)):
        yield from _block(block, scheme, zone)


def _block(block: Sequence[Sides], scheme: Scheme, zone: Zone) -> list[Matching]:
    shapes: dict[tuple[int, int], list[int]] = {}
    for number, (expected, actual) in enumerate(block):
        shapes.setdefault((len(expected), len(actual)), []).append(number)
    found: dict[int, Matching] = {}
    for (rows, width), numbers in shapes.items():
        if 0 < rows <= width <= SMALL and len(numbers) >= _FEW:
            together = _Together([block[number] for number in numbers], scheme, zone)
            found |= {number: each for number, each in zip(numbers, together.matchings(), strict=True) if each}
    return [found[number] if number in found else match(*sides, scheme, zone) for number, sides in enumerate(block)]


class _Together:
    """Samples with the same numbers of records, at least as many actual as expected ones."""

    def __init__(self, samples: Sequence[Sides], scheme: Scheme, zone: Zone) -> None:
        self.n, self.rows, self.width = len(samples), len(samples[0][0]), len(samples[0][1])
        self.scheme = scheme
        expected = [record for side, _ in samples for record in side]
        self.columns = read(scheme, expected, [record for _, side in samples for record in side], zone)
        compared = [column for column in self.columns if column.compared]
        scored = [column for column in compared if column.field.scored and not column.field.key]
        self.slow: list[Part] = [(column, column.field.weight) for column in scored if column.field.comparator.slow]
        quick = [column for column in scored if not column.field.comparator.slow]
        self.least = self._least([column for column in compared if column.field.key], quick)
        """What each pair costs without the slow fields."""

    def _least(self, keys: Sequence[Column], quick: Sequence[Column]) -> Grid:
        """Added up in the order in which `Costs` does, so that not a bit differs."""
        weight = key_weight(self.scheme, self.rows, self.width)
        first = self._sum([(column, weight) for column in keys])
        return first + self._sum([(column, column.field.weight) for column in quick])

    def _sum(self, parts: Sequence[Part]) -> Grid:
        total = np.zeros((self.n, self.rows, self.width))
        for column, weight in parts:
            total = total + weight * column.grid(self.n)
        return total

    def matchings(self) -> list[Matching | None]:
        """None: it takes more to tell."""
        theirs, open_ = self._partners()
        sample = np.arange(self.n)[:, None] * self.width
        ours, flat = list(range(self.rows)) * self.n, theirs.ravel().tolist()
        pairs = judged(self.columns, ours, flat, (None, (theirs + sample).ravel().tolist()))
        return [None if number in open_ else self._matching(number, pairs) for number in range(self.n)]

    def _matching(self, number: int, pairs: Sequence[Pair]) -> Matching:
        start = number * self.rows
        mine = tuple(pairs[start : start + self.rows])
        extra: tuple[int, ...] = ()
        if self.width > self.rows:
            extra = tuple(sorted(set(range(self.width)).difference([pair.actual for pair in mine])))
        return Matching(mine, (), extra, self.scheme, self.columns, (start, number * self.width))

    def _partners(self) -> tuple[NDArray[np.intp], set[int]]:
        """Of each expected record of each sample; and the samples in which nobody knows yet."""
        theirs, price, clear = self._cheapest()
        in_order = np.sort(theirs, axis=1)
        shared = (in_order[:, 1:] == in_order[:, :-1]).any(axis=1)
        open_ = set()
        for number in np.flatnonzero(shared | ~clear.all(axis=1)).tolist():
            found = solved(self._lines(number), theirs[number].tolist(), price[number].tolist())
            if found is None:
                open_.add(number)
            else:
                theirs[number] = [column for _, column in found]
        return theirs, open_

    def _lines(self, number: int) -> Lines:
        slow = [(column.part(number, self.rows, self.width), weight) for column, weight in self.slow]
        return Lines(self.least[number].tolist(), slow)

    def _cheapest(self) -> tuple[NDArray[np.intp], Grid, NDArray[np.bool_]]:
        """As `Lines.cheapest`: the cheapest partner of each expected record, its cost, and whether there is but one."""
        theirs = self.least.argmin(axis=2)
        sample, row = np.indices(theirs.shape)
        price = self._with_slow(sample, row, theirs)
        near = self.least <= price[:, :, None]
        unsure = near.sum(axis=2) > 1
        if not unsure.any():
            return theirs, price, ~unsure
        rivals = np.nonzero(near & unsure[:, :, None])
        whole = np.full(self.least.shape, np.inf)
        whole[rivals] = self._with_slow(*rivals)
        best = whole.min(axis=2)
        theirs = np.where(unsure, whole.argmin(axis=2), theirs)
        return theirs, np.where(unsure, best, price), ~unsure | ((whole == best[:, :, None]).sum(axis=2) == 1)

    def _with_slow(self, sample: NDArray[np.intp], row: NDArray[np.intp], column: NDArray[np.intp]) -> Grid:
        """What these pairs cost."""
        total: Grid = self.least[sample, row, column]
        ours, theirs = (sample * self.rows + row).ravel().tolist(), (sample * self.width + column).ravel().tolist()
        for part, weight in self.slow:
            total = total + weight * np.array(part.apart(ours, theirs)).reshape(total.shape)
        return total
