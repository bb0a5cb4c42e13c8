"""`assay gold ingest FILE`: answers to the prompts, or a person's questions, into the build."""

from __future__ import annotations

import argparse
from pathlib import Path

from assay.cli._gold._arguments import add_build_arguments

HELP = "take answers to the prompts (JSON lines), or a person's questions (CSV), into a build"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("answers", metavar="FILE", type=Path, help="JSON lines with custom_id and the reply; or a CSV")
    add_build_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    from assay.cli._gold._order import ingest_into, order_of
    from assay.cli._output import print_json

    taken = ingest_into(order_of(arguments), arguments.answers)
    if arguments.json:
        print_json(taken)
    else:
        print("\n".join(taken["said"]))
    return 1 if taken["failed"] else 0
