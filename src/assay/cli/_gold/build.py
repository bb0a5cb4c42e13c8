"""`assay gold build`: all phases, resumable, its cost shown first."""

from __future__ import annotations

import argparse

from assay.cli._gold._arguments import add_build_arguments

HELP = "make a gold set from an index: questions written, validated, enriched, chosen, gated"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_build_arguments(parser)
    parser.add_argument(
        "--model", metavar="NAME", help="that writes the questions, provider/model (default: gold.model)"
    )
    parser.add_argument("--max-cost", metavar="USD", type=float, help="stop cleanly when this is spent")
    parser.add_argument("--dry-run", action="store_true", help="strata, calls and cost; nothing is asked")
    parser.add_argument("--partial", action="store_true", help="go on with the prompts that were answered")
    parser.add_argument("--fresh", action="store_true", help="delete what an earlier build left in the folder")
    parser.add_argument(
        "--until",
        metavar="PHASE",
        choices=("strata", "questions", "validation", "enrichment", "choice"),
        help="stop behind this phase; the next build goes on from there",
    )


def run(arguments: argparse.Namespace) -> int:
    from assay.cli._gold._order import forecast_of, order_of
    from assay.cli._gold._reports import write_reports
    from assay.cli._output import print_json, show
    from assay.cli._progress import progress_to
    from assay.gold.build import build
    from assay.gold.gold_file import read_gold_file
    from assay.report.gold import verification_report
    from assay.report.gold_build import build_report

    order = order_of(arguments)
    forecast, data = forecast_of(order)
    if arguments.dry_run:
        print_json(data) if arguments.json else show(forecast)
        return 0
    if not arguments.quiet:
        show(forecast, stderr=True)
    with progress_to(quiet=arguments.quiet) as progress:
        built = build(order, progress)
    report = build_report(built)
    if built.verification is not None:
        gold = read_gold_file(order.out)
        checked = verification_report(built.verification, {question.id: question for question in gold.questions})
        paths = [order.out.with_suffix(f".report{suffix}") for suffix in (".json", ".md", ".html")]
        write_reports(paths, checked, built.verification.as_data())
    if arguments.json:
        print_json(built.as_data())
    else:
        show(report)
    return built.verification.exit_code if built.verification else 0
