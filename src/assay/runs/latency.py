"""How long it took, as every summary says it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from assay.stats import mean, quantile


def times(seconds: Iterable[float | None]) -> dict[str, Any]:
    """What was not measured, None or NaN, is left out and not in n."""
    known = [float(each) for each in seconds if each is not None and each == each]
    return {
        "n": len(known),
        "avg": mean(known),
        "min": min(known, default=None),
        "max": max(known, default=None),
        "p50": quantile(known, 0.5),
        "p95": quantile(known, 0.95),
    }
