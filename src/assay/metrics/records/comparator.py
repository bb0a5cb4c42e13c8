"""What every comparator is: a value made ready once, then compared with many.

A comparator says three things of two values: how far apart they are (0 to 1, to choose pairs), whether that is within
tolerance (to score), and in words how far (to explain).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import tzinfo
from typing import TYPE_CHECKING, Any, ClassVar

from msgspec import Struct

from assay.registry import Registry

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Zone = tzinfo | None
"""Where times without an offset are; None: nobody knows, so they are compared as written."""


class Unreadable(ValueError):
    """The value is not of the kind that is compared."""


class Unread(Struct, frozen=True):
    """A value that could not be read: never within tolerance, and the reason is told."""

    reason: str


class Comparator(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of all. Its fields are its options. `prepare` raises `Unreadable`."""

    slow: ClassVar[bool] = False
    """Worth avoiding where another field has decided already."""

    def prepare(self, value: Any, zone: Zone) -> Any:  # noqa: ARG002
        return value

    def prepare_texts(self, texts: Sequence[str], zone: Zone) -> list[Any]:
        """The same for many, all of them text; here a comparator may be quicker than one by one."""
        return [self.prepare(text, zone) for text in texts]

    def distance(self, expected: Any, actual: Any) -> float:
        """0 equal, 1 nothing in common."""
        raise NotImplementedError

    def holds(self, expected: Any, actual: Any) -> bool:
        """Within tolerance."""
        raise NotImplementedError

    def explain(self, expected: Any, actual: Any) -> str:
        """How far apart, and what the limit is."""
        raise NotImplementedError

    def distances(self, expected: Sequence[Any], actual: Sequence[Any]) -> list[float]:
        """Row by row: each expected value against each actual one."""
        return [self.distance(one, other) for one in expected for other in actual]

    def grid(self, expected: Sequence[Any], actual: Sequence[Any], samples: int) -> NDArray[np.float64]:
        """Sample × expected × actual, of samples of one shape that stand one after the other."""
        return stacked(self.distance, expected, actual, samples)

    def apart(self, expected: Sequence[Any], actual: Sequence[Any]) -> list[float]:
        """Pair by pair."""
        return list(map(self.distance, expected, actual))

    def verdicts(self, expected: Sequence[Any], actual: Sequence[Any]) -> list[bool]:
        """Pair by pair: within tolerance."""
        holds = self.holds
        return [one is other or holds(one, other) for one, other in zip(expected, actual, strict=True)]

    @property
    def json_type(self) -> dict[str, Any]:
        """What a value looks like in JSON, for models that fill in a schema."""
        return {"type": "string"}


def stacked(
    distance: Callable[[Any, Any], float], expected: Sequence[Any], actual: Sequence[Any], samples: int
) -> NDArray[np.float64]:
    """The distances within each of the samples: sample × expected × actual."""
    import numpy as np

    rows, width = len(expected) // samples, len(actual) // samples
    values = [
        distance(one, other)
        for number in range(samples)
        for one in expected[number * rows : (number + 1) * rows]
        for other in actual[number * width : (number + 1) * width]
    ]
    return np.array(values, dtype=np.float64).reshape(samples, rows, width)


COMPARATORS: Registry[type[Comparator]] = Registry("comparator", "assay.metrics.records.comparators")
