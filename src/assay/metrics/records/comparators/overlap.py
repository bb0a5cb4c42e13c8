"""Sets of names."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from msgspec import Meta

from assay.metrics.records.comparator import COMPARATORS, Comparator, Unreadable, Zone
from assay.metrics.records.folding import folded

Names = tuple[frozenset[str], ...]
"""Each name as its words."""


@COMPARATORS.register("overlap")
class Overlap(Comparator, frozen=True):
    """How many names are in common, as a share of the expected ones (`contains`) or of all (`jaccard`).

    A name is found in one that has all its words: `Ana` in `Ana Ruiz <ana@example.org>`. A name without a word is none.
    """

    at_least: Annotated[float, Meta(ge=0, le=1)] = 1.0
    of: Literal["contains", "jaccard"] = "contains"

    def prepare(self, value: Any, zone: Zone) -> Names:  # noqa: ARG002
        values = [value] if isinstance(value, str) else value
        if not isinstance(values, list | tuple) or not all(isinstance(each, str) for each in values):
            raise Unreadable(f"{value!r:.60} is no list of texts")
        named = {frozenset(re.findall(r"\w+", folded(each))) for each in values}
        return tuple(sorted((words for words in named if words), key=sorted))

    def share(self, expected: Names, actual: Names) -> float:
        if not expected and not actual:
            return 1.0
        found = sum(any(words <= other for other in actual) for words in expected)
        if self.of == "contains":
            return found / len(expected) if expected else 1.0
        return found / (len(expected) + len(actual) - found) if found <= len(actual) else found / len(expected)

    def distance(self, expected: Any, actual: Any) -> float:
        return 1.0 - self.share(expected, actual)

    def holds(self, expected: Any, actual: Any) -> bool:
        return self.share(expected, actual) >= self.at_least - 1e-9

    def explain(self, expected: Any, actual: Any) -> str:
        return f"overlap {self.share(expected, actual):.2f}, at least {self.at_least:g} needed"

    @property
    def json_type(self) -> dict[str, Any]:
        return {"type": "array", "items": {"type": "string"}}
