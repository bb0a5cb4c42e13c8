"""Results of an extraction run → its summary: scores, categories, fields, confidence, latency, tokens, cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from assay.config import Config
from assay.extraction.scoring import HEADLINES
from assay.llm.prices import Cost, Price, cost
from assay.llm.protocol import Usage
from assay.metrics import calibration
from assay.metrics.records import Counts, micro
from assay.records import Interval
from assay.runs.results import Row
from assay.stats import Resampling, intervals_of, mean, quantile, wilson
from assay.stats.distributions import normal_quantile

KINDS = ("prompt", "completion", "thinking", "cached", "total")
Pieces = Callable[[Counts], list[float]]
PIECES: dict[str, Pieces] = {
    "micro_precision": lambda c: [1.0] * c.true_positives + [0.0] * c.false_positives,
    "micro_recall": lambda c: [1.0] * c.true_positives + [0.0] * c.false_negatives,
    "micro_f1": lambda c: [1.0] * (2 * c.true_positives) + [0.0] * (c.false_positives + c.false_negatives),
}
"""A micro average is the mean over records, right or wrong; resampled are the samples they came from."""


def metrics(rows: Sequence[Row], config: Config) -> dict[str, Interval]:
    """Means over samples (macro) and over records (micro), with intervals. Rows without a sidecar are not in it."""
    known = [row for row in rows if row["scored"]]
    names = list(dict.fromkeys(name for row in known for name in row["scores"]))
    if not known:
        return {}
    plan = _plan(config)
    matrix = [[row["scores"].get(name) for name in names] for row in known]
    found = dict(zip(names, intervals_of(matrix, plan, _clusters(known, config)), strict=True))
    micros = {name: _micro(known, pieces, plan) for name, pieces in PIECES.items()}
    return {name: found[name] for name in HEADLINES} | micros | {n: i for n, i in found.items() if n not in HEADLINES}


def _plan(config: Config) -> Resampling:
    statistics = config.statistics
    return Resampling(seed=config.seed, resamples=statistics.resamples, confidence=statistics.confidence)


def _clusters(rows: Sequence[Row], config: Config) -> list[str] | None:
    return [row["tags"]["category"] for row in rows] if config.statistics.cluster == "source" else None


def _micro(rows: Sequence[Row], pieces: Pieces, plan: Resampling) -> Interval:
    values: list[list[float]] = []
    samples: list[int] = []
    for number, row in enumerate(rows):
        found = pieces(counts_of(row))
        values += [[value] for value in found]
        samples += [number] * len(found)
    if not values:  # nothing expected, nothing predicted: both sides empty
        failed = any(row["status"] == "error" for row in rows)
        return Interval(0.0 if failed else 1.0, None, None, 0, len(rows))
    interval = intervals_of(values, plan, samples)[0]
    return msgspec.structs.replace(interval, n_scored=len(set(samples)), n_cases=len(rows))


def counts_of(row: Row) -> Counts:
    return Counts(**row["counts"])


def figures(rows: Sequence[Row], fields_named: Sequence[str], config: Config) -> dict[str, Any]:
    """The parts of the summary that tell what goes wrong: also what a model is shown that puts it into words."""
    return {
        "overall": block(rows, config),
        "by_category": breakdown(rows, "category", config),
        "by_level": breakdown(rows, "level", config),
        "by_field": fields(rows, fields_named),
        "confidence": confidence(rows, config),
    }


def block(rows: Sequence[Row], config: Config) -> dict[str, Any]:
    """n, counts and measures of some of the rows."""
    known = [row for row in rows if row["scored"]]
    total = micro(counts_of(row) for row in known)
    failed = sum(row["status"] == "error" for row in known)
    return {
        "n": len(known),
        "failed": failed,
        "counts": msgspec.to_builtins(total),
        "metrics": msgspec.to_builtins(metrics(known, config)),
    }


def breakdown(rows: Sequence[Row], tag: str, config: Config) -> dict[str, Any]:
    groups: dict[str, list[Row]] = {}
    for row in rows:
        if row["scored"]:
            groups.setdefault(row["tags"][tag], []).append(row)
    return {name: block(group, config) for name, group in sorted(groups.items())}


def fields(rows: Sequence[Row], names: Sequence[str]) -> dict[str, Any]:
    """Of all pairs: how often a field was compared and right, and what was wrong most often."""
    pairs = [pair for row in rows if row["scored"] for pair in row["pairs"]]
    found = {}
    for number, name in enumerate(names):
        verdicts = [pair["verdicts"][number] for pair in pairs if pair["verdicts"][number] is not None]
        told = Counter(failure["detail"] for pair in pairs for failure in pair["failures"] if failure["field"] == name)
        found[name] = {
            "compared": len(verdicts),
            "right": sum(verdicts),
            "accuracy": sum(verdicts) / len(verdicts) if verdicts else None,
            "often": [list(each) for each in sorted(told.items(), key=lambda each: (-each[1], each[0]))[:3]],
        }
    return found


def confidence(rows: Sequence[Row], config: Config) -> dict[str, Any]:
    """What the extractor's own confidence is worth; a record is right if it is a true positive."""
    options = config.extraction
    words: list[tuple[str, bool]] = []
    sure: list[tuple[float, bool]] = []
    unreadable = 0
    for value, right in _judged(rows):
        number = _number(value)
        if number is None and isinstance(value, str) and value.strip() and not _numeric(value):
            words.append((value.strip().lower(), right))
        elif number is not None and 0.0 <= number <= 1.0:
            sure.append((number, right))
        else:
            unreadable += value is not None
    z = normal_quantile((1 + config.statistics.confidence) / 2)
    data: dict[str, Any] = {
        "told": len(words) + len(sure),
        "unreadable": unreadable,
        "minimum": options.minimum,
        "levels": [_level(level, z) for level in calibration.levels(words, options.minimum)],
        "numbers": None,
    }
    if sure:
        confidences, hits = [value for value, _ in sure], [each for _, each in sure]
        found = calibration.numbers(confidences, hits, bins=options.bins, minimum=options.minimum)
        data["numbers"] = msgspec.to_builtins(found)
    return data


