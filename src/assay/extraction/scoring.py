"""An output against what was expected: pairs, counts, scores, and words for what is wrong."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import tzinfo
from typing import Any

import msgspec

from assay.evaluate import Named
from assay.extraction.events import both_named
from assay.extraction.protocol import Output, Sample
from assay.extraction.record_type import RecordType
from assay.metrics.records import Counts, Matching, Scheme, match
from assay.runs.results import Row

FIELD = "field."
"""Before the name of a field's own score."""


HEADLINES = ("precision", "recall", "f1")
MICROS = ("micro_precision", "micro_recall", "micro_f1")


def measures(fields: Sequence[str]) -> list[str]:
    """All that a gate can be about."""
    return [*HEADLINES, *MICROS, "perfect", *(FIELD + name for name in fields), "fields"]


class ExtractionScorer:
    """Rows of the results file; `rows` is how many there were."""

    def __init__(self, record: RecordType, level: str | None = None) -> None:
        self._record, self._level = record, level
        self.rows = 0

    def __call__(self, system: Named, cases: Sequence[Sample], outputs: Sequence[Output]) -> list[Row]:
        found = self._matchings(cases, outputs)
        made = [self._row(system.name, *each) for each in zip(cases, outputs, found, strict=True)]
        self.rows += len(made)
        return made

    def _matchings(self, samples: Sequence[Sample], outputs: Sequence[Output]) -> list[Matching]:
        """Of one sample, or of many together: all those that are compared alike."""
        sides = [self._sides(sample, output) for sample, output in zip(samples, outputs, strict=True)]
        if len(samples) == 1:
            return [match(*sides[0], self._scheme(samples[0]), samples[0].zone)]
        from assay.metrics.records.many import match_all

        alike: dict[tuple[str, tzinfo | None], list[int]] = {}
        for number, sample in enumerate(samples):
            alike.setdefault((self._level or sample.level, sample.zone), []).append(number)
        found: dict[int, Matching] = {}
        for (level, zone), numbers in alike.items():
            together = match_all((sides[number] for number in numbers), self._record.level(level), zone)
            found |= zip(numbers, together, strict=True)
        return [found[number] for number in range(len(samples))]

    def _sides(self, sample: Sample, output: Output) -> tuple[Sequence[dict[str, Any]], Sequence[dict[str, Any]]]:
        """Expected and actual records as they are compared. A failed extraction gave none."""
        expected, actual = sample.expected or (), () if output.fault or sample.expected is None else output.records
        if self._record.is_event and sample.calendar:
            return both_named(expected, actual, sample.calendar)
        return expected, actual

    def _scheme(self, sample: Sample) -> Scheme:
        return self._record.level(self._level or sample.level)

    def _row(self, variant: str, sample: Sample, output: Output, found: Matching) -> Row:
        base = {
            "variant": variant,
            "case_id": sample.id,
            "status": "error" if output.fault else "ok",
            "tags": {"category": sample.category, "level": self._level or sample.level},
            "scored": sample.expected is not None,
            "description": sample.description,
            "context": context_of(sample),
            "text_sha256": sample.text_sha256 or text_sha256(sample.text),
            "expected": list(sample.expected or ()),
            "actual": list(output.records),
            "confidences": list(output.confidences),
            "seconds": output.seconds,
            "tokens": _tokens(output),
            "model": output.model,
            "attempts": output.attempts,
            "error": msgspec.to_builtins(output.fault) if output.fault else None,
        }
        if sample.expected is None:
            return base | {"pairs": [], "missed": [], "extra": [], "counts": None, "scores": {}}
        return base | _judged(found, self._scheme(sample), failed=output.fault is not None)


def text_sha256(text: str) -> str | None:
    """By which a file is known to be still the text that was read; None: there was none."""
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest() if text else None


def context_of(sample: Sample) -> dict[str, Any]:
    """What the comparison depends on beside the records: kept in the row, so that it can be made again."""
    return {
        "level": sample.level,
        "reference_datetime": sample.reference_datetime,
        "timezone": sample.timezone,
        "calendar": msgspec.to_builtins(sample.calendar),
    }


def _judged(found: Matching, scheme: Scheme, *, failed: bool) -> dict[str, Any]:
    counts = Counts.of(found)
    return {
        "pairs": [
            msgspec.to_builtins(pair) | {"failures": msgspec.to_builtins(found.failures(pair))} for pair in found.pairs
        ],
        "missed": list(found.missed),
        "extra": list(found.extra),
        "counts": msgspec.to_builtins(counts),
        "scores": scores_of(counts, found, scheme, failed=failed),
    }


def scores_of(counts: Counts, found: Matching, scheme: Scheme, *, failed: bool) -> dict[str, float | None]:
    """Of one sample. A failed extraction missed everything, and is no success where nothing was expected."""
    nothing = failed and not counts.false_negatives
    scores: dict[str, float | None] = {
        "precision": 0.0 if nothing else counts.precision,
        "recall": 0.0 if nothing else counts.recall,
        "f1": 0.0 if nothing else counts.f1,
        "perfect": float(not failed and counts.false_positives == counts.false_negatives == 0),
    }
    weights: list[tuple[float, float]] = []
    for number, field in enumerate(scheme.fields):
        verdicts = [pair.verdicts[number] for pair in found.pairs if pair.verdicts[number] is not None]
        share = sum(map(bool, verdicts)) / len(verdicts) if verdicts else None
        scores[FIELD + field.name] = share
        if share is not None:
            weights.append((field.weight, share))
    total = sum(weight for weight, _ in weights)
    scores["fields"] = sum(weight * share for weight, share in weights) / total if weights else None
    return scores


def _tokens(output: Output) -> dict[str, int] | None:
    usage = output.usage
    if usage is None:
        return None
    return {
        "prompt": usage.prompt,
        "completion": usage.completion,
        "thinking": usage.thinking,
        "cached": usage.cached,
        "total": usage.total,
    }
