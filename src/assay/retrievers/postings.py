"""The BM25 structure: for each term the chunks it stands in and what it adds to their score.

Lucene's BM25 [1]: a term that occurs f times in a chunk of length l adds

    ln(1 + (N − n + 0.5) / (n + 0.5)) · f / (f + k1 · (1 − b + b · l / average l))

where n of N chunks hold the term. All that depends on the corpus alone is computed when the structure is built, so
that a search only adds up [2].

[1] Kamphuis et al., Which BM25 Do You Mean?, ECIR 2020. [2] Lù, BM25S, arXiv 2407.03618.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from assay.retrievers.topk import Hits, best, rank_of

K1 = 1.5
B = 0.75
DENSE_SHARE = 8
"""A term in more than 1/8 of the chunks is kept as a full column: adding that is quicker than scattering."""
DENSE_BYTES = 64 * 1024 * 1024
"""For all full columns together."""
LABEL = 32
_HEADER = LABEL + 4 * 8


class Counts(Struct, frozen=True):
    """How often each term stands in each chunk: three columns of one length, ordered by term, then row."""

    vocabulary: list[str]
    terms: NDArray[np.int64]
    rows: NDArray[np.int64]
    frequencies: NDArray[np.int64]


class Postings(Struct, frozen=True, kw_only=True, dict=True):
    """Of term t: the slice `starts[t]:starts[t + 1]` of `rows` (ascending) and of `impacts`."""

    vocabulary: list[str]
    starts: NDArray[np.int64]
    rows: NDArray[np.int32]
    impacts: NDArray[np.float32]
    size: int
    """Rows of the whole index."""
    members: int
    """Rows whose statistics these are: all, or those of one lane."""

    @classmethod
    def build(cls, counts: Counts, members: NDArray[np.bool_]) -> Postings:
        """`members` tells for each row of the index whether it belongs; all counts are of rows that do."""
        n = int(members.sum())
        lengths = np.bincount(counts.rows, weights=counts.frequencies, minlength=len(members))
        average = lengths.sum() / n if n and len(counts.rows) else 1.0
        in_chunks = np.bincount(counts.terms, minlength=len(counts.vocabulary))
        idf = np.log(1 + (n - in_chunks + 0.5) / (in_chunks + 0.5))
        saturation = K1 * (1 - B + B * lengths / average)
        impacts = idf[counts.terms] * counts.frequencies / (counts.frequencies + saturation[counts.rows])
        return cls(
            vocabulary=counts.vocabulary,
            starts=np.concatenate([[0], np.cumsum(in_chunks)]).astype(np.int64),
            rows=counts.rows.astype(np.int32),
            impacts=impacts.astype(np.float32),
            size=len(members),
            members=n,
        )

    def with_field(self, prefix: str, field: Postings) -> Postings:
        """The terms of another field of the same rows beside these, told apart by a prefix. Each field keeps its own
        statistics: a match in a short name counts the same in a long text."""
        return Postings(
            vocabulary=[*self.vocabulary, *(prefix + term for term in field.vocabulary)],
            starts=np.concatenate([self.starts, field.starts[1:] + len(self.rows)]),
            rows=np.concatenate([self.rows, field.rows]),
            impacts=np.concatenate([self.impacts, field.impacts]),
            size=self.size,
            members=self.members,
        )

    @cached_property
    def term_ids(self) -> dict[str, int]:
        return dict(zip(self.vocabulary, range(len(self.vocabulary)), strict=True))

    @cached_property
    def _common(self) -> frozenset[int]:
        """The terms in most chunks, as far as there is room for their columns."""
        in_chunks = np.diff(self.starts)
        common = np.flatnonzero(in_chunks * DENSE_SHARE > self.size)
        room = DENSE_BYTES // max(4 * self.size, 1)
        return frozenset(common[np.argsort(-in_chunks[common], kind="stable")[:room]].tolist())

    @cached_property
    def _columns(self) -> dict[int, NDArray[np.float32]]:
        return {}

    def search(
        self, queries: Iterable[Mapping[str, float]], k: int, allowed: NDArray[np.bool_] | None = None
    ) -> list[Hits]:
        """The k best rows for each query, given as its terms and how often each is asked for.

        A row without any of the terms is no result.
        """
        scores = np.empty(self.size, dtype=np.float32)
        found = []
        for terms in queries:
            self._score(terms, scores)
            if allowed is not None:
                scores *= allowed
            found.append(best(scores, k, above=0.0))
        return found

    def ranks(
        self,
        queries: Iterable[Mapping[str, float]],
        wanted: Iterable[Sequence[int]],
        allowed: NDArray[np.bool_] | None = None,
    ) -> list[int | None]:
        """The best rank of the wanted rows of each query, among all rows there are."""
        scores = np.empty(self.size, dtype=np.float32)
        found = []
        for terms, rows in zip(queries, wanted, strict=True):
            self._score(terms, scores)
            if allowed is not None:
                scores *= allowed
            found.append(rank_of(scores, rows, above=0.0))
        return found

    def _score(self, terms: Mapping[str, float], scores: NDArray[np.float32]) -> None:
        """Always in the order of the vocabulary, so that equal chunks get equal sums to the last bit."""
        scores.fill(0)
        known = sorted((self.term_ids[term], weight) for term, weight in terms.items() if term in self.term_ids)
        for term, weight in known:
            inside = None if term in self._common else self._slice(term)
            values = self._column(term) if inside is None else self.impacts[inside]
            if weight != 1:
                values = values * np.float32(weight)
            if inside is None:
                scores += values
            else:
                np.add.at(scores, self.rows[inside], values)

    def _slice(self, term: int) -> slice:
        return slice(self.starts[term], self.starts[term + 1])

    def _column(self, term: int) -> NDArray[np.float32]:
        column = self._columns.get(term)
        if column is None:
            column = np.zeros(self.size, dtype=np.float32)
            column[self.rows[self._slice(term)]] = self.impacts[self._slice(term)]
            self._columns[term] = column
        return column

    def contributions(self, terms: Mapping[str, float], row: int) -> dict[str, float]:
        """What each term adds to the score of a row; terms that add nothing are left out."""
        found = {}
        for term, weight in terms.items():
            if (number := self.term_ids.get(term)) is not None:
                start, stop = self.starts[number], self.starts[number + 1]
                place = start + np.searchsorted(self.rows[start:stop], row)
                if place < stop and self.rows[place] == row:
                    found[term] = weight * float(self.impacts[place])
        return found

    def idf(self, term: str) -> float:
        """The first factor of the formula; a term that stands nowhere weighs most."""
        number = self.term_ids.get(term)
        n = 0 if number is None else int(self.starts[number + 1] - self.starts[number])
        return float(np.log(1 + (self.members - n + 0.5) / (n + 0.5)))

    def to_bytes(self, label: bytes) -> bytes:
        """The label (32 bytes: what it was made from), four sizes, the arrays, the vocabulary; little-endian."""
        sizes = np.array([self.size, self.members, len(self.vocabulary), len(self.rows)], dtype="<i8")
        arrays = (sizes, self.starts.astype("<i8"), self.rows.astype("<i4"), self.impacts.astype("<f4"))
        return b"".join([label, *(array.tobytes() for array in arrays), "\n".join(self.vocabulary).encode()])

    @classmethod
    def from_bytes(cls, data: bytes, label: bytes) -> Postings | None:
        """Arrays that read from `data` itself, nothing copied; None when it was made from something else."""
        if len(data) < _HEADER or data[:LABEL] != label:
            return None
        size, members, terms, postings = np.frombuffer(data, "<i8", 4, LABEL).tolist()
        rows_at = _HEADER + 8 * (terms + 1)
        vocabulary_at = rows_at + 8 * postings
        return cls(
            vocabulary=data[vocabulary_at:].decode().split("\n") if terms else [],
            starts=np.frombuffer(data, "<i8", terms + 1, _HEADER),
            rows=np.frombuffer(data, "<i4", postings, rows_at),
            impacts=np.frombuffer(data, "<f4", postings, rows_at + 4 * postings),
            size=size,
            members=members,
        )
