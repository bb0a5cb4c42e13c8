"""What is said beside the result: on stderr, and not when quiet."""

from __future__ import annotations

import argparse
import sys


def note(text: str, arguments: argparse.Namespace) -> None:
    if not arguments.quiet:
        print(text, file=sys.stderr)
