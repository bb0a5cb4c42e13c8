"""One-to-one matching: optimal, the same in any order, equal records told apart by position."""

from __future__ import annotations

import json
import random
from itertools import permutations
from time import process_time
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from assay.extraction.record_type import load_record_type, parse_record_type
from assay.metrics.records import Counts, Scheme, assign, match, micro
from assay.metrics.records.assignment import _exhaustive, _paths, _paths_of_many

EVENT = load_record_type(None)
MODERATE, STRICT = EVENT.level("moderate"), EVENT.level("strict")


def event(title: str, start: str = "12:00", action: str = "create", **more: Any) -> dict[str, Any]:
    return {"action": action, "title": title, "start_time": f"2026-03-02T{start}", **more}


@pytest.mark.parametrize(
    ("counts", "precision", "recall", "f1"),
    [
        (Counts(0, 0, 0), 1.0, 1.0, 1.0),  # both sides empty
        (Counts(0, 0, 3), 1.0, 0.0, 0.0),  # nothing predicted, something expected
        (Counts(0, 2, 0), 0.0, 1.0, 0.0),  # something predicted, nothing expected
        (Counts(0, 2, 2), 0.0, 0.0, 0.0),
        (Counts(2, 1, 1), 2 / 3, 2 / 3, 2 / 3),
        (Counts(1, 0, 1), 1.0, 0.5, 2 / 3),
    ],
)
def test_scores_at_the_edges(counts: Counts, precision: float, recall: float, f1: float) -> None:
    assert (counts.precision, counts.recall, counts.f1) == pytest.approx((precision, recall, f1))


def test_micro_adds_before_it_divides() -> None:
    # 1 of 1 right, then 1 of 4: micro 2 / 5, macro (1 + 0.25) / 2
    assert micro([Counts(1, 0, 0), Counts(1, 3, 0)]).precision == pytest.approx(2 / 5)


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (2, 5), (3, 3), (5, 2), (6, 9), (12, 12), (40, 37), (60, 80)])
@pytest.mark.parametrize("seed", range(5))
def test_assignments_cost_what_scipys_do(rows: int, columns: int, seed: int) -> None:
    matrix = np.random.default_rng(seed).random((rows, columns)).round(1 + seed)
    found = assign(matrix.ravel().tolist(), rows, columns)
    assert len({row for row, _ in found}) == len({column for _, column in found}) == min(rows, columns)
    best = matrix[linear_sum_assignment(matrix)].sum()
    assert sum(matrix[pair] for pair in found) == pytest.approx(best, abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 4).flatmap(
        lambda n: st.lists(st.lists(st.integers(0, 3), min_size=5, max_size=5), min_size=n, max_size=n)
    )
)
def test_all_three_solvers_agree(matrix: list[list[int]]) -> None:
    cost, rows = [float(value) for line in matrix for value in line], len(matrix)
    totals = {
        round(sum(matrix[row][column] for row, column in enumerate(solve(cost, rows, 5))), 9)
        for solve in (_exhaustive, _paths, _paths_of_many)
    }
    assert len(totals) == 1


def content(expected: list[dict[str, Any]], actual: list[dict[str, Any]], scheme: Scheme) -> tuple[Any, ...]:
    """Who was paired with whom, by content alone."""
    found = match(expected, actual, scheme)
    pairs = sorted((json.dumps(expected[p.expected]), json.dumps(actual[p.actual]), p.matched) for p in found.pairs)
    missed = sorted(json.dumps(expected[place]) for place in found.missed)
    return pairs, missed, sorted(json.dumps(actual[place]) for place in found.extra)


CASES = [
    ([event("Lunch"), event("Dinner", "19:00")], [event("dinner", "19:30"), event("lunch"), event("Nap", "15:00")]),
    # two that cost the same: 12:00 and 14:00 are as far from 13:00
    ([event("Call", "12:00"), event("Call", "14:00")], [event("Call", "13:00"), event("Call", "13:00", location="x")]),
    # costs that add up to the same either way
    ([event("a b", "12:00"), event("a c", "13:00")], [event("a b", "13:00"), event("a c", "12:00")]),
    ([event("Call"), event("Call"), event("Call", "18:00")], [event("Call"), event("Call", "18:00")]),
    ([event("A"), event("B", action="delete")], [event("B"), event("A"), event("C", action="delete")]),
    ([event("A")], [event("A", "soon"), event("A", "later"), {"title": None}, {}]),
    # equal, and yet nobody can read them
    ([event("A"), event("A", "soon"), event("A", "soon")], [event("A", "soon"), event("A"), event("A")]),
]


