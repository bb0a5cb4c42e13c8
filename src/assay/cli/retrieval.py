"""`assay retrieval`: does the right chunk come back, how high, and if not, why?"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.config import Config
    from assay.retrieval.evaluation import Order

HELP = "evaluate retrieval against a gold set"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from assay.cli._baseline import add_baseline_arguments
    from assay.cli._ci import add_ci_arguments

    parser.add_argument("--gold", metavar="FILE", type=Path, help="gold set, case file, CSV, SQuAD or BEIR folder")
    parser.add_argument("--index", metavar="FILE", type=Path, help="the index that is searched")
    parser.add_argument(
        "--variants", metavar="A,B", help="retrievers: bm25, vector, hybrid, bm25+rerank, run:FILE, ..."
    )
    parser.add_argument("--k", metavar="1,3,5", help="cut-offs")
    parser.add_argument(
        "-m", "--measure", metavar="NAME", action="append", help="further measures, such as rprec,bpref"
    )
    parser.add_argument("--tolerance", metavar="N", type=int, help="pages to either side that count for page recall")
    parser.add_argument("--page-match", choices=("document", "page"), help="page: the number alone, in any document")
    parser.add_argument("--source", metavar="NAME", action="append", help="search only in this document")
    parser.add_argument(
        "--pages-only", action="store_true", help="questions with pages, whether or not they have chunks"
    )
    parser.add_argument(
        "--ignore-identical-ids",
        action="store_true",
        default=None,
        help="leave the chunk that has the question's own id out of its results, as BEIR does",
    )
    parser.add_argument("--corpora", metavar="A,B|all", help="several corpora of the settings, one after the other")
    parser.add_argument(
        "--old-index", metavar="FILE", type=Path, help="index the gold set was made from, to follow its chunks"
    )
    parser.add_argument("--quick", metavar="N", type=int, help="N questions, stratified, the same every time")
    parser.add_argument("--cluster", choices=("none", "source"), help="source: intervals over documents, not questions")
    parser.add_argument("--seed", metavar="N", type=int, help="of everything random")
    add_baseline_arguments(parser)
    add_ci_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    from assay.cli._ci import tell_pipeline
    from assay.cli._output import finish, print_json
    from assay.cli._progress import progress_to
    from assay.config import load
    from assay.report.publish import publish, require_baseline
    from assay.retrieval.evaluation import evaluate_retrieval

    config = _override(load(arguments.config), arguments)
    require_baseline(arguments.baseline, config)
    done = []
    for order in _orders(config, arguments):
        with progress_to(quiet=arguments.quiet) as progress:
            folder = evaluate_retrieval(order, progress)
        published = publish(folder, config, arguments.baseline)
        finish(published, config, arguments, one_of_many=bool(arguments.corpora))
        done.append(published)
    if arguments.corpora:
        with tell_pipeline(done, arguments):
            if arguments.json:
                print_json([published.as_data() for published in done])
    return max(published.exit_code for published in done)


OPTIONS = {
    "seed": "--seed",
    "retrieval.variants": "--variants",
    "retrieval.k": "--k",
    "retrieval.measures": "--measure",
    "retrieval.tolerance": "--tolerance",
}


def _override(config: Config, arguments: argparse.Namespace) -> Config:
    """The settings with what was said on the command line."""
    from msgspec.structs import replace

    from assay.cli._output import numbers, words
    from assay.cli._settings import checked

    options = {
        "variants": words(arguments.variants, "--variants"),
        "k": numbers(arguments.k, "--k"),
        "measures": words(",".join(arguments.measure), "--measure") if arguments.measure else None,
        "tolerance": arguments.tolerance,
        "page_match": arguments.page_match,
        "sources": tuple(arguments.source or ()) or None,
        "ignore_identical_ids": arguments.ignore_identical_ids,
    }
    statistics = {"cluster": arguments.cluster}
    changed = replace(
        config,
        seed=config.seed if arguments.seed is None else arguments.seed,
        retrieval=replace(config.retrieval, **{key: value for key, value in options.items() if value is not None}),
        statistics=replace(config.statistics, **{key: value for key, value in statistics.items() if value is not None}),
    )
    return checked(changed, OPTIONS)


def _orders(config: Config, arguments: argparse.Namespace) -> list[Order]:
    """One order, or one for each corpus asked for."""
    from assay.cli._settings import positive
    from assay.retrieval.evaluation import Order

    def order(gold: Path, index: Path | None, corpus: str | None = None) -> Order:
        return Order(
            config=config,
            gold=gold,
            index=index,
            corpus=corpus,
            old_index=arguments.old_index,
            pages_only=arguments.pages_only,
            quick=positive(arguments.quick, "--quick"),
            resume=arguments.resume,
            command=tuple(sys.argv[1:]),
        )

    if arguments.corpora is None:
        return [order(arguments.gold or config.path("gold"), _index(config, arguments))]
    root, known = Path(config.root), config.corpora
    return [order(root / known[name].gold, root / known[name].index, name) for name in _corpora(config, arguments)]


def _corpora(config: Config, arguments: argparse.Namespace) -> tuple[str, ...]:
    """The names asked for, all of them known."""
    from assay.cli._output import words
    from assay.errors import AssayError, unknown_name

    for option in ("gold", "index"):
        if getattr(arguments, option):
            raise AssayError(
                f"--{option} and --corpora exclude each other", hint="A corpus names its own in assay.yaml"
            )
    if not config.corpora:
        raise AssayError("the settings have no corpora", expected="corpora: {name: {index: FILE, gold: FILE}}")
    asked = words(arguments.corpora, "--corpora") or ()
    chosen = tuple(config.corpora) if asked == ("all",) else tuple(dict.fromkeys(asked))
    for name in chosen:
        if name not in config.corpora:
            raise unknown_name("corpus", name, config.corpora)
    if arguments.resume and len(chosen) > 1:
        raise AssayError("--resume goes on with one run", expected="the one corpus that was interrupted")
    return chosen


def _index(config: Config, arguments: argparse.Namespace) -> Path | None:
    """Run files need no index, so one that is only the default may be absent."""
    if arguments.index:
        path: Path = arguments.index
        return path
    found = config.path("index")
    alone = all(variant.startswith("run:") for variant in config.retrieval.variants)
    return None if alone and not found.exists() else found
