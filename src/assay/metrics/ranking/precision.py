"""How much of what was found is relevant."""

from __future__ import annotations

import numpy as np

from assay.metrics.ranking.judged import Floats, Judged, share
from assay.metrics.ranking.measures import measure


@measure("p", cutoff="required")
def precision(judged: Judged, k: int | None) -> Floats:
    """Share of the first k that are relevant: hits(k) / k, also when fewer than k were retrieved.

    trec_eval: `P_k`. C. W. Cleverdon, "The Cranfield tests on index language devices", 1967.

    One hit in the first five: 1 / 5.

    >>> from assay.metrics import measure_list
    >>> measure_list("p@5", ranked=["a", "b", "c"], relevant={"b": 1})
    0.2
    """
    assert k is not None
    return share(judged.hits(k), k, judged.relevant > 0)


@measure("p_max", cutoff="required")
def precision_reachable(judged: Judged, k: int | None) -> Floats:
    """The highest precision the judgements allow: min(R, k) / k. A p@5 of 0.2 is perfect where p_max@5 is 0.2.

    >>> from assay.metrics import measure_list
    >>> measure_list("p_max@5", ranked=["a", "b", "c"], relevant={"b": 1})
    0.2
    """
    assert k is not None
    return share(np.minimum(judged.relevant, k), k, judged.relevant > 0)


@measure("map")
def average_precision(judged: Judged, k: int | None) -> Floats:
    """The mean, over all R relevant documents, of the precision at the rank where each is found (0 if it is not).

    AP = 1/R · Σ over hits in the first k of (hits so far / rank). Its mean over queries is MAP.
    trec_eval: `map`, `map_cut_k`. C. Buckley, E. Voorhees, "Evaluating evaluation measure stability", SIGIR 2000.

    Found at ranks 1 and 3, R = 3: (1/1 + 2/3 + 0) / 3 = 5/9.

    >>> from assay.metrics import measure_list
    >>> round(measure_list("map", ranked=["a", "x", "c"], relevant={"a": 1, "c": 1, "z": 1}), 6)
    0.555556
    """
    query, rank, number = judged.hit
    if k is not None:
        within = rank <= k
        query, rank, number = query[within], rank[within], number[within]
    return share(judged.total(query, number / rank), judged.relevant, judged.relevant > 0)


@measure("mrr")
def reciprocal_rank(judged: Judged, k: int | None) -> Floats:
    """1 / rank of the first relevant document; 0 if none stands in the first k. Its mean over queries is MRR.

    trec_eval: `recip_rank` (without cut-off). E. Voorhees, "The TREC-8 question answering track report", 1999.

    The first relevant one is second:

    >>> from assay.metrics import measure_list
    >>> measure_list("mrr@10", ranked=["a", "b", "c"], relevant={"b": 1, "c": 1})
    0.5
    """
    query, rank, number = judged.hit
    first = number == 1 if k is None else (number == 1) & (rank <= k)
    return share(judged.total(query[first], 1 / rank[first]), 1, judged.relevant > 0)
