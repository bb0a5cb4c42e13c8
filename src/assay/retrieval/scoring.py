"""The measures of a retrieval evaluation, for many questions at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.config import RetrievalOptions
from assay.corpus.documents import Documents
from assay.corpus.index import Index
from assay.metrics import Measure, evaluate_judged, judge, page_ranks
from assay.records import Case, PageRef, Ranking
from assay.retrievers.protocol import Fault, Retriever
from assay.runs.results import Row

AT_EACH_K = ("recall", "page_recall", "hit", "p", "p_max", "ndcg")
AT_LAST_K = ("mrr", "map")


def measure_names(options: RetrievalOptions, *, pages_only: bool = False) -> list[str]:
    """The usual measures at every k, then those asked for besides."""
    cuts = sorted(set(options.k))
    if pages_only:
        return [f"page_recall@{k}" for k in cuts]
    names = [f"{family}@{k}" for family in AT_EACH_K for k in cuts]
    names += [f"{family}@{cuts[-1]}" for family in AT_LAST_K]
    return list(dict.fromkeys([*names, *(str(Measure.parse(name)) for name in options.measures)]))
