"""`assay gold prompts`: the prompts of a build, for any model, tool or person to answer."""

from __future__ import annotations

import argparse
from pathlib import Path

from assay.cli._gold._arguments import add_build_arguments

UNSET = "unset"
HELP = "write the prompts of a build to a file, in OpenAI's batch format"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_build_arguments(parser)
    parser.add_argument("--out", metavar="FILE", type=Path, required=True, help="the prompts, JSON lines")
    parser.add_argument("--model", metavar="NAME", help="name of the model that the file carries (default: gold.model)")


def run(arguments: argparse.Namespace) -> int:
    from assay.cli._gold._order import given_options, order_of
    from assay.cli._output import print_json
    from assay.gold.bench import prepared
    from assay.gold.exchange import write_prompts
    from assay.gold.generate import missing
    from assay.report.text import counted

    order = order_of(arguments)
    with prepared(order) as bench:
        batches = missing(bench.shop)
        model = (order.config.gold.model or UNSET).rpartition("/")[2]
        count = write_prompts(arguments.out, batches, bench.shop.chunks, model)
        answered = len(bench.shop.batches) - count
    if arguments.json:
        print_json({"prompts": count, "answered": answered, "file": str(arguments.out)})
    else:
        print(f"{counted(count, 'prompt')} in {arguments.out}, {answered} answered before")
        if count and model == UNSET:
            print(f"they name the model '{UNSET}': a batch endpoint wants its own, as in --model openai/gpt-5-mini")
        print(f"answers in: assay gold ingest ANSWERS.jsonl{given_options(arguments)}")
    return 0
