"""Outputs from a file: simple ones, those of a run, and files with mistakes."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from systems_corpus import CASES, output, outputs, settings, system

from assay.errors import AssayError
from assay.llm.protocol import Usage
from assay.records import Fault
from assay.systems.protocol import Output, Passage, Timing, inputs_of


def recorded(root: Path, *rows: Any, name: str = "outputs.jsonl") -> str:
    lines = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]
    (root / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return f"recorded:{name}"


def told(root: Path, row: Any) -> Output:
    return output(recorded(root, row), settings(root))


def test_a_simple_line(tmp_path: Path) -> None:
    found = told(tmp_path, {"id": "q1", "answer": "£20 [1]", "contexts": ["Visitors pay £20."]})
    assert (found.answer, found.context) == ("£20 [1]", (Passage(text="Visitors pay £20."),))
    assert found.timing == Timing()
    assert found.usage is None
    assert found.metadata.has_citations is True


@pytest.mark.parametrize("name", ["question_id", "case_id", "id"])
def test_the_id_by_each_of_its_names(name: str, tmp_path: Path) -> None:
    assert told(tmp_path, {name: "q1", "answer": "x"}).answer == "x"


def test_ids_alone_are_completed_from_the_index(tmp_path: Path) -> None:
    found = told(tmp_path, {"id": "q1", "answer": "x", "retrieved": ["race-2"], "context": [{"id": "race-1"}]})
    assert found.candidates == (Passage(id="race-2", source="race.md", page=2),)
    assert [p.text for p in found.context or ()] == ["Races start at noon on Sundays from May to September."]


ROW = {
    "variant": "m",
    "case_id": "q1",
    "question_id": "q1",
    "status": "ok",
    "error": None,
    "answer": "£20",
    "judgment": {"verdict": "pass"},
    "retrieval_candidates": 1,
    "scale": "bm25",
    "retrieved": [{"rank": 1, "id": "fees-1", "source": "fees.md", "page": 1, "score": 2.5}],
    "context": [{"id": "fees-1", "source": "fees.md", "page": 1, "text": "0123456789abcdef"}],
    "time": 2.25,
    "timing": {"retrieval": 0.25, "rerank": None, "generation": 1.0, "judge": 1.0, "total": 2.25},
    "tokens": {"prompt": 9, "completion": 2, "thinking": 1, "cached": 0, "total": 12},
    "llm_metadata": {"model": "m-1", "finish_reason": "stop", "temperature": 0.0, "has_citations": False},
    "retry_info": {"attempts": 3, "recovered": True, "error": "answered 500"},
}


def test_a_row_of_a_run(tmp_path: Path) -> None:
    recorded(tmp_path, {"key": "0123456789abcdef", "text": "Visitors pay £20."}, name="passages.jsonl")
    found = told(tmp_path, ROW)
    assert found.answer == "£20"
    assert found.scale == "bm25"
    assert found.candidates == (Passage(id="fees-1", source="fees.md", page=1, score=2.5),)
    assert found.context == (Passage(id="fees-1", source="fees.md", page=1, text="Visitors pay £20."),)
    assert found.timing == Timing(retrieval=0.25, generation=1.0, total=1.25), "without the judge's"
    assert found.usage == Usage(prompt=9, completion=2, thinking=1)
    assert (found.metadata.model, found.metadata.temperature) == ("m-1", 0.0)
    assert found.retry.attempts == 1, "nothing was called now"


def test_a_row_with_a_fault(tmp_path: Path) -> None:
    row = ROW | {"answer": None, "judgment": None, "error": {"phase": "generation", "message": "answered 500"}}
    found = told(tmp_path, row)
    assert found.fault == Fault("generation", "answered 500")
    assert found.candidates is not None


def test_a_row_that_only_the_judge_failed_on_is_an_output(tmp_path: Path) -> None:
    found = told(tmp_path, ROW | {"error": {"phase": "judge", "message": "unreadable reply"}})
    assert (found.answer, found.fault) == ("£20", None)


def test_a_question_that_is_not_there_is_a_fault_of_its_own(tmp_path: Path) -> None:
    rows = [{"id": case.id, "answer": case.question} for case in CASES[1:]]
    found = outputs(recorded(tmp_path, *rows, {"id": "another", "answer": "x"}), settings(tmp_path))
    assert found[0].fault == Fault("unknown", "'outputs.jsonl' has no output for this question")
    assert [each.answer for each in found[1:]] == [case.question for case in CASES[1:]]


@pytest.mark.parametrize(
    "text", ['\ufeff{"id": "q1", "answer": "x"}', '\n{"id": "q1", "answer": "x"}\r', '{"id":"q1","answer":"x"}']
)
def test_marks_and_blank_lines_do_not_matter(text: str, tmp_path: Path) -> None:
    assert output(recorded(tmp_path, text), settings(tmp_path)).answer == "x"


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        (['{"id": "q1", "answer": "x"}', '{"id": "q1", "answer": "y"}'], ":2: the question 'q1' is in line 1, too"),
        (['{"id": "q1", "answer": "x"}', '{"id": "q2", "ans'], ":2: not JSON"),
        (['{"answer": "x"}'], ":1: no id of the question; expected question_id or case_id or id"),
        (['{"id": true, "answer": "x"}'], ":1: no id of the question"),
        (["[1]"], ":1: a list of 1; expected a JSON object"),
        (['{"id": "q1"}'], ":1: gave an object with the keys 'id'; expected a text, or an object with 'answer'"),
        (['{"id": "q1", "answer": "x", "contexts": 5}'], ":1: the passages are 5 (int)"),
        (['{"id": "q1", "answer": "x", "usage": {"prompt_tokens": NaN}}'], ":1: NaN is not JSON"),
        ([""], ": no output is recorded here"),
    ],
)
def test_a_mistake_is_named_with_its_line_before_anything_runs(lines: list[str], says: str, tmp_path: Path) -> None:
    with pytest.raises(AssayError) as fault:
        output(recorded(tmp_path, *lines), settings(tmp_path))
    assert f"outputs.jsonl{says}" in str(fault.value)


@pytest.mark.parametrize(("spelling", "says"), [("recorded:no.jsonl", "no such file"), ("recorded:", "names no file")])
def test_a_file_that_is_not_there(spelling: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(AssayError, match=says):
        output(spelling, settings(tmp_path))


def test_another_file_is_another_system(tmp_path: Path) -> None:
    def inputs(answer: str) -> dict[str, str]:
        async def run() -> dict[str, str]:
            async with system(recorded(tmp_path, {"id": "q1", "answer": answer}), settings(tmp_path)) as made:
                return inputs_of(made)

        return asyncio.run(run())

    assert inputs("a") == inputs("a") != inputs("b")
