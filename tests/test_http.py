"""The HTTP client against a real server that misbehaves on demand."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from fake_server import Call, FakeServer, Reply, in_turn

import assay.http
from assay.config import Http
from assay.errors import AssayError
from assay.http import HttpFault, post_all, post_each

QUICK = Http(timeout=5, retries=3)


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assay.http, "FIRST_WAIT", 0.01)


def echo(call: Call) -> Reply:
    return Reply(body={"was": call.body})


def test_replies_come_in_the_order_of_the_payloads_though_they_finish_in_another() -> None:
    def last_first(call: Call) -> Reply:
        return Reply(body=call.body, delay=0.02 * (4 - call.body))

    with FakeServer(last_first) as server:
        assert post_all(server.url, [0, 1, 2, 3], QUICK) == [0, 1, 2, 3]


def test_no_payload_is_no_call() -> None:
    assert post_all("http://127.0.0.1:1/nobody", []) == []


def test_no_more_calls_at_once_than_workers() -> None:
    with FakeServer(lambda call: Reply(body=1, delay=0.02)) as server:
        post_all(server.url, list(range(12)), Http(workers=3))
        assert server.most_at_once == 3
        assert len(server.calls) == 12


@pytest.mark.parametrize(
    "fault",
    [
        Reply(status=429, body="slow down"),
        Reply(status=500, body="oops"),
        Reply(status=503, body=b"<html>busy</html>"),
        Reply(status=408, body=None),
        Reply(body=b'{"a": 1', cut=True),
        Reply(body=b"not json"),
        Reply(body=b'{"a": NaN}'),
        Reply(body=b""),
    ],
    ids=["429", "500", "503", "408", "cut", "malformed", "NaN", "empty"],
)
def test_a_fault_that_passes_is_tried_again(fault: Reply) -> None:
    with FakeServer(in_turn(fault, fault, then=echo)) as server:
        assert post_all(server.url, ["x"], QUICK) == [{"was": "x"}]
        assert len(server.calls) == 3


def test_a_call_that_takes_too_long_is_tried_again() -> None:
    with FakeServer(in_turn(Reply(body=1, delay=1.0), then=echo)) as server:
        assert post_all(server.url, ["x"], Http(timeout=0.2, retries=1)) == [{"was": "x"}]


def test_a_fault_that_stays_says_how_often_it_was_tried() -> None:
    with FakeServer(lambda call: Reply(status=500, body={"error": "no\nmemory"})) as server:
        with pytest.raises(HttpFault, match=r"answered 500 .*no.*memory.*\(4 tries\)") as caught:
            post_all(server.url, ["x"], QUICK)
        assert len(server.calls) == 4
        assert caught.value.status == 500
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422, 302])
def test_a_hopeless_answer_ends_at_once(status: int) -> None:
    with FakeServer(lambda call: Reply(status=status, body="no", delay=0.02)) as server:
        with pytest.raises(HttpFault, match=f"answered {status}"):
            post_all(server.url, list(range(50)), Http(workers=2))
        assert len(server.calls) <= 4


def test_retry_after_is_honoured_by_every_worker() -> None:
    busy = Reply(status=429, body="busy", headers={"Retry-After": "0.4"})
    with FakeServer(in_turn(busy, then=echo)) as server:
        start = time.perf_counter()
        post_all(server.url, [1, 2], Http(workers=1, retries=1))
        assert 0.4 <= time.perf_counter() - start < 3


def test_retry_after_may_be_a_date() -> None:
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=1.5))
    with FakeServer(in_turn(Reply(status=503, headers={"Retry-After": soon}), then=echo)) as server:
        start = time.perf_counter()
        post_all(server.url, [1], Http(retries=1))
        assert 0.4 <= time.perf_counter() - start < 4


def test_a_service_that_asks_for_an_hour_is_not_waited_for() -> None:
    with FakeServer(lambda call: Reply(status=429, headers={"Retry-After": "3600"})) as server:
        with pytest.raises(HttpFault, match="asks to wait 3600 s"):
            post_all(server.url, [1], QUICK)
        assert len(server.calls) == 1


def test_the_token_is_sent_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_TOKEN", "sesame-123")
    leaky = Reply(status=401, body={"error": "bad key sesame-123"})
    with FakeServer(lambda call: leaky) as server, pytest.raises(HttpFault) as caught:
        post_all(f"{server.url}/v1?key=sesame-123", [1], Http(token_env="SOME_TOKEN"))
    assert server.calls[0].headers["Authorization"] == "Bearer sesame-123"
    assert "sesame" not in str(caught.value)
    assert "SOME_TOKEN" in str(caught.value)


def test_without_a_token_nothing_is_sent_and_a_refusal_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOME_TOKEN", raising=False)
    with (
        FakeServer(lambda call: Reply(status=401)) as server,
        pytest.raises(HttpFault, match="Set the environment variable SOME_TOKEN"),
    ):
        post_all(server.url, [1], Http(token_env="SOME_TOKEN"))
    assert "Authorization" not in server.calls[0].headers


def test_nobody_listening_is_one_clear_line() -> None:
    with FakeServer(echo) as server:
        gone = server.url
    with pytest.raises(HttpFault, match=r"nobody answers there: .* Is the service running"):
        post_all(gone, [1], Http(retries=1))


@pytest.mark.parametrize("url", ["", "ftp://x/y", "nonsense", "http://", "http://[::1", "http://x:99999999/"])
def test_what_is_no_url_is_refused(url: str) -> None:
    with pytest.raises(AssayError, match="not a URL"):
        post_all(url, [1])


def test_each_gives_the_fault_in_the_place_of_its_reply() -> None:
    def refuse_two(call: Call) -> Reply:
        return Reply(status=422, body="two") if call.body == 2 else Reply(body=call.body)

    with FakeServer(refuse_two) as server:
        one, two, three = post_each(server.url, [1, 2, 3], QUICK)
    assert (one, three) == (1, 3)
    assert isinstance(two, HttpFault)
    assert two.status == 422


@pytest.mark.parametrize("where", ["thread", "loop"])
def test_it_works_in_a_worker_thread_and_inside_a_running_loop(where: str) -> None:
    results: list[Any] = []

    def call(url: str) -> None:
        results.extend(post_all(url, [1, 2], QUICK))

    async def inside(work: Callable[[str], None], url: str) -> None:
        work(url)

    with FakeServer(echo) as server:
        if where == "loop":
            asyncio.run(inside(call, server.url))
        else:
            thread = threading.Thread(target=call, args=(server.url,))
            thread.start()
            thread.join()
    assert results == [{"was": 1}, {"was": 2}]


def test_a_fault_inside_a_running_loop_is_raised_there() -> None:
    async def inside(url: str) -> None:
        post_all(url, [1])

    with FakeServer(lambda call: Reply(status=404)) as server, pytest.raises(HttpFault, match="404"):
        asyncio.run(inside(server.url))