def _judged(rows: Sequence[Row]) -> Iterable[tuple[Any, bool]]:
    for row in rows:
        if row["scored"] and row["confidences"] and row["status"] == "ok":
            right = {pair["actual"] for pair in row["pairs"] if pair["matched"]}
            yield from ((value, place in right) for place, value in enumerate(row["confidences"]))


def _number(value: Any) -> float | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    return float(value) if isinstance(value, str) and _numeric(value) else None


def _numeric(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _level(level: calibration.Level, z: float) -> dict[str, Any]:
    low, high = wilson(level.right / level.n, level.n, z) if level.n else (None, None)
    reason = None if level.enough else f"too few: {level.n} of {level.minimum} records"
    return {
        "name": level.name,
        "n": level.n,
        "right": level.right,
        "accuracy": level.accuracy,
        "low": low,
        "high": high,
        "enough": level.enough,
        "reason": reason,
    }


def latency(rows: Sequence[Row]) -> dict[str, Any]:
    known = [row["seconds"] for row in rows if row["seconds"] is not None]
    total = {
        "n": len(known),
        "avg": mean(known),
        "min": min(known, default=None),
        "max": max(known, default=None),
        "p50": quantile(known, 0.5),
        "p95": quantile(known, 0.95),
    }
    return {"total": total}


def tokens(rows: Sequence[Row], written: Mapping[str, Any] | None) -> dict[str, Any]:
    """Sums over all samples, and of the summary's own call; null where no reply told its usage."""
    known = [row["tokens"] for row in rows if row["tokens"] is not None]
    extraction = {kind: sum(entry[kind] for entry in known) for kind in KINDS} if known else None
    return {"extraction": extraction, "summary": dict(written) if written else None}


def costs(rows: Sequence[Row], price: Price | None, written: Cost | None) -> dict[str, float | None]:
    """Of all replies, those from the cache included, the summary's too. Tokens without a price: nobody knows."""
    used = [row["tokens"] for row in rows if row["tokens"] is not None]
    total: Cost | None = Cost()
    if used:
        total = sum((cost(_usage(entry), price) for entry in used), start=Cost()) if price else None
    whole = None if total is None or written is None else total.total + written.total
    return {
        "input_cost": total.input if total else None,
        "output_cost": total.output if total else None,
        "thinking_cost": total.thinking if total else None,
        "cached_cost": total.cached if total else None,
        "summary_cost": written.total if written else None,
        "total_cost_usd": whole,
        "cost_per_question_usd": whole / len(rows) if whole is not None and rows else None,
    }


def _usage(entry: Mapping[str, int]) -> Usage:
    return Usage(**{kind: entry[kind] for kind in KINDS if kind != "total"})


def worst(rows: Sequence[Row], n: int) -> list[Row]:
    """The scored samples that went worst: lowest F1, then the most records wrong or missed, then by id."""
    known = [row for row in rows if row["scored"] and not row["scores"]["perfect"]]

    def badness(row: Row) -> tuple[float, int, str]:
        counts = counts_of(row)
        return row["scores"]["f1"], -(counts.false_positives + counts.false_negatives), row["case_id"]

    return sorted(known, key=badness)[:n]
