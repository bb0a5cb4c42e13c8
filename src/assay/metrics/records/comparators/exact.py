"""Values that are equal or not."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from operator import eq
from typing import TYPE_CHECKING, Any

from assay.metrics.records.comparator import COMPARATORS, Comparator, Unreadable, Zone
from assay.metrics.records.folding import folded

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def _alike(one: Any, other: Any) -> bool:
    """Of two equal values: whether true is true in both, and not 1, also inside of lists and objects."""
    if isinstance(one, dict):
        return all(_alike(value, other[key]) for key, value in one.items())
    if isinstance(one, list | tuple):
        return all(map(_alike, one, other))
    return isinstance(one, bool) == isinstance(other, bool)


@COMPARATORS.register("exact")
class Exact(Comparator, frozen=True):
    """JSON's equality: 1 is 1.0, true is not 1, upper and lower case differ."""

    def distance(self, expected: Any, actual: Any) -> float:
        return 0.0 if self.holds(expected, actual) else 1.0

    def holds(self, expected: Any, actual: Any) -> bool:
        return bool(expected == actual) and _alike(expected, actual)

    def explain(self, expected: Any, actual: Any) -> str:  # noqa: ARG002
        return "not equal"


@lru_cache
def _folded_already(values: tuple[str, ...]) -> frozenset[str]:
    """Those that are read as they are written."""
    return frozenset(value for value in values if value.islower() and value == folded(value))


@COMPARATORS.register("enum")
class Enum(Exact, frozen=True):
    """One of a few words, whatever the case. With `values`, anything else cannot be read."""

    values: tuple[str, ...] = ()

    def prepare(self, value: Any, zone: Zone) -> Any:  # noqa: ARG002
        if not isinstance(value, str):
            raise Unreadable(f"{value!r:.60} is no text")
        if value in self.values and value.islower():
            return value
        word = folded(value)
        if self.values and word not in {folded(known) for known in self.values}:
            raise Unreadable(f"{value!r:.60} is none of {', '.join(self.values)}")
        return word

    def prepare_texts(self, texts: Sequence[str], zone: Zone) -> list[Any]:
        if _folded_already(self.values).issuperset(texts):
            return list(texts)
        return [self.prepare(text, zone) for text in texts]

    def verdicts(self, expected: Sequence[Any], actual: Sequence[Any]) -> list[bool]:
        return list(map(eq, expected, actual))

    def distances(self, expected: Sequence[Any], actual: Sequence[Any]) -> list[float]:
        if len({*expected, *actual}) == 1:
            return [0.0] * (len(expected) * len(actual))
        return [0.0 if one == other else 1.0 for one in expected for other in actual]

    def grid(self, expected: Sequence[Any], actual: Sequence[Any], samples: int) -> NDArray[np.float64]:
        import numpy as np

        numbers = {word: number for number, word in enumerate({*expected, *actual})}
        mine, theirs = (np.array([numbers[word] for word in side]) for side in (expected, actual))
        apart: NDArray[np.float64] = np.where(mine.reshape(samples, -1, 1) == theirs.reshape(samples, 1, -1), 0.0, 1.0)
        return apart

    @property
    def json_type(self) -> dict[str, Any]:
        return {"type": "string", "enum": list(self.values)} if self.values else {"type": "string"}


@COMPARATORS.register("reference")
class Reference(Exact, frozen=True):
    """The id of something that is there already. `true` expects any id, a tuple one of those, a text that very id."""

    def prepare(self, value: Any, zone: Zone) -> Any:  # noqa: ARG002
        if value is True:
            return True
        if isinstance(value, tuple):  # never from JSON, so no extractor can give one
            return frozenset(value)
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise Unreadable(f"{value!r:.60} is no id")
        return str(value).strip()

    def holds(self, expected: Any, actual: Any) -> bool:
        if isinstance(expected, frozenset):
            return actual in expected
        return bool(actual) if expected is True else bool(expected == actual)

    def explain(self, expected: Any, actual: Any) -> str:
        return f"no known id: {actual}" if isinstance(expected, frozenset) else super().explain(expected, actual)
