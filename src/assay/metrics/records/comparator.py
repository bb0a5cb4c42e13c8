"""What every comparator is: a value made ready once, then compared with many.

A comparator says three things of two values: how far apart they are (0 to 1, to choose pairs), whether that is within
tolerance (to score), and in words how far (to explain).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo
from typing import Any, ClassVar

from msgspec import Struct

from assay.registry import Registry

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


COMPARATORS: Registry[type[Comparator]] = Registry("comparator", "assay.metrics.records.comparators")