@pytest.mark.parametrize(("expected", "actual"), CASES)
def test_every_order_gives_the_same_pairs(expected: list[dict[str, Any]], actual: list[dict[str, Any]]) -> None:
    first = content(expected, actual, MODERATE)
    for one in permutations(expected):
        for other in permutations(actual):
            assert content(list(one), list(other), MODERATE) == first


EVENTS = st.builds(
    event,
    st.sampled_from(["Lunch", "Lunch Ana", "Ana", "Call", ""]),
    st.sampled_from(["12:00", "12:30", "13:00", "14:00", "when?"]),
    st.sampled_from(["create", "update", "delete"]),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(EVENTS, max_size=6), st.lists(EVENTS, max_size=6), st.randoms(use_true_random=False))
def test_order_never_matters(expected: list[dict[str, Any]], actual: list[dict[str, Any]], draw: random.Random) -> None:
    first = content(expected, actual, MODERATE)
    counts = Counts.of(match(expected, actual, MODERATE))
    assert counts.true_positives + counts.false_negatives == len(expected)
    assert counts.true_positives + counts.false_positives == len(actual)
    draw.shuffle(expected)
    draw.shuffle(actual)
    assert content(expected, actual, MODERATE) == first


@settings(max_examples=150, deadline=None)
@given(st.lists(EVENTS, min_size=1, max_size=6), st.lists(EVENTS, min_size=1, max_size=6))
def test_the_pairs_are_optimal(expected: list[dict[str, Any]], actual: list[dict[str, Any]]) -> None:
    """Against scipy, over the same costs written out plainly."""
    heavy = 1.0 + min(len(expected), len(actual)) * 3.0  # title, start, end
    cost = np.zeros((len(expected), len(actual)))
    for row, one in enumerate(expected):
        for column, other in enumerate(actual):
            for field in MODERATE.fields[:4]:
                far = field.distance(field.ready(one.get(field.name), None), field.ready(other.get(field.name), None))
                cost[row, column] += (heavy if field.key else 1.0) * far
    pairs = match(expected, actual, MODERATE).pairs
    best = cost[linear_sum_assignment(cost)].sum()
    assert sum(cost[pair.expected, pair.actual] for pair in pairs) == pytest.approx(best, abs=1e-5)


def test_equal_records_are_told_apart_by_position() -> None:
    twice = [event("Call"), event("Call")]
    assert [(pair.expected, pair.actual) for pair in match(twice, twice, MODERATE).pairs] == [(0, 0), (1, 1)]
    once = match(twice, [event("Call")], MODERATE)
    assert [(pair.expected, pair.actual) for pair in once.pairs] == [(0, 0)]
    assert once.missed == (1,)
    assert Counts.of(match([event("Call")], twice, MODERATE)) == Counts(1, 1, 0)
    assert match([event("Call")], twice, MODERATE).extra == (1,)


def test_the_action_comes_first_then_title_and_time() -> None:
    expected = [event("Lunch", action="delete")]
    actual = [event("Lunch"), event("Something else", "20:00", action="delete")]
    (pair,) = match(expected, actual, MODERATE).pairs
    assert pair.actual == 1
    assert not pair.matched


def test_what_failed_is_said_with_its_distance() -> None:
    found = match(
        [event("Lunch", end_time="2026-03-02T13:00")], [event("Lunch", "12:31", end_time="2026-03-02T11:00")], STRICT
    )
    (pair,) = found.pairs
    assert not pair.matched
    assert [(f.field, f.detail, f.scored) for f in found.failures(pair)] == [
        ("start_time", "31 min apart, limit 30 min", True),
        ("end_time", "2 h apart, limit 30 min", True),
    ]
    assert Counts.of(found) == Counts(0, 1, 1)


