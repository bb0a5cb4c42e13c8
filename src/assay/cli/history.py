"""`assay history`: the runs so far, oldest first."""

from __future__ import annotations

import argparse

from assay.errors import unknown_name

HELP = "list the finished runs and their headline numbers"
KINDS = ("retrieval", "rag", "extraction", "lanes")
"""Of evaluations; one from elsewhere is known by its lines."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--kind", metavar="NAME", help=f"only this kind of evaluation: {', '.join(KINDS)}")
    parser.add_argument("--last", metavar="N", type=int, default=20, help="how many (default: 20; 0: all)")


def run(arguments: argparse.Namespace) -> int:
    from assay.cli._output import print_json, show
    from assay.config import load
    from assay.report.listing import history_report
    from assay.runs.history import read

    entries = read(load(arguments.config).path("runs"), arguments.kind)[-arguments.last :]
    if not entries and arguments.kind and arguments.kind not in KINDS:
        raise unknown_name("kind", arguments.kind, KINDS)
    if arguments.json:
        print_json(entries)
    else:
        show(history_report(entries))
    return 0
