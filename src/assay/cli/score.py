"""`assay score`: the measures of finished runs, from TREC and BEIR files; no index needed."""

from __future__ import annotations

import argparse
from pathlib import Path

HELP = "score TREC run files against qrels"
OMITS = ("--quiet",)
USUAL = "ndcg@10,map,mrr,recall@10,recall@100"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--qrels", metavar="FILE", type=Path, required=True, help="judgements: a TREC or BEIR file, or a BEIR folder"
    )
    parser.add_argument(
        "--run", metavar="FILE", type=Path, action="append", required=True, help="a run; several stand side by side"
    )
    parser.add_argument("-m", "--measure", metavar="NAME", action="append", help=f"such as ndcg@10 (default: {USUAL})")
    parser.add_argument(
        "--relevance-level", metavar="N", type=int, default=1, help="the lowest relevant grade (default: 1)"
    )
    parser.add_argument("--per-query", action="store_true", help="also each query's values")
    parser.add_argument("--seed", metavar="N", type=int, help="of the intervals")


def run(arguments: argparse.Namespace) -> int:
    from assay.cli._output import print_json, words
    from assay.config import load
    from assay.report.scores import per_query_lines, score_lines
    from assay.trec.score import ScoreOptions, as_record, score_runs

    config = load(arguments.config)
    options = ScoreOptions(
        level=arguments.relevance_level,
        seed=config.seed if arguments.seed is None else arguments.seed,
        resamples=config.statistics.resamples,
        confidence=config.statistics.confidence,
    )
    measures = words(",".join(arguments.measure or [USUAL])) or ()
    scores = score_runs(arguments.qrels, arguments.run, measures, options)
    if arguments.json:
        print_json(as_record(scores, per_query=arguments.per_query))
        return 0
    if arguments.per_query:
        print(*per_query_lines(scores), "", sep="\n")
    print(*score_lines(scores), sep="\n")
    return 0
