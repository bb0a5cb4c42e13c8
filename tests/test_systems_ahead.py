"""What will be asked is searched for beforehand: in batches, never too many, faults told to who asks alone."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from assay.records import Case
from assay.systems.ahead import Ahead
from assay.systems.batching import Batched

CASES = [Case(id=f"q{number:03d}", question=str(number)) for number in range(40)]


def doubled(cases: Sequence[Case]) -> list[int]:
    return [2 * int(case.question) for case in cases]


def test_what_is_expected_is_found_in_batches_and_each_gets_its_own() -> None:
    batches: list[list[str]] = []

    def work(cases: Sequence[Case]) -> list[int]:
        batches.append([case.id for case in cases])
        return doubled(cases)

    async def run() -> list[int]:
        ahead = Ahead(Batched(work, 8), most=8)
        ahead.expect(CASES)
        found = [await ahead.ask(case) for case in CASES]
        await ahead.close()
        return found

    assert asyncio.run(run()) == [2 * number for number in range(40)]
    assert [id_ for batch in batches for id_ in batch] == [case.id for case in CASES], "each once, in their order"
    assert len(batches) < 20, "one by one there would be 40"


def test_at_most_one_batch_is_ready_before_it_is_asked_for() -> None:
    searched: list[str] = []

    def work(cases: Sequence[Case]) -> list[int]:
        searched.extend(case.id for case in cases)
        return doubled(cases)

    async def run() -> None:
        ahead = Ahead(Batched(work, 8), most=8)
        ahead.expect(CASES)
        for asked, case in enumerate(CASES, 1):
            await ahead.ask(case)
            await asyncio.sleep(0.002)
            assert len(searched) <= asked + 8
        await ahead.close()

    asyncio.run(run())


def test_what_is_expected_is_taken_only_when_its_turn_comes() -> None:
    taken: list[str] = []

    async def run() -> None:
        ahead = Ahead(Batched(doubled, 8), most=8)
        ahead.expect(case for case in CASES if not taken.append(case.id))  # type: ignore[func-returns-value]
        assert taken == []
        for asked, case in enumerate(CASES, 1):
            await ahead.ask(case)
            assert len(taken) <= asked + 9, "the batch that is ready, and who was asked for before"
        await ahead.close()

    asyncio.run(run())
    assert len(taken) == 40


def test_out_of_order_unexpected_and_twice() -> None:
    async def run() -> list[int]:
        ahead = Ahead(Batched(doubled, 8), most=8)
        ahead.expect(CASES[:20])
        order = [CASES[19], CASES[0], CASES[30], CASES[0], *CASES[1:19]]
        found = [await ahead.ask(case) for case in order]
        await ahead.close()
        return found

    assert asyncio.run(run()) == [38, 0, 60, 0, *range(2, 38, 2)]


def test_those_that_are_never_asked_hold_up_nobody() -> None:
    async def run() -> list[int]:
        ahead = Ahead(Batched(doubled, 8), most=8)
        ahead.expect(CASES)
        found = [await ahead.ask(case) for case in CASES[20:]]
        await ahead.close()
        return found

    assert asyncio.run(run()) == list(range(40, 80, 2))


def test_a_fault_is_told_to_who_asks_and_to_nobody_else(caplog: pytest.LogCaptureFixture) -> None:
    def work(_: Sequence[Case]) -> list[int]:
        raise OSError("no index")

    async def run() -> None:
        ahead: Ahead[Case, int] = Ahead(Batched(work, 8), most=8)
        ahead.expect(CASES)
        with pytest.raises(OSError, match="no index"):
            await ahead.ask(CASES[0])
        await ahead.close()

    asyncio.run(run())
    assert not caplog.records


def test_closed_in_the_middle() -> None:
    async def run() -> bool:
        ahead = Ahead(Batched(doubled, 8), most=8)
        ahead.expect(CASES)
        asked = asyncio.create_task(ahead.ask(CASES[0]))
        await asyncio.sleep(0)
        await ahead.close()
        await asyncio.gather(asked, return_exceptions=True)
        return asked.cancelled()

    assert asyncio.run(run())
