"""The options of the commands around a build."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_build_arguments(parser: argparse.ArgumentParser) -> None:
    """What the commands around a build share: they must all speak of the same one."""
    parser.add_argument("--index", metavar="FILE", type=Path, help="the index (default: paths.index)")
    parser.add_argument("--target", metavar="N", type=int, help="questions wanted (default: gold.target)")
    parser.add_argument("--language", metavar="CODE", help="of the questions: auto, en or fr (default: gold.language)")
    parser.add_argument("--gold", metavar="FILE", type=Path, help="the gold file to be made (default: paths.gold)")
    parser.add_argument(
        "--folder", metavar="DIR", type=Path, help="of the build (default: the gold file's name + .build)"
    )
    parser.add_argument("--seed", metavar="N", type=int, help="of the choice of chunks")
