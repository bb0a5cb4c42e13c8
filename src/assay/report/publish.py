"""A finished run → its report files, its comparison with a baseline, its exit code."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from assay.compare import Comparison, Figure, Rules, compare, compare_variants, figures
from assay.config import Config
from assay.errors import AssayError
from assay.files import write_atomic
from assay.report.blocks import Report
from assay.report.comparison import comparison_report
from assay.report.extraction import extraction_report, samples_of
from assay.report.html import to_html
from assay.report.lanes import case_items, lanes_report
from assay.report.markdown import to_markdown
from assay.report.rag import pages_of, rag_report
from assay.report.retrieval import cases_of, retrieval_report
from assay.report.retrieval.questions import failures_of
from assay.report.trend import Step, steps_of
from assay.report.verdict import Compared, ExitCode, outcome_of
from assay.runs.baselines import latest
from assay.runs.folder import COMPARISON, REPORT_HTML, REPORT_MARKDOWN, RunFolder, find_run, older
from assay.runs.scored import Scored, figures_of, of_baseline, of_run


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
        return outcome_of(self.summary, self._compared).code

    @property
    def _compared(self) -> Compared:
        return Compared(self.comparison, self.exceeded, self.not_compared)

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
    try:
        return _publish(run, config, baseline, different_judges=different_judges)
    except KeyError as fault:  # of a run that another version wrote
        raise older(run.path, fault.args[0]) from None


def _publish(run: RunFolder, config: Config, baseline: str, *, different_judges: bool) -> Published:
    summary = run.summary
    comparison, variants, why = _comparisons(run, config, baseline, rules_of(config, different_judges=different_judges))
    limited = figures({}, figures_of(summary), config.comparison.limits)
    limits = tuple(figure for figure in limited if figure.limit is not None)
    compared = Compared(comparison, tuple(figure for figure in limits if figure.exceeded), why, baseline != "none")
    steps = steps_of(run, config.path("runs"), config.path("baselines"))
    report = build_report(run, variants, compared, steps)
    write_atomic(run.path / REPORT_HTML, to_html(report))
    write_atomic(run.path / REPORT_MARKDOWN, to_markdown(report))
    if comparison:
        write_atomic(run.path / COMPARISON, to_markdown(comparison_report(comparison)))
    return Published(
        run=run,
        summary=summary,
        report=report,
        comparison=comparison,
        variants=variants,
        limits=limits,
        not_compared=why,
    )


def _comparisons(
    run: RunFolder, config: Config, baseline: str, rules: Rules
) -> tuple[Comparison | None, tuple[Comparison, ...], str | None]:
    """With the baseline, among the variants, and why not with the baseline. The scores, which are many, are let go."""
    summary = run.summary
    before = find_baseline(baseline, config, summary)
    names = summary.get("variants", ())
    if before is None and len(names) < 2:
        return None, (), None
    now = of_run(run)
    variants = tuple(compare_variants(now, names, rules)) if len(names) > 1 else ()
    if before is None:
        return None, variants, None
    try:
        return compare(before, now, rules), variants, None
    except AssayError as fault:  # the run stands, with a report; only the comparison cannot be made
        return None, variants, str(fault)


def build_report(
    run: RunFolder,
    variants: Sequence[Comparison] = (),
    compared: Compared | None = None,
    history: Sequence[Step] = (),
    *,
    questions: bool = True,
) -> Report:
    """By the kind of the run. Without its `questions`, where a page lists them itself, much is spared."""
    summary = run.summary
    match summary["kind"]:
        case "rag":
            return rag_report(summary, pages_of(run, questions=questions), compared, history)
        case "extraction":
            return extraction_report(summary, samples_of(run, questions=questions), compared, history)
        case "lanes":
            return lanes_report(
                summary, case_items(run, failures_of(run)) if questions else [], variants, compared, history
            )
        case _:
            return retrieval_report(summary, cases_of(run, questions=questions), variants, compared, history)


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
