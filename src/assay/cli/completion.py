"""`assay completion SHELL`: a script that completes commands, options, choices and the names of runs."""

from __future__ import annotations

import argparse

HELP = "print a completion script for bash, zsh or fish"
OMITS = ("--config",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help='as in: eval "$(assay completion bash)"')


def run(arguments: argparse.Namespace) -> int:
    from assay.cli._output import print_json
    from assay.cli._shells import script

    text = script(arguments.shell)
    if arguments.json:
        print_json({"shell": arguments.shell, "script": text})
    else:
        print(text, end="")
    return 0
