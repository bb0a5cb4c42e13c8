"""What can be written on the command line, as data: commands, their options, and what an option's value is."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Literal

from msgspec import Struct

from assay.cli.main import commands, load, parser_of

Kind = Literal["none", "choice", "run", "file", "folder", "text"]
RUNS = {"run", "before", "now"}
"""Positional arguments that name a run; options that do have the metavar RUN."""


class Value(Struct, frozen=True):
    """What may stand there; none: a switch."""

    kind: Kind
    choices: tuple[str, ...] = ()


class Option(Struct, frozen=True):
    """One option under all its names."""

    flags: tuple[str, ...]
    help: str
    value: Value


class Command(Struct, frozen=True):
    """A command or a subcommand (`gold verify`)."""

    name: str
    help: str
    options: tuple[Option, ...]
    place: Value
    """What stands there without an option: the first thing that is not simply text."""


def all_commands() -> list[Command]:
    return [_command(name, module) for name, module in _modules()]


def _modules() -> Iterator[tuple[str, ModuleType]]:
    for name in commands():
        module = load(name)
        yield name, module
        for each in getattr(module, "subcommands", list)():
            yield f"{name} {each}", module.load_subcommand(each)


def _command(name: str, module: ModuleType) -> Command:
    actions = parser_of(name, module)._actions  # noqa: SLF001 - argparse offers no other way to read them
    options = tuple(
        Option(tuple(action.option_strings), _help(action), _value(action))
        for action in actions
        if action.option_strings
    )
    if hasattr(module, "subcommands"):
        return Command(name, module.HELP, options, Value("choice", tuple(module.subcommands())))
    places = [_value(action) for action in actions if not action.option_strings]
    place = next((value for value in places if value.kind not in ("text", "none")), Value("text"))
    return Command(name, module.HELP, options, place)


def _help(action: argparse.Action) -> str:
    return (action.help or "").replace("%%", "%")


def _value(action: argparse.Action) -> Value:
    metavar = action.metavar if isinstance(action.metavar, str) else ""
    if action.nargs == 0:
        return Value("none")
    if action.choices:
        return Value("choice", tuple(map(str, action.choices)))
    if metavar == "RUN" or (not action.option_strings and action.dest in RUNS):
        return Value("run")
    if action.type is Path or metavar.startswith("FILE"):
        return Value("folder" if metavar in ("DIR", "FOLDER") else "file")
    return Value("text")
