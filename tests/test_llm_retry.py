"""Patience and limits: what may pass is tried again and counted, and nothing is paid twice."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from chat_server import Answer, Call, ChatServer, chat, echo, error
from hypothesis import given
from hypothesis import strategies as st
from llm_settings import ask, ask_one, settings, user

from assay.llm import ChatReply, ChatRequest, JsonSchema, LlmError, Usage
from assay.llm.faults import CallFault
from assay.llm.protocol import RetryInfo
from assay.llm.providers.scripted import Line, Scripted
from assay.llm.rate import Bucket, Limiter, Places
from assay.llm.retry import Patience, Retrying

GRADE = JsonSchema("grade", {"type": "object", "properties": {"grade": {"type": "integer"}}, "required": ["grade"]})


def at(server: ChatServer, **more: Any) -> dict[str, Any]:
    return {"base_url": f"{server.url}/v1", **more}


def first_then(first: Answer, times: int = 1) -> Any:
    return lambda call: first if call.number < times else echo(call)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (error(429, headers={"Retry-After": "0.01"}), "answered 429"),
        (error(500), "answered 500"),
        (error(503), "answered 503"),
        (error(529), "answered 529"),
        (error(408), "answered 408"),
        (Answer(chat("x"), cut=True), "the connection failed"),
        (Answer(b'{"choices": ['), "cannot be read"),
        (Answer(b"<html>busy</html>"), "cannot be read"),
        (Answer({"choices": []}), "no choices"),
        (Answer({"error": {"message": "overloaded"}}), "cannot be read"),
        (Answer(chat("late"), delay=3.0), "no answer within 0.2 s"),
    ],
)
def test_faults_that_may_pass(tmp_path: Path, fault: Answer, words: str) -> None:
    with ChatServer(first_then(fault)) as server:
        reply = ask_one(settings(tmp_path, at(server, timeout=0.2)))
    assert len(server.calls) == 2
    assert reply.text == "reply to hello"
    assert (reply.retry.attempts, reply.retry.recovered) == (2, True)
    assert words in str(reply.retry.error)


def test_five_tries_and_no_more(tmp_path: Path) -> None:
    with ChatServer(lambda _call: error(500, "down")) as server:
        with pytest.raises(LlmError, match=r"openai/test: answered 500: down \(5 tries\)") as caught:
            ask_one(settings(tmp_path, at(server)))
        assert len(server.calls) == 5
        assert (caught.value.retry.attempts, caught.value.retry.recovered) == (5, False)
        assert caught.value.kind == "server"


def test_waits_double_with_jitter_and_the_same_seed_waits_the_same() -> None:
    def waits(seed: int) -> list[float]:
        limiter = Limiter(Places(1), None, None)
        retrying = Retrying(Scripted([]), Patience(seed=seed), limiter, "x")
        return [retrying._wait(CallFault("server", "x"), RetryInfo(attempt)) for attempt in (1, 2, 3, 4)]

    assert waits(1) == waits(1) != waits(2)
    for wait, about in zip(waits(1), (2, 4, 8, 16), strict=True):
        assert 0.8 * about <= wait <= 1.2 * about


def test_retry_after_is_honoured(tmp_path: Path) -> None:
    with ChatServer(first_then(error(429, headers={"Retry-After": "0.3"}))) as server:
        start = time.monotonic()
        ask_one(settings(tmp_path, at(server)))
        assert time.monotonic() - start >= 0.3


def test_the_storm(tmp_path: Path) -> None:
    """10 % 429 with Retry-After, 5 % 500, 2 % cut, 2 % malformed, 1 % too slow: complete, counted, paid once."""
    draw = random.Random(7)
    outcome: Counter[str] = Counter()
    good: Counter[str] = Counter()

    def handler(call: Call) -> Answer:
        dice = draw.random()
        limits = [("429", 0.10), ("500", 0.15), ("cut", 0.17), ("malformed", 0.19), ("slow", 0.20), ("good", 1.0)]
        name = next(name for name, limit in limits if dice < limit)
        outcome[name] += 1
        good[call.text] += name == "good"
        return {
            "429": error(429, headers={"Retry-After": "0.01"}),
            "500": error(500),
            "cut": Answer(chat("x"), cut=True),
            "malformed": Answer(b'{"choices": [{'),
            "slow": Answer(chat("x"), delay=5.0),
            "good": Answer(chat(f"reply to {call.text}"), delay=0.002),
        }[name]

    texts = [f"q{n}" for n in range(300)]
    with ChatServer(handler) as server:
        config = settings(tmp_path, at(server, workers=20, timeout=2.0, tries=8))
        found, model = ask(config, texts)
        replies = [reply for reply in found if isinstance(reply, ChatReply)]
        calls = len(server.calls)
        again, model_again = ask(config, texts)
        assert len(server.calls) == calls, "a second run pays nothing"
    assert [reply.text for reply in replies] == [f"reply to {text}" for text in texts]
    assert set(good.values()) == {1}, "nothing is paid twice"
    assert all(outcome[name] for name in ("429", "500", "cut", "malformed", "slow"))
    assert sum(reply.retry.attempts for reply in replies) == calls == model.ledger.calls
    assert all(reply.retry.recovered == (reply.retry.attempts > 1) for reply in replies)
    assert model.ledger.spent_usage == Usage(prompt=10 * 300, completion=5 * 300)
    assert (model_again.ledger.calls, model_again.ledger.reused, model_again.ledger.spent_usage) == (0, 300, Usage())
    assert [reply.text for reply in again if isinstance(reply, ChatReply)] == [reply.text for reply in replies]


def test_an_unreadable_structured_reply_is_retried_and_its_tokens_are_counted(tmp_path: Path) -> None:
    texts = ['Sure! {"grade": 4}', '{"grade": "4/5"}', '{"grade": 4}']
    with ChatServer(lambda call: Answer(chat(texts[call.number]))) as server:
        reply = ask_one(settings(tmp_path, at(server)), json_schema=GRADE)
    assert reply.text == '{"grade": 4}'
    assert reply.retry.attempts == 3
    assert "expected integer" in str(reply.retry.error)
    assert reply.retry.discarded == Usage(prompt=20, completion=10)


def test_what_was_paid_for_counts_though_the_service_then_asks_for_too_much_patience(tmp_path: Path) -> None:
    answers = [Answer(chat("not JSON")), error(503, headers={"Retry-After": "1000"})]
    with ChatServer(lambda call: answers[call.number]) as server:
        ((fault,), _) = ask(settings(tmp_path, at(server)), ["q"], json_schema=GRADE)
    assert isinstance(fault, LlmError)
    assert "asks to wait 1000 s" in fault.what
    assert (fault.retry.attempts, fault.retry.discarded) == (2, Usage(prompt=10, completion=5))


def test_a_reply_that_stays_unreadable_is_an_error_and_is_not_kept(tmp_path: Path) -> None:
    with ChatServer(lambda _call: Answer(chat("five stars"))) as server:
        config = settings(tmp_path, at(server, tries=3))
        for calls in (3, 6):
            found, model = ask(config, ["hello"], json_schema=GRADE)
            assert isinstance(found[0], LlmError)
            assert found[0].kind == "unreadable"
            assert len(server.calls) == calls
            assert model.ledger.spent_usage == Usage(prompt=30, completion=15)


@pytest.mark.parametrize("finish", ["length", "content_filter"])
def test_a_reply_that_was_cut_short_would_be_cut_again(tmp_path: Path, finish: str) -> None:
    body = chat("", choices=[{"message": {"content": '{"gra'}, "finish_reason": finish}])
    with ChatServer(lambda _call: Answer(body)) as server, pytest.raises(LlmError, match=f"ended with {finish}"):
        ask_one(settings(tmp_path, at(server)), json_schema=GRADE)
    assert len(server.calls) == 1


def test_never_more_at_once_than_workers(tmp_path: Path) -> None:
    with ChatServer(lambda call: Answer(chat(call.text), delay=0.01)) as server:
        ask(settings(tmp_path, at(server, workers=7)), [str(n) for n in range(60)])
    assert server.most_at_once == 7


def test_places_halve_once_for_a_burst_and_grow_again() -> None:
    async def run() -> list[int]:
        places, seen = Places(8), []
        rounds = [await places.enter() for _ in range(8)]
        for started_in in rounds:  # a burst of refusals counts once
            places.refused(started_in)
            places.leave()
        seen.append(places.limit)
        places.refused(await places.enter())
        places.leave()
        seen.append(places.limit)
        for successes in (2, 3, 4):  # one more after each full round
            for _ in range(successes):
                places.succeeded()
            seen.append(places.limit)
        for _ in range(100):
            places.succeeded()
        return [*seen, places.limit]

    assert asyncio.run(run()) == [4, 2, 3, 4, 5, 8]


def test_places_never_fall_below_one_and_fixed_ones_never_change() -> None:
    async def run(adaptive: bool) -> int:
        places = Places(4, adaptive=adaptive)
        for _ in range(10):
            places.refused(await places.enter())
            places.leave()
        return places.limit

    assert asyncio.run(run(True)) == 1
    assert asyncio.run(run(False)) == 4


def test_places_are_given_in_order_and_survive_those_who_leave_the_queue() -> None:
    async def run() -> list[int]:
        places, order = Places(1), []

        async def work(number: int) -> None:
            await places.enter()
            order.append(number)
            await asyncio.sleep(0)
            places.leave()

        tasks = [asyncio.create_task(work(number)) for number in range(6)]
        await asyncio.sleep(0)
        tasks[2].cancel()
        tasks[0].cancel()  # cancelled while it holds the place: leave() is not reached
        places.active -= 1
        places._admit()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert places.active == 0
        return order

    assert asyncio.run(run()) == [0, 1, 3, 4, 5]


def test_a_cancelled_call_gives_its_place_back(tmp_path: Path) -> None:
    async def run() -> str:
        retrying = Retrying(
            Scripted([Line(reply="slow", delay=60, times=1), Line(reply="quick")]),
            Patience(),
            Limiter(Places(1), None, None),
            "x",
        )
        request = ChatRequest(model="x", messages=user("a"))
        slow = asyncio.create_task(retrying.complete(request))
        await asyncio.sleep(0.01)
        slow.cancel()
        return (await asyncio.wait_for(retrying.complete(request), 1)).text

    assert asyncio.run(run()) == "quick"


def test_a_service_with_fewer_places_is_found_out(tmp_path: Path) -> None:
    """It refuses whoever is the fifth at once. Adaptive: few refusals. Fixed at 16: many."""

    def refusals(adaptive: bool) -> int:
        def handler(call: Call) -> Answer:
            full = server.at_once >= 4
            refused.append(full)
            return error(429) if full else Answer(chat(call.text), delay=0.01)

        refused: list[bool] = []
        with ChatServer(handler) as server:
            model = at(server, workers=16, adaptive=adaptive, tries=50)
            found, _ = ask(settings(tmp_path / str(adaptive), model), [str(n) for n in range(120)])
        assert all(isinstance(reply, ChatReply) for reply in found)
        return sum(refused)

    assert refusals(adaptive=True) < refusals(adaptive=False)


def test_bucket_by_hand() -> None:
    bucket = Bucket(per_minute=600, now=0.0)  # 10 a second, holds 10
    assert bucket.take(10, 0.0) == 0.0
    assert bucket.take(1, 0.0) == pytest.approx(0.1)  # owes 1
    assert bucket.take(5, 0.0) == pytest.approx(0.6)  # owes 6
    assert bucket.take(1, 1.0) == 0.0  # -6 + 10 - 1 = 3
    bucket.give_back(-8, 1.0)  # used 8 more than expected: -5
    assert bucket.take(0, 1.0) == pytest.approx(0.5)
    bucket.give_back(1000, 1.0)
    assert bucket.take(10, 1.0) == 0.0  # never more than it holds
    assert bucket.take(30, 1.0) == pytest.approx(3.0)  # more than it holds only takes longer


@given(st.lists(st.floats(0, 2), min_size=1, max_size=80))
def test_a_minute_never_sees_more_than_its_share_and_the_burst(gaps: list[float]) -> None:
    """120 a minute: in any window of w seconds at most 2 (the burst) + 2·w may begin."""
    bucket, now, begun = Bucket(120, 0.0), 0.0, []
    for gap in gaps:
        now += gap
        begun.append(now + bucket.take(1, now))
    for first, start in enumerate(begun):
        for last in range(first, len(begun)):
            assert last - first + 1 <= 2 + 2 * (begun[last] - start) + 1e-6


def test_requests_a_minute(tmp_path: Path) -> None:
    """600 a minute, 10 at once from the burst, then 10 a second: 14 calls need 0.4 s."""
    with ChatServer() as server:
        start = time.monotonic()
        ask(settings(tmp_path, at(server, workers=20, requests_per_minute=600)), [str(n) for n in range(14)])
        assert 0.38 <= time.monotonic() - start < 3


def test_tokens_a_minute(tmp_path: Path) -> None:
    """Each call uses 15 tokens. 3,000 a minute are 50 a second, of which 50 at once: 4 calls are 60, 0.2 s more."""

    async def run() -> float:
        line = Line(reply="x", usage=Usage(prompt=10, completion=5))
        retrying = Retrying(Scripted([line]), Patience(), Limiter(Places(1), None, 3000), "x")
        start = time.monotonic()
        for _ in range(5):
            await retrying.complete(ChatRequest(model="x", messages=user("a")))
        return time.monotonic() - start

    # before the fifth, 4 × 15 = 60 are used and 5 more expected: (65 - 50) / 50 = 0.3 s
    assert 0.2 <= asyncio.run(run()) < 2
