"""A level: the table of a record's fields and how each is compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from assay.errors import unknown_name
from assay.metrics.records.comparator import Comparator, Unread, Unreadable, Zone

Record = Mapping[str, Any]


class Field(Struct, frozen=True, kw_only=True):
    """One field. `key`: pairs are chosen by it before all others. `scored`: it must be right for the record to be."""

    name: str
    comparator: Comparator
    key: bool = False
    scored: bool = True
    weight: float = 1.0
    """In the choice of pairs and in the mean over fields."""
    when: Literal["expected", "always"] = "expected"
    """`always`: a value where none is expected is wrong, too."""

    def ready(self, value: Any, zone: Zone) -> Any:
        """None where there is no value; `Unread` where it is not of the kind that is compared."""
        if _absent(value):
            return None
        try:
            return self.comparator.prepare(value, zone)
        except Unreadable as fault:
            return Unread(str(fault))

    def distance(self, expected: Any, actual: Any) -> float:
        if expected is None:
            return 0.0 if actual is None or self.when == "expected" else 1.0
        if actual is None or isinstance(expected, Unread) or isinstance(actual, Unread):
            return 1.0
        return self.comparator.distance(expected, actual)

    def holds(self, expected: Any, actual: Any) -> bool | None:
        """None: not compared."""
        if expected is None:
            return None if self.when == "expected" else actual is None
        if actual is None or type(expected) is Unread or type(actual) is Unread:
            return False
        return expected is actual or self.comparator.holds(expected, actual)

    def explain(self, expected: Any, actual: Any) -> str:
        if expected is None:
            return "not expected"
        if actual is None:
            return "missing"
        for value in (expected, actual):
            if isinstance(value, Unread):
                return value.reason
        return self.comparator.explain(expected, actual)


def _absent(value: Any) -> bool:
    return value is None or value == "" or value == []


class Scheme(Struct, frozen=True, dict=True):
    """The fields of a record, in their order."""

    fields: tuple[Field, ...]

    @cached_property
    def named(self) -> tuple[tuple[str, Field], ...]:
        return tuple((field.name, field) for field in self.fields)

    @cached_property
    def total_weight(self) -> float:
        """Of the fields that are scored, without the keys: the most that a pair can differ by."""
        return sum(field.weight for field in self.fields if field.scored and not field.key)

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(field.name for field in self.fields)

    def also_scored(self, names: Sequence[str]) -> Scheme:
        """The same with these fields in the rule for a right record."""
        for name in names:
            if name not in self.names:
                raise unknown_name("field", name, self.names)
        return Scheme(tuple(replace(each, scored=each.scored or each.name in names) for each in self.fields))

    @property
    def json_schema(self) -> dict[str, Any]:
        """One record, for models that fill in a schema; a value that is not there is null."""
        properties = {each.name: _or_null(each.comparator.json_type) for each in self.fields}
        return {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [schema, {"type": "null"}]}
