"""Two versions of a file → the units that are not the same in both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import accumulate

from msgspec import Struct

from assay.corpus.code import Unit, units_of
from assay.corpus.code.files import is_binary
from assay.corpus.content import clean
from assay.corpus.readers.text import decode
from assay.lanes.mining.syntax import Span, Syntax, Token


class Version(Struct, frozen=True, dict=True):
    """A file as it was at one time."""

    path: str
    data: bytes
    """UTF-8, as it is cut."""
    units: Sequence[Unit]
    is_binary: bool = False

    @classmethod
    def read(cls, path: str, content: bytes | None) -> Version:
        """None: it was not there."""
        if content is None:
            return cls(path, b"", ())
        if is_binary(content):
            return cls(path, b"", (), is_binary=True)
        return cls(path, clean(decode(content)[0]).encode(), units_of(path, content))

    @cached_property
    def ids(self) -> dict[str, Unit]:
        return {unit.id: unit for unit in self.units}

    @cached_property
    def _syntax(self) -> Syntax:
        return Syntax(self.path, self.data)

    @cached_property
    def _spans(self) -> dict[str, Span]:
        """Where each unit lies, by its id, as several may share a line. What stands outside of all is not one piece."""
        starts = list(accumulate((len(line) + 1 for line in self.data.split(b"\n")), initial=0))
        spans = {}
        for unit in self.units:
            if unit.symbol is not None or unit.kind != "module":
                text = unit.text.strip().encode()
                start = self.data.find(text, starts[unit.first_line - 1])
                spans[unit.id] = start, starts[unit.last_line] if "cut" in unit.tags else start + len(text)
        return spans

    def source(self, unit: Unit) -> bytes:
        return self.data[slice(*self._spans[unit.id])]

    def whole(self, unit: Unit) -> list[Token]:
        """Its syntax, with that of the units inside it."""
        return self._syntax.tokens(self._spans[unit.id])

    def own(self, unit: Unit) -> list[Token]:
        """Its syntax, without that of the units inside it."""
        return self._syntax.tokens(self._spans[unit.id], list(self._inside(unit).values()))

    def _inside(self, unit: Unit) -> dict[str, Span]:
        outer = self._spans[unit.id]
        return {id_: span for id_, span in self._spans.items() if _holds(outer, span)}

    def parts(self, unit: Unit) -> set[str]:
        """The ids of the units right inside it."""
        inside = self._inside(unit)
        return {
            id_
            for id_, span in inside.items()
            if self.ids[id_].symbol is not None and not any(_holds(between, span) for between in inside.values())
        }


class Renamed(Struct, frozen=True):
    """What a commit calls otherwise, or keeps in another place."""

    ids: Mapping[str, str] = {}
    """Before → after."""
    names: Mapping[str, str] = {}
    """The same of the names alone, as others use them."""


def changed_units(old: Version, new: Version, renamed: Renamed | None = None) -> list[Unit]:
    """Units of the old version that changed by themselves, or are gone; a holder that gained a part counts as well.

    A class does not change because one of its methods did: the method is what somebody would look for. Modules are
    left out, because every change of a file is one of its module, and units without a symbol, because their ids move.
    What only has another name or place has not changed, nor has what only follows a new name.
    """
    comparison = _Comparison(old, new, renamed or Renamed())
    return [
        unit for unit in old.units if unit.symbol is not None and unit.kind != "module" and comparison.is_changed(unit)
    ]


class _Comparison:
    def __init__(self, old: Version, new: Version, renamed: Renamed) -> None:
        self._old, self._new, self._renamed = old, new, renamed
        self._known = {*old.ids, *renamed.ids.values()}

    def is_changed(self, unit: Unit) -> bool:
        after = self._new.ids.get(unit.id)
        if after is None:
            return unit.id not in self._renamed.ids
        if self._old.source(unit) == self._new.source(after):
            return False
        return self._followed(unit) != self._new.own(after) or bool(self._new.parts(after) - self._known)

    def _followed(self, unit: Unit) -> list[Token]:
        """The syntax before, with the names of after."""
        names = self._renamed.names
        return [(depth, kind, names.get(text, text)) for depth, kind, text in self._old.own(unit)]


def _holds(outer: Span, inner: Span) -> bool:
    """Strictly: two units in the same place hold neither each other nor themselves."""
    return outer[0] <= inner[0] and inner[1] <= outer[1] and outer != inner
