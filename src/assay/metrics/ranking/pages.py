"""Recall of pages, for corpora whose chunks change but whose pages stay."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from assay.metrics.ranking.judged import Floats, share
from assay.metrics.ranking.measures import MEASURES, Definition
from assay.records import PageRef

Place = tuple[str, int | None] | tuple[str, int | None, int | None]
"""A document with a page, or with the first and the last page that a chunk covers."""

MEASURES.register("page_recall")(Definition("required", "no page is expected", None))


def page_ranks(
    found: Iterable[Place],
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
    ranks: dict[PageRef, int | None] = dict.fromkeys(sorted(set(expected)))
    missing = list(ranks)
    for rank, place in enumerate(found, 1):
        document, first, last = place[0], place[1], place[-1]
        if first is None or last is None:
            continue
        for wanted in missing[:]:
            is_near = first - tolerance <= wanted.page <= last + tolerance
            if is_near and (document == wanted.document or not same_document):
                ranks[wanted] = rank
                missing.remove(wanted)
        if not missing:
            break
    return list(ranks.values())


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


def page_recalls(ranks: Sequence[Sequence[int | None]], k: int) -> Floats:
    """`page_recall` of many questions; NaN if no page is expected.

    >>> page_recalls([[2, None], [], [1]], 5).tolist()
    [0.5, nan, 1.0]
    """
    sizes = np.array([len(each) for each in ranks], dtype=np.int64)
    covered = np.array([rank is not None and rank <= k for each in ranks for rank in each], dtype=bool)
    question = np.repeat(np.arange(len(sizes)), sizes)
    return share(np.bincount(question[covered], minlength=len(sizes)), sizes, sizes > 0)
