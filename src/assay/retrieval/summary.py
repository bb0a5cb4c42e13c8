"""Results → summary: means with intervals, segments, ranks, gates, the decision."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from assay.config import Config, Decision, Gate, Statistics
from assay.gold.cases import UNKNOWN
from assay.records import Case, Interval
from assay.retrieval.advice import ingesting, rebuilding, tuning
from assay.retrieval.rules import Rules
from assay.runs.heading import gate_result
from assay.runs.results import Row
from assay.stats import bootstrap_intervals

Means = dict[str, dict[str, Interval]]
"""Variant → measure → interval."""
Diagnosis = Mapping[str, Mapping[str, int]]
"""Variant → why questions failed → how many."""
REASONS = 10
"""How many different ones are kept; every failed search has its own in the results."""
RANKS = ((1, 1), (2, 3), (4, 5), (6, 10), (11, 20), (21, 50), (51, 100))


class Table:
    """The scores of all variants as one matrix, so that every interval is over the same resamples."""

    def __init__(
        self, rows: Iterable[Row], cases: Sequence[Case], variants: Sequence[str], measures: Sequence[str]
    ) -> None:
        self.cases, self.variants, self.measures = cases, variants, measures
        place = {case.id: number for number, case in enumerate(cases)}
        column = {variant: number * len(measures) for number, variant in enumerate(variants)}
        self.values: NDArray[np.float64] = np.full((len(cases), len(variants) * len(measures)), np.nan)
        for row in rows:
            if row["status"] == "ok":
                start, scores = column[row["variant"]], row["scores"]
                line = [scores[measure] for measure in measures]  # None becomes NaN
                self.values[place[row["case_id"]], start : start + len(measures)] = line

    def means(self, config: Config, which: Sequence[int] | None = None) -> Means:
        """Over all cases, or over those at the given places."""
        values = self.values if which is None else self.values[list(which)]
        clusters = self._clusters(config.statistics, range(len(self.cases)) if which is None else which)
        found = iter(
            bootstrap_intervals(
                values,
                seed=config.seed,
                resamples=config.statistics.resamples,
                confidence=config.statistics.confidence,
                clusters=clusters,
            )
        )
        return {variant: {measure: next(found) for measure in self.measures} for variant in self.variants}

    def _clusters(self, statistics: Statistics, which: Iterable[int]) -> list[str] | None:
        if statistics.cluster == "none":
            return None
        return [self.cases[place].tags.get(statistics.cluster, UNKNOWN) for place in which]

    def segments(self, config: Config) -> dict[str, dict[str, dict[str, Any]]]:
        """Tag → value → n and means. A case without the tag is in the segment `unknown`."""
        result: dict[str, dict[str, dict[str, Any]]] = {}
        for key in sorted({key for case in self.cases for key in case.tags}):
            members: dict[str, list[int]] = {}
            for place, case in enumerate(self.cases):
                members.setdefault(case.tags.get(key, UNKNOWN), []).append(place)
            if len(members) > 1 or UNKNOWN not in members:
                result[key] = {
                    value: {"n": len(places), "metrics": self.means(config, places)}
                    for value, places in sorted(members.items(), key=lambda member: _place(member[0]))
                }
        return result


def _place(value: str) -> tuple[int, str]:
    """Difficulties in their own order, everything else by name, the unknown last."""
    known = {"easy": 0, "medium": 1, "hard": 2, UNKNOWN: 4}
    return known.get(value, 3), value


def rank_histogram(ranks: Iterable[int | None]) -> dict[str, int]:
    """How many questions have their first expected chunk at which rank."""
    counts = Counter(_rank_bin(rank) for rank in ranks)
    return {name: counts[name] for name in [*map(_bin_name, RANKS), f">{RANKS[-1][1]}", "not found"]}


def _rank_bin(rank: int | None) -> str:
    if rank is None:
        return "not found"
    found = next((bounds for bounds in RANKS if bounds[0] <= rank <= bounds[1]), None)
    return _bin_name(found) if found else f">{RANKS[-1][1]}"


def _bin_name(bounds: tuple[int, int]) -> str:
    return str(bounds[0]) if bounds[0] == bounds[1] else f"{bounds[0]}–{bounds[1]}"


def best_variant(means: Means, measure: str) -> str | None:
    """The one with the highest mean; the first of equals."""
    known = [(means[variant][measure].mean, variant) for variant in means if measure in means[variant]]
    defined = [(mean, variant) for mean, variant in known if mean is not None]
    return max(defined, key=lambda pair: pair[0])[1] if defined else None


def judge_gate(gate: Gate, means: Means) -> dict[str, Any]:
    """A gate looks at the variant that is best at its measure."""
    variant = best_variant(means, gate.measure)
    return gate_result(gate, means[variant][gate.measure] if variant else None, variant)


def decide(decision: Decision, means: Means, diagnosis: Diagnosis | None = None) -> dict[str, Any]:
    """What to do next, from the best variant; the diagnosis tells whether its failures are its own."""
    variant = best_variant(means, decision.measure)
    value = means[variant][decision.measure].mean if variant else None
    if variant is None or value is None:
        level, text = "undecided", f"{decision.measure} could not be measured."
    elif round(value, 9) >= round(decision.good, 9):
        level, text = "good", decision.good_text
    else:
        level = "tune" if round(value, 9) >= round(decision.tune, 9) else "poor"
        given, fitting = (decision.tune_text, tuning) if level == "tune" else (decision.poor_text, rebuilding)
        text = given or ingesting((diagnosis or {}).get(variant, {})) or fitting(variant, list(means))
    return {"measure": decision.measure, "variant": variant, "value": value, "level": level, "text": text}


def verdicts(
    rules: Rules, means: Means, diagnosis: Diagnosis | None = None
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Gates and decision."""
    return [judge_gate(gate, means) for gate in rules.gates], decide(rules.decision, means, diagnosis)


def distribution(cases: Sequence[Case]) -> dict[str, dict[str, int]]:
    """How many cases have which value of each tag, counted from the cases themselves."""
    found: dict[str, Counter[str]] = {}
    for (key, value), n in Counter(chain.from_iterable(case.tags.items() for case in cases)).items():
        found.setdefault(key, Counter())[value] = n
    for counts in found.values():
        if without := len(cases) - counts.total():
            counts[UNKNOWN] += without
    return {key: dict(sorted(counts.items())) for key, counts in sorted(found.items())}


def errors_of(rows: Iterable[Row]) -> dict[str, Any]:
    phases = Counter(row["error"].get("phase") or "unknown" for row in rows if row["status"] == "error")
    return {"total": sum(phases.values()), "by_phase": dict(sorted(phases.items()))}


def messages_of(rows: Iterable[Row]) -> dict[str, int]:
    """Why searches failed, the most frequent reason first, with how often."""
    found = Counter(row["error"]["message"] for row in rows if row["status"] == "error")
    return dict(sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))[:REASONS])


def as_data(means: Mapping[str, Mapping[str, Interval]]) -> dict[str, Any]:
    data: dict[str, Any] = msgspec.to_builtins(means)
    return data
