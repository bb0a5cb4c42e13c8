"""Holm's correction by hand and by its laws."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.stats import holm

p_lists = st.lists(st.none() | st.floats(0, 1), max_size=12)


def test_by_hand() -> None:
    # Sorted 0.01, 0.015, 0.03, 0.04 times 4, 3, 2, 1: 0.04, 0.045, 0.06, 0.04 → the last is raised to 0.06.
    assert holm([0.01, 0.04, 0.03, 0.015]) == pytest.approx([0.04, 0.06, 0.06, 0.045])


def test_undefined_stays_undefined_and_does_not_count() -> None:
    assert holm([0.02, None, 0.03]) == pytest.approx([0.04, None, 0.04])
    assert holm([None, None]) == [None, None]
    assert holm([]) == []


def test_at_most_one_and_alone_unchanged() -> None:
    assert holm([0.6, 0.7]) == [1.0, 1.0]
    assert holm([0.04]) == [0.04]


@given(p_values=p_lists, data=st.data())
def test_laws(p_values: list[float | None], data: st.DataObject) -> None:
    adjusted = holm(p_values)
    pairs = sorted((p, a) for p, a in zip(p_values, adjusted, strict=True) if p is not None and a is not None)
    assert [a is None for a in adjusted] == [p is None for p in p_values]
    assert all(p <= a <= 1 for p, a in pairs)
    assert [a for _, a in pairs] == sorted(a for _, a in pairs)
    order = data.draw(st.permutations(range(len(p_values))))
    assert holm([p_values[place] for place in order]) == [adjusted[place] for place in order]


@pytest.mark.parametrize("p", [-0.1, 1.1, float("nan")])
def test_what_is_no_p_value_is_refused(p: float) -> None:
    with pytest.raises(ValueError, match="from 0 to 1"):
        holm([0.5, p])
