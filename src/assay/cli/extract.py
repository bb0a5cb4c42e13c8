"""`assay extract`: are the right records pulled out of these texts, all of them and nothing else?"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.config import Config
    from assay.extraction.bench import Order
    from assay.records import Step
    from assay.runs.folder import RunFolder

HELP = "extract records from texts and score them against what is expected"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from assay.cli._baseline import add_baseline_arguments
    from assay.cli._ci import add_ci_arguments

    parser.add_argument(
        "samples", nargs="?", type=Path, help="folder of samples, one text, or outputs (.jsonl, with --gold)"
    )
    parser.add_argument("--gold", metavar="FILE", type=Path, help="the truth of outputs that are there already, .jsonl")
    parser.add_argument("--system", metavar="NAME", help="llm, rules, recorded, module:function, a URL")
    parser.add_argument(
        "--model", metavar="NAME", help="that extracts, provider/model; where it does not: whose prices apply"
    )
    parser.add_argument("--record", metavar="FILE", type=Path, help="record type, .yaml (default: calendar events)")
    parser.add_argument("--level", metavar="NAME", help="strict, moderate or relaxed for every sample")
    parser.add_argument("--fields", metavar="A,B", help="fields that must be right too, such as location,attendees")
    parser.add_argument("--workers", metavar="N", type=int, help="samples at once")
    parser.add_argument("--delay", metavar="SECONDS", type=float, help="from one call to the next, for free tiers")
    parser.add_argument("--no-summary", action="store_true", help="let no model write what goes wrong")
    parser.add_argument(
        "--dry-run", action="store_true", help="what would be called, tokens and cost; nothing is spent"
    )
    parser.add_argument("--max-cost", metavar="USD", type=float, help="stop cleanly when this is spent")
    parser.add_argument("--seed", metavar="N", type=int, help="of everything random")
    add_baseline_arguments(parser)
    add_ci_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    from assay.config import load

    config = _override(load(arguments.config), arguments)
    order = _order(config, arguments)
    if order.gold is None and order.samples.is_file() and order.samples.suffix != ".jsonl":
        return _print_records(order, arguments)
    return _estimate(order, arguments) if arguments.dry_run else _run(order, arguments)


def _estimate(order: Order, arguments: argparse.Namespace) -> int:
    from assay.cli._output import print_estimate
    from assay.cli._progress import clean_stdout
    from assay.extraction.estimate import estimate_extraction

    with clean_stdout():
        estimate = estimate_extraction(order)
    print_estimate(estimate, arguments)
    return 0


def _run(order: Order, arguments: argparse.Namespace) -> int:
    from assay.cli._progress import progress_to
    from assay.extraction.evaluation import run_extraction

    with progress_to(quiet=arguments.quiet, line=_line) as progress:
        folder = run_extraction(order, progress)
    return show_run(folder, order.config, arguments)


def show_run(folder: RunFolder, config: Config, arguments: argparse.Namespace) -> int:
    """The report in its files and on the terminal, and what was wrong with the samples."""
    from datetime import datetime

    from assay.cli._notes import note
    from assay.cli._output import finish
    from assay.report.benchmark import write_benchmark
    from assay.report.publish import publish
    from assay.runs.folder import REPORT_MARKDOWN

    published = publish(folder, config, arguments.baseline)
    reports = Path(config.root) / config.extraction.reports
    report = write_benchmark(reports, folder.path / REPORT_MARKDOWN, datetime.now())  # noqa: DTZ005 (a person's clock)
    for broken in published.summary["errors"]["broken"]:
        print(f"assay: {broken['message']}", file=sys.stderr)
    for warning in published.summary["notes"]:
        print(f"assay: {warning}", file=sys.stderr)
    finish(published, config, arguments)
    note(f"report {report}", arguments)
    return published.exit_code


def _print_records(order: Order, arguments: argparse.Namespace) -> int:
    from assay.cli._output import print_json
    from assay.cli._progress import clean_stdout
    from assay.errors import AssayError
    from assay.extraction.evaluation import extract_file
    from assay.report.records import record_lines, with_confidence

    for name in ("resume", "update_baseline", "force", "ci", "junit", "dry_run"):
        if getattr(arguments, name):
            raise AssayError(
                f"--{name.replace('_', '-')} is for runs", where=str(order.samples), hint="One text is none"
            )
    with clean_stdout():
        output = extract_file(order)
    if arguments.json:
        print_json(with_confidence(output.records, output.confidences))
    else:
        print("\n".join(record_lines(output.records, output.confidences)))
    return 0


def _override(config: Config, arguments: argparse.Namespace) -> Config:
    """The settings with what was said on the command line."""
    from msgspec.structs import replace

    from assay.cli._output import words
    from assay.errors import AssayError

    if arguments.workers is not None and arguments.workers < 1:
        raise AssayError(f"--workers is {arguments.workers}", expected="a whole number from 1 on")
    for name, unit in {"delay": "seconds", "max_cost": "US dollars"}.items():
        value = getattr(arguments, name)
        if value is not None and not 0 <= value < float("inf"):
            raise AssayError(f"--{name.replace('_', '-')} is {value:g}", expected=f"{unit} from 0 on")
    given: dict[str, Any] = {
        "system": arguments.system,
        "model": arguments.model,
        "level": arguments.level,
        "fields": words(arguments.fields, "--fields"),
        "workers": arguments.workers,
        "delay": arguments.delay,
        "summary": False if arguments.no_summary else None,
    }
    options = replace(config.extraction, **{key: value for key, value in given.items() if value is not None})
    cost = config.llm.max_cost if arguments.max_cost is None else arguments.max_cost
    seed = config.seed if arguments.seed is None else arguments.seed
    return replace(config, extraction=options, llm=replace(config.llm, max_cost=cost), seed=seed)


def _order(config: Config, arguments: argparse.Namespace) -> Order:
    from assay.errors import AssayError
    from assay.extraction.bench import Order

    if arguments.gold and not arguments.samples:
        raise AssayError("--gold needs the outputs", expected="assay extract OUTPUTS.jsonl --gold GOLD.jsonl")
    if arguments.gold and arguments.system:
        raise AssayError("--system and --gold exclude each other", hint="With --gold the outputs are there already")
    return Order(
        config=config,
        samples=arguments.samples or Path(config.root) / config.extraction.samples,
        gold=arguments.gold,
        record=arguments.record,
        resume=arguments.resume,
        command=tuple(sys.argv[1:]),
    )


def _line(step: Step) -> str | None:
    """`[3/40] crud/simple_lunch  P=1.00 R=0.50  2.3s`."""
    from assay.report.records import progress_line

    return progress_line(step.done, step.total, step.last) if step.last else None
