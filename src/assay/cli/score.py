"""`assay score`: the measures of TREC and BEIR files, or a finished run judged or scored again, with no new output."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import AssayError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.config import Config
    from assay.runs.folder import RunFolder

HELP = "score TREC run files against qrels, or judge or score a finished run again"
USUAL = "ndcg@10,map,mrr,recall@10,recall@100"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from assay.cli._ci import add_ci_arguments

    parser.add_argument(
        "folder", metavar="RUN", nargs="?", help="a finished RAG or extraction run: path, name, id or last"
    )
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
    records = parser.add_argument_group("score an extraction run again, without a call")
    records.add_argument("--record", metavar="FILE", type=Path, help="another record type, .yaml")
    records.add_argument("--level", metavar="NAME", help="strict, moderate or relaxed for every sample")
    records.add_argument("--fields", metavar="A,B", help="fields that must be right too, such as location,attendees")
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
        return _again(arguments)
    if arguments.ci or arguments.junit:
        raise AssayError("--ci and --junit tell of a run that is judged again", hint="Name the run")
    if not arguments.qrels or not arguments.run:
        raise AssayError("nothing to score", expected="--qrels FILE --run FILE, or the name of a finished run")
    return _score_files(arguments)


JUDGING = ("judge", "allow_different_judges", "batch_out", "batch_in")
SCORING = ("record", "level", "fields")
"""What only one kind of run knows."""


def _again(arguments: argparse.Namespace) -> int:
    """By the kind of the run. `last` is the newest finished one that the options given make sense for."""
    from assay.config import load
    from assay.report.publish import require_baseline

    if arguments.force and not arguments.update_baseline:
        raise AssayError("--force needs --update-baseline", hint="It promotes a partial run")
    config = load(arguments.config)
    require_baseline(arguments.baseline, config)
    kinds = {"rag": _judge_again, "extraction": _score_again}
    for kind, foreign in (("extraction", JUDGING), ("rag", SCORING)):
        if any(getattr(arguments, name) for name in foreign):
            del kinds[kind]
    if not kinds:
        raise AssayError("a run is judged again or scored again, not both", hint=f"{_flags(SCORING)} score records")
    folder = _finished(config.path("runs"), arguments.folder, set(kinds))
    kind = folder.manifest["kind"]
    if kind not in kinds:
        hint = f"{_flags(JUDGING)} judge RAG runs, {_flags(SCORING)} score extraction runs"
        lacks = {"rag": "no records to score", "extraction": "no answers to judge"}
        what = lacks.get(kind, "no answers to judge and no records to score")
        raise AssayError(
            f"{'an' if kind == 'extraction' else 'a'} {kind} run has {what}", where=str(folder.path), hint=hint
        )
    return kinds[kind](folder, config, arguments)


def _flags(names: Sequence[str]) -> str:
    return ", ".join(f"--{name.replace('_', '-')}" for name in names)


def _finished(root: Path, name: str, kinds: set[str]) -> RunFolder:
    from assay.runs.folder import all_runs, find_run

    if name == "last":
        found = [run for run in all_runs(root) if run.finished and run.manifest["kind"] in kinds]
        if found:
            return found[-1]
    return find_run(root, name, finished=True)


def _score_again(folder: RunFolder, config: Config, arguments: argparse.Namespace) -> int:
    from msgspec.structs import replace

    from assay.cli._output import words
    from assay.cli._progress import progress_to
    from assay.cli.extract import show_run
    from assay.extraction.again import score_again

    given = {"level": arguments.level, "fields": words(arguments.fields, "--fields")}
    options = replace(config.extraction, **{key: value for key, value in given.items() if value is not None})
    config = replace(config, extraction=options)
    with progress_to(quiet=arguments.quiet) as progress:
        again = score_again(folder, config, arguments.record, progress)
    return show_run(again, config, arguments)


def _judge_again(folder: RunFolder, config: Config, arguments: argparse.Namespace) -> int:
    from assay.cli._output import finish, told
    from assay.cli._progress import progress_to
    from assay.cli._run import exchange_of, judged_by
    from assay.rag.batches import BatchWritten
    from assay.rag.rejudge import rejudge
    from assay.report.publish import publish

    config = judged_by(config, arguments.judge)
    index = config.path("index")
    try:
        with progress_to(quiet=arguments.quiet) as progress:
            again = rejudge(folder, config, index if index.exists() else None, progress, exchange_of(arguments))
    except BatchWritten as done:
        return told(done, arguments)
    published = publish(again, config, arguments.baseline, different_judges=arguments.allow_different_judges)
    finish(published, config, arguments)
    return published.exit_code


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
    measures = words(",".join(arguments.measure or [USUAL]), "--measure") or ()
    scores = score_runs(arguments.qrels, arguments.run, measures, options)
    if arguments.json:
        print_json(as_record(scores, per_query=arguments.per_query))
        return 0
    if arguments.per_query:
        print(*per_query_lines(scores), "", sep="\n")
    print(*score_lines(scores), sep="\n")
    return 0
