"""The engine and systems that end in other ways than by returning."""

from __future__ import annotations

import asyncio
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


class Asked(Struct):
    """A system that is awaited: each case waits as long as it says, the third may end it."""

    end: Callable[[], Any] | None = None
    name: str = "asked"
    batch_size: int = 1

    async def answer(self, cases: Sequence[Case]) -> Sequence[str]:
        await asyncio.sleep(float(cases[0].question))
        return [self.end() if self.end and case.id == "3" else "fine" for case in cases]


def waiting(*seconds: float) -> list[Case]:
    return [Case(id=str(number), question=str(each)) for number, each in enumerate(seconds, 1)]


def test_the_next_case_is_asked_before_the_last_is_scored(tmp_path: Path) -> None:
    order: list[str] = []

    class Told(Asked):
        async def answer(self, cases: Sequence[Case]) -> Sequence[str]:
            order.append(f"ask {cases[0].id}")
            return await super().answer(cases)

    def scorer(system: Named, cases: Sequence[Case], outputs: Sequence[str]) -> list[Row]:
        order.append(f"score {cases[0].id}")
        return as_rows(system, cases, outputs)

    results = ResultsFile(tmp_path / "results.jsonl")
    evaluate(Plan(cases=waiting(0.01, 0.01, 0.01), systems=[Told()], scorer=scorer, results=results))
    assert order == ["ask 1", "ask 2", "score 1", "ask 3", "score 2", "score 3"]


def test_at_most_as_many_wait_for_their_score_as_there_are_workers(tmp_path: Path) -> None:
    asked, most = 0, 0

    class Instant(Asked):
        async def answer(self, cases: Sequence[Case]) -> Sequence[str]:
            nonlocal asked
            asked += 1
            return ["fine"]

    def scorer(system: Named, cases: Sequence[Case], outputs: Sequence[str]) -> list[Row]:
        nonlocal asked, most
        most, asked = max(most, asked), asked - 1
        return as_rows(system, cases, outputs)

    results = ResultsFile(tmp_path / "results.jsonl")
    evaluate(Plan(cases=waiting(*[0.0] * 50), systems=[Instant()], scorer=scorer, results=results, workers=2))
    assert len(results.read()) == 50
    assert most <= 3


def test_what_was_answered_is_scored_though_another_case_ends_the_run(tmp_path: Path) -> None:
    results = ResultsFile(tmp_path / "results.jsonl")
    system = Asked(raising(AssayError("a wrong key")))
    with pytest.raises(AssayError, match="a wrong key"):
        evaluate(Plan(cases=waiting(0, 0, 0), systems=[system], scorer=as_rows, results=results, workers=3))
    assert {row["case_id"] for row in results.read()} == {"1", "2"}


@pytest.mark.parametrize("fault", [ValueError("a scorer's own fault"), IncompleteRun("a full disk")])
def test_a_fault_of_the_scorer_ends_the_run(tmp_path: Path, fault: Exception) -> None:
    asked: list[str] = []

    class Counted(Asked):
        async def answer(self, cases: Sequence[Case]) -> Sequence[str]:
            asked.append(cases[0].id)
            return await super().answer(cases)

    def scorer(system: Named, cases: Sequence[Case], outputs: Sequence[str]) -> list[Row]:
        raise fault

    results = ResultsFile(tmp_path / "results.jsonl")
    with pytest.raises(type(fault), match=str(fault)):
        evaluate(Plan(cases=waiting(*[0.01] * 20), systems=[Counted()], scorer=scorer, results=results))
    assert len(asked) <= 2, "nothing more is asked"
