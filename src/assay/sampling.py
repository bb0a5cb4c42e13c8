"""A smaller set of cases that still looks like the whole: stratified, and the same every time."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from assay.records import Case

STRATA = ("question_type", "difficulty")


def stratified(cases: Sequence[Case], n: int, seed: int) -> tuple[Case, ...]:
    """About n / N of each kind (question type × difficulty), exactly n in all, in the given order.

    Shares are rounded by largest remainder. Within a kind the order is that of a hash of seed and id, so a case's
    place does not depend on which others there are.
    """
    if n >= len(cases):
        return tuple(cases)
    strata: dict[tuple[str, ...], list[str]] = {}
    for case in cases:
        strata.setdefault(tuple(case.tags.get(key, "") for key in STRATA), []).append(case.id)
    quotas = _quotas({kind: len(members) for kind, members in strata.items()}, n)
    chosen = {
        id_
        for kind, members in strata.items()
        for id_ in sorted(members, key=lambda id_: _place(id_, seed))[: quotas[kind]]
    }
    return tuple(case for case in cases if case.id in chosen)


def per_bucket(cases: Sequence[Case], n: int, limit: int, seed: int) -> tuple[Case, ...]:
    """Up to n of each kind (question type × difficulty), at most `limit` in all, in the given order."""
    strata: dict[tuple[str, ...], list[str]] = {}
    for case in cases:
        strata.setdefault(tuple(case.tags.get(key, "") for key in STRATA), []).append(case.id)
    kinds = [sorted(members, key=lambda id_: _place(id_, seed)) for _, members in sorted(strata.items())]
    rounds = [members[turn] for turn in range(n) for members in kinds if turn < len(members)]
    chosen = set(rounds[:limit])
    return tuple(case for case in cases if case.id in chosen)


def _quotas(sizes: dict[tuple[str, ...], int], n: int) -> dict[tuple[str, ...], int]:
    total = sum(sizes.values())
    exact = {kind: n * size / total for kind, size in sizes.items()}
    quotas = {kind: int(share) for kind, share in exact.items()}
    by_remainder = sorted(sizes, key=lambda kind: (quotas[kind] - exact[kind], kind))
    for kind in by_remainder[: n - sum(quotas.values())]:
        quotas[kind] += 1
    return quotas


def _place(id_: str, seed: int) -> str:
    return hashlib.sha256(f"{seed}:{id_}".encode()).hexdigest()
