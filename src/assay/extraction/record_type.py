"""A record type: its fields, how each is compared, and how that differs from level to level. One YAML file.

    name: invoice
    fields:
      number:   {compare: exact}
      supplier: {compare: ratio, at_least: 85}
      total:    {compare: number, absolute: 0.01}
      lines:    {compare: records, fields: {item: {compare: ratio}, price: {compare: number}}}
    levels:
      strict:   {supplier: {compare: text}}

A level names only what differs from `fields`. What is not an option of the field is one of its comparator.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from assay.errors import AssayError, unknown_name
from assay.files import dump_json, read_text
from assay.metrics.records import COMPARATORS, Comparator, Field, Scheme
from assay.validation import Keys, Place, convert
from assay.yaml_source import Source

_FOLDER = Path(__file__).parent / "record_types"
EVENT = "event"
LEVELS = ("strict", "moderate", "relaxed")
DEFAULT_LEVEL = "moderate"


class _File(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: str
    fields: Annotated[dict[str, dict[str, Any]], Meta(min_length=1)]
    levels: dict[str, dict[str, dict[str, Any]]] = {}


class _Options(Struct, frozen=True, kw_only=True):
    """Of a field, whatever its comparator."""

    key: bool = False
    scored: bool = True
    weight: Annotated[float, Meta(gt=0)] = 1.0
    when: Literal["expected", "always"] = "expected"


class RecordType(Struct, frozen=True, kw_only=True):
    """A level is a scheme."""

    name: str
    levels: dict[str, Scheme]
    sha256: str

    def level(self, name: str) -> Scheme:
        if name not in self.levels:
            raise unknown_name("level", name, self.levels)
        return self.levels[name]

    @property
    def scheme(self) -> Scheme:
        """The usual one."""
        return self.levels[DEFAULT_LEVEL]

    @property
    def json_schema(self) -> dict[str, Any]:
        """One record of it."""
        return self.scheme.json_schema

    @property
    def is_event(self) -> bool:
        return self.name == EVENT

    def also_scored(self, names: Sequence[str]) -> RecordType:
        """With more fields in the rule for a right record."""
        if not names:
            return self
        levels = {level: scheme.also_scored(names) for level, scheme in self.levels.items()}
        digest = hashlib.sha256(dump_json([self.sha256, sorted(names)]).encode()).hexdigest()
        return msgspec.structs.replace(self, levels=levels, sha256=digest)


def load_record_type(path: Path | None) -> RecordType:
    """The file; None: calendar events."""
    if path is None:
        text = _FOLDER.joinpath(f"{EVENT}.yaml").read_text("utf-8")
        return parse_record_type(text, f"{EVENT}.yaml")
    return parse_record_type(read_text(path), str(path))


def parse_record_type(text: str, where: str) -> RecordType:
    """Validated; a fault names file and line, and the nearest name."""
    source = Source(text, where)
    given = convert(source.data, _File, source.place)
    names = list(dict.fromkeys([*LEVELS, *given.levels]))
    levels = {name: Scheme(tuple(_fields(given, name, source.place))) for name in names}
    return RecordType(name=given.name, levels=levels, sha256=hashlib.sha256(text.encode()).hexdigest())


def _fields(given: _File, level: str, place: Place) -> list[Field]:
    changes = given.levels.get(level, {})
    for name in changes:
        if name not in given.fields:
            raise unknown_name("field", name, given.fields, where=place(("levels", level, name)))
    return [
        _field(name, _merged(options, changes.get(name, {})), _place_of(name, level, changes, place))
        for name, options in given.fields.items()
    ]


def _merged(options: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Another comparator keeps the field's own options, and none of the old comparator's."""
    if changes.get("compare", options.get("compare")) != options.get("compare"):
        own = set(_Options.__struct_fields__)
        return {key: value for key, value in options.items() if key in own} | dict(changes)
    return {**options, **changes}


def _place_of(name: str, level: str, changes: Mapping[str, Any], place: Place) -> Place:
    def found(keys: Keys) -> str:
        in_level = name in changes and (not keys or keys[0] in changes[name])
        return place(("levels", level, name, *keys) if in_level else ("fields", name, *keys))

    return found


def _field(name: str, options: Mapping[str, Any], place: Place) -> Field:
    own = {key: value for key, value in options.items() if key in _Options.__struct_fields__}
    rest = {key: value for key, value in options.items() if key not in own}
    common = convert(own, _Options, place)
    kind = rest.pop("compare", "exact")
    if not isinstance(kind, str) or kind not in COMPARATORS:
        raise unknown_name("comparator", str(kind), COMPARATORS.names(), where=place(("compare",)))
    return Field(
        name=name,
        comparator=_comparator(COMPARATORS.get(kind), rest, place),
        key=common.key,
        scored=common.scored,
        weight=common.weight,
        when=common.when,
    )


def _comparator(kind: type[Comparator], options: dict[str, Any], place: Place) -> Comparator:
    if "scheme" not in kind.__struct_fields__:
        return convert(options, kind, place)
    inner = options.pop("fields", None)
    if not isinstance(inner, dict) or not inner or not all(isinstance(each, dict) for each in inner.values()):
        raise AssayError("nested records need 'fields'", where=place(()), expected="a block of fields")
    scheme = Scheme(tuple(_field(name, each, _inside(place, name)) for name, each in inner.items()))
    known = {name for name in kind.__struct_fields__ if name != "scheme"}
    for key in options:
        if key not in known:
            raise unknown_name("option", key, known | {"fields"}, where=place((key,)))
    return msgspec.convert({**options, "scheme": scheme}, kind)


def _inside(place: Place, name: str) -> Place:
    return lambda keys: place(("fields", name, *keys))
