"""Numbers within an absolute or a relative tolerance."""

from __future__ import annotations

import math
from typing import Annotated, Any

from msgspec import Meta

from assay.metrics.records.comparator import COMPARATORS, Comparator, Unreadable, Zone

_NOISE = 1e-9
"""Binary fractions: 0.3 is not further than 0.1 from 0.2."""


@COMPARATORS.register("number")
class Number(Comparator, frozen=True):
    """|expected − actual| ≤ max(absolute, relative · |expected|). A text that is a plain number is one."""

    absolute: Annotated[float, Meta(ge=0)] = 0.0
    relative: Annotated[float, Meta(ge=0)] = 0.0

    def prepare(self, value: Any, zone: Zone) -> Any:  # noqa: ARG002
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise Unreadable(f"{value!r:.60} is no number")
        try:
            number = float(value)
        except (ValueError, OverflowError):
            raise Unreadable(f"{value!r:.60} is no number") from None
        if not math.isfinite(number):
            raise Unreadable(f"{value!r:.60} is not finite")
        return number

    def limit(self, expected: float) -> float:
        return max(self.absolute, self.relative * abs(expected))

    def distance(self, expected: Any, actual: Any) -> float:
        """d / (d + scale), where the scale is the tolerance or a tenth of the expected number."""
        apart = abs(expected - actual)
        scale = max(self.limit(expected), abs(expected) / 10, 1e-12)
        return float(apart / (apart + scale)) if apart and math.isfinite(apart) else float(bool(apart))

    def holds(self, expected: Any, actual: Any) -> bool:
        noise = _NOISE * max(abs(expected), abs(actual))
        return bool(abs(expected - actual) <= self.limit(expected) + noise)

    def explain(self, expected: Any, actual: Any) -> str:
        return f"{abs(expected - actual):g} apart, limit {self.limit(expected):g}"

    @property
    def json_type(self) -> dict[str, Any]:
        return {"type": "number"}
