"""`assay COMMAND ...`: finds the command's file, runs it, turns faults into one line and an exit code."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

from assay import __version__
from assay.errors import AssayError, unknown_name

DESCRIPTION = "Assay retrieval, RAG and extraction pipelines against a gold standard."
EXIT_CODES = "exit codes: 0 fine · 1 a gate failed or a regression · 2 usage or configuration · 3 run incomplete"


def commands() -> list[str]:
    """Each file here but this one is a command; a new command is a new file."""
    return sorted(path.stem for path in Path(__file__).parent.glob("[a-z]*.py") if path.stem != "main")


def load(command: str) -> ModuleType:
    """A command's module: `HELP`, `add_arguments(parser)`, `run(arguments) -> exit code`."""
    return import_module(f"assay.cli.{command}")


def main(argv: list[str] | None = None) -> int:
    words = sys.argv[1:] if argv is None else argv
    try:
        return dispatch(words)
    except AssayError as fault:
        print(f"assay: {fault}", file=sys.stderr)
        return fault.exit_code
    except KeyboardInterrupt:
        print("assay: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader of our output went away (`assay ... | head`): nothing is wrong.
        sys.stderr.close()
        return 0


def dispatch(words: list[str]) -> int:
    if not words or words[0] in {"-h", "--help"}:
        print(overview())
        return 0
    if words[0] in {"-V", "--version"}:
        print(f"assay {__version__}")
        return 0
    if words[0] not in commands():
        raise unknown_name("command", words[0], commands())
    command = load(words[0])
    code: int = command.run(parser_of(words[0], command).parse_args(words[1:]))
    return code


def overview() -> str:
    lines = [f"usage: assay COMMAND [options]\n\n{DESCRIPTION}\n\ncommands:"]
    lines += [f"  {name:<11} {load(name).HELP}" for name in commands()]
    lines += ["", "assay COMMAND --help tells a command's options.", EXIT_CODES]
    return "\n".join(lines)


def parser_of(name: str, command: ModuleType) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"assay {name}", description=command.HELP, allow_abbrev=False)
    command.add_arguments(parser)
    common = parser.add_argument_group("everywhere")
    common.add_argument("--config", metavar="FILE", type=Path, help="settings (default: assay.yaml here, if any)")
    common.add_argument("--quiet", action="store_true", help="no progress on stderr")
    common.add_argument("--json", action="store_true", help="the result as JSON on stdout")
    return parser


if __name__ == "__main__":
    sys.exit(main())
