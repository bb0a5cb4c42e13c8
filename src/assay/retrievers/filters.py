"""Where to search: the rows of an index that a request allows."""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from assay.corpus.documents import parts
from assay.corpus.index import Index
from assay.errors import AssayError, listed, offer
from assay.records import Lane
from assay.retrievers.protocol import Request


def allowed_sources(index: Index, names: Sequence[str]) -> set[str]:
    """The documents meant. A name that fits none, or several, is an error: an empty result would look like a miss."""
    found = {name: index.documents.find(name) for name in names}
    for name, source in found.items():
        if source is None:
            near = [source for source in set(index.sources) if parts(source)[-1:] == parts(name)[-1:]]
            what = f"several documents could be '{name}'" if near else f"no chunk comes from '{name}'"
            hint = f"Name one of: {listed(sorted(near))}" if near else offer(name, set(index.sources))
            raise AssayError(what, where=str(index.path), hint=hint)
    return {source for source in found.values() if source is not None}


def allowed_rows(index: Index, request: Request) -> NDArray[np.bool_] | None:
    """True for each row that may be a result; None when all may."""
    allowed = None
    if request.sources:
        sources = allowed_sources(index, request.sources)
        allowed = np.fromiter((source in sources for source in index.sources), dtype=bool, count=len(index))
    if request.lane and set(index.lanes) != {request.lane}:
        in_lane = np.fromiter((lane == request.lane for lane in index.lanes), dtype=bool, count=len(index))
        allowed = in_lane if allowed is None else allowed & in_lane
    return allowed


Where = tuple[tuple[str, ...], Lane | None]
_ids: WeakKeyDictionary[Index, dict[Where, frozenset[str] | None]] = WeakKeyDictionary()


def allowed_ids(index: Index, request: Request) -> frozenset[str] | None:
    """The same for retrievers that know ids alone; gathered once, because they may be asked one query at a time."""
    known, where = _ids.setdefault(index, {}), (request.sources, request.lane)
    if where not in known:
        allowed = allowed_rows(index, request)
        known[where] = None if allowed is None else frozenset(index.ids[row] for row in np.flatnonzero(allowed))
    return known[where]
