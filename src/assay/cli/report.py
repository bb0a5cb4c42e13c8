"""`assay report RUN`: the report of a finished run, written anew."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assay.report.publish import Published

HELP = "write or print the report of a run: html, md, json, junit or text"
FORMATS = {".html": "html", ".md": "md", ".json": "json", ".xml": "junit"}
"""By the ending of the file."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", nargs="?", default="last", help="a run: path, name, id or last (default: last)")
    parser.add_argument(
        "--format", choices=("text", *FORMATS.values()), help="default: by the ending of --out, else text"
    )
    parser.add_argument(
        "--out", metavar="FILE", type=Path, help="write there (.html, .md, .json, .xml) instead of to stdout"
    )
    parser.add_argument(
        "--baseline", metavar="FILE|latest|none", default="latest", help="compare with (default: latest)"
    )


def run(arguments: argparse.Namespace) -> int:
    from assay.cli._notes import note
    from assay.cli._output import show
    from assay.config import load
    from assay.files import write_atomic
    from assay.report.publish import publish
    from assay.runs.folder import find_run

    form = _form(arguments)
    config = load(arguments.config)
    published = publish(find_run(config.path("runs"), arguments.run), config, arguments.baseline)
    if form == "text":
        show(published.report, whole=True)
    elif arguments.out:
        write_atomic(arguments.out, _pieces(published, form))
        note(f"report {arguments.out}", arguments)
    else:
        for piece in _pieces(published, form):
            print(piece.decode("utf-8"), end="")
    return 0


def _form(arguments: argparse.Namespace) -> str:
    from assay.errors import AssayError

    if arguments.json and arguments.format not in (None, "json"):
        raise AssayError(f"--json and --format {arguments.format} exclude each other", hint="Leave one of them out")
    asked = "json" if arguments.json else arguments.format
    form: str = asked or (FORMATS.get(arguments.out.suffix.lower(), "") if arguments.out else "text")
    if not form or (form == "text" and arguments.out):
        expected = f"a {', '.join(FORMATS)} file, or --format {'|'.join(FORMATS.values())}"
        raise AssayError(f"cannot write {arguments.out}", expected=expected)
    return form


def _pieces(published: Published, form: str) -> Iterable[bytes]:
    """The file in that format."""
    from assay.files import dump_json
    from assay.report.html import to_html
    from assay.report.junit import junit_of
    from assay.report.markdown import to_markdown

    if form == "junit":
        return junit_of(published)
    if form == "json":
        text = dump_json(published.as_data(), indent=2) + "\n"
    else:
        text = (to_markdown if form == "md" else to_html)(published.report)
    return (text.encode("utf-8", "backslashreplace"),)
