"""Units that a commit only calls otherwise, or moves: the same body under another name or in another place."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from msgspec import Struct

from assay.corpus.code import Unit
from assay.lanes.mining.units import Renamed, Version

FEWEST_TOKENS = 12
"""Two bodies shorter than that may be equal by accident."""
_NAME = re.compile(r"[^\W\d][\w$]*")
_PLACE_OF_NAME = "\0"
Body = tuple[object, ...]


class Edit(Struct, frozen=True):
    """A source file before and after a commit, both under the path it had before; a new one under its own."""

    before: Version
    after: Version


class _Placed(Struct, frozen=True):
    version: Version
    unit: Unit


def renamed_units(edits: Iterable[Edit]) -> Renamed:
    """Paired by their bodies, if there is one body of that kind on each side, and then what is inside them."""
    gone, new = _gone_and_new(edits)
    if not gone or not new:
        return Renamed()
    before, after = _by_body(gone.values()), _by_body(new.values())
    pairs = {
        before[body][0].id: after[body][0].id
        for body in before
        if len(before[body]) == 1 and len(after.get(body, ())) == 1
    }
    pairs = _with_inner(pairs, gone, new)
    names = {_name(gone[old].unit): _name(new[later].unit) for old, later in pairs.items()}
    return Renamed(pairs, {old: later for old, later in names.items() if old != later})


def _gone_and_new(edits: Iterable[Edit]) -> tuple[dict[str, _Placed], dict[str, _Placed]]:
    gone: dict[str, _Placed] = {}
    new: dict[str, _Placed] = {}
    for edit in edits:
        for found, own, other in ((gone, edit.before, edit.after), (new, edit.after, edit.before)):
            found |= {id_: _Placed(own, unit) for id_, unit in own.ids.items() if unit.symbol and id_ not in other.ids}
    return gone, new


def _by_body(placed: Iterable[_Placed]) -> Mapping[Body, list[Unit]]:
    found: defaultdict[Body, list[Unit]] = defaultdict(list)
    for each in placed:
        if body := _body(each):
            found[body].append(each.unit)
    return found


def _body(placed: _Placed) -> Body | None:
    """Kind and syntax, with a placeholder wherever the unit names itself."""
    name = _name(placed.unit)
    tokens = placed.version.whole(placed.unit)
    if sum(bool(text) for _, _, text in tokens) < FEWEST_TOKENS:
        return None
    said = ((depth, kind, _PLACE_OF_NAME if text == name else text) for depth, kind, text in tokens)
    return placed.unit.language, placed.unit.kind, *said


def _name(unit: Unit) -> str:
    """The last name of the symbol, without what tells overloads apart."""
    names = _NAME.findall((unit.symbol or "").partition("(")[0])
    return names[-1] if names else ""


def _with_inner(pairs: Mapping[str, str], gone: Mapping[str, _Placed], new: Mapping[str, _Placed]) -> dict[str, str]:
    """A class that is called otherwise takes its methods with it."""
    found = dict(pairs)
    for old in gone:
        outer = old.rpartition("::")[0]
        while outer and outer not in found:
            outer = outer.rpartition("::")[0]
        if outer and old not in found:
            later = found[outer] + old.removeprefix(outer)
            if later in new and later not in found.values():
                found[old] = later
    return found
