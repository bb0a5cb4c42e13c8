"""`assay gold verify FILE`: every gate, measured again; exit 1 when a blocking one fails."""

from __future__ import annotations

import argparse
from pathlib import Path

HELP = "put every gate to a gold set, measured again from text, index and embeddings"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from assay.cli._ci import add_ci_arguments

    parser.add_argument("gold", nargs="?", metavar="FILE", type=Path, help="schema v2 (default: paths.gold)")
    parser.add_argument("--index", metavar="FILE", type=Path, help="the index (default: paths.index)")
    parser.add_argument(
        "--model", metavar="NAME", help="reads the passages nearest to each unanswerable question; paid (default: rule)"
    )
    parser.add_argument(
        "--out", metavar="FILE", type=Path, action="append", default=[], help="write the report: .json, .md or .html"
    )
    parser.add_argument("--gates", action="store_true", help="list the gates with their limits and stop")
    add_ci_arguments(parser, "this folder")


def run(arguments: argparse.Namespace) -> int:
    from assay.cli._ci import tell_pipeline_of_gates
    from assay.cli._gold._reports import write_reports
    from assay.cli._output import print_json, show
    from assay.config import load
    from assay.corpus.index import Index
    from assay.gold.gold_file import read_gold_file
    from assay.gold.verify import verify
    from assay.report.gold import gate_records, gates_report, verification_report

    config = load(arguments.config)
    if arguments.gates:
        print_json(gate_records(config.gold.gates)) if arguments.json else show(gates_report(config.gold.gates))
        return 0
    gold = read_gold_file(arguments.gold or config.path("gold"))
    with Index.open(arguments.index or config.path("index")) as index:
        found = verify(gold, index, config, arguments.model)
    report = verification_report(found, {question.id: question for question in gold.questions})
    write_reports(arguments.out, report, found.as_data())
    with tell_pipeline_of_gates(found, report, arguments):
        print_json(found.as_data()) if arguments.json else show(report)
    return found.exit_code
