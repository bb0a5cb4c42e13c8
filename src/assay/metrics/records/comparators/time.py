"""Points in time within a window, whatever their zones; a date alone is the whole day."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from operator import sub
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta

from assay.metrics.records.comparator import COMPARATORS, Comparator, Zone
from assay.metrics.records.moments import DAY, Moment, gap, instant_of, moment

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@COMPARATORS.register("time")
class Time(Comparator, frozen=True):
    """At most so many minutes apart."""

    minutes: Annotated[float, Meta(ge=0)] = 0.0

    def prepare(self, value: Any, zone: Zone) -> Moment:
        if zone is not None and type(value) is str and (instant := instant_of(value)) is not None:
            return instant  # nearly all there are
        return moment(value, zone)

    def prepare_texts(self, texts: Sequence[str], zone: Zone) -> list[Any]:
        if zone is None:
            return [moment(text, zone) for text in texts]
        instants: list[Moment | None] = list(map(instant_of, texts))
        if None not in instants:
            return instants
        return [moment(text, zone) if found is None else found for text, found in zip(texts, instants, strict=True)]

    def distance(self, expected: Any, actual: Any) -> float:
        return self._share(gap(expected, actual))

    def _share(self, seconds: float) -> float:
        """d / (d + window): half at the edge of the window, and never so large that it drowns the other fields."""
        return seconds / (seconds + max(60.0 * self.minutes, 60.0))

    def distances(self, expected: Sequence[Any], actual: Sequence[Any]) -> list[float]:
        window = max(60.0 * self.minutes, 60.0)
        try:  # nearly all are plain instants; the others cannot be subtracted
            return [(apart := abs(one - other)) / (apart + window) for one in expected for other in actual]
        except TypeError:
            return super().distances(expected, actual)

    def grid(self, expected: Sequence[Any], actual: Sequence[Any], samples: int) -> NDArray[np.float64]:
        import numpy as np

        mine, theirs = np.array(expected), np.array(actual)
        if mine.dtype != np.float64 or theirs.dtype != np.float64:
            return super().grid(expected, actual, samples)
        apart = np.abs(mine.reshape(samples, -1, 1) - theirs.reshape(samples, 1, -1))
        shares: NDArray[np.float64] = apart / (apart + max(60.0 * self.minutes, 60.0))
        return shares

    def apart(self, expected: Sequence[Any], actual: Sequence[Any]) -> list[float]:
        window = max(60.0 * self.minutes, 60.0)
        try:
            return [(apart := abs(seconds)) / (apart + window) for seconds in map(sub, expected, actual)]
        except TypeError:
            return super().apart(expected, actual)

    def verdicts(self, expected: Sequence[Any], actual: Sequence[Any]) -> list[bool]:
        limit = 60.0 * self.minutes
        try:
            return [abs(seconds) <= limit for seconds in map(sub, expected, actual)]
        except TypeError:
            return super().verdicts(expected, actual)

    def holds(self, expected: Any, actual: Any) -> bool:
        return gap(expected, actual) <= 60.0 * self.minutes

    def explain(self, expected: Any, actual: Any) -> str:
        return f"{duration(gap(expected, actual))} apart, limit {duration(60.0 * self.minutes)}"

    @property
    def json_type(self) -> dict[str, Any]:
        return {"type": "string", "format": "date-time"}


@COMPARATORS.register("date")
class Date(Comparator, frozen=True):
    """At most so many days apart; of a point in time the day counts, in the sample's zone."""

    days: Annotated[int, Meta(ge=0)] = 0

    def prepare(self, value: Any, zone: Zone) -> int:
        from assay.metrics.records.moments import day

        return day(value, zone)

    def distance(self, expected: Any, actual: Any) -> float:
        apart = abs(expected - actual)
        return float(apart / (apart + max(self.days, 1)))

    def holds(self, expected: Any, actual: Any) -> bool:
        return bool(abs(expected - actual) <= self.days)

    def explain(self, expected: Any, actual: Any) -> str:
        return f"{duration(abs(expected - actual) * DAY)} apart, limit {duration(self.days * DAY)}"

    @property
    def json_type(self) -> dict[str, Any]:
        return {"type": "string", "format": "date"}


def duration(seconds: float) -> str:
    """As a person would say it.

    >>> duration(5400), duration(45), duration(180000)
    ('1 h 30 min', '45 s', '2 days 2 h')
    """
    left = timedelta(seconds=round(seconds))
    parts = [(left.days, "day" if left.days == 1 else "days"), (left.seconds // 3600, "h")]
    parts += [(left.seconds % 3600 // 60, "min"), (left.seconds % 60, "s")]
    return " ".join(f"{number} {unit}" for number, unit in parts if number) or "0 min"
