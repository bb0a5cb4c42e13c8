"""`assay baselines`: the promoted runs."""

from __future__ import annotations

import argparse

HELP = "list baselines, or promote a run to one"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--promote", metavar="RUN", help="make this run the next version: its name, its id, or last")
    parser.add_argument("--force", action="store_true", help="promote a partial run too")
    parser.add_argument("--client", metavar="NAME", help="only this client's")


def run(arguments: argparse.Namespace) -> int:
    from datetime import UTC, datetime

    from assay.cli._output import print_json, show
    from assay.config import load
    from assay.report.listing import baselines_report
    from assay.runs.baselines import all_baselines, promote
    from assay.runs.folder import find_run

    config = load(arguments.config)
    root = config.path("baselines")
    if arguments.promote:
        found = find_run(config.path("runs"), arguments.promote)
        promote(found, root, today=datetime.now(UTC).date(), force=arguments.force)
    entries = [baseline.listing() for baseline in all_baselines(root, arguments.client)]
    if arguments.json:
        print_json(entries)
    else:
        show(baselines_report(entries))
    return 0
