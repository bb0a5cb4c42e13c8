"""A finished run → its report files, its comparison with a baseline, its exit code."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

from assay.compare import Comparison, Rules, compare, compare_variants
from assay.config import Config
from assay.errors import AssayError
from assay.files import read_jsonl, write_atomic
from assay.report.blocks import Report
from assay.report.comparison import comparison_report
from assay.report.extraction import extraction_report
from assay.report.html import to_html
from assay.report.lanes import lanes_report
from assay.report.markdown import to_markdown
from assay.report.rag import pages_of, rag_report
from assay.report.retrieval import retrieval_report
from assay.runs.baselines import latest
from assay.runs.folder import COMPARISON, FAILURES, REPORT_HTML, REPORT_MARKDOWN, RunFolder, find_run
from assay.runs.scored import Scored, of_baseline, of_run

ExitCode = Literal[0, 1, 3]


class Published(Struct, frozen=True, kw_only=True):
    """What came of a run."""

    run: RunFolder
    summary: dict[str, Any]
    report: Report
    comparison: Comparison | None

    @property
    def exit_code(self) -> ExitCode:
        """3: not every case has a result · 1: a blocking gate fails or something got worse · 0: fine."""
        if self.summary["errors"]["total"]:
            return 3
        blocked = any(not gate["passed"] for gate in self.summary["gates"] if gate["severity"] == "blocking")
        return 1 if blocked or (self.comparison is not None and self.comparison.failed) else 0


def publish(run: RunFolder, config: Config, baseline: str = "latest", *, different_judges: bool = False) -> Published:
    """Compare, write `report.html`, `report.md` and `comparison.md` into the run's folder."""
    summary = run.summary
    now = of_run(run)
    rules = rules_of(config, different_judges=different_judges)
    before = find_baseline(baseline, config, summary)
    comparison = compare(before, now, rules) if before else None
    report = build_report(run, now, rules, comparison)
    write_atomic(run.path / REPORT_HTML, to_html(report))
    write_atomic(run.path / REPORT_MARKDOWN, to_markdown(report))
    if comparison:
        write_atomic(run.path / COMPARISON, to_markdown(comparison_report(comparison)))
    return Published(run=run, summary=summary, report=report, comparison=comparison)


def build_report(run: RunFolder, now: Scored, rules: Rules, baseline: Comparison | None = None) -> Report:
    """By the kind of the run."""
    summary = run.summary
    if summary["kind"] == "rag":
        return rag_report(summary, pages_of(run), baseline)
    if summary["kind"] == "extraction":
        return extraction_report(summary, run.results.read(), baseline)
    path = run.path / FAILURES
    failures = [entry for _, entry in read_jsonl(path)] if path.exists() else []
    variants = compare_variants(now, summary["variants"], rules) if len(summary["variants"]) > 1 else []
    view = lanes_report if summary["kind"] == "lanes" else retrieval_report
    return view(summary, failures, variants, baseline)


def rules_of(config: Config, *, different_judges: bool = False) -> Rules:
    return Rules(
        thresholds=config.comparison,
        statistics=config.statistics,
        seed=config.seed,
        different_judges=different_judges,
    )


def find_baseline(name: str, config: Config, summary: dict[str, Any]) -> Scored | None:
    """`none`, `latest` of the same client, kind and corpus (there may be none yet), or a file."""
    if name == "none":
        return None
    if name == "latest":
        found = latest(config.path("baselines"), summary["client"], summary["kind"], summary["corpus"]["name"])
        return of_baseline(found.path) if found else None
    return load_scored(name, config)


def load_scored(name: str, config: Config) -> Scored:
    """Scores of a run (path, name, id, `last`) or a baseline (file, file name, `baseline`)."""
    if name == "baseline":
        summary = find_run(config.path("runs"), "last").summary
        scored = find_baseline("latest", config, summary)
        if scored is None:
            raise AssayError("there is no baseline yet", hint="Promote a run with --update-baseline")
        return scored
    for path in (Path(name), config.path("baselines") / name):
        if path.is_file():
            return of_baseline(path)
    return of_run(find_run(config.path("runs"), name))
