"""The tally of a RAG run → its summary: rates, grades, latency, tokens, cost, errors, breakdowns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from assay.config import Config
from assay.judges import DIMENSIONS
from assay.llm.prices import cost_block
from assay.rag.tally import PHASES, RATES, Tally
from assay.records import Interval
from assay.runs.latency import times
from assay.stats import Resampling, intervals_of, mean, quantile

GRADES = ("overall_score_avg", *DIMENSIONS)
ORDER = {"easy": 0, "medium": 1, "hard": 2, "unknown": 4}


def metrics(tally: Tally, config: Config, which: NDArray[np.intp] | None = None) -> dict[str, Interval]:
    """Every measure with its interval, over all questions or those at the given places.

    Rates are over all questions, so that pass + partial + fail + error = 1; everything else is over the questions
    that have a value.
    """
    sources = tally.kinds["source"]
    places = range(tally.count) if which is None else which
    clusters = [sources[place] for place in places] if config.statistics.cluster == "source" else None
    result: dict[str, Interval] = {}
    shares = tuple(name for name in tally.columns if name not in GRADES)
    for span, chosen in (((1.0, 5.0), GRADES), ((0.0, 1.0), shares)):
        present = [name for name in tally.columns if name in chosen]
        if not present or not len(places):
            continue
        plan = Resampling(
            seed=config.seed,
            resamples=config.statistics.resamples,
            confidence=config.statistics.confidence,
            span=span,
        )
        chosen_rows = slice(None) if which is None else which
        matrix = np.column_stack([np.asarray(tally.columns[name])[chosen_rows] for name in present])
        result |= dict(zip(present, intervals_of(matrix, plan, clusters), strict=True))
    return {name: result[name] for name in tally.columns if name in result}


def metrics_block(found: Mapping[str, Interval], recall: str) -> dict[str, Any]:
    """The block of the schema: plain means."""
    means = {name: interval.mean for name, interval in found.items()}
    block: dict[str, Any] = {name: means.get(name) for name in (*RATES, recall, "mrr", "overall_score_avg")}
    block["scores"] = {name: means.get(name) for name in DIMENSIONS}
    block["beside_the_judge"] = {
        name: value for name, value in means.items() if name not in block and name not in DIMENSIONS
    }
    return block


def latency(tally: Tally) -> dict[str, Any]:
    """Seconds. A phase no system measured is null."""
    total = np.asarray(tally.times["total"])
    levels = np.asarray(tally.kinds["difficulty"])
    by_difficulty = {str(level): times(total[levels == level]) for level in _named(tally.kinds["difficulty"])}
    phases = {phase: times(tally.times[phase]) for phase in PHASES}
    return {"total": times(total), "by_phase": phases, "by_difficulty": by_difficulty}


def tokens(tally: Tally) -> dict[str, Any]:
    """By who used them; those who name archetypes only where they were asked."""
    data = {"answers": tally.answers.tokens, "judge": tally.judge.tokens}
    return data | ({"archetypes": tally.archetypes.tokens} if tally.archetypes.tokens else {})


def costs(tally: Tally) -> dict[str, float | None]:
    """Of all replies, those from the cache included, as if each was paid for. Naming archetypes is judging, too."""
    written, judged = tally.answers.known_cost, tally.judge.known_cost
    named = tally.archetypes.known_cost
    judged = None if judged is None or named is None else judged + named
    return cost_block(written, ("judge_cost", judged), tally.count)


def answer_stats(tally: Tally) -> dict[str, Any]:
    lengths = list(tally.lengths)
    return {"n": len(lengths), "avg_length": mean(lengths), "p50_length": quantile(lengths, 0.5)}


def quality(tally: Tally) -> dict[str, Any]:
    return {
        "avg_logprobs": mean(list(tally.logprobs)),
        "fallback_rate": sum(tally.fallback) / len(tally.fallback) if tally.fallback else None,
        "finish_reason_distribution": dict(sorted(tally.finish_reasons.items())),
    }


def retries(tally: Tally) -> dict[str, Any]:
    """How often something was tried again, and whether that helped."""
    return {
        "questions_retried": tally.tries["retried"],
        "recovered": tally.tries["recovered"],
        "total_attempts": tally.tries["attempts"],
    }


def errors(tally: Tally) -> dict[str, Any]:
    return {"total": sum(tally.errors.values()), "by_phase": dict(sorted(tally.errors.items()))}


def breakdown(tally: Tally, kind: str, config: Config) -> dict[str, Any]:
    """n and every measure for each kind of question."""
    labels = np.asarray(tally.kinds[kind])
    found = {}
    for name in _named(tally.kinds[kind]):
        places = np.flatnonzero(labels == name)
        found[name] = {"n": len(places), "metrics": msgspec.to_builtins(metrics(tally, config, places))}
    return found


def _named(values: Sequence[str]) -> list[str]:
    return sorted(set(values), key=lambda value: (ORDER.get(value, 3), value))
