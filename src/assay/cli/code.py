"""`assay code`: the code lane alone, ten results a case."""

from __future__ import annotations

import argparse

HELP = "evaluate the code lane alone (k = 10): short for assay lanes --lane code"
K = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from assay.cli._lanes import add_evaluation_arguments

    add_evaluation_arguments(parser, str(K))


def run(arguments: argparse.Namespace) -> int:
    from msgspec.structs import replace

    from assay.cli._lanes import evaluate
    from assay.cli._output import finish
    from assay.config import load

    config = load(arguments.config)
    config = replace(config, lanes=replace(config.lanes, k=K))
    published = evaluate(arguments, config, lane="code")
    finish(published, config, arguments)
    return published.exit_code
