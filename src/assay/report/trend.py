"""How a measure went from run to run, with the baselines that were taken from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from assay.errors import AssayError
from assay.report.blocks import Chart, Mark, Note, Point, Section, Series
from assay.report.intervals import point_of
from assay.runs import history
from assay.runs.baselines import all_baselines, corpus_key
from assay.runs.folder import RunFolder

LAST = 20
"""Runs that are shown."""
USUAL = {"rag": "pass_rate", "extraction": "f1", "lanes": "recall@k"}
"""By the kind of run; retrieval names its own."""


class Step(Struct, frozen=True):
    """One run of a series."""

    name: str
    when: str
    interval: Mapping[str, Any]
    """Without bounds where the run itself is gone."""
    baseline: int | None = None
    """The version it was promoted to."""


def steps_of(run: RunFolder, runs: Path, baselines: Path) -> list[Step]:
    """Finished runs of the same kind, client and corpus up to this one, oldest first."""
    summary = run.summary
    measure = measure_of(summary)
    alike = [entry for entry in history.read(runs, summary["kind"]) if _same(entry, summary)]
    names = [entry["run"] for entry in alike]
    if run.name not in names:
        return []
    last = len(names) - names[::-1].index(run.name)
    shown = [entry for entry in alike[:last] if measure in entry["metrics"]][-LAST:]
    versions = _versions(baselines, summary["client"], {entry["run"] for entry in shown})
    return [_step(entry, measure, runs, versions) for entry in shown]


def measure_of(summary: Mapping[str, Any]) -> str:
    found: str = summary["decision"]["measure"] if "decision" in summary else USUAL[summary["kind"]]
    return found


def trend_section(steps: Sequence[Step], measure: str) -> list[Section]:
    """Nothing where there is no series to see."""
    if len(steps) < 2:
        return []
    names = _names(steps)
    points = tuple(_point(name, step) for name, step in zip(names, steps, strict=True))
    marks = tuple(Mark(name, f"v{s.baseline}") for name, s in zip(names, steps, strict=True) if s.baseline is not None)
    chart = Chart("lines", (Series(measure, points),), f"{measure} from run to run", "run", marks=marks)
    told = "The last is this run."
    return [
        Section("Trend", (chart, Note(f"{told} Dotted: promoted to that baseline." if marks else told)), detail=True)
    ]


def _same(entry: Mapping[str, Any], summary: Mapping[str, Any]) -> bool:
    corpus = corpus_key(summary["corpus"]["name"])
    return entry.get("client") == summary["client"] and corpus_key(entry.get("corpus", "")) == corpus


def _step(entry: Mapping[str, Any], measure: str, runs: Path, versions: Mapping[str, int]) -> Step:
    mean = entry["metrics"][measure]
    interval = _interval(RunFolder(runs / entry["run"]), entry, measure)
    if interval is None or interval["mean"] != mean:
        interval = {"mean": mean, "low": None, "high": None, "n_scored": entry.get("questions")}
    return Step(entry["run"], entry["timestamp"], interval, versions.get(entry["run"]))


def _interval(run: RunFolder, entry: Mapping[str, Any], measure: str) -> Mapping[str, Any] | None:
    """From the run's own summary, if it is still there and can be read."""
    if not run.finished:
        return None
    try:
        summary = run.summary
        own = summary["intervals"] if "intervals" in summary else summary["metrics"].get(entry.get("best"), {})
    except AssayError:  # of another version
        return None
    found: Mapping[str, Any] | None = own.get(measure)
    return found


def _versions(baselines: Path, client: str, runs: set[str]) -> dict[str, int]:
    found = {}
    for baseline in all_baselines(baselines, client)[-LAST:]:
        name = baseline.data.get("promoted_from")
        if name in runs:
            found[name] = baseline.name.version
    return found


def _point(name: str, step: Step) -> Point:
    return point_of(name, step.interval)


def _names(steps: Sequence[Step]) -> list[str]:
    """Day and minute; of two in the same minute the second has a number."""
    names: list[str] = []
    for step in steps:
        name = step.when[5:16].replace("T", " ")
        again = sum(other.partition(" (")[0] == name for other in names)
        names.append(f"{name} ({again + 1})" if again else name)
    return names
