"""A second round: what is missing when too few questions passed, asked for once more, from chunks not yet shown.

The plan is a file of the build like any other. It follows from the first round alone, so a build that is stopped
anywhere asks the same again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import ceil

from msgspec import Struct, structs

from assay.config import GoldOptions
from assay.corpus.index import Index
from assay.gold.balance import Choice, Option
from assay.gold.plan import class_aims
from assay.gold.stratify import Strata, Stratum, apportion, placed, stratum_of


class SecondRound(Struct, frozen=True, kw_only=True):
    """`second_round.json`."""

    input: str
    missing: int
    """Questions that the first round left the set short of."""
    strata: tuple[Stratum, ...]
    """What each is asked for, and from which chunks."""
    classes: dict[str, float]
    """How the answerable ones are to be shared out."""


class Standing(Struct, frozen=True, kw_only=True):
    """What the first round gave."""

    strata: Strata
    good: tuple[Option, ...]
    """Every question that passed, whether it was chosen or not."""
    choice: Choice


def plan_again(index: Index, options: GoldOptions, seed: int, standing: Standing) -> SecondRound | None:
    """None: nothing is missing, or every chunk that could give it was shown."""
    strata, choice = standing.strata, standing.choice
    if len(choice.chosen) >= strata.target:
        return None
    good = [option for option in standing.good if option.id not in choice.repeats]
    unseen = _unseen(index, options, seed, strata)
    classes = _lacking(strata, good, options)
    most = options.per_chunk
    room = {each.name: most * len(unseen[each.name, True]) for each in strata.strata}
    short = _short(strata, good, answerable=True)
    lacking = sum(classes.values())
    answerable = _shares(short, room, ceil(lacking - 1e-9) if lacking > 1 else 0)
    room = {each.name: len(unseen[each.name, False]) for each in strata.strata}
    absent = _shares(_short(strata, good, answerable=False), room)
    asked = tuple(
        _asked(each, answerable[each.name], absent[each.name], unseen, options.oversample)
        for each in strata.strata
        if answerable[each.name] + absent[each.name]
    )
    missing = strata.target - len(choice.chosen)
    return SecondRound(input=strata.input, missing=missing, strata=asked, classes=classes) if asked else None


def _short(strata: Strata, good: Sequence[Option], *, answerable: bool) -> dict[str, int]:
    """How many good questions of that kind each stratum lacks."""
    counts = Counter(option.stratum for option in good if option.answerable is answerable)
    wanted = {each.name: each.answerable if answerable else each.unanswerable for each in strata.strata}
    return {name: max(0, count - counts[name]) for name, count in wanted.items()}


def _lacking(strata: Strata, good: Sequence[Option], options: GoldOptions) -> dict[str, float]:
    """How many of each class are missing to its share."""
    counts = Counter(option.reasoning_class for option in good if option.answerable)
    whole = sum(each.answerable for each in strata.strata)
    aims = class_aims(options.balance)
    lacking = {name: max(0.0, aim * whole - counts[name]) for name, aim in aims.items()}
    return lacking if any(lacking.values()) else aims


def _shares(short: Mapping[str, int], room: Mapping[str, int], at_least: int = 0) -> dict[str, int]:
    """What each stratum is asked for: first those that are short, as far as their unseen chunks go."""
    total = min(max(sum(short.values()), at_least), sum(room.values()))
    own = {name: min(count, room[name]) for name, count in short.items()}
    rest = total - sum(own.values())
    left = {name: room[name] - own[name] for name in own}
    more = apportion(rest, left, limits=left) if rest > 0 else dict.fromkeys(own, 0)
    return {name: own[name] + more[name] for name in own}


def _unseen(index: Index, options: GoldOptions, seed: int, strata: Strata) -> dict[tuple[str, bool], list[str]]:
    """Fit chunks of each stratum that were not shown for answerable (True) or unanswerable (False) questions: those
    that were not shown at all first."""
    unfit = {each.chunk_id for each in strata.unfit}
    seen = {
        True: {id_ for each in strata.strata for id_ in each.chosen},
        False: {id_ for each in strata.strata for id_ in each.chosen_unanswerable},
    }
    found: dict[tuple[str, bool], list[str]] = {(each.name, kind): [] for each in strata.strata for kind in seen}
    for id_, source, lane in zip(index.ids, index.sources, index.lanes, strict=True):
        for kind, shown in seen.items():
            if lane == "document" and id_ not in unfit and id_ not in shown:
                found[stratum_of(source, options.strata), kind].append(id_)
    return {
        (name, kind): sorted(ids, key=lambda id_: (id_ in seen[not kind], placed(id_, seed)))
        for (name, kind), ids in found.items()
    }


def _asked(
    stratum: Stratum, answerable: int, absent: int, unseen: Mapping[tuple[str, bool], list[str]], oversample: float
) -> Stratum:
    return structs.replace(
        stratum,
        quota=answerable + absent,
        answerable=answerable,
        unanswerable=absent,
        chosen=tuple(unseen[stratum.name, True][: ceil(answerable * oversample)]),
        chosen_unanswerable=tuple(unseen[stratum.name, False][: ceil(absent * oversample)]),
    )
