"""A finished run → its report files, its comparison with a baseline, its exit code."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from assay.compare import Comparison, Figure, Rules, compare, compare_variants, figures
from assay.config import Config
from assay.errors import AssayError
from assay.files import read_jsonl, write_atomic
from assay.rag.trust import JUDGED
from assay.report.blocks import Note, Report, Section
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
    variants: tuple[Comparison, ...] = ()
    """The first variant against each of the others, within the run."""
    limits: tuple[Figure, ...] = ()
    """Latency and cost that have a limit."""
    not_compared: str | None = None
    """Why there is no comparison although there is a baseline."""

    @property
    def exceeded(self) -> tuple[Figure, ...]:
        """Latency or cost beyond its limit."""
        return tuple(figure for figure in self.limits if figure.exceeded)

    @property
    def exit_code(self) -> ExitCode:
        """3: not every case has a result · 1: a blocking gate fails or something got worse · 0: fine."""
        if self.summary["errors"]["total"]:
            return 3
        blocked = any(not gate["passed"] for gate in self.summary["gates"] if gate["severity"] == "blocking")
        return 1 if blocked or self.exceeded or self._regressed() else 0

    def _regressed(self) -> bool:
        """A judge that people's labels do not support may warn but not gate."""
        trust = self.summary.get("trust")
        distrusted = trust is not None and not trust["may_gate"]
        rows = self.comparison.regressions if self.comparison else ()
        return any(not (distrusted and row.measure in JUDGED) for row in rows)

    def as_data(self) -> dict[str, Any]:
        """Everything, for `--json`."""
        data: dict[str, Any] = self.summary | {
            "comparison": msgspec.to_builtins(self.comparison),
            "variants_compared": msgspec.to_builtins(self.variants),
            "not_compared": self.not_compared,
            "folder": str(self.run.path),
            "exit_code": self.exit_code,
        }
        return data


def publish(run: RunFolder, config: Config, baseline: str = "latest", *, different_judges: bool = False) -> Published:
    """Compare, write `report.html`, `report.md` and `comparison.md` into the run's folder."""
    summary = run.summary
    now = of_run(run)
    rules = rules_of(config, different_judges=different_judges)
    before = find_baseline(baseline, config, summary)
    comparison, why = None, None
    if before:
        try:
            comparison = compare(before, now, rules)
        except AssayError as fault:  # the run stands, with a report; only the comparison cannot be made
            why = str(fault)
    names = summary.get("variants", ())
    variants = tuple(compare_variants(now, names, rules)) if len(names) > 1 else ()
    report = build_report(run, variants, comparison)
    if why:
        note = Section("Against the baseline", (Note(f"Not compared: {why}", "warn"),))
        report = replace(report, sections=(*report.sections[:1], note, *report.sections[1:]))
    write_atomic(run.path / REPORT_HTML, to_html(report))
    write_atomic(run.path / REPORT_MARKDOWN, to_markdown(report))
    if comparison:
        write_atomic(run.path / COMPARISON, to_markdown(comparison_report(comparison)))
    limited = figures({}, now.figures, config.comparison.limits)
    return Published(
        run=run,
        summary=summary,
        report=report,
        comparison=comparison,
        variants=variants,
        limits=tuple(figure for figure in limited if figure.limit is not None),
        not_compared=why,
    )


def build_report(run: RunFolder, variants: Sequence[Comparison] = (), baseline: Comparison | None = None) -> Report:
    """By the kind of the run."""
    summary = run.summary
    if summary["kind"] == "rag":
        return rag_report(summary, pages_of(run), baseline)
    if summary["kind"] == "extraction":
        return extraction_report(summary, run.results.read(), baseline)
    path = run.path / FAILURES
    failures = [entry for _, entry in read_jsonl(path)] if path.exists() else []
    view = lanes_report if summary["kind"] == "lanes" else retrieval_report
    return view(summary, failures, variants, baseline)


def require_baseline(name: str, config: Config) -> None:
    """A baseline that is named must be there: told before a run spends anything."""
    if name not in ("none", "latest"):
        load_scored(name, config)


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
    path = _baseline_file(name, config)
    return of_baseline(path) if path else of_run(find_run(config.path("runs"), name))


def is_baseline(name: str, config: Config) -> bool:
    """Whether the name is that of a baseline; else it is that of a run."""
    return name == "baseline" or _baseline_file(name, config) is not None


def _baseline_file(name: str, config: Config) -> Path | None:
    places = (Path(name), config.path("baselines") / name)
    return next((path for path in places if path.is_file()), None)
