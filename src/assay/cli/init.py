"""`assay init`: a new project."""

from __future__ import annotations

import argparse
from pathlib import Path

HELP = "write assay.yaml with every setting explained, and a tiny example"
OMITS = ("--config",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="DIR", nargs="?", type=Path, default=Path(), help="where (default: here)")
    parser.add_argument("--settings-only", action="store_true", help="assay.yaml alone, without the example")


def run(arguments: argparse.Namespace) -> int:
    from assay.files import dump_json
    from assay.scaffold import NEXT_STEPS, write_project

    written = [str(path) for path in write_project(arguments.folder, example=not arguments.settings_only)]
    if arguments.json:
        print(dump_json({"written": written}, indent=2))
        return 0
    print("\n".join(f"wrote {path}" for path in written))
    if not arguments.settings_only:
        enter = [] if arguments.folder == Path() else [f"cd {arguments.folder}"]
        print("\nNext:\n" + "\n".join(f"  {step}" for step in (*enter, *NEXT_STEPS)))
    return 0
