"""Phase 5: the mix, by choosing; what it cannot reach is told."""

from __future__ import annotations

import random
from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.config import Balance
from assay.gold.balance import Choice, Option, choose
from assay.gold.leaves import COGNITIVE_LEVELS, QUESTION_TYPES, UNANSWERABLE

KINDS = ("unanswerable", "fact_single", "summary", "reasoning", "arithmetic")


def options(*, hard: float = 0.2, strata: int = 4, **counts: int) -> list[Option]:
    """So many of each kind, their other properties in rotation."""
    made = []
    for kind, count in counts.items():
        for n in range(count):
            absent = kind == "unanswerable"
            made.append(
                Option(
                    id=f"{kind}-{n:04d}",
                    stratum=f"s{n % strata}",
                    chunk_id=f"c{kind}{n % 97}",
                    hard_type=UNANSWERABLE[n % 6] if absent else "ANSWERABLE",
                    reasoning_class="adversarial" if absent else kind,
                    question_type=QUESTION_TYPES[n % 4],
                    cognitive_level=COGNITIVE_LEVELS[n % 4],
                    difficulty=0.8 if n < hard * count else 0.3,
                    quality=1.0,
                )
            )
    return made


def shares(choice: Choice, pool: list[Option]) -> dict[str, float]:
    by_id = {option.id: option for option in pool}
    counts = Counter(by_id[id_].kind for id_ in choice.chosen)
    present = len(choice.chosen) - counts["unanswerable"]
    found = {kind: counts[kind] / max(1, present) for kind in KINDS[1:]}
    return found | {"unanswerable": counts["unanswerable"] / max(1, len(choice.chosen))}


