"""Cases of the lanes: what a file may say, what is told when it says something else, what is missing from an index."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_index import write_index

from assay.errors import AssayError
from assay.lanes.cases import in_lane, read_cases, sha256_of, unique
from assay.lanes.scoring import row_of, score
from assay.lanes.tasks import Cut, Task, make_tasks
from assay.records import Case, Chunk, Fault, Lane, Ranking

CASE = {
    "id": "retry_delay",
    "description": "the delay between two tries",
    "lane": "code",
    "spec_id": "T-12",
    "spec_content": "where is the retry delay computed?",
    "expected_ids": ["code:a.py::delay"],
    "k": 5,
}


def write(path: Path, value: object) -> Path:
    path.write_text(json.dumps(value, indent=1), encoding="utf-8")
    return path


def case(id_: str, *expected: str, lane: Lane = "code", **more: object) -> dict[str, object]:
    return {"id": id_, "lane": lane, "spec_content": f"what is {id_}?", "expected_ids": list(expected), **more}


def test_a_list_and_an_object_are_read_alike(tmp_path: Path) -> None:
    plain = read_cases(write(tmp_path / "list.json", [CASE]))
    named = read_cases(write(tmp_path / "object.json", {"index": "base.db", "cases": [CASE]}))
    assert plain[0].case == named[0].case
    assert (plain[0].case.k, plain[0].source, plain[0].index) == (5, "json", None)
    assert named[0].index == tmp_path / "base.db"
    assert plain[0].place() == f"{tmp_path / 'list.json'}:2"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"lane": "codes"}, ":5: cases[0].lane is 'codes'; expected"),
        ({"k": 0}, ":11: cases[0].k is 0; expected a whole number >= 1"),
        ({"expected_ids": "code:a.py::delay"}, "cases[0].expected_ids is 'code:a.py::delay'; expected a list"),
        ({"spec_content": ""}, "cases[0].spec_content is ''"),
        ({"spec_contents": "x"}, "unknown key 'spec_contents'. Did you mean spec_content?"),
    ],
)
def test_a_fault_names_file_and_line(tmp_path: Path, change: dict[str, object], told: str) -> None:
    path = write(tmp_path / "cases.json", [{**CASE, **change}])
    with pytest.raises(AssayError) as fault:
        read_cases(path)
    assert str(fault.value).startswith(f"{path}:")
    assert told in str(fault.value)


@pytest.mark.parametrize("absent", ["id", "lane", "spec_content", "expected_ids"])
def test_what_a_case_must_say(tmp_path: Path, absent: str) -> None:
    path = write(tmp_path / "cases.json", [{key: value for key, value in CASE.items() if key != absent}])
    with pytest.raises(AssayError, match=rf"cases.json:2: cases\[0\] has no '{absent}'"):
        read_cases(path)


def test_a_file_that_is_no_list_of_cases(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="not a case file"):
        read_cases(write(tmp_path / "cases.json", 3))


def test_a_duplicate_names_both_places(tmp_path: Path) -> None:
    first = read_cases(write(tmp_path / "a.json", [case("x"), case("y")]))
    second = read_cases(write(tmp_path / "b.json", [case("y")]))
    with pytest.raises(AssayError) as fault:
        unique([*first, *second])
    assert str(fault.value) == f"{tmp_path / 'b.json'}:2: id 'y' occurs twice, first at {tmp_path / 'a.json'}:8"


def test_cases_stand_by_id_and_their_hash_tells_what_they_say_alone(tmp_path: Path) -> None:
    one = unique(read_cases(write(tmp_path / "a.json", [case("b"), case("a", lane="memory")])))
    other = unique(read_cases(write(tmp_path / "b.json", [case("a", lane="memory"), case("b")])))
    assert [placed.case.id for placed in one] == ["a", "b"]
    assert sha256_of(one) == sha256_of(other)
    assert sha256_of(one) != sha256_of(in_lane(one, "code"))
    assert [placed.case.id for placed in in_lane(one, "memory")] == ["a"]


UNITS = [
    Chunk(id="code:a.py::delay", text="def delay(attempt): return 2 ** attempt", source="a.py", lane="code"),
    Chunk(id="code:a.py::retry", text="def retry(call): ...", source="a.py", lane="code"),
    Chunk(id="m1", text="The delay doubles.", source="notes.md", lane="memory"),
]


def tasks_of(tmp_path: Path, *cases: dict[str, object], cut: Cut | None = None):  # type: ignore[no-untyped-def]
    placed = unique(read_cases(write(tmp_path / "cases.json", list(cases))))
    path = tmp_path / "corpus.db"
    with write_index(path, UNITS) as index:
        return {task.id: task for task in make_tasks(placed, {path: index}, path, cut or Cut(5))}


def test_an_id_that_is_not_in_the_lane_is_missing_and_not_expected(tmp_path: Path) -> None:
    found = tasks_of(tmp_path, case("x", "code:a.py::delay", "code:gone.py::f", "m1"))["x"]
    assert found.case.expected_ids == ("code:a.py::delay",)
    assert found.expected_ids == ("code:a.py::delay", "code:gone.py::f", "m1")
    assert [str(entry) for entry in found.missing] == [
        "code:gone.py::f is not in the index (corpus.db)",
        "m1 is in the lane memory (corpus.db)",
    ]
    assert found.case.tags == {"lane": "code", "origin": "json", "source": "a.py"}


def test_a_missing_unit_of_a_file_that_was_moved_is_offered(tmp_path: Path) -> None:
    ids = ("code:old/a.py::delay", "code:b.py::retry", "code:b.py::f", "code:b.py::wait", "code:old/w.py::wait", "note")
    waits = [Chunk(id=f"code:{path}::wait", text="w", source=path, lane="code") for path in ("new/w.py", "v.py")]
    path = tmp_path / "moved.db"
    placed = unique(read_cases(write(tmp_path / "cases.json", [case("x", *ids)])))
    with write_index(path, [*UNITS, *waits]) as index:
        (task,) = make_tasks(placed, {path: index}, path, Cut(5))
    assert {entry.expected_id: entry.near for entry in task.missing} == {
        "code:old/a.py::delay": "code:a.py::delay",
        "code:b.py::retry": "code:a.py::retry",
        "code:b.py::f": None,
        "code:b.py::wait": None,
        "code:old/w.py::wait": "code:new/w.py::wait",
        "note": None,
    }
    told = "code:b.py::retry is not in the index (moved.db); did you mean code:a.py::retry?"
    assert str(task.missing[1]) == told


@pytest.mark.parametrize(
    ("own", "cut", "k"), [(None, Cut(5), 5), (3, Cut(5), 3), (None, Cut(5, 10), 10), (3, Cut(5, 10), 10)]
)
def test_what_is_asked_for_goes_before_the_case_before_the_setting(
    tmp_path: Path, own: int | None, cut: Cut, k: int
) -> None:
    assert tasks_of(tmp_path, case("x", k=own), cut=cut)["x"].k == k


def test_measures_by_hand(tmp_path: Path) -> None:
    """Two of three expected are in the index; one of them is second of four.

    recall 1/2 · precision 1/4, at most 2/4 · first hit at rank 2: 1/2 · ndcg (1/log2 3) / (1 + 1/log2 3) = 0.387.
    """
    task = tasks_of(tmp_path, case("x", "code:a.py::delay", "code:a.py::retry", "code:gone", k=4))["x"]
    scores = score(["u", "code:a.py::delay", "v", "w"], task)
    assert scores == pytest.approx(
        {"recall@k": 0.5, "p@k": 0.25, "p_max@k": 0.5, "mrr@k": 0.5, "hit@k": 1.0, "ndcg@k": 0.38685}, abs=1e-5
    )


@given(
    ranked=st.permutations([f"u{n}" for n in range(6)]),
    expected=st.sets(st.sampled_from([f"u{n}" for n in range(9)]), min_size=1),
    k=st.integers(1, 8),
)
def test_measures_stay_in_their_bounds(ranked: list[str], expected: set[str], k: int) -> None:
    """Precision never exceeds what can be reached, and reaches it exactly when recall is as high as k allows."""
    case_ = Case(id="x", question="q", expected=dict.fromkeys(sorted(expected), 1))
    task = Task(
        case=case_, lane="code", k=k, source="json", index=Path("x.db"), expected_ids=tuple(expected), missing=()
    )
    scores = score(ranked[:k], task)
    values = {name: value for name, value in scores.items() if value is not None}
    assert values.keys() == scores.keys()
    assert all(0 <= value <= 1 for value in values.values())
    assert values["p@k"] <= values["p_max@k"] + 1e-12
    assert values["recall@k"] * len(expected) == pytest.approx(values["p@k"] * k)
    assert values["mrr@k"] <= values["hit@k"]


def row(tmp_path: Path, found: Ranking | Fault, *expected: str) -> dict[str, object]:
    return row_of("bm25", tasks_of(tmp_path, case("x", *expected, k=2))["x"], found)


def test_a_row_is_the_record_of_the_result(tmp_path: Path) -> None:
    found = Ranking(("z", "code:a.py::delay", "code:a.py::retry"), (3.0, 2.0, 1.0), "bm25")
    got = row(tmp_path, found, "code:a.py::delay", "gone")
    record = {
        "case_id": "x",
        "lane": "code",
        "k": 2,
        "top_ids": ["z", "code:a.py::delay"],
        "expected_ids": ["code:a.py::delay", "gone"],
        "hits": ["code:a.py::delay"],
        "missing_expected_ids": ["gone"],
        "precision_at_k": 0.5,
        "recall_at_k": 1.0,
        "mrr": 0.5,
        "source": "json",
        "status": "ok",
        "max_precision_at_k": 0.5,
    }
    assert {key: got[key] for key in record} == record


@pytest.mark.parametrize(
    ("expected", "reason"), [(("gone",), "no expected id is in the index"), ((), "no id is expected")]
)
def test_a_case_with_nothing_left_is_undefined(tmp_path: Path, expected: tuple[str, ...], reason: str) -> None:
    got = row(tmp_path, Ranking(("z",), (1.0,), "bm25"), *expected)
    assert (got["status"], got["reason"]) == ("undefined", reason)
    assert (got["precision_at_k"], got["recall_at_k"], got["mrr"]) == (None, None, None)
    assert set(got["scores"].values()) == {None}  # type: ignore[attr-defined]


def test_a_fault_is_a_record_with_no_score(tmp_path: Path) -> None:
    got = row(tmp_path, Fault("retrieve", "HTTP 500"), "code:a.py::delay")
    assert (got["status"], got["scores"], got["recall_at_k"]) == ("error", {}, None)
    assert got["error"] == {"phase": "retrieve", "message": "HTTP 500"}


def test_a_blank_query_is_an_error_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "cases.json"
    path.write_text('[\n{"id": "a", "lane": "code", "spec_content": " \\n", "expected_ids": ["b"]}]', encoding="utf-8")
    with pytest.raises(AssayError, match=r"cases.json:2: spec_content is blank; expected what is searched for"):
        read_cases(path)
