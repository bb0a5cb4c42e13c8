"""The engine and systems that end in other ways than by returning."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from assay.errors import AssayError, IncompleteRun
from assay.evaluate import Named, Plan, evaluate
from assay.records import Case
from assay.runs.results import ResultsFile, Row


class Ending(Struct):
    """A system whose third case ends it."""

    end: Callable[[], Any]
    name: str = "ending"
    batch_size: int = 1

    def answer(self, cases: Sequence[Case]) -> Sequence[str]:
        return [self.end() if case.id == "3" else "fine" for case in cases]


def as_rows(system: Named, cases: Sequence[Case], outputs: Sequence[str]) -> list[Row]:
    return [
        {"variant": system.name, "case_id": case.id, "status": "ok", "output": output, "tags": {}, "scores": {}}
        for case, output in zip(cases, outputs, strict=True)
    ]


def raising(fault: BaseException) -> Callable[[], Any]:
    def end() -> Any:
        raise fault

    return end


@pytest.mark.parametrize(
    ("end", "told"),
    [
        (sys.exit, "SystemExit()"),
        (raising(SystemExit(0)), "SystemExit(0)"),
        (raising(KeyboardInterrupt()), "KeyboardInterrupt()"),
        (raising(StopIteration("no more")), "StopIteration('no more')"),
    ],
)
def test_a_system_that_ends_the_program_ends_the_run_alone(tmp_path: Path, end: Callable[[], Any], told: str) -> None:
    """It neither hangs nor exits with a code of its own; what was finished is kept."""
    results = ResultsFile(tmp_path / "results.jsonl")
    cases = [Case(id=str(number), question="?") for number in range(1, 6)]
    with pytest.raises(IncompleteRun) as fault:
        evaluate(Plan(cases=cases, systems=[Ending(end)], scorer=as_rows, results=results))
    assert f"the system under test ended with {told}" in str(fault.value)
    assert [row["case_id"] for row in results.read()] == ["1", "2"]


def test_what_a_system_raises_for_all_is_passed_on(tmp_path: Path) -> None:
    results = ResultsFile(tmp_path / "results.jsonl")
    plan = Plan(
        cases=[Case(id="3", question="?")],
        systems=[Ending(raising(AssayError("a wrong key")))],
        scorer=as_rows,
        results=results,
    )
    with pytest.raises(AssayError, match="a wrong key"):
        evaluate(plan)
