"""An output against what was expected: pairs, counts, scores, and words for what is wrong."""

from __future__ import annotations

from collections.abc import Sequence
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


class ExtractionScorer:
    """Rows of the results file."""

    def __init__(self, record: RecordType, level: str | None = None):
        self._record, self._level = record, level

    def __call__(self, system: Named, cases: Sequence[Sample], outputs: Sequence[Output]) -> list[Row]:
        return [self.row(system.name, sample, output) for sample, output in zip(cases, outputs, strict=True)]

    def row(self, variant: str, sample: Sample, output: Output) -> Row:
        scored = sample.expected is not None
        level = self._level or sample.level
        base = {
            "variant": variant,
            "case_id": sample.id,
            "status": "error" if output.fault else "ok",
            "tags": {"category": sample.category, "level": level},
            "scored": scored,
            "description": sample.description,
            "expected": list(sample.expected or ()),
            "actual": list(output.records),
            "confidences": list(output.confidences),
            "seconds": output.seconds,
            "tokens": _tokens(output),
            "model": output.model,
            "attempts": output.attempts,
            "error": msgspec.to_builtins(output.fault) if output.fault else None,
        }
        return base | self._judged(sample, output, self._record.level(level))

    def _judged(self, sample: Sample, output: Output, scheme: Scheme) -> dict[str, Any]:
        if sample.expected is None:
            return {"pairs": [], "missed": [], "extra": [], "counts": None, "scores": {}}
        found = self.matching(sample, () if output.fault else output.records, scheme)
        counts = Counts.of(found)
        return {
            "pairs": [
                msgspec.to_builtins(pair) | {"failures": msgspec.to_builtins(found.failures(pair))}
                for pair in found.pairs
            ],
            "missed": list(found.missed),
            "extra": list(found.extra),
            "counts": msgspec.to_builtins(counts),
            "scores": scores_of(counts, found, scheme, failed=output.fault is not None),
        }

    def matching(self, sample: Sample, records: Sequence[dict[str, Any]], scheme: Scheme) -> Matching:
        expected: Sequence[dict[str, Any]] = sample.expected or ()
        if self._record.is_event and sample.calendar:
            expected, records = both_named(expected, records, sample.calendar)
        return match(expected, records, scheme, sample.zone)


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
