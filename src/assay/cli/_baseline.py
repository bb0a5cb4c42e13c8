"""What every evaluation is told of other runs: which one goes on, what it is compared with, whether it is promoted."""

from __future__ import annotations

import argparse


def add_baseline_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--resume", metavar="RUN", help="go on with a run: its name, its id, or last")
    parser.add_argument(
        "--baseline", metavar="FILE|latest|none", default="latest", help="compare with (default: latest)"
    )
    parser.add_argument("--update-baseline", action="store_true", help="promote the run to the next baseline")
    parser.add_argument("--force", action="store_true", help="promote a partial run too")
