"""The values of a measure side by side read like a dictionary."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import AssayError
from assay.runs.column import Column, plain
from assay.runs.scored import of_baseline

IDS = st.sampled_from("abcdefgh")
VALUES = st.one_of(st.none(), st.floats(0, 5))


@given(st.lists(IDS, unique=True), st.dictionaries(IDS, VALUES))
def test_a_column_is_a_dictionary(known: list[str], values: dict[str, float | None]) -> None:
    """Whatever cases other columns have known before, and in whatever order values come."""
    places = {case: place for place, case in enumerate(known)}
    column = Column(places)
    for case, value in values.items():
        column.put(places.setdefault(case, len(places)), value)
    places.setdefault("later", len(places))
    assert dict(column) == plain(column) == plain(values) == values
    assert len(column) == len(values)
    assert {case for case in [*"abcdefgh", "later", "never"] if case in column} == set(values)
    assert not column.__contains__(5)  # no case, whatever its type
    for case in {*"abcdefgh", "later", "never"} - values.keys():
        with pytest.raises(KeyError, match=case):
            column[case]


def test_a_later_value_of_a_case_replaces_the_one_before() -> None:
    column = Column({"a": 0})
    column.put(0, 1.0)
    column.put(0, None)
    assert dict(column) == {"a": None}


BASELINE = {
    "baseline_version": 3,
    "kind": "rag",
    "identity": {"gold": "g"},
    "scores": {"v": {"mrr": {"q1": 1, "q2": None}, "recall": {"q2": 0.5}}},
    "tags": {"q1": {"difficulty": "easy"}, "q2": {"difficulty": "easy"}},
    "wordings": {"q1": "0a"},
}


@pytest.mark.parametrize("odd", ["", "\ud800"])
def test_a_baseline_is_read_measure_by_measure_or_as_a_whole(tmp_path: Path, odd: str) -> None:
    """Half a surrogate pair is read by the slower way."""
    path = tmp_path / "baseline.json"
    path.write_text(json.dumps(BASELINE | {"client": odd}))
    scored = of_baseline(path)
    found = {measure: plain(values) for measure, values in scored.scores["v"].items()}
    assert found == {"mrr": {"q1": 1.0, "q2": None}, "recall": {"q2": 0.5}}
    assert (scored.tags, scored.wordings) == (BASELINE["tags"], BASELINE["wordings"])
    assert scored.tags["q1"] is scored.tags["q2"], "one for both"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[]", "not a baseline"),
        ('{"scores": {}}', "not a baseline"),
        ('{"baseline_version": 1, "scores": {"v": {"mrr": {"q": NaN}}}}', "baseline.json:1: NaN"),
        ("{", "not JSON"),
    ],
)
def test_what_is_no_baseline_is_told(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "baseline.json"
    path.write_text(text)
    with pytest.raises(AssayError, match=told):
        of_baseline(path)
