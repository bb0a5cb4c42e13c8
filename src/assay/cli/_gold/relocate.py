"""`assay gold relocate FILE --index NEW`: after re-chunking, follow the quoted answers to their new chunks."""

from __future__ import annotations

import argparse
from pathlib import Path

HELP = "after re-chunking, or for a set without chunks, follow the quoted answers to their chunks; say what is lost"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("gold", nargs="?", metavar="FILE", type=Path, help="schema v2 (default: paths.gold)")
    parser.add_argument("--index", metavar="FILE", type=Path, help="the new index (default: paths.index)")
    parser.add_argument(
        "--old-index", metavar="FILE", type=Path, help="the one it was made from: texts are followed too"
    )
    parser.add_argument("--out", metavar="FILE", type=Path, help="write the gold set with its new chunks there")


def run(arguments: argparse.Namespace) -> int:
    import msgspec

    from assay.cli._output import print_json, show
    from assay.config import load
    from assay.corpus.index import Index
    from assay.gold.convert import save, write
    from assay.gold.formats.protocol import Bundle, Order
    from assay.gold.gold_file import read_gold_file
    from assay.gold.grounds import Grounds
    from assay.gold.relocate import relocate_gold
    from assay.report.gold_moves import relocation_report

    config = load(arguments.config)
    gold = read_gold_file(arguments.gold or config.path("gold"))
    grounds = Grounds(Index.open(arguments.index or config.path("index")), config)
    found = relocate_gold(gold, grounds, Index.open(arguments.old_index) if arguments.old_index else None)
    if arguments.out:
        bundle = Bundle(raws=found.raws, version=gold.version, beside=gold.beside)
        save(write(bundle, "schema-v2", Order()), arguments.out)
    if arguments.json:
        print_json({name: value for name, value in msgspec.to_builtins(found).items() if name != "raws"})
    else:
        show(relocation_report(found, {question.id: question for question in gold.questions}, gold.name))
    return 1 if found.lost else 0
