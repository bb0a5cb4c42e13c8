"""`assay judge check LABELS|RUN`: how far can this judge be trusted?"""

from __future__ import annotations

import argparse
from pathlib import Path

from assay.errors import AssayError

HELP = "check a judge against people's labels"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action", choices=("check",), help="check: agreement with people, bias, the corrected pass rate"
    )
    parser.add_argument(
        "labels",
        metavar="LABELS",
        type=Path,
        help="JSON lines: case_id, human {verdict, grades}, judge; or a run that was labelled in the viewer",
    )
    parser.add_argument("--run", metavar="RUN", help="take the judgments from this run: path, name, id or last")
    parser.add_argument(
        "--repeats", metavar="N", type=int, help="the run's judge judges labelled answers N more times; paid"
    )
    parser.add_argument("--minimum-kappa", metavar="X", type=float, help="below this the exit code is 1")


def run(arguments: argparse.Namespace) -> int:
    import msgspec

    from assay.cli._output import print_json, show
    from assay.cli._run import with_judge
    from assay.config import load
    from assay.judges.labels import read_labels
    from assay.judges.trust import may_gate
    from assay.rag.trust import judged_as, labelled, labels_of, repeat_judgments, require_both, trust_of
    from assay.report.trust import trust_report

    config = with_judge(load(arguments.config), arguments)
    path, folder = labelled(arguments.labels, arguments.run, config)
    if arguments.repeats and folder is None:
        raise AssayError("--repeats needs --run", hint="Name the run whose answers are judged again")
    config = judged_as(folder, config) if folder else config
    labels = labels_of(path, folder.results.read()) if folder else read_labels(path)
    require_both(labels, path, folder)
    if folder and arguments.repeats:
        labels = repeat_judgments(folder, labels, config, arguments.repeats)
    trust = trust_of(labels, config)
    permission = may_gate(trust, config.run.judging.minimum_kappa)
    name = folder.summary["judge"]["name"] if folder else str(arguments.labels)
    if arguments.json:
        print_json(msgspec.to_builtins(trust) | {"may_gate": msgspec.to_builtins(permission)})
    else:
        show(trust_report(trust, permission, name))
    return 0 if permission.allowed else 1
