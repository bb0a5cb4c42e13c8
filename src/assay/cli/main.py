"""`assay COMMAND ...`: finds the command's file, runs it, turns faults into one line and an exit code."""

from __future__ import annotations

import argparse
import os
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NoReturn

from assay import __version__
from assay.errors import AssayError, offer, unknown_name

if TYPE_CHECKING:
    from assay.cli._signals import Ending

DESCRIPTION = "Assay retrieval, RAG and extraction pipelines against a gold standard."
EXIT_CODES = "exit codes: 0 fine · 1 a gate failed or a regression · 2 usage or configuration · 3 run incomplete"
BROKEN_PIPE, OWN_FAULT = 141, 70
"""As shells have it for a reader gone; 70 is a fault of Assay itself, so that a
pipeline never takes it for a failed gate."""

CI = "--ci"

COMMON: dict[str, dict[str, Any]] = {
    "--config": {"metavar": "FILE", "type": Path, "help": "settings (default: assay.yaml here, if any)"},
    "--quiet": {"action": "store_true", "help": "no progress and no notes on stderr"},
    "--json": {"action": "store_true", "help": "the result as JSON on stdout"},
}
"""The options every command has, so that a script can say them without looking; `OMITS` names what cannot be meant."""


def commands() -> list[str]:
    """Each file here but this one is a command; a new command is a new file."""
    return sorted(path.stem for path in Path(__file__).parent.glob("[a-z]*.py") if path.stem != "main")


def load(command: str) -> ModuleType:
    """A command's module: `HELP`, `add_arguments(parser)`, `run(arguments) -> exit code`, perhaps `OMITS`."""
    return import_module(f"assay.cli.{command}")


def main(argv: list[str] | None = None) -> int:
    """The exit code. Without words: those of the process, which ends with the command."""
    from assay.cli._signals import heeded, leave

    words = sys.argv[1:] if argv is None else argv
    _print_anything()
    with heeded(lambda: _interrupted(words)) as ending:
        code = _guarded(words, ending)
        if ending.begun and argv is None:
            leave(code)
        return code


def _guarded(words: list[str], ending: Ending) -> int:
    if CI not in words:
        return _ended(words, ending)
    from assay.cli._ci import guarded

    with guarded(words):
        return _ended(words, ending)


def _ended(words: list[str], ending: Ending) -> int:
    try:
        return _exit_code(words)
    except BaseException as fault:
        # An event loop that was told to end says that its work was cancelled.
        if not isinstance(fault, KeyboardInterrupt) and (isinstance(fault, Exception) or not ending.begun):
            raise
        ending.tell()
        return ending.code


def _exit_code(words: list[str]) -> int:
    try:
        code = dispatch(words)
        sys.stdout.flush()
        return code
    except AssayError as fault:
        print(f"assay: {fault}", file=sys.stderr)
        if CI in words:
            from assay.cli._ci import tell_fault

            tell_fault(fault)
        return fault.exit_code
    except BrokenPipeError:
        # The reader of our output went away (`assay ... | head`). What is still buffered must not fail at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except OSError as fault:
        print(f"assay: {AssayError(fault.strerror or str(fault), where=_file_of(fault))}", file=sys.stderr)
        return AssayError.exit_code
    except Exception:  # noqa: BLE001 - the last door: whatever it is, the exit code must not say "gate failed"
        import traceback

        traceback.print_exc()
        print("assay: this is a fault of Assay, not yours; please report it with the lines above", file=sys.stderr)
        return OWN_FAULT


def _interrupted(words: list[str]) -> str:
    """With the command that goes on, for those that can."""
    line = "assay: interrupted"
    if not words or words[0] not in commands():
        return line
    command = load(words[0])
    is_run = "--resume" in parser_of(words[0], command).format_usage()
    if not is_run or getattr(command, "WITHOUT_RUN", None) in words:
        return line
    from shlex import join

    again = words if "--resume" in words else [*words, "--resume", "last"]
    return f"{line}. What is finished is kept; go on with: assay {join(again)}"


def _print_anything() -> None:
    """Texts of corpora hold characters that a terminal's encoding may lack: they are shown escaped."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")


def _file_of(fault: OSError) -> str | None:
    return None if fault.filename is None else os.fsdecode(fault.filename)


def dispatch(words: list[str]) -> int:
    if not words or words[0] in {"-h", "--help"}:
        print(overview())
        return 0
    if words[0] in {"-V", "--version"}:
        print(f"assay {__version__}")
        return 0
    if words[0] not in commands():
        if not Path(words[0]).is_file():
            raise unknown_name("command", words[0], commands())
        words = ["extract", *words]  # a text alone: its records
    command = load(words[0])
    code: int = command.run(parse(parser_of(words[0], command), words[1:]))
    return code


def overview() -> str:
    lines = [f"usage: assay COMMAND [options]\n\n{DESCRIPTION}\n\ncommands:"]
    lines += [f"  {name:<11} {load(name).HELP}" for name in commands()]
    lines += ["", "assay COMMAND --help tells a command's options.", EXIT_CODES]
    return "\n".join(lines)


class Parser(argparse.ArgumentParser):
    """argparse, but a mistake is one line like every other fault."""

    def error(self, message: str) -> NoReturn:
        raise AssayError(message, where=self.prog.removeprefix("assay "), hint=f"{self.prog} --help tells the options")


def parse(parser: argparse.ArgumentParser, words: list[str]) -> argparse.Namespace:
    """The arguments; a word that is none is offered its neighbours."""
    found, rest = parser.parse_known_args(words)
    if not rest:
        return found
    word, where = rest[0].partition("=")[0], parser.prog.removeprefix("assay ")
    if not word.startswith("-"):
        raise AssayError(f"unexpected argument '{word}'", where=where, hint=f"{parser.prog} --help tells the options")
    known = [flag for action in parser._actions for flag in action.option_strings if flag.startswith("--")]  # noqa: SLF001
    raise AssayError(f"unknown option '{word}'", where=where, hint=offer(word, known))


def parser_of(name: str, command: ModuleType) -> argparse.ArgumentParser:
    parser = Parser(prog=f"assay {name}", description=command.HELP, allow_abbrev=False)
    command.add_arguments(parser)
    common = parser.add_argument_group("everywhere")
    for flag, options in COMMON.items():
        if flag not in getattr(command, "OMITS", ()):
            common.add_argument(flag, **options)
    return parser


if __name__ == "__main__":
    sys.exit(main())
