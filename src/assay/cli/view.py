"""`assay view`: all runs in a browser, on this machine alone."""

from __future__ import annotations

import argparse
from pathlib import Path

HELP = "look at runs, questions, baselines and the gold set in a browser, and label answers"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--runs", metavar="DIR", type=Path, help="the folder with the runs (default: paths.runs)")
    parser.add_argument("--gold", metavar="FILE", type=Path, help="the gold set (default: paths.gold)")
    parser.add_argument("--port", metavar="N", type=int, default=8321, help="default: 8321; 0: any free one")
    parser.add_argument("--no-open", action="store_true", help="do not open a browser")


def run(arguments: argparse.Namespace) -> int:
    import sys

    from assay.cli._output import print_json
    from assay.config import load
    from assay.viewer.guard import Guard
    from assay.viewer.places import Places
    from assay.viewer.serving import serve

    def ready(guard: Guard) -> None:
        address = f"{guard.address}/?token={guard.token}"
        if arguments.json:
            print_json({"url": guard.address, "token": guard.token, "address": address})
        else:
            print(f"Viewer: {address}")
            if not arguments.quiet:
                print("The token in it lets you label; without it everything can only be read. Ctrl-C ends it.")
        sys.stdout.flush()
        if not arguments.no_open and sys.stdout.isatty():
            import webbrowser

            webbrowser.open(guard.entrance)

    places = Places.of(load(arguments.config), arguments.runs, arguments.gold)
    serve(places, arguments.port, ready)
    return 0
