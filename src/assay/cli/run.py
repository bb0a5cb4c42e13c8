"""`assay run`: the whole pipeline, judged, timed, costed, against a baseline."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from assay.errors import AssayError

HELP = "ask every question, judge the answers, compare with the baseline"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from assay.cli._baseline import add_baseline_arguments
    from assay.cli._ci import add_ci_arguments

    parser.add_argument("--gold", metavar="FILE", type=Path, help="gold set, QA corpus, case file, CSV or SQuAD")
    parser.add_argument("--index", metavar="FILE", type=Path, help="the index of the embedded pipeline")
    parser.add_argument("--system", metavar="NAME", help="embedded, python:module:name, a URL, recorded:FILE")
    parser.add_argument("--model", metavar="NAME", help="that writes the answers, provider/model")
    parser.add_argument("--judge", metavar="NAME", help="reference, or provider/model")
    parser.add_argument("--cloud", action="store_true", help="the system is the HTTP service at --endpoint")
    parser.add_argument("--endpoint", metavar="URL", help="of the service, with --cloud")
    parser.add_argument("--retriever", metavar="NAME", help="of the embedded pipeline: hybrid, bm25, vector, ...")
    parser.add_argument("--no-hybrid", action="store_true", help="vector instead of hybrid")
    parser.add_argument("--no-rerank", action="store_true", help="without the second stage")
    parser.add_argument("--precision", metavar="K", type=int, help="passages the generator sees")
    parser.add_argument("--recall-k", metavar="K", type=int, help="candidates before reranking")
    parser.add_argument("--workers", metavar="N", type=int, help="questions at once")
    parser.add_argument("--quick", metavar="N", type=int, help="N questions, stratified, the same every time")
    parser.add_argument("--test", action="store_true", help="30 questions: 5 of each type and difficulty")
    parser.add_argument(
        "--dry-run", action="store_true", help="what would be called, tokens and cost; nothing is spent"
    )
    parser.add_argument("--max-cost", metavar="USD", type=float, help="stop cleanly when this is spent")
    parser.add_argument("--max-time", metavar="SECONDS", type=float, help="stop cleanly after this time")
    parser.add_argument("--seed", metavar="N", type=int, help="of everything random")
    add_baseline_arguments(parser)
    parser.add_argument("--allow-different-judges", action="store_true", help="compare even if the judges differ")
    parser.add_argument("--record", metavar="FILE", type=Path, help="keep the replies used in a file for llm.recording")
    parser.add_argument(
        "--batch-out", metavar="FILE", type=Path, help="write the requests as a batch file instead of sending them"
    )
    parser.add_argument(
        "--batch-in", metavar="FILE", type=Path, action="append", help="take the results of a batch in first"
    )
    parser.add_argument("--interactive", action="store_true", help="ask for the main settings first, on a terminal")
    add_ci_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    # Searches of a run are small and many: more threads in the matrix library only spin while replies are awaited.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from assay.cli._output import finish, print_estimate, told
    from assay.cli._progress import clean_stdout, progress_to
    from assay.cli._run import ask, check_whole, exchange_of, order_of
    from assay.config import load
    from assay.rag.batches import BatchWritten
    from assay.rag.estimate import estimate_run
    from assay.rag.evaluation import run_rag
    from assay.report.publish import publish, require_baseline

    config, order = order_of(load(arguments.config), arguments)
    if arguments.interactive and arguments.ci:
        raise AssayError("--interactive and --ci exclude each other", hint="A pipeline has nobody to ask")
    if arguments.interactive:
        config, order = ask(config, order)
    if arguments.dry_run:
        with clean_stdout():
            estimate = estimate_run(order)
        print_estimate(estimate, arguments)
        return 0
    require_baseline(arguments.baseline, config)
    check_whole(order, arguments)
    try:
        with progress_to(quiet=arguments.quiet) as progress:
            folder = run_rag(order, progress, exchange_of(arguments))
    except BatchWritten as done:
        return told(done, arguments)
    published = publish(folder, config, arguments.baseline, different_judges=arguments.allow_different_judges)
    finish(published, config, arguments)
    return published.exit_code
