"""TREC and BEIR files: judgements (qrels) and runs."""

from assay.trec.pool import Pool, read_pool, read_qrels
from assay.trec.runs import JudgedRun, judge_file, read_run

__all__ = ["JudgedRun", "Pool", "judge_file", "read_pool", "read_qrels", "read_run"]
