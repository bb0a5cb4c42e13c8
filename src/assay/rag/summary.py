"""Results of a RAG run → its summary: rates, grades, latency, tokens, cost, errors, breakdowns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from assay.config import Config
from assay.judges import DIMENSIONS
from assay.llm.prices import Cost, Price, cost
from assay.llm.protocol import Usage
from assay.records import Interval
from assay.runs.results import Row
from assay.stats import Resampling, intervals_of, mean, quantile

RATES = ("pass_rate", "partial_rate", "fail_rate", "error_rate", "acceptable_rate")
PHASES = ("retrieval", "rerank", "generation", "judge")
KINDS = ("prompt", "completion", "thinking", "cached", "total")
GRADES = ("overall_score_avg", *DIMENSIONS)


def metrics(rows: Sequence[Row], config: Config) -> dict[str, Interval]:
    """Every measure with its interval. Rates are over all questions, so that pass + partial + fail + error = 1;
    everything else is over the questions that have a value."""
    names = list(dict.fromkeys(name for row in rows for name in row["scores"]))
    columns = {name: [_value(row, name) for row in rows] for name in [*RATES, *(n for n in names if n not in RATES)]}
    clusters = [row["tags"].get("source", "unknown") for row in rows] if config.statistics.cluster == "source" else None
    result: dict[str, Interval] = {}
    for span, chosen in (((1.0, 5.0), GRADES), ((0.0, 1.0), tuple(n for n in columns if n not in GRADES))):
        present = [name for name in columns if name in chosen]
        if not present or not rows:
            continue
        plan = Resampling(
            seed=config.seed,
            resamples=config.statistics.resamples,
            confidence=config.statistics.confidence,
            span=span,
        )
        matrix = list(zip(*(columns[name] for name in present), strict=True))
        result |= dict(zip(present, intervals_of(matrix, plan, clusters), strict=True))
    return {name: result[name] for name in columns if name in result}


def _value(row: Row, name: str) -> float | None:
    if row["status"] == "error" and name in RATES:
        return float(name == "error_rate")
    if name == "error_rate":
        return 0.0
    value: float | None = row["scores"].get(name)
    return value


def metrics_block(found: Mapping[str, Interval], recall: str) -> dict[str, Any]:
    """The block of the schema: plain means."""
    means = {name: interval.mean for name, interval in found.items()}
    block: dict[str, Any] = {name: means.get(name) for name in (*RATES, recall, "mrr", "overall_score_avg")}
    block["scores"] = {name: means.get(name) for name in DIMENSIONS}
    block["beside_the_judge"] = {
        name: value for name, value in means.items() if name not in block and name not in DIMENSIONS
    }
    return block


def latency(rows: Sequence[Row]) -> dict[str, Any]:
    """Seconds. A phase no system measured is null."""
    by_difficulty = {
        value: _times(row["time"] for row in rows if row["difficulty"] == value)
        for value in sorted({row["difficulty"] for row in rows})
    }
    phases = {phase: _times(row["timing"][phase] for row in rows) for phase in PHASES}
    return {"total": _times(row["time"] for row in rows), "by_phase": phases, "by_difficulty": by_difficulty}


def _times(values: Iterable[float | None]) -> dict[str, Any]:
    known = [value for value in values if value is not None]
    return {
        "n": len(known),
        "avg": mean(known),
        "min": min(known, default=None),
        "max": max(known, default=None),
        "p50": quantile(known, 0.5),
        "p95": quantile(known, 0.95),
    }


def tokens(rows: Sequence[Row]) -> dict[str, Any]:
    """Sums over all questions; null where no reply told its usage."""
    return {
        name: _token_sum(row[field] for row in rows)
        for name, field in (("answers", "tokens"), ("judge", "judge_tokens"))
    }


def _token_sum(found: Iterable[Mapping[str, int] | None]) -> dict[str, int] | None:
    known = [entry for entry in found if entry is not None]
    return {kind: sum(entry[kind] for entry in known) for kind in KINDS} if known else None


class Pricing(msgspec.Struct, frozen=True, kw_only=True):
    """What tokens cost. None: the price is not known, and so is the cost."""

    answers: Price | None
    judge: Price | None


def costs(rows: Sequence[Row], pricing: Pricing) -> dict[str, float | None]:
    """Of all replies, those from the cache included, as if each was paid for."""
    written = _cost(rows, "tokens", pricing.answers)
    judged = _cost(rows, "judge_tokens", pricing.judge)
    total = None if written is None or judged is None else written.total + judged.total
    return {
        "input_cost": written.input if written else None,
        "output_cost": written.output if written else None,
        "thinking_cost": written.thinking if written else None,
        "cached_cost": written.cached if written else None,
        "judge_cost": judged.total if judged else None,
        "total_cost_usd": total,
        "cost_per_question_usd": total / len(rows) if total is not None and rows else None,
    }


def _cost(rows: Sequence[Row], field: str, price: Price | None) -> Cost | None:
    """No tokens cost nothing; tokens without a price cost nobody knows what."""
    used = [row[field] for row in rows if row[field] is not None]
    if not used:
        return Cost()
    if price is None:
        return None
    total = Cost()
    for entry in used:
        usage = Usage(**{kind: entry[kind] for kind in KINDS if kind != "total"})
        total += cost(usage, price)
    return total


def answer_stats(rows: Sequence[Row]) -> dict[str, Any]:
    lengths = [float(row["answer_length"]) for row in rows if row["answer_length"] is not None]
    return {"n": len(lengths), "avg_length": mean(lengths), "p50_length": quantile(lengths, 0.5)}


def quality(rows: Sequence[Row]) -> dict[str, Any]:
    described = [row["llm_metadata"] for row in rows]
    fallback = [data["used_fallback"] for data in described if data["used_fallback"] is not None]
    return {
        "avg_logprobs": mean([data["avg_logprobs"] for data in described if data["avg_logprobs"] is not None]),
        "fallback_rate": sum(fallback) / len(fallback) if fallback else None,
        "finish_reason_distribution": dict(
            sorted(Counter(data["finish_reason"] for data in described if data["finish_reason"]).items())
        ),
    }


def retries(rows: Sequence[Row]) -> dict[str, Any]:
    """How often something was tried again, and whether that helped."""
    tried = [row for row in rows if row["retry_info"]["attempts"] > 1]
    return {
        "questions_retried": len(tried),
        "recovered": sum(row["retry_info"]["recovered"] for row in tried),
        "total_attempts": sum(row["retry_info"]["attempts"] for row in rows),
    }


def breakdown(rows: Sequence[Row], key: Callable[[Row], str], config: Config) -> dict[str, Any]:
    """n and every measure for each kind of question."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    order = {"easy": 0, "medium": 1, "hard": 2, "unknown": 4}
    named = sorted(groups.items(), key=lambda group: (order.get(group[0], 3), group[0]))
    return {name: {"n": len(group), "metrics": msgspec.to_builtins(metrics(group, config))} for name, group in named}
