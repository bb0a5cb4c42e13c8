"""A measure for incomplete judgements."""

from __future__ import annotations

import numpy as np

from assay.metrics.ranking.judged import Floats, Judged, position, share
from assay.metrics.ranking.measures import measure


@measure("bpref", cutoff="none")
def bpref(judged: Judged, _k: int | None = None) -> Floats:
    """How often a relevant document stands before the judged ones that are not relevant; unjudged ones do not count.

    bpref = 1/R · Σ over hits of (1 - min(n, R) / min(N, R)), with n the judged non-relevant ones ranked above and
    N all judged non-relevant ones. trec_eval: `bpref`.
    C. Buckley, E. Voorhees, "Retrieval evaluation with incomplete information", SIGIR 2004.

    R = 2, N = 2, u unjudged; a has none above it, b has one: ((1 - 0/2) + (1 - 1/2)) / 2.

    >>> from assay.metrics import measure_list
    >>> measure_list("bpref", ranked=["a", "u", "x", "b"], relevant={"a": 1, "b": 1, "x": 0, "y": 0})
    0.75
    """
    is_hit = judged.grade >= judged.level
    query = judged.query[is_hit]
    above = position(judged.query)[is_hit] - position(query)
    relevant = judged.relevant[query]
    others = (judged.count(judged.pool_query) - judged.relevant)[query]
    limit = np.maximum(np.minimum(others, relevant), 1)
    return share(judged.total(query, 1 - np.minimum(above, relevant) / limit), judged.relevant, judged.relevant > 0)
