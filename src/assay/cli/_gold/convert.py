"""`assay gold convert IN --to FORMAT`: SQuAD, BEIR, RAG-run corpora, JSON lines, CSV, triplets."""

from __future__ import annotations

import argparse
from pathlib import Path

HELP = "convert a gold set from and to SQuAD, BEIR, RAG-run corpora, JSON lines, CSV; write triplets"
FORMATS = ("squad", "beir", "schema-v2", "jsonl", "csv", "qa", "triplets")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", metavar="IN", type=Path, help="a file, or a BEIR folder")
    parser.add_argument("--to", metavar="FORMAT", choices=sorted(FORMATS), required=True, help=" | ".join(FORMATS))
    parser.add_argument("--from", metavar="FORMAT", dest="form", help="default: by what is in the file")
    parser.add_argument("--out", metavar="PATH", type=Path, help="default: beside IN, with the format's ending")
    parser.add_argument("--index", metavar="FILE", type=Path, help="for the texts of chunks, where IN has none")
    parser.add_argument(
        "--map",
        metavar="LEAF=COLUMN",
        action="append",
        default=[],
        help="of CSV, JSON lines and lists of rows: question=Frage, ...",
    )
    parser.add_argument(
        "--categories", choices=("own", "published"), help="rename the unanswerable: ours or UAEval4RAG's names"
    )
    parser.add_argument("--negatives", metavar="N", type=int, default=5, help="of each triplet (default: 5)")


def run(arguments: argparse.Namespace) -> int:
    from assay.cli._output import print_json, show
    from assay.config import load
    from assay.corpus.index import Index
    from assay.gold.convert import Job, convert
    from assay.gold.formats.protocol import Order
    from assay.gold.grounds import Grounds
    from assay.report.gold_moves import conversion_report

    config = load(arguments.config)
    grounds = Grounds(Index.open(arguments.index), config) if arguments.index else None
    done = convert(
        Job(
            source=arguments.source,
            to=arguments.to,
            form=arguments.form,
            out=arguments.out,
            names=arguments.categories,
            order=Order(columns=columns(arguments.map), grounds=grounds, negatives=arguments.negatives),
        )
    )
    if arguments.json:
        print_json({"out": str(done.path), "questions": done.questions, "lost": done.lost, "notes": done.notes})
    else:
        show(conversion_report(done))
    return 0


def columns(given: list[str]) -> dict[str, str]:
    """`question=Frage` and `answer=Antwort,chunk_id=Stelle`."""
    from assay.cli._output import words
    from assay.errors import AssayError

    pairs = [pair for each in given for pair in words(each, "--map") or ()]
    found = {leaf.strip(): column.strip() for leaf, _, column in (pair.partition("=") for pair in pairs)}
    for pair in pairs:
        if not all(part.strip() for part in pair.partition("=")):
            raise AssayError(f"--map is '{pair}'", expected="LEAF=COLUMN, as in question=Frage")
    return found
