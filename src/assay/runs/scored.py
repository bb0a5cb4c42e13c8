"""The scores of a run or a baseline, case by case: what a comparison needs and nothing else."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Raw, Struct

from assay.errors import AssayError
from assay.files import read_json
from assay.runs.column import Column, Values
from assay.runs.folder import RunFolder

FIGURES = ("latency_avg", "latency_p50", "latency_p95", "total_cost_usd", "cost_per_question_usd")


class Scored(Struct, frozen=True, kw_only=True):
    """Scores by variant, measure and case."""

    label: str
    kind: str
    identity: dict[str, Any]
    """What must be equal for two of them to be about the same thing: gold, index, judge."""
    scores: Mapping[str, Mapping[str, Values]]
    tags: dict[str, dict[str, str]]
    wordings: dict[str, str] = {}
    """Case id → a hash of its question's words; not of every kind of case, and not in older baselines."""
    figures: dict[str, float | None] = {}
    """What is known of the whole run alone: latency, cost."""

    def values(self, variant: str, measure: str) -> Values:
        return self.scores.get(variant, {}).get(measure, {})


_BETWEEN = re.compile(r"[\W_]+")


def wording_of(question: str) -> str:
    """A short hash of its words; case, spaces and punctuation do not count. Empty where there are none."""
    words = _BETWEEN.sub(" ", question.casefold()).strip()
    return sha256(words.encode("utf-8", "backslashreplace")).hexdigest()[:16] if words else ""


def of_run(run: RunFolder) -> Scored:
    """A failed case has no scores and so enters no mean."""
    places: dict[str, int] = {}
    scores: dict[str, dict[str, Column]] = {}
    tags, tagged = {}, _Tags()
    wordings: dict[str, str] = {}
    for row in run.results.rows():
        case = row["case_id"]
        if case not in places and (wording := wording_of(row.get("question") or "")):
            wordings[case] = wording
        tags[case] = tagged(row["tags"])
        place, by_measure = places.setdefault(case, len(places)), scores.setdefault(row["variant"], {})
        for measure, value in row["scores"].items():
            if (column := by_measure.get(measure)) is None:
                column = by_measure[measure] = Column(places)
            column.put(place, value)
    summary = run.summary
    return Scored(
        label=run.name,
        kind=summary["kind"],
        identity=summary["identity"],
        scores=scores,
        tags=tags,
        wordings=wordings,
        figures=figures_of(summary),
    )


class _Tags:
    """Most cases are tagged alike: one mapping for all of them."""

    def __init__(self) -> None:
        self._known: dict[tuple[tuple[str, str], ...], dict[str, str]] = {}

    def __call__(self, tags: Mapping[str, str]) -> dict[str, str]:
        return self._known.setdefault(
            tuple(tags.items()), {sys.intern(key): sys.intern(value) for key, value in tags.items()}
        )


def of_baseline(path: Path) -> Scored:
    data = _measure_by_measure(path) or read_json(path)
    if not isinstance(data, dict) or "baseline_version" not in data:
        raise AssayError("not a baseline", where=str(path))
    tagged = _Tags()
    return Scored(
        label=path.name,
        kind=data["kind"],
        identity=data["identity"],
        scores=data["scores"],
        tags={case: tagged(tags) for case, tags in data["tags"].items()},
        wordings=data.get("wordings", {}),
        figures=figures_of(data),
    )


def _measure_by_measure(path: Path) -> dict[str, Any] | None:
    """A baseline whose scores are never all there as objects. None: not to be had so; a slower reader tells why."""
    try:
        data = msgspec.json.decode(path.read_bytes(), type=dict[str, Raw])
        raw = msgspec.json.decode(data.pop("scores"), type=dict[str, dict[str, Raw]])
        places: dict[str, int] = {}
        scores = {
            variant: {measure: _column(values, places) for measure, values in by_measure.items()}
            for variant, by_measure in raw.items()
        }
        return {key: msgspec.json.decode(value) for key, value in data.items()} | {"scores": scores}
    except (OSError, KeyError, msgspec.MsgspecError, UnicodeDecodeError):
        return None


def _column(values: Raw, places: dict[str, int]) -> Column:
    column = Column(places)
    for case, value in msgspec.json.decode(values, type=dict[str, float | None]).items():
        column.put(places.setdefault(case, len(places)), value)
    return column


def figures_of(summary: Mapping[str, Any]) -> dict[str, float | None]:
    """Latency and cost by one name each, the same for runs and baselines."""
    total = (summary.get("latency") or {}).get("total") or {}
    figures = {f"latency_{name}": total.get(name) for name in ("avg", "p50", "p95")}
    cost = summary.get("cost") or {}
    figures |= {name: cost.get(name) for name in ("total_cost_usd", "cost_per_question_usd")}
    return figures if any(value is not None for value in figures.values()) else {}
