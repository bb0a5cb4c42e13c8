"""Recall of pages, for corpora whose chunks change but whose pages stay."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assay.metrics.ranking.measures import MEASURES, Definition
from assay.records import PageRef

Place = tuple[str, int | None] | tuple[str, int | None, int | None]
"""A document with a page, or with the first and the last page that a chunk covers."""

MEASURES.register("page_recall")(Definition("required", "no page is expected", None))


def page_ranks(
    found: Sequence[Place],
    expected: Iterable[PageRef],
    *,
    tolerance: int = 2,
    same_document: bool = True,
) -> list[int | None]:
    """The rank from 1 at which each distinct expected page is first covered, in page order; None: never.

    `found` are (document, page) or (document, first page, last page) of the retrieved chunks, best first; a chunk
    without a page covers none. A page is covered by a chunk of the same document that begins or ends at most
    `tolerance` pages away or goes across it; `same_document=False` drops the document from this rule, which is
    looser: page 10 of any document then covers page 10.
    """
    ranked = [
        (rank, place[0], first - tolerance, last + tolerance)
        for rank, place in enumerate(found, 1)
        if (first := place[1]) is not None and (last := place[-1]) is not None
    ]
    return [
        next(
            (
                rank
                for rank, document, low, high in ranked
                if low <= wanted.page <= high and (document == wanted.document or not same_document)
            ),
            None,
        )
        for wanted in sorted(set(expected))
    ]


def page_recall(ranks: Sequence[int | None], k: int) -> float | None:
    """Share of the expected pages covered by the first k: |{page: rank ≤ k}| / |pages|. None if no page is expected.

    Expected are pages 10 and 40 of one document; page 11 of it is second, page 40 of another one is third: 1 / 2.

    >>> found = [("b.pdf", 10), ("a.pdf", 11), ("b.pdf", 40)]
    >>> ranks = page_ranks(found, [PageRef("a.pdf", 10), PageRef("a.pdf", 40)], tolerance=2)
    >>> ranks
    [2, None]
    >>> [page_recall(ranks, k) for k in (1, 5)]
    [0.0, 0.5]
    """
    if not ranks:
        return None
    return sum(rank is not None and rank <= k for rank in ranks) / len(ranks)
