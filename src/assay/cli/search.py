"""`assay search`: what comes back for one query, from which retriever, and why."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

HELP = "search the index for one query and show why each result came back"
DEFAULT = "default: hybrid; bm25 for code, and when the index has no embeddings"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", help="what to look for")
    parser.add_argument("--index", metavar="FILE", type=Path, help="the index (default: paths.index of the settings)")
    parser.add_argument("--retriever", metavar="NAME", help=f"bm25, vector, hybrid+rerank, ... ({DEFAULT})")
    parser.add_argument("-k", metavar="N", type=int, default=5, help="how many results (default: 5)")
    parser.add_argument("--source", metavar="NAME", action="append", help="search only in this document")
    parser.add_argument(
        "--lane",
        choices=("document", "memory", "code", "all"),
        default="all",
        help="search only there; all: each lane by itself, side by side (default)",
    )


def run(arguments: argparse.Namespace) -> int:
    from assay.cli._output import print_json
    from assay.cli._search import as_data, show
    from assay.config import load
    from assay.corpus.index import Index
    from assay.errors import AssayError
    from assay.retrievers.explain import explain_lanes
    from assay.retrievers.protocol import Request

    if arguments.k < 1:
        raise AssayError(f"-k is {arguments.k}", expected="a whole number from 1 on")
    config = load(arguments.config)
    lane = None if arguments.lane == "all" else arguments.lane
    request = Request(k=arguments.k, sources=tuple(arguments.source or config.retrieval.sources), lane=lane)
    with Index.open(arguments.index or config.path("index")) as index:
        if index.doubt:
            print(f"assay: {index.doubt}", file=sys.stderr)
        found = explain_lanes(arguments.query, arguments.retriever, config, index, request)
    if arguments.json:
        print_json(as_data(found))
    else:
        show(found)
    return 0
