"""Counts the terms of many texts: cut at white space, analyse each distinct piece once, the rest in arrays."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Sequence
from itertools import count, islice

import numpy as np
from numpy.typing import NDArray

from assay.retrievers.analysis import analyzer
from assay.retrievers.postings import Counts

_SLAB = 8192
"""Texts at once: keeps the memory flat."""


def count_terms(texts: Sequence[str], languages: Sequence[str]) -> Counts:
    """The terms of each text in its language."""
    counter = _Counter(len(texts))
    parts = [
        counter.add(start, texts[start : start + _SLAB], languages[start : start + _SLAB])
        for start in range(0, len(texts), _SLAB)
    ]
    keys = np.concatenate([part[0] for part in parts]) if parts else np.zeros(0, dtype=np.int64)
    frequencies = np.concatenate([part[1] for part in parts]) if parts else np.zeros(0, dtype=np.int64)
    order = np.argsort(keys, kind="stable")
    terms, rows = np.divmod(keys[order], max(len(texts), 1))
    return Counts(list(counter.vocabulary), terms, rows, frequencies[order])


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
        self, start: int, texts: Sequence[str], languages: Sequence[str]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Keys term × size + row of what stands in these texts, ascending, and how often."""
        found, lengths = array("i"), array("i")
        for text, language in zip(texts, languages, strict=True):
            before = len(found)
            found.extend(map(self._pieces[language].__getitem__, analyzer(language).pieces(text)))
            lengths.append(len(found) - before)
        self._learn()
        rows = np.repeat(np.arange(start, start + len(texts)), np.frombuffer(lengths, np.int32))
        return self._keys(np.frombuffer(found, np.int32) if found else np.zeros(0, np.int32), rows)

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
