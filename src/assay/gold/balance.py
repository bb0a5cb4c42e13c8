"""Phase 5: the mix brought inside its bands by choosing among good questions, never by relabelling one.

First how many of each kind: the most questions, up to the target, for which every band holds. A band that would cost
too many questions is given up, and that is told. Then which ones: strata that are short of their quota first, hard
questions while too few are hard, kinds that are rare so far, chunks that have no question yet; ties by id.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from math import ceil, floor

from msgspec import Struct

from assay.config import Balance
from assay.gold.candidate import HARD
from assay.gold.leaves import ANSWERABLE, COGNITIVE_LEVELS, QUESTION_TYPES, REASONING_CLASSES

BANDS = ("unanswerable", "fact_single", "summary", "reasoning")


class Option(Struct, frozen=True, kw_only=True):
    """What the choice depends on, of one question."""

    id: str
    stratum: str
    chunk_id: str
    hard_type: str
    reasoning_class: str
    question_type: str
    cognitive_level: str
    difficulty: float
    quality: float = 0.0

    @property
    def answerable(self) -> bool:
        return self.hard_type == ANSWERABLE

    @property
    def kind(self) -> str:
        return self.reasoning_class if self.answerable else "unanswerable"


class Reached(Struct, frozen=True, kw_only=True):
    """One target: what was wanted, what the chosen set has, and why it is not what was wanted."""

    name: str
    wanted: str
    got: float
    reached: bool
    reason: str | None = None


class Choice(Struct, frozen=True, kw_only=True):
    """The chosen ids in order, why each other one was left, and how the set stands to its targets."""

    chosen: tuple[str, ...]
    left: dict[str, str]
    targets: tuple[Reached, ...]
    repeats: tuple[str, ...] = ()
    """Of those that were left, those that ask the same as another."""


def choose(options: Sequence[Option], target: int, quotas: Mapping[str, int], balance: Balance) -> Choice:
    """The same options in any order give the same choice."""
    pool = sorted(options, key=lambda option: option.id)
    available = Counter(option.kind for option in pool)
    counts, given_up = _counts(available, target, balance)
    chosen = _pick(pool, counts, quotas, balance)
    ids = {option.id for option in chosen}
    left = {
        option.id: f"{counts.get(option.kind, 0)} of {available[option.kind]} {option.kind} questions are chosen"
        for option in pool
        if option.id not in ids
    }
    targets = (*_band_targets(chosen, available, given_up, balance), *_other_targets(chosen, pool, target, balance))
    return Choice(chosen=tuple(sorted(ids)), left=left, targets=targets)


# --- how many of each kind ---------------------------------------------------------------------------------------


class _Limits(Struct, frozen=True):
    """Of one share, as counts out of n."""

    low: float
    high: float
    below: bool = False
    """The upper limit itself is not allowed."""

    def within(self, n: int, available: int) -> tuple[int, int]:
        most = floor(self.high * n + 1e-9)
        most -= self.below and most >= self.high * n - 1e-9
        return ceil(self.low * n - 1e-9), min(available, most)


def _counts(available: Mapping[str, int], target: int, balance: Balance) -> tuple[dict[str, int], tuple[str, ...]]:
    """Counts by kind, and the bands that had to be given up: as few as possible, the later ones first."""
    whole = min(target, sum(available.values()))
    for number in range(len(BANDS) + 1):
        for given_up in combinations(reversed(BANDS), number):
            found = _most(available, whole, _limits(balance, given_up), balance)
            if found is not None:
                return found, given_up
    return _most(available, whole, {}, balance) or {}, BANDS


def _limits(balance: Balance, given_up: Iterable[str]) -> dict[str, _Limits]:
    limits = {}
    for name in BANDS:
        low, _, high = getattr(balance, name)
        if name not in given_up:
            limits[name] = _Limits(low, high)
        elif name == "fact_single":
            limits[name] = _Limits(0, balance.fact_single_limit, below=True)
    return limits


def _most(
    available: Mapping[str, int], whole: int, limits: Mapping[str, _Limits], balance: Balance
) -> dict[str, int] | None:
    answerable = any(available[name] for name in REASONING_CLASSES)
    for total in range(whole, max(1, ceil(balance.keep * whole)) - 1, -1):
        for absent in _absent_counts(total, available["unanswerable"], limits, balance):
            if answerable and absent == total:
                continue  # no band of the answerable is kept by leaving all of them out
            classes = _class_counts(total - absent, available, limits, balance)
            if classes is not None:
                return classes | {"unanswerable": absent}
    return None


def _absent_counts(total: int, available: int, limits: Mapping[str, _Limits], balance: Balance) -> Iterator[int]:
    """How many may be unanswerable, the nearest to what is asked for first."""
    low, high = limits["unanswerable"].within(total, available) if "unanswerable" in limits else (0, available)
    aim = balance.unanswerable[1] * total
    yield from sorted(range(low, min(high, total) + 1), key=lambda count: (abs(count - aim), count))


def _class_counts(
    total: int, available: Mapping[str, int], limits: Mapping[str, _Limits], balance: Balance
) -> dict[str, int] | None:
    """Counts of the classes that sum to the total, each within its limits and as near to its aim as that allows."""
    ranges = {
        name: limits[name].within(total, available[name]) if name in limits else (0, available[name])
        for name in REASONING_CLASSES
    }
    if any(low > high for low, high in ranges.values()):
        return None
    if not sum(low for low, _ in ranges.values()) <= total <= sum(high for _, high in ranges.values()):
        return None
    aims = {name: getattr(balance, name)[1] * total for name in BANDS[1:]}
    aims["arithmetic"] = max(0.0, total - sum(aims.values()))
    counts = {name: min(max(round(aims[name]), low), high) for name, (low, high) in ranges.items()}
    while (over := sum(counts.values()) - total) != 0:
        step = -1 if over > 0 else 1
        movable = [name for name, (low, high) in ranges.items() if low <= counts[name] + step <= high]
        counts[min(movable, key=lambda name: (step * (counts[name] - aims[name]), name))] += step
    return counts


# --- which ones --------------------------------------------------------------------------------------------------


class _Standing:
    """What has been chosen so far, and how much a further question would add."""

    def __init__(self, quotas: Mapping[str, int], wanted_hard: Mapping[bool, int]) -> None:
        self._quotas, self._wanted_hard = quotas, wanted_hard
        self._strata: Counter[str] = Counter()
        self._seen: Counter[str] = Counter()
        self._hard: Counter[bool] = Counter()

    def worth(self, option: Option) -> tuple[float | bool | str, ...]:
        """Smaller is better."""
        quota = self._quotas.get(option.stratum, 0)
        needed_hard = self._hard[option.answerable] < self._wanted_hard[option.answerable]
        return (
            not (needed_hard and option.difficulty >= HARD),
            self._strata[option.stratum] >= quota,
            self._seen[f"chunk {option.chunk_id}"],
            min(self._seen[f"type {option.question_type}"], self._seen[f"level {option.cognitive_level}"]),
            self._seen[f"category {option.hard_type}"] if not option.answerable else 0,
            self._strata[option.stratum] / quota if quota else float("inf"),
            -option.quality,
            option.id,
        )

    def take(self, option: Option) -> None:
        self._strata[option.stratum] += 1
        self._hard[option.answerable] += option.difficulty >= HARD
        self._seen.update(
            [
                f"chunk {option.chunk_id}",
                f"type {option.question_type}",
                f"level {option.cognitive_level}",
                f"category {option.hard_type}",
            ]
        )


def _pick(
    pool: Sequence[Option], counts: Mapping[str, int], quotas: Mapping[str, int], balance: Balance
) -> list[Option]:
    """The kinds in turn, one question each, so that none takes all the good places."""
    absent = counts.get("unanswerable", 0)
    present = sum(counts.values()) - absent
    standing = _Standing(quotas, {True: ceil(balance.hard * present), False: ceil(balance.hard * absent)})
    left: dict[str, list[Option]] = {name: [o for o in pool if o.kind == name] for name in sorted(counts)}
    missing = Counter({name: count for name, count in counts.items() if count})
    chosen: list[Option] = []
    while missing:
        name = max(missing, key=lambda each: (missing[each] / counts[each], each))
        best = min(left[name], key=standing.worth)
        standing.take(best)
        left[name].remove(best)
        chosen.append(best)
        missing[name] -= 1
        missing += Counter()  # drops what is down to nought
    return chosen


# --- what was reached --------------------------------------------------------------------------------------------


def _band_targets(
    chosen: Sequence[Option], available: Mapping[str, int], given_up: Iterable[str], balance: Balance
) -> Iterator[Reached]:
    counts = Counter(option.kind for option in chosen)
    present = len(chosen) - counts["unanswerable"]
    for name in BANDS:
        low, _, high = getattr(balance, name)
        n = len(chosen) if name == "unanswerable" else present
        share = counts[name] / n if n else 0.0
        reached = low <= share <= high
        reason = None if reached else f"only {available[name]} of {sum(available.values())} good questions are {name}"
        if not reached and name in given_up and share > high:
            others = sum(available.values()) - available[name]
            reason = f"only {others} of {sum(available.values())} good questions are not {name}"
        wanted = f"{low:.0%} to {high:.0%}" + ("" if name == "unanswerable" else " of the answerable")
        yield Reached(name=name, wanted=wanted, got=round(share, 4), reached=reached, reason=reason)


def _other_targets(
    chosen: Sequence[Option], pool: Sequence[Option], target: int, balance: Balance
) -> Iterator[Reached]:
    yield _at_least("questions", target, len(chosen), f"{len(pool)} good questions, and the bands leave {len(chosen)}")
    for name, some in (("hard", chosen), ("hard among the answerable", [o for o in chosen if o.answerable])):
        hard = sum(option.difficulty >= HARD for option in some)
        there = sum(option.difficulty >= HARD for option in pool if option.answerable or name == "hard")
        share = hard / len(some) if some else 0.0
        yield Reached(
            name=name,
            wanted=f"{balance.hard:.0%} or more",
            got=round(share, 4),
            reached=share >= balance.hard,
            reason=None if share >= balance.hard else f"only {there} of the good questions are hard",
        )
    yield _all_of("question types", QUESTION_TYPES, {option.question_type for option in chosen})
    yield _all_of("cognitive levels", COGNITIVE_LEVELS, {option.cognitive_level for option in chosen})


def _at_least(name: str, wanted: int, got: int, reason: str) -> Reached:
    met = got >= wanted
    return Reached(name=name, wanted=str(wanted), got=got, reached=met, reason=None if met else reason)


def _all_of(name: str, wanted: Sequence[str], got: set[str]) -> Reached:
    absent = [each for each in wanted if each not in got]
    return Reached(
        name=name,
        wanted=f"all {len(wanted)}",
        got=len(wanted) - len(absent),
        reached=not absent,
        reason=f"no question is {' or '.join(absent)}" if absent else None,
    )
