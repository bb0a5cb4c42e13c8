"""What `assay lanes` and `assay code` share."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.config import Config
    from assay.lanes.cases import Placed
    from assay.records import Lane
    from assay.report.publish import Published


def add_evaluation_arguments(parser: argparse.ArgumentParser, default_k: str) -> None:
    from assay.cli._baseline import add_baseline_arguments
    from assay.cli._ci import add_ci_arguments

    parser.add_argument(
        "--k", metavar="N", type=int, help=f"cut-off of every case (default: its own, else {default_k})"
    )
    parser.add_argument(
        "--cases", metavar="FILE", type=Path, action="append", help="case file (default: lanes.cases of the settings)"
    )
    parser.add_argument("--no-builtin", action="store_true", help="without the built-in smoke cases")
    parser.add_argument("--index", metavar="FILE", type=Path, help="what the cases of the files are searched in")
    parser.add_argument("--variants", metavar="A,B", help="retrievers: bm25, vector, hybrid, bm25+rerank, ...")
    parser.add_argument("--strict", action="store_true", help="exit 1 if an expected id is not in its index")
    parser.add_argument("--seed", metavar="N", type=int, help="of everything random")
    add_baseline_arguments(parser)
    add_ci_arguments(parser)


def evaluate(arguments: argparse.Namespace, config: Config, lane: Lane | None) -> Published:
    """Run and publish. What is missing from an index is told on stderr, where a reader of the JSON sees it too."""
    from assay.cli._progress import progress_to
    from assay.errors import AssayError
    from assay.lanes.evaluation import Order, evaluate_lanes
    from assay.report.publish import publish, require_baseline

    if arguments.k is not None and arguments.k < 1:
        raise AssayError(f"--k is {arguments.k}", expected="a whole number from 1 on")
    settings = _override(config, arguments)
    require_baseline(arguments.baseline, settings)
    with progress_to(quiet=arguments.quiet) as progress:
        order = Order(
            config=settings,
            lane=lane,
            k=arguments.k,
            cases=tuple(arguments.cases or (Path(config.root) / name for name in config.lanes.cases)),
            builtin=() if arguments.no_builtin else _builtin(settings),
            index=arguments.index,
            strict=arguments.strict,
            resume=arguments.resume,
            command=tuple(sys.argv[1:]),
        )
        folder = evaluate_lanes(order, progress)
    published = publish(folder, settings, arguments.baseline)
    _warn(published.summary["missing"])
    return published


def _warn(missing: list[dict[str, str]], shown: int = 5) -> None:
    from assay.errors import AssayError

    for entry in missing[:shown]:
        print(f"warning: {AssayError(entry['told'], where=entry['case_id'])}", file=sys.stderr)
    if len(missing) > shown:
        print(f"warning: {len(missing) - shown} more expected ids are missing", file=sys.stderr)


def _override(config: Config, arguments: argparse.Namespace) -> Config:
    """The settings with what was said on the command line."""
    from msgspec.structs import replace

    from assay.cli._output import words

    lanes = replace(config.lanes, variants=words(arguments.variants, "--variants") or config.lanes.variants)
    return replace(config, seed=config.seed if arguments.seed is None else arguments.seed, lanes=lanes)


def _builtin(config: Config) -> tuple[Placed, ...]:
    from assay.lanes.corpora import builtin_cases

    return builtin_cases(config)
