"""Records within a record (the lines of an invoice), matched one to one as the records themselves are."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from msgspec import Meta, Struct

from assay.metrics.records.comparator import COMPARATORS, Comparator, Unreadable, Zone
from assay.metrics.records.counts import Counts
from assay.metrics.records.matching import Matching, match
from assay.metrics.records.scheme import Scheme


class _List(Struct, frozen=True):
    records: tuple[dict[str, Any], ...]
    zone: Zone


@COMPARATORS.register("records")
class Records(Comparator, frozen=True):
    """The F1 of the inner records is at least so much."""

    slow: ClassVar[bool] = True

    scheme: Scheme
    at_least: Annotated[float, Meta(ge=0, le=1)] = 1.0

    def prepare(self, value: Any, zone: Zone) -> _List:
        if not isinstance(value, list | tuple) or not all(isinstance(each, dict) for each in value):
            raise Unreadable(f"{value!r:.60} is no list of records")
        return _List(tuple(value), zone)

    def matching(self, expected: _List, actual: _List) -> Matching:
        return match(expected.records, actual.records, self.scheme, expected.zone)

    def _f1(self, expected: Any, actual: Any) -> float:
        found = self.matching(expected, actual)
        return Counts.of(found).f1

    def distance(self, expected: Any, actual: Any) -> float:
        return 1.0 - self._f1(expected, actual)

    def holds(self, expected: Any, actual: Any) -> bool:
        return self._f1(expected, actual) >= self.at_least - 1e-9

    def explain(self, expected: Any, actual: Any) -> str:
        found = self.matching(expected, actual)
        right = sum(pair.matched for pair in found.pairs)
        wrong = next((failure for pair in found.pairs for failure in found.failures(pair)), None)
        first = f"; {wrong.field}: {wrong.detail}" if wrong else ""
        return f"{right} of {len(expected.records)} found, {len(actual.records) - right} wrong{first}"

    @property
    def json_type(self) -> dict[str, Any]:
        return {"type": "array", "items": self.scheme.json_schema}
