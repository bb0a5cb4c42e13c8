"""`assay gold SUBCOMMAND`: build, exchange, check and convert gold sets. Each file of `_gold` is a subcommand."""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path
from types import ModuleType

from assay.errors import unknown_name

HELP = "build, check and convert gold sets"
OMITS = ("--config", "--quiet", "--json")
"""Each subcommand has them."""


def subcommands() -> list[str]:
    """A new subcommand is a new file."""
    return sorted(path.stem for path in (Path(__file__).parent / "_gold").glob("[a-z]*.py"))


def load_subcommand(name: str) -> ModuleType:
    """Its module: the same as that of a command."""
    return import_module(f"assay.cli._gold.{name}")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    names = subcommands()
    told = "; ".join(f"{name}: {load_subcommand(name).HELP}" for name in names)
    parser.add_argument("subcommand", metavar="SUBCOMMAND", help=told)
    words = parser.add_argument(
        "words", nargs=argparse.REMAINDER, metavar="...", help="assay gold SUBCOMMAND --help tells them"
    )
    words.required = False  # else it is named as missing where the subcommand is


def run(arguments: argparse.Namespace) -> int:
    from assay.cli.main import parse, parser_of

    name = arguments.subcommand
    if name not in subcommands():
        raise unknown_name("subcommand", name, subcommands())
    command = load_subcommand(name)
    code: int = command.run(parse(parser_of(f"gold {name}", command), arguments.words))
    return code
