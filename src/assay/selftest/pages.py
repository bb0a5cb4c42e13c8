"""Page recall against values counted by hand."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.metrics import page_ranks, page_recall
from assay.records import PageRef
from assay.selftest.checks import CHECKS, Outcome
from assay.selftest.measures import difference

FOUND = (("b.pdf", 10), ("a.pdf", None), ("a.pdf", 12), ("a.pdf", 40), ("b.pdf", 3))
EXPECTED = (PageRef("a.pdf", 10), PageRef("a.pdf", 43), PageRef("b.pdf", 3), PageRef("a.pdf", 10))
COUNTED = (0.0, 0.0, 1 / 3, 1 / 3, 2 / 3)
"""At k = 1 to 5: page 12 is within two pages of 10, page 40 is not of 43, page 10 of b.pdf is not page 10 of a.pdf."""


@CHECKS.register("pages")
def check_pages() -> Iterator[Outcome]:
    """At every k, and undefined without expected pages."""
    ranks = page_ranks(FOUND, EXPECTED, tolerance=2)
    values = [page_recall(ranks, k) for k in range(1, 6)] + [page_recall(page_ranks(FOUND, ()), 5)]
    worst = difference(np.array(values, np.float64), [*COUNTED, None])
    yield Outcome("page_recall", "counted by hand", len(values), worst)
