"""Results of an extraction run → its summary: scores, categories, fields, confidence, latency, tokens, cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from assay.config import Config
from assay.extraction.scoring import HEADLINES
from assay.llm.prices import Cost, Price, cost, cost_block
from assay.llm.protocol import Usage
from assay.metrics import calibration
from assay.metrics.records import Counts, micro
from assay.records import Interval
from assay.runs.latency import times
from assay.runs.results import Row
from assay.stats import Resampling, intervals_of, wilson
from assay.stats.distributions import normal_quantile

KINDS = ("prompt", "completion", "thinking", "cached", "total")
Pieces = Callable[[Counts], tuple[int, int]]
PIECES: dict[str, Pieces] = {
    "micro_precision": lambda c: (c.true_positives, c.false_positives),
    "micro_recall": lambda c: (c.true_positives, c.false_negatives),
    "micro_f1": lambda c: (2 * c.true_positives, c.false_positives + c.false_negatives),
}
"""A micro average is the mean over records, so many right and so many wrong; resampled are the samples they came from.
"""
KEPT = ("case_id", "status", "tags", "scored", "seconds", "tokens", "model", "error", "counts", "scores")
"""What of a row is held while a summary is made; the records themselves are not."""


class _Field:
    """How often a field was compared and right, and in which words it was wrong."""

    def __init__(self) -> None:
        self.compared = self.right = 0
        self.told: Counter[str] = Counter()

    def as_data(self) -> dict[str, Any]:
        often = sorted(self.told.items(), key=lambda each: (-each[1], each[0]))[:3]
        return {
            "compared": self.compared,
            "right": self.right,
            "accuracy": self.right / self.compared if self.compared else None,
            "often": [list(each) for each in often],
        }


class Tally:
    """The rows of a run in one pass: little of each is kept."""

    def __init__(self, rows: Iterable[Row], names: Sequence[str]) -> None:
        self._fields = {name: _Field() for name in names}
        self.judged: list[tuple[Any, bool]] = []
        """What the extractor said of its certainty, and whether the record is right."""
        self.rows = [self._take(row) for row in rows]

    def _take(self, row: Row) -> Row:
        if row["scored"]:
            for pair in row["pairs"]:
                self._count(pair)
            if row["confidences"] and row["status"] == "ok":
                right = {pair["actual"] for pair in row["pairs"] if pair["matched"]}
                self.judged += [(value, place in right) for place, value in enumerate(row["confidences"])]
        return {key: row[key] for key in KEPT}

    def _count(self, pair: Mapping[str, Any]) -> None:
        for field, held in zip(self._fields.values(), pair["verdicts"], strict=True):
            field.compared += held is not None
            field.right += bool(held)
        for failure in pair["failures"]:
            self._fields[failure["field"]].told[failure["detail"]] += 1

    def fields(self) -> dict[str, Any]:
        """Of all pairs: how often a field was compared and right, and what was wrong most often."""
        return {name: field.as_data() for name, field in self._fields.items()}


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
    found = np.array([pieces(counts_of(row)) for row in rows], dtype=np.int64)
    values = np.repeat(np.tile([1.0, 0.0], len(rows)), found.ravel())
    samples = np.repeat(np.arange(len(rows)), found.sum(axis=1))
    if not len(values):  # nothing expected, nothing predicted: both sides empty
        failed = any(row["status"] == "error" for row in rows)
        return Interval(0.0 if failed else 1.0, None, None, 0, len(rows))
    interval = intervals_of(values.reshape(-1, 1), plan, samples)[0]
    return msgspec.structs.replace(interval, n_scored=int(found.any(axis=1).sum()), n_cases=len(rows))


def counts_of(row: Row) -> Counts:
    return Counts(**row["counts"])


def figures(tally: Tally, config: Config) -> dict[str, Any]:
    """The parts of the summary that tell what goes wrong: also what a model is shown that puts it into words."""
    return {
        "overall": block(tally.rows, config),
        "by_category": breakdown(tally.rows, "category", config),
        "by_level": breakdown(tally.rows, "level", config),
        "by_field": tally.fields(),
        "confidence": confidence(tally.judged, config),
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


def confidence(judged: Iterable[tuple[Any, bool]], config: Config) -> dict[str, Any]:
    """What the extractor's own confidence is worth; a record is right if it is a true positive."""
    options = config.extraction
    words: list[tuple[str, bool]] = []
    sure: list[tuple[float, bool]] = []
    unreadable = 0
    for value, right in judged:
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
    return {"total": times(row["seconds"] for row in rows)}


def tokens(rows: Sequence[Row], written: Mapping[str, Any] | None) -> dict[str, Any]:
    """Sums over all samples, and of the summary's own call; null where no reply told its usage."""
    known = [row["tokens"] for row in rows if row["tokens"] is not None]
    extraction = {kind: sum(entry[kind] for entry in known) for kind in KINDS} if known else None
    return {"extraction": extraction, "summary": dict(written) if written else None}


def costs(rows: Sequence[Row], price: Callable[[Row], Price | None], written: Cost | None) -> dict[str, float | None]:
    """Of all replies, those from the cache included, the summary's too. Tokens without a price: nobody knows."""
    used = [(row["tokens"], price(row)) for row in rows if row["tokens"] is not None]
    known = [cost(_usage(entry), paid) for entry, paid in used if paid is not None]
    total = sum(known, start=Cost()) if len(known) == len(used) else None
    return cost_block(total, ("summary_cost", written), len(rows))


def _usage(entry: Mapping[str, int]) -> Usage:
    return Usage(**{kind: entry[kind] for kind in KINDS if kind != "total"})


def worst(rows: Sequence[Row], n: int) -> list[Row]:
    """The scored samples that went worst: lowest F1, then the most records wrong or missed, then by id."""
    known = [row for row in rows if row["scored"] and not row["scores"]["perfect"]]

    def badness(row: Row) -> tuple[float, int, str]:
        counts = counts_of(row)
        return row["scores"]["f1"], -(counts.false_positives + counts.false_negatives), row["case_id"]

    return sorted(known, key=badness)[:n]