def test_a_field_outside_the_rule_is_reported_and_costs_nothing_unless_asked_for() -> None:
    expected, actual = [event("Lunch", location="Room 1")], [event("Lunch", location="The harbour")]
    found = match(expected, actual, MODERATE)
    assert found.pairs[0].matched
    assert [failure.field for failure in found.failures(found.pairs[0])] == ["location"]
    assert not match(expected, actual, MODERATE.also_scored(["location"])).pairs[0].matched


def test_eleven_events() -> None:
    expected = [event(f"Talk {number}", f"{8 + number:02}:00") for number in range(11)]
    actual = [event(f"talk {number}", f"{8 + number:02}:10") for number in reversed(range(11))]
    assert Counts.of(match(expected, actual, STRICT)) == Counts(11, 0, 0)


def test_500_records_against_500() -> None:
    draw = random.Random(7)
    expected = [
        event(f"meeting {draw.randrange(40)} {draw.randrange(40)}", f"{draw.randrange(24):02}:00") for _ in range(500)
    ]
    actual = [dict(record) for record in expected]
    draw.shuffle(actual)
    start = process_time()
    assert Counts.of(match(expected, actual, MODERATE)) == Counts(500, 0, 0)
    assert process_time() - start < 8


@pytest.mark.parametrize("level", ["strict", "moderate", "relaxed"])
@pytest.mark.parametrize(
    ("minutes", "within"),
    [
        (30, {"strict", "moderate", "relaxed"}),
        (31, {"moderate", "relaxed"}),
        (120, {"moderate", "relaxed"}),
        (121, {"relaxed"}),
        (1440, {"relaxed"}),
        (1441, set()),
    ],
)
def test_the_windows_of_the_levels(level: str, minutes: int, within: set[str]) -> None:
    day, rest = divmod(minutes, 1440)
    moved = {"action": "create", "title": "Lunch", "start_time": f"2026-03-{2 + day:02}T{rest // 60:02}:{rest % 60:02}"}
    (pair,) = match([event("Lunch", "00:00")], [moved], EVENT.level(level)).pairs
    assert pair.matched is (level in within)


def test_a_misread_prediction_is_a_failure_not_a_crash() -> None:
    odd: list[dict[str, Any]] = [{}, {"title": 5, "start_time": []}, {"action": ["create"], "title": {"a": 1}}]
    counts = Counts.of(match([event("Lunch")], odd, MODERATE))
    assert counts == Counts(0, 3, 1)


@pytest.mark.parametrize("comparator", ["number", "text", "exact", "ratio"])
def test_true_is_not_one(comparator: str) -> None:
    scheme = parse_record_type(f"name: x\nfields:\n  n: {{compare: {comparator}}}\n", "x.yaml").scheme
    for expected, actual in ((1, True), (0, False)):
        assert not match([{"n": expected}], [{"n": actual}], scheme).pairs[0].matched
        assert match([{"n": expected}], [{"n": expected}], scheme).pairs[0].matched
        # among others, and after the same value was read before
        found = match([{"n": expected}, {"n": 5}], [{"n": 5}, {"n": actual}, {"n": expected}], scheme)
        assert [(pair.expected, pair.actual, pair.matched) for pair in found.pairs] == [(0, 2, True), (1, 0, True)]


def test_a_key_outweighs_all_other_fields_of_all_pairs() -> None:
    """By key four fields of each pair differ, 8 in all; by the fields two keys do. The key weighs 1 + 2 · 4."""
    lines = "".join(f"  {name}: {{compare: exact}}\n" for name in "abcd")
    scheme = parse_record_type(f"name: x\nfields:\n  id: {{compare: exact, key: true}}\n{lines}", "x.yaml").scheme
    one, other = dict.fromkeys("abcd", 1), dict.fromkeys("abcd", 2)
    found = match([{"id": "p"} | one, {"id": "q"} | other], [{"id": "q"} | one, {"id": "p"} | other], scheme)
    assert [(pair.expected, pair.actual) for pair in found.pairs] == [(0, 1), (1, 0)]
