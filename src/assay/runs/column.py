"""The values of one measure, case by case, as numbers side by side: a tenth of what a dictionary of them takes."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from math import inf, nan

Values = Mapping[str, float | None]
"""Case id → value."""

_ABSENT = -inf
"""No score is infinite."""


class Column(Mapping[str, float | None]):
    """Read like a dictionary. The places of the cases are shared by all columns of a run."""

    __slots__ = ("_places", "_values")

    def __init__(self, places: Mapping[str, int]) -> None:
        self._places, self._values = places, array("d")

    def put(self, place: int, value: float | None) -> None:
        """At the place of a case."""
        values = self._values
        if place >= len(values):
            values.extend([_ABSENT] * (place - len(values) + 1))
        values[place] = nan if value is None else value

    def plain(self) -> dict[str, float | None]:
        """A dictionary, for a while."""
        return {case: _read(value) for case, value in self._pairs()}

    def __getitem__(self, case: str) -> float | None:
        value = self._at(case)
        if value == _ABSENT:
            raise KeyError(case)
        return _read(value)

    def __contains__(self, case: object) -> bool:
        return isinstance(case, str) and self._at(case) != _ABSENT

    def __iter__(self) -> Iterator[str]:
        return (case for case, _ in self._pairs())

    def __len__(self) -> int:
        return len(self._values) - self._values.count(_ABSENT)

    def _at(self, case: str) -> float:
        place = self._places.get(case, len(self._values))
        return self._values[place] if place < len(self._values) else _ABSENT

    def _pairs(self) -> Iterator[tuple[str, float]]:
        """Cases in the order of their places; those behind the last value have none."""
        return (pair for pair in zip(self._places, self._values, strict=False) if pair[1] != _ABSENT)


def plain(values: Values) -> dict[str, float | None]:
    return values.plain() if isinstance(values, Column) else dict(values)


def _read(value: float) -> float | None:
    return value if value == value else None
