"""`assay compare A B`: did it get better or worse, and is the difference real?"""

from __future__ import annotations

import argparse

HELP = "compare two runs, or a run with a baseline"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from assay.cli._ci import add_ci_arguments

    parser.add_argument("before", help="a run (path, name, id, last) or a baseline (file, or the word baseline)")
    parser.add_argument("now", help="what is compared with it; a baseline and a run may stand in either order")
    parser.add_argument("--allow-different-judges", action="store_true", help="compare even if the judges differ")
    add_ci_arguments(parser, "this folder")


def run(arguments: argparse.Namespace) -> int:
    import msgspec

    from assay.cli._ci import tell_pipeline_of
    from assay.cli._output import print_json, show
    from assay.compare import compare
    from assay.config import load
    from assay.report.comparison import comparison_report
    from assay.report.publish import is_baseline, load_scored, rules_of

    config = load(arguments.config)
    before, now = arguments.before, arguments.now
    if is_baseline(now, config) and not is_baseline(before, config):
        before, now = now, before
    result = compare(
        load_scored(before, config),
        load_scored(now, config),
        rules_of(config, different_judges=arguments.allow_different_judges),
    )
    with tell_pipeline_of(result, arguments):
        if arguments.json:
            print_json(msgspec.to_builtins(result) | {"regressions": len(result.regressions)})
        else:
            show(comparison_report(result))
    return 1 if result.failed else 0
