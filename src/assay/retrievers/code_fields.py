"""What is searched of a unit of code: its own text, its name and its path.

The text is that of the unit without the units inside it, which have their own, and with what it is part of: the text of
a method does not name its class. The name is the last part of its symbol; a qualified one (`Policy::wait`) is also a
term of its own, and so are two neighbouring words of a query. Names, the words of names two by two, and paths are
fields with statistics of their own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from msgspec import Struct

from assay.corpus.chunking import id_part
from assay.corpus.index import Index
from assay.retrievers.analysis import PAIR, PATH, SYMBOL, split_symbol


class CodeUnit(Struct, frozen=True):
    """What the id of a unit says of it."""

    path: str
    symbol: str

    @property
    def scope(self) -> str:
        return "::".join(split_symbol(self.symbol)[:-1])

    @property
    def name(self) -> str:
        """The last part, after what it is part of."""
        return "::".join(split_symbol(self.symbol)[-2:])


def units_of(index: Index) -> dict[int, CodeUnit]:
    """By row. A unit made elsewhere may have another kind of id: then its source is its path."""
    units = {}
    for row, (id_, lane) in enumerate(zip(index.ids, index.lanes, strict=True)):
        if lane == "code":
            units[row] = _unit(id_, index.sources[row])
    return units


def _unit(id_: str, source: str) -> CodeUnit:
    """A path may hold what stands between path and symbol, so that it is taken from the source where that fits."""
    beginning = f"code:{id_part(source)}::"
    if id_.startswith(beginning):
        return CodeUnit(source, id_.removeprefix(beginning))
    path, _, symbol = id_.removeprefix("code:").partition("::")
    return CodeUnit(path, symbol) if symbol else CodeUnit(source, "")


def own_texts(index: Index, units: Mapping[int, CodeUnit]) -> list[str]:
    """The texts of all rows, as they are counted."""
    texts = index.texts()
    if not units:
        return texts
    whole = dict(zip(units, (texts[row] for row in units), strict=True))
    for outer, inner in _nested(index, units):
        texts[outer] = texts[outer].replace(whole[inner], "", 1)
    for row, unit in units.items():
        if unit.scope:
            texts[row] = f"{unit.scope}\n{texts[row]}"
    return texts


def _nested(index: Index, units: Mapping[int, CodeUnit]) -> list[tuple[int, int]]:
    """Pairs of rows: a unit and one that lies directly inside it."""
    spans = index.spans()
    by_file: defaultdict[str, list[tuple[int, int, int]]] = defaultdict(list)
    for row in units:
        if (span := spans[row]) is not None and "module@" not in units[row].symbol:
            by_file[index.sources[row]].append((span[0], -span[1], row))
    pairs = []
    for rows in by_file.values():
        around: list[tuple[int, int]] = []
        for _, last, row in sorted(rows):
            while around and around[-1][0] < -last:
                around.pop()
            if around:
                pairs.append((around[-1][1], row))
            around.append((-last, row))
    return pairs


def field_texts(size: int, units: Mapping[int, CodeUnit]) -> dict[str, list[str]]:
    """By field and row: nothing where there is no code."""
    names, paths = [""] * size, [""] * size
    for row, unit in units.items():
        names[row], paths[row] = unit.name, unit.path
    return {SYMBOL: names, PAIR: names, PATH: paths}
