"""`assay report RUN`: the report of a finished run, written anew."""

from __future__ import annotations

import argparse
from pathlib import Path

HELP = "write or print the report of a run"
OMITS = ("--quiet",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", nargs="?", default="last", help="a run: path, name, id or last (default: last)")
    parser.add_argument("--format", choices=("text", "md", "html"), help="default: that of --out, else text")
    parser.add_argument("--out", metavar="FILE", type=Path, help="write there (.md or .html) instead of to stdout")
    parser.add_argument(
        "--baseline", metavar="FILE|latest|none", default="latest", help="compare with (default: latest)"
    )


def run(arguments: argparse.Namespace) -> int:
    from assay.cli._output import print_json, show
    from assay.config import load
    from assay.errors import AssayError
    from assay.files import write_atomic
    from assay.report.html import to_html
    from assay.report.markdown import to_markdown
    from assay.report.publish import publish
    from assay.runs.folder import find_run

    form = arguments.format or (arguments.out.suffix.lstrip(".") if arguments.out else "text")
    if form not in ("text", "md", "html") or (form == "text" and arguments.out):
        raise AssayError(f"cannot write {arguments.out}", expected="a .md or .html file, or --format md|html")
    config = load(arguments.config)
    published = publish(find_run(config.path("runs"), arguments.run), config, arguments.baseline)
    if arguments.json:
        print_json(published.summary)
    elif form == "text":
        show(published.report, whole=True)
    else:
        text = {"md": to_markdown, "html": to_html}[form](published.report)
        if arguments.out:
            write_atomic(arguments.out, text)
        else:
            print(text)
    return 0
