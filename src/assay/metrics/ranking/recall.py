"""How much of what is relevant was found."""

from __future__ import annotations

import numpy as np

from assay.metrics.ranking.judged import Floats, Judged, share
from assay.metrics.ranking.measures import measure


@measure("recall")
def recall(judged: Judged, k: int | None) -> Floats:
    """Share of the relevant documents among the first k: hits(k) / R. Without k, among all retrieved.

    trec_eval: `recall_k`, `set_recall`. C. W. Cleverdon, "The Cranfield tests on index language devices", 1967.

    Two relevant, one of them in the first two: 1 / 2.

    >>> from assay.metrics import measure_list
    >>> measure_list("recall@2", ranked=["a", "b", "c"], relevant={"b": 1, "c": 1})
    0.5
    """
    return share(judged.hits(k), judged.relevant, judged.relevant > 0)


@measure("hit")
def hit(judged: Judged, k: int | None) -> Floats:
    """1 if any relevant document stands in the first k, else 0. Also called success or hit rate.

    trec_eval: `success_k`.

    The only relevant one is third:

    >>> from assay.metrics import measure_list
    >>> measure_list("hit@2", ranked=["a", "b", "c"], relevant={"c": 1})
    0.0
    >>> measure_list("hit@3", ranked=["a", "b", "c"], relevant={"c": 1})
    1.0
    """
    return share(judged.hits(k) > 0, 1, judged.relevant > 0)


@measure("rprec", cutoff="none")
def r_precision(judged: Judged, _k: int | None = None) -> Floats:
    """Precision at R, the number of relevant documents: hits(R) / R. Where precision and recall are the same.

    trec_eval: `Rprec`. C. Buckley, E. Voorhees, "Retrieval system evaluation", in TREC: Experiment and Evaluation
    in Information Retrieval, 2005.

    R = 3; of the first three, a and c are relevant: 2 / 3.

    >>> from assay.metrics import measure_list
    >>> measure_list("rprec", ranked=["a", "x", "c", "d"], relevant={"a": 1, "c": 1, "d": 1})
    0.6666666666666666
    """
    query, rank, _ = judged.hit
    found = judged.count(query[rank <= judged.relevant[query]])
    return share(found, judged.relevant, judged.relevant > 0)


@measure("judged", undefined="nothing was retrieved")
def judged_share(judged: Judged, k: int | None) -> Floats:
    """Share of the first k that were judged at all: judged(k) / min(k, retrieved).

    Low values say that other measures rest on guesses, for an unjudged document counts as not relevant.
    The denominator is what was retrieved, as in ir_measures' `Judged`.

    a and c are judged, b is not: 2 / 3.

    >>> from assay.metrics import measure_list
    >>> measure_list("judged@3", ranked=["a", "b", "c"], relevant={"a": 1, "c": 0})
    0.6666666666666666
    """
    seen = judged.retrieved if k is None else np.minimum(judged.retrieved, k)
    query = judged.query if k is None else judged.query[judged.rank <= k]
    return share(judged.count(query), seen, seen > 0)
