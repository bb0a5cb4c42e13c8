"""What is searched of a unit of code: its own text, its name and its path.

The text is that of the unit without the units inside it, which have their own, and with what it is part of: the text of
a method does not name its class. The name is the last part of its symbol; a qualified one (`Policy::wait`) is also a
term of its own, and so are two neighbouring words of a query. Names and paths are fields with statistics and weights of
their own.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from itertools import pairwise

import numpy as np
from msgspec import Struct

from assay.corpus.chunking import id_part
from assay.corpus.index import Index
from assay.retrievers.analysis import CODE, EXACT, PATH, SYMBOL, analyzer, joined_names, query_terms
from assay.retrievers.counting import count_terms
from assay.retrievers.postings import Postings

EXACTLY = 8
"""How much more than a part of it counts a name or a path as it is written, or class and method named together."""
_WORD = re.compile(r"\w+!?")
_LOOKS_LIKE_A_NAME = re.compile(r"_|\d|[a-z][A-Z]|[A-Z]{2}")
_LOOKS_LIKE_A_PATH = re.compile(r"/|\w\.\w{1,4}$")


class CodeUnit(Struct, frozen=True):
    """What the id of a unit says of it."""

    path: str
    symbol: str

    @property
    def scope(self) -> str:
        return self.symbol.rpartition("::")[0]

    @property
    def name(self) -> str:
        """The last part alone, and the last two joined."""
        scope, _, own = self.symbol.rpartition("::")
        return f"{scope.rpartition('::')[2]}::{own}" if scope else own


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


def prefix_of(field: str) -> str:
    """Of the field's terms; no term holds the sign."""
    return f"{field}@"


def field_postings(size: int, units: Mapping[int, CodeUnit]) -> dict[str, Postings]:
    members = np.zeros(size, dtype=bool)
    members[list(units)] = True
    names, paths = [""] * size, [""] * size
    for row, unit in units.items():
        names[row], paths[row] = unit.name, unit.path
    columns = {"symbol": count_terms(names, [SYMBOL] * size), "path": count_terms(paths, [PATH] * size)}
    return {field: Postings.build(counts, members) for field, counts in columns.items()}


def field_terms(query: str, weights: Mapping[str, float]) -> dict[str, float]:
    """What is looked for in the fields, by weight."""
    words: dict[str, float] = dict(query_terms(query, [analyzer(CODE)]))
    found = {prefix_of(field) + term: n * weight for field, weight in weights.items() for term, n in words.items()}
    names = joined_names(query)
    pairs = {f"{a}.{b}" for first, second in pairwise(names) for a, b in ((first, second), (second, first))}
    exact = {"symbol": [*sorted(pairs), *sorted(pairs), *_names(query)], "path": _paths(query)}
    for field, terms in exact.items():
        for term in terms:
            found[prefix_of(field) + term] = found.get(prefix_of(field) + term, 0.0) + EXACTLY * weights[field]
    return found


def _names(query: str) -> list[str]:
    """Words that are meant as names: those that look like one, and a plain word that stands alone."""
    words = [word for token in query.split() if not _is_path(token) for word in _WORD.findall(token)]
    plain = [word for word in words if not _LOOKS_LIKE_A_NAME.search(word)]
    return [EXACT + word for word in words if word not in plain or len(plain) == 1]


def _paths(query: str) -> list[str]:
    return [EXACT + _bare(token).lower() for token in query.split() if _is_path(token)]


def _is_path(token: str) -> bool:
    return _LOOKS_LIKE_A_PATH.search(_bare(token)) is not None


def _bare(token: str) -> str:
    """Without the marks around a path in a sentence."""
    return token.strip("`'\"(),;:?!").removeprefix("./").strip("/")
