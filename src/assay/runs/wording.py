"""Questions known by their wording: a gold set that is made again may give them other ids, or an id to another one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import TypeVar

from msgspec.structs import replace

from assay.runs.scored import Scored

Value = TypeVar("Value")
GONE = " (before)"
"""Behind the id of a question that is no longer there and whose id another one has now."""


def renamed(before: Scored, now: Scored) -> dict[str, str]:
    """Old id → new id of the questions that are in both under another id. A wording that stands twice names none."""
    same = (before.tags.keys() & now.tags.keys()) - set(reworded(before, now))
    old, new = _known_once(before, same), _known_once(now, same)
    return {old[wording]: new[wording] for wording in old if wording in new}


def reworded(before: Scored, now: Scored) -> list[str]:
    """Ids whose question reads otherwise than before."""
    both = before.tags.keys() & now.tags.keys()
    pairs = {id_: (before.wordings.get(id_), now.wordings.get(id_)) for id_ in sorted(both)}
    return [id_ for id_, (old, new) in pairs.items() if old and new and old != new]


def with_ids(scored: Scored, names: Mapping[str, str]) -> Scored:
    """The same scores under the new ids."""
    if not names:
        return scored
    taken = set(names.values())
    names = {id_: id_ + GONE for id_ in scored.tags if id_ in taken} | dict(names)
    scores = {
        variant: {measure: _under(values, names) for measure, values in by_measure.items()}
        for variant, by_measure in scored.scores.items()
    }
    return replace(scored, scores=scores, tags=_under(scored.tags, names), wordings=_under(scored.wordings, names))


def _known_once(scored: Scored, same: Collection[str]) -> dict[str, str]:
    """Wording → id, of what has no counterpart yet."""
    own = {id_: scored.wordings.get(id_, "") for id_ in scored.tags if id_ not in same}
    count = Counter(own.values())
    return {wording: id_ for id_, wording in own.items() if wording and count[wording] == 1}


def _under(values: Mapping[str, Value], names: Mapping[str, str]) -> dict[str, Value]:
    return {names.get(id_, id_): value for id_, value in values.items()}