def even(target: int, strata: int = 4) -> dict[str, int]:
    return {f"s{n}": target // strata for n in range(strata)}


def told(choice: Choice) -> dict[str, str]:
    return {each.name: each.reason or "" for each in choice.targets if not each.reached}


def test_a_rich_pool_gives_exactly_what_is_asked_for() -> None:
    pool = options(unanswerable=300, fact_single=400, summary=200, reasoning=150, arithmetic=100)
    choice = choose(pool, 600, even(600), Balance())
    assert len(choice.chosen) == 600
    # 30 % of 600 = 180 unanswerable; of the other 420: 46 %, 22 %, 18 %, and the rest
    counts = Counter(id_.partition("-")[0] for id_ in choice.chosen)
    assert counts == {"unanswerable": 180, "fact_single": 193, "summary": 92, "reasoning": 76, "arithmetic": 59}
    assert told(choice) == {}
    by_stratum = Counter(option.stratum for option in pool if option.id in choice.chosen)
    assert by_stratum == {"s0": 150, "s1": 150, "s2": 150, "s3": 150}


@pytest.mark.parametrize("counts", [{"unanswerable": 1, "fact_single": 1}, {"unanswerable": 40, "fact_single": 10}])
def test_the_answerable_are_never_all_left_out_for_a_band_of_theirs(counts: dict[str, int]) -> None:
    """Facts alone are 100 % of the answerable. With no answerable question at all their limit would mean nothing."""
    choice = choose(options(**counts), 50, even(50), Balance())
    assert sum(id_.startswith("fact_single") for id_ in choice.chosen) == counts["fact_single"]
    assert {"unanswerable", "fact_single"} & told(choice).keys()


COUNTS = st.tuples(*(st.integers(0, 60) for _ in KINDS))


@given(COUNTS, st.integers(1, 80))
def test_within_every_band_or_told(counts: tuple[int, ...], target: int) -> None:
    pool = options(**dict(zip(KINDS, counts, strict=True)))
    choice = choose(pool, target, even(target), Balance())
    assert len(choice.chosen) <= target
    assert set(choice.chosen) | set(choice.left) == {option.id for option in pool}
    assert not set(choice.chosen) & set(choice.left)
    found = shares(choice, pool)
    for name in ("unanswerable", "fact_single", "summary", "reasoning"):
        low, _, high = getattr(Balance(), name)
        inside = low <= found[name] <= high
        assert inside == (name not in told(choice))


@given(COUNTS, st.integers(1, 40))
def test_bands_are_kept_whenever_any_choice_of_half_the_questions_can(counts: tuple[int, ...], target: int) -> None:
    """Against a search of all mixes of that size and more."""
    small = tuple(count // 5 for count in counts)
    pool = options(**dict(zip(KINDS, small, strict=True)))
    whole = min(target, sum(small))
    choice = choose(pool, target, even(target), Balance())
    possible = [
        mix for mix in product(*(range(n + 1) for n in small)) if inside(mix) and whole / 2 <= sum(mix) <= whole
    ]
    names = told(choice).keys() & {"unanswerable", "fact_single", "summary", "reasoning"}
    assert (not names) == bool(possible) or not pool
    if possible:
        assert len(choice.chosen) == max(map(sum, possible))


def inside(mix: tuple[int, ...]) -> bool:
    absent, fact, summary, reasoning, arithmetic = mix
    present = fact + summary + reasoning + arithmetic
    parts = [(absent, sum(mix), (25, 33)), (fact, present, (40, 50)), (summary, present, (15, 25))]
    parts.append((reasoning, present, (10, 20)))
    return all(n and low * n <= 100 * count <= high * n for count, n, (low, high) in parts)


@given(st.randoms(use_true_random=False))
def test_the_order_of_the_candidates_does_not_matter(draw: random.Random) -> None:
    pool = options(unanswerable=30, fact_single=50, summary=20, reasoning=15, arithmetic=12)
    mixed = pool.copy()
    draw.shuffle(mixed)
    assert choose(mixed, 60, even(60), Balance()) == choose(pool, 60, even(60), Balance())


def test_hard_questions_are_found_among_the_answerable_too() -> None:
    pool = options(hard=0.0, unanswerable=60, fact_single=60, summary=30, reasoning=30, arithmetic=30)
    hard = {f"{kind}-{n:04d}" for kind in ("fact_single", "summary") for n in range(50, 54)} | {"summary-0020"}
    pool = [replaced(option, 0.9) if option.id in hard | {"unanswerable-0059"} else option for option in pool]
    choice = choose(pool, 100, even(100), Balance())
    assert len(set(choice.chosen) & hard) == 5  # all there are: four facts and one summary
    assert told(choice)["hard among the answerable"] == "only 5 of the good questions are hard"


def replaced(option: Option, difficulty: float) -> Option:
    import msgspec

    return msgspec.structs.replace(option, difficulty=difficulty)


def test_a_band_that_would_cost_too_much_is_given_up_and_told() -> None:
    """One unanswerable in 81: keeping the band would leave 4 questions."""
    pool = options(unanswerable=1, fact_single=37, summary=17, reasoning=14, arithmetic=12)
    choice = choose(pool, 81, even(80), Balance())
    assert len(choice.chosen) == 81
    assert told(choice)["unanswerable"] == "only 1 of 81 good questions are unanswerable"
    assert "fact_single" not in told(choice)


def test_facts_stay_below_their_limit_where_their_band_is_given_up() -> None:
    """Nothing but facts and few summaries: 40 to 50 % cannot be kept with half of the questions, below 60 % can."""
    pool = options(unanswerable=30, fact_single=100, summary=20, reasoning=0, arithmetic=25)
    choice = choose(pool, 100, even(100), Balance(keep=0.7))
    found = shares(choice, pool)
    assert found["fact_single"] < 0.60
    assert told(choice)["reasoning"] == "only 0 of 175 good questions are reasoning"


def test_nothing_to_choose_from() -> None:
    choice = choose([], 10, {}, Balance())
    assert choice.chosen == ()
    assert told(choice)["questions"] == "0 good questions, and the bands leave 0"


def test_questions_of_one_chunk_are_spread() -> None:
    pool = [
        Option(
            id=f"{chunk}{n}",
            stratum="s0",
            chunk_id=chunk,
            hard_type="ANSWERABLE",
            reasoning_class="fact_single",
            question_type="factual",
            cognitive_level="Remember",
            difficulty=0.5,
        )
        for chunk in "abc"
        for n in range(3)
    ]
    choice = choose(pool, 3, {"s0": 3}, Balance(fact_single=(0, 1, 1), summary=(0, 0, 1), reasoning=(0, 0, 1)))
    assert choice.chosen == ("a0", "b0", "c0")


@pytest.mark.parametrize(("have", "want"), [(8, 12), (12, 12)])
def test_the_number_that_was_wanted(have: int, want: int) -> None:
    pool = options(hard=0.3, unanswerable=have, fact_single=have, summary=have, reasoning=have, arithmetic=have)
    choice = choose(pool, want * 5, even(want * 5), Balance())
    reached = {each.name: each for each in choice.targets}["questions"]
    assert reached.got == len(choice.chosen)
    assert reached.reached is (len(choice.chosen) >= want * 5)
