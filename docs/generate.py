"""Writes what can be written from the code: the pages of settings and commands, and the outputs in the texts.

`--check` writes nothing and exits with 1 if a page is stale.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from console_blocks import ROOT, refreshed

from assay.cli import main as cli
from assay.config import Config, Settings
from assay.scaffold import Setting, flow, settings_of

DOCS = ROOT / "docs"

CONFIGURATION = """\
# Settings

`assay.yaml` in the working folder, or the file given with `--config`. Every setting has a default; `assay init` writes
them all, explained. Paths are relative to the file. An unknown key, a value out of range or a key given twice is an
error with file and line.

*This page is written from the code (`make docs`).*
"""
COMMANDS = f"""\
# Commands

`assay COMMAND [options]`. {cli.EXIT_CODES[0].upper()}{cli.EXIT_CODES[1:]}.

*This page is written from the code (`make docs`).*
"""


def configuration_page() -> str:
    return CONFIGURATION + "\n" + "\n".join(_block(Config, ""))


def _block(block: type[Settings], path: str) -> Iterator[str]:
    """A table of the block's own settings, then its inner blocks."""
    if path:
        yield f"## `{path}`\n\n{' '.join((block.__doc__ or '').split())}\n"
    settings = settings_of(block)
    plain = [setting for setting in settings if not isinstance(setting.default, Settings)]
    if plain:
        yield "| setting | default | allowed | meaning |\n|---|---|---|---|"
        yield from (_row(setting) for setting in plain)
        yield ""
    for setting in settings:
        if setting.block:
            kinds = {Settings: "", tuple: "[]", list: "[]"}
            entry = next((kind for each, kind in kinds.items() if isinstance(setting.default, each)), ".NAME")
            yield from _block(setting.block, f"{path}.{setting.name}{entry}".lstrip("."))


def _row(setting: Setting) -> str:
    default = "*must be given*" if setting.required else f"`{flow(setting.default)}`"
    return f"| `{setting.name}` | {default} | {setting.allowed} | {_cell(setting.meaning)} |"


def documented() -> Iterator[tuple[str, ModuleType]]:
    """Every command and, behind it, its subcommands, where it has some."""
    for name in cli.commands():
        command = cli.load(name)
        yield name, command
        if hasattr(command, "subcommands"):
            yield from ((f"{name} {each}", command.load_subcommand(each)) for each in command.subcommands())


def commands_page() -> str:
    return COMMANDS + "\n" + "\n".join(line for name, command in documented() for line in _command(name, command))


def _command(name: str, command: ModuleType) -> Iterator[str]:
    actions = [action for action in cli.parser_of(name, command)._actions if action.dest != "help"]
    words = [_shown(action) for action in actions if not action.option_strings]
    yield f"## `{' '.join(['assay', name, *words])}`\n\n{command.HELP[0].upper()}{command.HELP[1:]}.\n"
    yield "| option | meaning |\n|---|---|"
    yield from (f"| `{_flags(action)}` | {_cell(_meaning(action))} |" for action in actions)
    yield ""


def _shown(action: argparse.Action) -> str:
    """How a value is written: as in the usage line of `--help`."""
    name = action.metavar if isinstance(action.metavar, str) else (action.metavar or (action.dest.upper(),))[0]
    return {"?": f"[{name}]", "*": f"[{name} ...]", "+": f"{name} [{name} ...]"}.get(str(action.nargs), name)


def _flags(action: argparse.Action) -> str:
    if not action.option_strings:
        return _shown(action)
    value = "" if action.nargs == 0 else f" {_shown(action)}"
    return ", ".join(action.option_strings) + value


def _meaning(action: argparse.Action) -> str:
    text = (action.help or "").replace("%(default)s", str(action.default)).replace("%%", "%")
    return f"{text}: {', '.join(map(str, action.choices))}" if action.choices and "|" not in text else text


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def pages() -> dict[Path, str]:
    return {DOCS / "configuration.md": configuration_page(), DOCS / "commands.md": commands_page()}


def stale() -> list[Path]:
    return [path for path, text in pages().items() if not path.exists() or path.read_text("utf-8") != text]


def texts() -> list[Path]:
    """The texts whose examples are run."""
    return [ROOT / "README.md", *sorted(path for path in DOCS.rglob("*.md") if "_build" not in path.parts)]


def main() -> int:
    parser = argparse.ArgumentParser(description="Writes the generated pages.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a page is stale")
    if parser.parse_args().check:
        for path in stale():
            print(f"{path.relative_to(ROOT)} is stale: make docs", file=sys.stderr)
        return 1 if stale() else 0
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
    for path in texts():
        path.write_text(refreshed(path.read_text("utf-8")), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
