"""`assay selftest`: are the numbers right on this machine?"""

from __future__ import annotations

import argparse

HELP = "prove on this machine that the measures equal their references"
OMITS = ("--config",)


def add_arguments(_parser: argparse.ArgumentParser) -> None:
    """None of its own."""


def run(arguments: argparse.Namespace) -> int:
    from assay.cli._output import print_json
    from assay.selftest import outcome_lines, outcome_records, run_checks

    outcomes = run_checks()
    if arguments.json:
        print_json(outcome_records(outcomes))
    else:
        print(*outcome_lines(outcomes), sep="\n")
    return 0 if all(outcome.ok for outcome in outcomes) else 1
