"""Measures of rankings, each a pure function of judged rankings."""

from assay.metrics.ranking.gain import expected_reciprocal_rank, ndcg
from assay.metrics.ranking.judged import Judged, judge
from assay.metrics.ranking.lists import judge_run, measure_list, measure_runs
from assay.metrics.ranking.measures import MEASURES, Definition, Measure, defined, measure
from assay.metrics.ranking.pages import page_ranks, page_recall, page_recalls
from assay.metrics.ranking.precision import average_precision, precision, precision_reachable, reciprocal_rank
from assay.metrics.ranking.preference import bpref
from assay.metrics.ranking.recall import hit, judged_share, r_precision, recall

__all__ = [
    "MEASURES",
    "Definition",
    "Judged",
    "Measure",
    "average_precision",
    "bpref",
    "defined",
    "expected_reciprocal_rank",
    "hit",
    "judge",
    "judge_run",
    "judged_share",
    "measure",
    "measure_list",
    "measure_runs",
    "ndcg",
    "page_ranks",
    "page_recall",
    "page_recalls",
    "precision",
    "precision_reachable",
    "r_precision",
    "recall",
    "reciprocal_rank",
]
