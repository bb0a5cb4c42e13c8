"""Counts the terms of many texts: cut at white space, analyse each distinct piece once, the rest in arrays."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Sequence
from itertools import compress, count, islice

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from assay.retrievers.analysis import analyzer
from assay.retrievers.postings import Counts

_SLAB = 8192
"""Texts at once: keeps the memory flat."""


class Before(Struct, frozen=True):
    """What was counted once."""

    counts: Counts
    moved: NDArray[np.int64]
    """For each of its rows the one that has the same text now; -1: none has."""


def count_terms(texts: Sequence[str], languages: Sequence[str], before: Before | None = None) -> Counts:
    """The terms of each text in its language; what was counted before is taken from there. The vocabulary is in the
    order of the alphabet, so that it does not tell what was counted when."""
    size = len(texts)
    is_new = np.ones(size, dtype=bool)
    if before is not None:
        is_new[before.moved[before.moved >= 0]] = False
    new = np.flatnonzero(is_new)
    counter = _Counter(size)
    slabs = [new[start : start + _SLAB].tolist() for start in range(0, len(new), _SLAB)]
    parts = [counter.add(rows, [texts[row] for row in rows], [languages[row] for row in rows]) for rows in slabs]
    keys = np.concatenate([np.zeros(0, dtype=np.int64), *(part[0] for part in parts)])
    frequencies = np.concatenate([np.zeros(0, dtype=np.int64), *(part[1] for part in parts)])
    found = [Counts(list(counter.vocabulary), *np.divmod(keys, max(size, 1)), frequencies)]
    return _joined([*found, _moved(before)] if before else found, size)


def _moved(before: Before) -> Counts:
    """The counts of the texts that are still there."""
    rows = before.moved[before.counts.rows]
    stays = rows >= 0
    terms = before.counts.terms[stays]
    is_used = np.zeros(len(before.counts.vocabulary), dtype=bool)
    is_used[terms] = True
    numbers = np.cumsum(is_used) - 1
    return Counts(
        list(compress(before.counts.vocabulary, is_used)), numbers[terms], rows[stays], before.counts.frequencies[stays]
    )


def _joined(parts: Sequence[Counts], size: int) -> Counts:
    """Of different rows."""
    vocabulary = sorted({term for part in parts for term in part.vocabulary})
    number = dict(zip(vocabulary, count(), strict=False))
    numbers = [np.array([number[term] for term in part.vocabulary], dtype=np.int64)[part.terms] for part in parts]
    rows = np.concatenate([part.rows for part in parts])
    terms = np.concatenate(numbers)
    order = np.argsort(terms * size + rows, kind="stable")
    return Counts(vocabulary, terms[order], rows[order], np.concatenate([part.frequencies for part in parts])[order])


class _Counter:
    """Numbers pieces and terms in the order in which they are met."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.vocabulary: defaultdict[str, int] = defaultdict(count().__next__)
        next_piece = count().__next__
        self._pieces: defaultdict[str, defaultdict[str, int]] = defaultdict(lambda: defaultdict(next_piece))
        self._seen: dict[str, int] = {}
        self._terms = array("i")
        """The terms of each piece, one piece after the other."""
        self._starts = array("q", [0])

    def add(
        self, rows: Sequence[int], texts: Sequence[str], languages: Sequence[str]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Keys term × size + row of what stands in the texts of these rows, ascending, and how often."""
        found, lengths = array("i"), array("i")
        for text, language in zip(texts, languages, strict=True):
            before = len(found)
            found.extend(map(self._pieces[language].__getitem__, analyzer(language).pieces(text)))
            lengths.append(len(found) - before)
        self._learn()
        places = np.repeat(rows, np.frombuffer(lengths, np.int32))
        return self._keys(np.frombuffer(found, np.int32) if found else np.zeros(0, np.int32), places)

    def _learn(self) -> None:
        """Analyse the pieces met for the first time, in the order of their numbers."""
        new = [
            (number, language, piece)
            for language, numbers in self._pieces.items()
            for piece, number in islice(numbers.items(), self._seen.get(language, 0), None)
        ]
        for _, language, piece in sorted(new):
            self._terms.extend(self.vocabulary[term.text] for term in analyzer(language).analyse(piece))
            self._starts.append(len(self._terms))
        self._seen = {language: len(numbers) for language, numbers in self._pieces.items()}

    def _keys(self, found: NDArray[np.int32], rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Each piece is replaced by its terms: none, one, or several for a compound."""
        starts = np.array(self._starts)
        sizes = np.diff(starts)[found]
        ends = np.cumsum(sizes)
        within = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - sizes, sizes)
        terms = np.array(self._terms, dtype=np.int64)[np.repeat(starts[found], sizes) + within]
        return np.unique(terms * self.size + np.repeat(rows, sizes), return_counts=True)
