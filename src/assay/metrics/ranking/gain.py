"""Measures of graded relevance."""

from __future__ import annotations

import numpy as np

from assay.metrics.ranking.judged import Floats, Ints, Judged, position, share
from assay.metrics.ranking.measures import measure

ERR_TOP = 4
"""The highest grade of the scale on which ERR is defined, as in gdeval and ir_measures."""


@measure("ndcg")
def ndcg(judged: Judged, k: int | None) -> Floats:
    """Discounted cumulated gain of the first k over that of the best possible ranking.

    DCG = Σ grade / log2(rank + 1); nDCG = DCG / ideal DCG, both over the first k. The gain is the grade itself.
    trec_eval: `ndcg`, `ndcg_cut_k`. K. Järvelin, J. Kekäläinen, "Cumulated gain-based evaluation of IR techniques",
    TOIS 20(4), 2002. The relevance level does not touch it: every grade above 0 is a gain.

    Grades 3 and 2 found at ranks 2 and 1: (2/log2(2) + 3/log2(3)) / (3/log2(2) + 2/log2(3)) = 3.892789 / 4.261860.

    >>> from assay.metrics import measure_list
    >>> round(measure_list("ndcg@10", ranked=["b", "a"], relevant={"a": 3, "b": 2}), 6)
    0.913402
    """
    ideal = _dcg(judged, judged.pool_query, position(judged.pool_query) + 1, judged.pool_grade, k)
    return share(_dcg(judged, judged.query, judged.rank, judged.grade, k), ideal, ideal > 0)


def _dcg(judged: Judged, query: Ints, rank: Ints, grade: Ints, k: int | None) -> Floats:
    gains = grade > 0 if k is None else (grade > 0) & (rank <= k)
    return judged.total(query[gains], grade[gains] / np.log2(rank[gains] + 1))


@measure("err", undefined=f"nothing is relevant, or a grade is above {ERR_TOP}")
def expected_reciprocal_rank(judged: Judged, k: int | None) -> Floats:
    """Expected reciprocal rank of where a reader who goes down the list stops.

    ERR = Σ 1/rank · stop(grade) · Π over earlier ones of (1 - stop), stop(grade) = (2^grade - 1) / 2^4: the scale
    ends at 4 as in gdeval, whatever the highest grade of the judgements. trec_eval has no ERR.
    O. Chapelle, D. Metzler, Y. Zhang, P. Grinspan, "Expected reciprocal rank for graded relevance", CIKM 2009.

    Grades 1 and 4 at ranks 1 and 2: 1/16 + 1/2 · 15/16 · (1 - 1/16) = 0.0625 + 0.439453.

    >>> from assay.metrics import measure_list
    >>> measure_list("err@20", ranked=["a", "b"], relevant={"a": 1, "b": 4})
    0.501953125
    """
    relevant = (judged.grade > 0) & (judged.grade <= ERR_TOP)
    if k is not None:
        relevant &= judged.rank <= k
    query, rank = judged.query[relevant], judged.rank[relevant]
    stop = (2.0 ** judged.grade[relevant] - 1) / 2**ERR_TOP
    reach = np.ones(len(judged))
    total = np.zeros(len(judged))
    number = position(query)
    for step in range(int(number.max(initial=-1)) + 1):
        at = np.flatnonzero(number == step)
        total[query[at]] += reach[query[at]] * stop[at] / rank[at]
        reach[query[at]] *= 1 - stop[at]
    off_scale = judged.count(judged.pool_query[judged.pool_grade > ERR_TOP])
    any_gain = judged.count(judged.pool_query[judged.pool_grade > 0])
    return share(total, 1, (any_gain > 0) & (off_scale == 0))
