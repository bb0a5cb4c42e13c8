"""`assay score`: the measures of TREC and BEIR files, or a finished RAG run judged again; nothing is generated."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import AssayError

if TYPE_CHECKING:
    from assay.runs.folder import RunFolder

HELP = "score TREC run files against qrels, or judge a finished run again"
USUAL = "ndcg@10,map,mrr,recall@10,recall@100"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from assay.cli._ci import add_ci_arguments

    parser.add_argument("folder", metavar="RUN", nargs="?", help="a finished RAG run: path, name, id or last")
    again = parser.add_argument_group("judge a RAG run again")
    again.add_argument("--judge", metavar="NAME", help="reference, or provider/model (default: that of the settings)")
    again.add_argument("--baseline", metavar="FILE|latest|none", default="none", help="compare with (default: none)")
    again.add_argument("--allow-different-judges", action="store_true", help="compare even if the judges differ")
    again.add_argument("--update-baseline", action="store_true", help="promote the new run to the next baseline")
    again.add_argument("--batch-out", metavar="FILE", type=Path, help="write the judge's requests as a batch file")
    again.add_argument(
        "--batch-in", metavar="FILE", type=Path, action="append", help="take the results of a batch in first"
    )
    again.add_argument("--force", action="store_true", help="promote a partial run too")
    parser.add_argument("--qrels", metavar="FILE", type=Path, help="judgements: a TREC or BEIR file, or a BEIR folder")
    parser.add_argument("--run", metavar="FILE", type=Path, action="append", help="a run; several stand side by side")
    parser.add_argument("-m", "--measure", metavar="NAME", action="append", help=f"such as ndcg@10 (default: {USUAL})")
    parser.add_argument(
        "--relevance-level", metavar="N", type=int, default=1, help="the lowest relevant grade (default: 1)"
    )
    parser.add_argument("--per-query", action="store_true", help="also each query's values")
    parser.add_argument("--seed", metavar="N", type=int, help="of the intervals")
    add_ci_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    if arguments.folder:
        return _judge_again(arguments)
    if arguments.ci or arguments.junit:
        raise AssayError("--ci and --junit tell of a run that is judged again", hint="Name the run")
    if not arguments.qrels or not arguments.run:
        raise AssayError("nothing to score", expected="--qrels FILE --run FILE, or the name of a finished RAG run")
    return _score_files(arguments)


def _judge_again(arguments: argparse.Namespace) -> int:
    from assay.cli._output import finish, told
    from assay.cli._progress import progress_to
    from assay.cli._run import check_promotion, exchange_of, judged_by
    from assay.config import load
    from assay.rag.batches import BatchWritten
    from assay.rag.rejudge import rejudge
    from assay.report.publish import publish, require_baseline

    check_promotion(arguments)
    config = judged_by(load(arguments.config), arguments.judge)
    require_baseline(arguments.baseline, config)
    index = config.path("index")
    folder = _rag_run(config.path("runs"), arguments.folder)
    try:
        with progress_to(quiet=arguments.quiet) as progress:
            again = rejudge(folder, config, index if index.exists() else None, progress, exchange_of(arguments))
    except BatchWritten as done:
        return told(done, arguments)
    published = publish(again, config, arguments.baseline, different_judges=arguments.allow_different_judges)
    finish(published, config, arguments)
    return published.exit_code


def _rag_run(root: Path, name: str) -> RunFolder:
    """An extraction run has no judge; what it has is scored again by running it again."""
    from assay.runs.folder import all_runs, find_run

    kinds = {run.manifest["kind"] for run in all_runs(root)} if name == "last" else {"rag"}
    found = find_run(root, name, "rag" if "rag" in kinds else None, finished=True)
    if found.manifest["kind"] == "extraction":
        hint = "Run assay extract again, with another --level or --fields; what a model said is in the cache"
        raise AssayError("it is an extraction run, which no judge graded", where=str(found.path), hint=hint)
    return found


def _score_files(arguments: argparse.Namespace) -> int:
    from msgspec.structs import replace

    from assay.cli._output import print_json, words
    from assay.cli._settings import checked
    from assay.config import load
    from assay.report.scores import per_query_lines, score_lines
    from assay.trec.score import ScoreOptions, as_record, score_runs

    config = load(arguments.config)
    config = checked(
        replace(config, seed=config.seed if arguments.seed is None else arguments.seed), {"seed": "--seed"}
    )
    options = ScoreOptions(
        level=arguments.relevance_level,
        seed=config.seed,
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
