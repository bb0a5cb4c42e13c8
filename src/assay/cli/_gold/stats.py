"""`assay gold stats FILE`: distributions, coverage, hardness, triviality."""

from __future__ import annotations

import argparse
from pathlib import Path

HELP = "show what a gold set is made of: distributions, coverage, hardness, triviality"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("gold", nargs="?", metavar="FILE", type=Path, help="schema v2 (default: paths.gold)")
    parser.add_argument(
        "--index", metavar="FILE", type=Path, help="for coverage and triviality (default: paths.index, if it is there)"
    )
    parser.add_argument(
        "--out", metavar="FILE", type=Path, action="append", default=[], help="write the report: .json, .md or .html"
    )


def run(arguments: argparse.Namespace) -> int:
    import msgspec

    from assay.cli._gold._reports import write_reports
    from assay.cli._output import print_json, show
    from assay.config import load
    from assay.corpus.index import Index
    from assay.gold.gold_file import read_gold_file
    from assay.gold.grounds import Grounds
    from assay.gold.stats import describe
    from assay.report.gold_stats import stats_report

    config = load(arguments.config)
    gold = read_gold_file(arguments.gold or config.path("gold"))
    path = arguments.index or config.path("index")
    grounds = Grounds(Index.open(path), config) if arguments.index or path.exists() else None
    stats = describe(gold, grounds)
    report = stats_report(stats)
    write_reports(arguments.out, report, msgspec.to_builtins(stats))
    if arguments.json:
        print_json(msgspec.to_builtins(stats))
    else:
        show(report)
    return 0
