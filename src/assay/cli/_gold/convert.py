"""`assay gold convert IN --to FORMAT`: SQuAD, BEIR, RAG-run corpora, JSON lines, CSV, triplets."""

from __future__ import annotations

import argparse
from pathlib import Path

HELP = "convert a gold set from and to SQuAD, BEIR, RAG-run corpora, JSON lines, CSV; write triplets"
ENDINGS = {"squad": ".squad.json", "beir": ".beir", "schema-v2": ".v2.json", "jsonl": ".jsonl", "csv": ".csv"}
ENDINGS |= {"qa": ".qa.json", "triplets": ".triplets.jsonl"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", metavar="IN", type=Path, help="a file, or a BEIR folder")
    parser.add_argument("--to", metavar="FORMAT", choices=sorted(ENDINGS), required=True, help=" | ".join(ENDINGS))
    parser.add_argument("--from", metavar="FORMAT", dest="form", help="default: by what is in the file")
    parser.add_argument("--out", metavar="PATH", type=Path, help="default: beside IN, with the format's ending")
    parser.add_argument("--index", metavar="FILE", type=Path, help="for the texts of chunks, where IN has none")
    parser.add_argument(
        "--map", metavar="LEAF=COLUMN", action="append", default=[], help="of CSV and JSON lines: question=Frage, ..."
    )
    parser.add_argument(
        "--categories", choices=("own", "published"), help="rename the unanswerable: ours or UAEval4RAG's names"
    )
    parser.add_argument("--negatives", metavar="N", type=int, default=5, help="of each triplet (default: 5)")


def run(arguments: argparse.Namespace) -> int:
    from assay.cli._output import print_json, show
    from assay.config import load
    from assay.corpus.index import Index
    from assay.gold.convert import read, renamed, save, write
    from assay.gold.formats.protocol import Order
    from assay.gold.grounds import Grounds
    from assay.report.gold_moves import conversion_report

    config = load(arguments.config)
    grounds = Grounds(Index.open(arguments.index), config) if arguments.index else None
    order = Order(columns=columns(arguments.map), grounds=grounds, negatives=arguments.negatives)
    bundle = read(arguments.source, order, arguments.form)
    if arguments.categories:
        bundle = renamed(bundle, arguments.categories)
    target = arguments.out or arguments.source.with_name(arguments.source.stem + ENDINGS[arguments.to])
    written = write(bundle, arguments.to, order)
    save(written, target)
    count = len(bundle.raws) - len(written.lost)
    if arguments.json:
        print_json({"out": str(target), "questions": count, "lost": written.lost})
    else:
        show(conversion_report(count, written.lost, str(target)))
    return 0


def columns(words: list[str]) -> dict[str, str]:
    """`question=Frage` and `answer=Antwort,chunk_id=Stelle`."""
    from assay.errors import AssayError

    pairs = [word for given in words for word in given.split(",") if word.strip()]
    for pair in pairs:
        if "=" not in pair:
            raise AssayError(f"--map is '{pair}'", expected="LEAF=COLUMN, as in question=Frage")
    return {leaf.strip(): column.strip() for leaf, _, column in (pair.partition("=") for pair in pairs)}
