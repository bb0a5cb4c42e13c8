"""`assay gold audit FILE`: how many to check by hand, which ones, and what the verdicts prove."""

from __future__ import annotations

import argparse
from pathlib import Path

HELP = "say how many questions to check by hand, and what the verdicts prove"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("gold", nargs="?", metavar="FILE", type=Path, help="schema v2 (default: paths.gold)")
    parser.add_argument("--confidence", metavar="X", type=float, default=0.95, help="of the proof (default: 0.95)")
    parser.add_argument("--max-bad", metavar="X", type=float, default=0.05, help="share to be proved (default: 0.05)")
    parser.add_argument("--allow", metavar="N", type=int, default=0, help="bad ones the sample may hold (default: 0)")
    parser.add_argument("--seed", metavar="N", type=int, help="of the sample (default: that of the settings)")
    parser.add_argument("--index", metavar="FILE", type=Path, help="puts the chunk's text into the sheet")
    parser.add_argument("--sheet", metavar="FILE", type=Path, help="write the sample to be filled in, as JSON lines")
    parser.add_argument("--verdicts", metavar="FILE", type=Path, help="the filled sheet: id, verdict good|bad, note")


def run(arguments: argparse.Namespace) -> int:
    import msgspec

    from assay.cli._output import print_json, show
    from assay.config import load
    from assay.corpus.index import Index
    from assay.files import dump_json, write_atomic
    from assay.gold.audit import AuditOptions, conclude, plan, read_verdicts, sheet, strata_of
    from assay.gold.gold_file import read_gold_file
    from assay.report.gold_audit import audit_report

    config = load(arguments.config)
    gold = read_gold_file(arguments.gold or config.path("gold"))
    options = AuditOptions(
        confidence=arguments.confidence,
        max_bad=arguments.max_bad,
        allowed=arguments.allow,
        seed=config.seed if arguments.seed is None else arguments.seed,
    )
    audit = plan(gold, options)
    if arguments.sheet:
        ids = [question.provenance.chunk_id or "" for question in gold.questions]
        chunks = Index.open(arguments.index).chunks(ids) if arguments.index else {}
        write_atomic(arguments.sheet, "".join(dump_json(line) + "\n" for line in sheet(audit, gold, chunks)))
    if arguments.verdicts:
        audit = conclude(audit, read_verdicts(arguments.verdicts, gold))
    if arguments.json:
        print_json(msgspec.to_builtins(audit) | {"proved": audit.proved, "open": audit.open})
    else:
        show(audit_report(audit, {q.id: q for q in gold.questions}, strata_of(audit, gold)))
    return 1 if arguments.verdicts and not audit.proved else 0
