"""`assay history`: the runs so far, oldest first."""

from __future__ import annotations

import argparse

HELP = "list the finished runs and their headline numbers"
OMITS = ("--quiet",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--kind", metavar="NAME", help="only this kind of evaluation, such as retrieval")
    parser.add_argument("--last", metavar="N", type=int, default=20, help="how many (default: 20; 0: all)")


def run(arguments: argparse.Namespace) -> int:
    from assay.cli._output import print_json, show
    from assay.config import load
    from assay.report.listing import history_report
    from assay.runs.history import read

    entries = read(load(arguments.config).path("runs"), arguments.kind)[-arguments.last :]
    if arguments.json:
        print_json(entries)
    else:
        show(history_report(entries))
    return 0
