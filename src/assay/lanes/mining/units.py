"""Two versions of a file → the units that are not the same in both."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from assay.corpus.code import Unit
from assay.lanes.mining.formatting import same_code


class Version(Struct, frozen=True):
    """A file's source and its units."""

    source: str
    units: Sequence[Unit]


def changed_units(old: Version, new: Version) -> list[Unit]:
    """Units of the old version that changed by themselves, or are gone; a holder that gained a part counts as well.

    A class does not change because one of its methods did: the method is what somebody would look for. Modules are
    left out, because every change of a file is one of its module, and units without a symbol, because their ids move.
    """
    later = {unit.id: unit for unit in new.units}
    own_before, own_after = _Own(old), _Own(new)
    known = {unit.id for unit in old.units}
    found = []
    for unit in old.units:
        if unit.symbol is None or unit.kind == "module":
            continue
        after = later.get(unit.id)
        if after is not None and own_before.whole(unit) == own_after.whole(after):
            continue
        if (
            after is None
            or not same_code(own_before.text(unit), own_after.text(after), unit.language)
            or own_after.parts(after) - known
        ):
            found.append(unit)
    return found


class _Own:
    """What is a unit's own: its lines without those of the units inside it."""

    def __init__(self, version: Version) -> None:
        self._lines = version.source.split("\n")
        self._units = version.units

    def _inside(self, unit: Unit) -> list[Unit]:
        return [other for other in self._units if _holds(unit, other)]

    def whole(self, unit: Unit) -> list[str]:
        return self._lines[unit.first_line - 1 : unit.last_line]

    def text(self, unit: Unit) -> str:
        taken = {line for other in self._inside(unit) for line in range(other.first_line, other.last_line + 1)}
        lines = range(unit.first_line, unit.last_line + 1)
        return "\n".join(self._lines[line - 1] for line in lines if line not in taken and line <= len(self._lines))

    def parts(self, unit: Unit) -> set[str]:
        """The ids of the units right inside it."""
        inside = self._inside(unit)
        return {
            other.id
            for other in inside
            if other.symbol is not None and not any(_holds(between, other) for between in inside)
        }


def _holds(outer: Unit, inner: Unit) -> bool:
    """Strictly: two units on the same lines hold neither each other nor themselves."""
    within = outer.first_line <= inner.first_line and inner.last_line <= outer.last_line
    return within and (outer.first_line, outer.last_line) != (inner.first_line, inner.last_line)
