"""The scores of a run or a baseline, case by case: what a comparison needs and nothing else."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from msgspec import Struct

from assay.errors import AssayError
from assay.files import read_json
from assay.runs.folder import RunFolder

Values = Mapping[str, float | None]
"""Case id → value."""
FIGURES = ("latency_avg", "latency_p50", "latency_p95", "total_cost_usd", "cost_per_question_usd")


class Scored(Struct, frozen=True, kw_only=True):
    """Scores by variant, measure and case."""

    label: str
    kind: str
    identity: dict[str, Any]
    """What must be equal for two of them to be about the same thing: gold, index, judge."""
    scores: dict[str, dict[str, dict[str, float | None]]]
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
    scores: dict[str, dict[str, dict[str, float | None]]] = {}
    tags: dict[str, dict[str, str]] = {}
    wordings: dict[str, str] = {}
    for row in run.results.rows():
        if row["case_id"] not in tags and (wording := wording_of(row.get("question") or "")):
            wordings[row["case_id"]] = wording
        tags[row["case_id"]] = {sys.intern(key): sys.intern(value) for key, value in row["tags"].items()}
        by_measure = scores.setdefault(row["variant"], {})
        for measure, value in row["scores"].items():
            by_measure.setdefault(measure, {})[row["case_id"]] = value
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


def of_baseline(path: Path) -> Scored:
    data = read_json(path)
    if not isinstance(data, dict) or "baseline_version" not in data:
        raise AssayError("not a baseline", where=str(path))
    return Scored(
        label=path.name,
        kind=data["kind"],
        identity=data["identity"],
        scores=data["scores"],
        tags=data["tags"],
        wordings=data.get("wordings", {}),
        figures=figures_of(data),
    )


def figures_of(summary: Mapping[str, Any]) -> dict[str, float | None]:
    """Latency and cost by one name each, the same for runs and baselines."""
    total = (summary.get("latency") or {}).get("total") or {}
    figures = {f"latency_{name}": total.get(name) for name in ("avg", "p50", "p95")}
    cost = summary.get("cost") or {}
    figures |= {name: cost.get(name) for name in ("total_cost_usd", "cost_per_question_usd")}
    return figures if any(value is not None for value in figures.values()) else {}
