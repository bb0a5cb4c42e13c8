"""A service under test over a real socket: what it may answer, and every way it may fail."""

from __future__ import annotations

import asyncio
import os
import stat
import threading
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from fake_server import Call, FakeServer, Handler, Reply, in_turn
from systems_corpus import CASES, output, outputs, settings, system

from assay.errors import AssayError
from assay.llm.faults import QuotaSpent
from assay.llm.protocol import Usage
from assay.records import Case, Fault
from assay.systems.protocol import Output, Passage, Retry, Timing

TOKEN = "tok-5up3r-s3cret"
FRESH = "tok-fr3sh-s3cret"
FEE = {"id": "fees-1", "filename": "fees.md", "page": 1, "score": 0.5, "text": "Visitors pay £20."}


def retrieve(call: Call) -> Reply:
    return Reply(body={"results": [FEE] * min(2, call.body["k"])})


def query(call: Call) -> Reply:
    return Reply(body={"answer": f"£20 [1] to: {call.body['question']}", "contexts": [FEE]})


def paths(**handlers: Handler) -> Handler:
    """Both paths, unless told otherwise."""
    known = {"retrieve": retrieve, "query": query} | handlers
    return lambda call: known[call.path.rsplit("/", 1)[-1]](call)


def asked(handler: Handler, root: Path, **pipeline: Any) -> tuple[Output, list[str]]:
    """The output, and the paths that were called for it."""
    with FakeServer(handler) as server:
        found = output(f"{server.url}/rag/", settings(root, **pipeline))
        return found, [call.path.removeprefix("/rag/") for call in server.calls]


def test_both_calls_with_all_they_can_tell(tmp_path: Path) -> None:
    told = {
        "answer": "£20 [1].",
        "sources": [FEE],
        "usage": {"prompt_tokens": 90, "completion_tokens": 5},
        "timing": {"retrieval_ms": 20, "rerank": 0.1, "generation": 1.5, "total": 1.7},
        "model": "their-model",
        "finish_reason": "stop",
    }
    with FakeServer(paths(query=lambda _: Reply(body=told))) as server:
        found = output(server.url, settings(tmp_path))
    fee = Passage(id="fees-1", source="fees.md", page=1, score=0.5, text="Visitors pay £20.")
    assert (found.answer, found.candidates, found.context) == ("£20 [1].", (fee, fee), (fee,))
    assert found.usage == Usage(prompt=90, completion=5)
    assert found.timing == Timing(retrieval=0.02, rerank=0.1, generation=1.5, total=1.7)
    assert (found.metadata.model, found.metadata.finish_reason, found.metadata.has_citations) == (
        "their-model",
        "stop",
        True,
    )
    assert found.retry == Retry()
    assert [(call.path, call.body) for call in server.calls] == [
        ("/retrieve", {"question": CASES[0].question, "k": 5}),
        ("/query", {"question": CASES[0].question, "k": 3}),
    ]
    assert "Authorization" not in server.calls[0].headers


def test_without_times_told_the_calls_are_timed(tmp_path: Path) -> None:
    slow = paths(
        retrieve=lambda call: Reply(body=retrieve(call).body, delay=0.05),
        query=lambda call: Reply(body=query(call).body, delay=0.1),
    )
    timing = asked(slow, tmp_path)[0].timing
    assert timing.retrieval is not None
    assert timing.total is not None
    assert 0.05 <= timing.retrieval < 0.1
    assert timing.retrieval + 0.1 <= timing.total < 0.4, "the time of both calls"
    assert (timing.rerank, timing.generation) == (None, None)


def test_a_service_without_retrieve_is_asked_for_it_once(tmp_path: Path) -> None:
    handler = paths(retrieve=lambda _: Reply(status=404, body={"detail": "Not Found"}))
    with FakeServer(handler) as server:

        async def run() -> list[Output]:
            async with system(server.url, settings(tmp_path)) as made:
                return [await made.run(case) for case in CASES]

        found = asyncio.run(run())
    assert [call.path for call in server.calls] == ["/retrieve", *["/query"] * len(CASES)]
    assert all(each.fault is None and each.timing.retrieval is None for each in found)
    assert [p.id for p in found[0].candidates or ()] == ["fees-1"], "what the answer comes with"
    told_nothing = asked(
        paths(retrieve=lambda _: Reply(status=404), query=lambda _: Reply(body={"answer": "x"})), tmp_path
    )
    assert told_nothing[0].candidates is None


MISHAPS: dict[str, Reply] = {
    "429": Reply(status=429, headers={"Retry-After": "0.01"}),
    "500": Reply(status=500, body={"error": "oops"}),
    "503": Reply(status=503),
    "cut": Reply(body={"answer": "x"}, cut=True),
    "malformed": Reply(body=b'{"answer": "x'),
    "html": Reply(body=b"<html>busy</html>"),
    "slow": Reply(body={"answer": "late"}, delay=0.4),
}


@pytest.mark.parametrize("mishap", MISHAPS)
@pytest.mark.parametrize("path", ["retrieve", "query"])
def test_only_what_failed_is_tried_again(path: str, mishap: str, tmp_path: Path) -> None:
    well = {"retrieve": retrieve, "query": query}[path]
    handler = paths(**{path: in_turn(MISHAPS[mishap], MISHAPS[mishap], then=well)})
    found, called = asked(handler, tmp_path, timeout=0.2)
    assert found.fault is None
    assert called == (["retrieve"] * 3 + ["query"] if path == "retrieve" else ["retrieve"] + ["query"] * 3)
    assert (found.retry.attempts, found.retry.recovered) == (3, True)
    assert found.retry.error is not None
    assert found.retry.error.startswith(f"/{path}: ")


def test_tries_of_both_calls_are_added(tmp_path: Path) -> None:
    busy = Reply(status=500)
    handler = paths(retrieve=in_turn(busy, then=retrieve), query=in_turn(busy, busy, then=query))
    assert asked(handler, tmp_path)[0].retry.attempts == 4


def test_after_five_tries_it_is_a_fault_that_keeps_what_was_retrieved(tmp_path: Path) -> None:
    found, called = asked(paths(query=lambda _: Reply(status=500, body={"error": {"message": "down"}})), tmp_path)
    assert called == ["retrieve", *["query"] * 5]
    assert found.fault == Fault("generation", "/query: answered 500: down (5 tries)")
    assert found.retry == Retry(attempts=5, recovered=False, error="/query: answered 500: down")
    assert found.candidates is not None
    assert found.timing.retrieval is not None


def test_a_retrieval_that_stays_broken_is_not_followed_by_a_query(tmp_path: Path) -> None:
    found, called = asked(paths(retrieve=lambda _: Reply(status=502)), tmp_path, tries=2)
    assert called == ["retrieve"] * 2
    assert found.fault == Fault("retrieval", "/retrieve: answered 502: null (2 tries)")


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (Reply(status=400, body={"detail": "too long"}), "/query: answered 400: too long"),
        (Reply(status=422, body={"detail": "odd"}), "/query: answered 422: odd"),
        (Reply(body=[1]), "/query gave a list of 1; expected a text, or an object with 'answer'"),
        (Reply(body={"reply": "x"}), "/query gave an object with the keys 'reply'"),
        (Reply(body={"answer": "x" * 1_000_001}), "/query an answer of 1,000,001 characters"),
        (Reply(body=b'"' + b"x" * 20_000_001 + b'"'), "/query: a reply of more than 20 MB"),
        (Reply(body={"error": "no model"}), "no model"),
    ],
)
def test_what_another_try_would_not_mend_is_not_tried_again(reply: Reply, says: str, tmp_path: Path) -> None:
    found, called = asked(paths(query=lambda _: reply), tmp_path)
    assert called == ["retrieve", "query"]
    assert found.fault is not None
    assert found.fault.message.startswith(says)
    assert found.candidates is not None


def test_a_retry_after_is_waited_for_by_everybody(tmp_path: Path) -> None:
    busy = Reply(status=429, headers={"Retry-After": "0.3"})
    with FakeServer(paths(query=in_turn(busy, then=query))) as server:
        found = outputs(server.url, settings(tmp_path))
    assert all(each.fault is None for each in found)
    assert sorted(each.retry.attempts for each in found) == [1, 1, 1, 2]


def test_a_service_that_asks_for_an_hour_ends_the_run_which_can_be_resumed(tmp_path: Path) -> None:
    with pytest.raises(QuotaSpent, match="asks to wait 3600 s") as fault:
        asked(paths(query=lambda _: Reply(status=429, headers={"Retry-After": "3600"})), tmp_path)
    assert fault.value.exit_code == 3


def needs(token: Callable[[], str]) -> Handler:
    """401 to whoever has not this token."""

    def handle(call: Call) -> Reply:
        if call.headers.get("Authorization") != f"Bearer {token()}":
            return Reply(status=401, body={"error": f"not {call.headers.get('Authorization')}"})
        return paths()(call)

    return handle


def test_the_token_is_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVICE_TOKEN", f" {TOKEN}\n")
    assert asked(needs(lambda: TOKEN), tmp_path, token_env="SERVICE_TOKEN")[0].retry == Retry()


def test_a_401_reads_the_variable_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVICE_TOKEN", TOKEN)

    def renewed(call: Call) -> Reply:
        os.environ["SERVICE_TOKEN"] = FRESH
        return needs(lambda: FRESH)(call)

    found, called = asked(renewed, tmp_path, token_env="SERVICE_TOKEN")
    assert called == ["retrieve", "retrieve", "query"]
    assert found.retry == Retry(attempts=2, recovered=True, error="answered 401")


def program(root: Path, text: str) -> tuple[str, ...]:
    path = root / "token.sh"
    path.write_text(f"#!/bin/sh\necho run >> {root}/runs\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return (str(path),)


def test_a_401_runs_the_program_once_for_all_who_were_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVICE_TOKEN", TOKEN)
    config = settings(tmp_path, token_env="SERVICE_TOKEN", token_command=program(tmp_path, f"sleep 0.1\necho {FRESH}"))
    cases = [Case(id=str(n), question=f"Question {n}?") for n in range(20)]
    with FakeServer(needs(lambda: FRESH)) as server:
        found = outputs(server.url, config, cases)
    assert [each.fault for each in found] == [None] * 20
    assert (tmp_path / "runs").read_text() == "run\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("exit 3", "token.sh' gave no token (exit code 3)"),
        ("echo two words", "token.sh' gave no token (exit code 0)"),
        ("echo another", "/retrieve answered 401 again with a fresh token"),
        (f"echo {TOKEN}", "/retrieve answered 401. Check what run.pipeline.token_command prints"),
    ],
)
def test_a_token_that_cannot_be_had_ends_the_run(
    text: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERVICE_TOKEN", TOKEN)
    with pytest.raises(AssayError) as fault:
        asked(needs(lambda: FRESH), tmp_path, token_env="SERVICE_TOKEN", token_command=program(tmp_path, text))
    assert says in str(fault.value)
    assert TOKEN not in str(fault.value)
    assert "\n" not in str(fault.value)


def test_a_second_401_ends_the_run_with_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVICE_TOKEN", TOKEN)
    with FakeServer(needs(lambda: FRESH)) as server, pytest.raises(AssayError) as fault:
        output(server.url, settings(tmp_path, token_env="SERVICE_TOKEN"))
    assert str(fault.value) == (f"{server.url}: /retrieve answered 401. Check the token in SERVICE_TOKEN")
    assert len(server.calls) == 2


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (Reply(status=403, body={"error": "not yours"}), "answered 403: not yours"),
        (Reply(status=404), "/query answered 404. The service needs POST /query"),
        (
            Reply(status=302, headers={"Location": "https://user:pw@login.invalid/x?t=1"}),
            "moved to https://login.invalid/x",
        ),
    ],
)
def test_what_concerns_every_question_ends_the_run(reply: Reply, says: str, tmp_path: Path) -> None:
    with pytest.raises(AssayError) as fault:
        asked(paths(query=lambda _: reply), tmp_path)
    assert says in str(fault.value)


def test_an_echoed_token_goes_no_further(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVICE_TOKEN", TOKEN)

    def echo(call: Call) -> Reply:
        said = f"you sent {call.headers['Authorization']}"
        if call.path.endswith("retrieve"):
            return Reply(body={"results": [{"id": "a", "text": said}]})
        return Reply(body={"answer": said}) if call.number % 2 else Reply(status=400, body={"error": said})

    with FakeServer(echo) as server:
        found = outputs(server.url, settings(tmp_path, token_env="SERVICE_TOKEN"), CASES * 5)
    assert any(each.fault for each in found)
    assert any(each.answer for each in found)
    assert TOKEN not in repr(found)
    assert "you sent Bearer ***" in repr(found)


@pytest.mark.parametrize(
    ("endpoint", "says"),
    [
        ("http://user:pa55word@host/rag", "without user, password or query"),
        ("http://host/rag?key=pa55word", "without user, password or query"),
        ("http://", "not a URL that can be called"),
        ("http://host:99999", "not a URL that can be called"),
    ],
)
def test_an_endpoint_that_is_none(endpoint: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(AssayError) as fault:
        output(endpoint, settings(tmp_path))
    assert says in str(fault.value)
    assert "pa55word" not in str(fault.value)


def test_where_nobody_ever_was_ends_the_run_at_once(tmp_path: Path) -> None:
    with FakeServer(paths()) as server:
        url = server.url
    with pytest.raises(AssayError, match=r"nobody answers there.*Is the service running"):
        output(url, settings(tmp_path, tries=2, first_wait=30.0))


def test_a_service_that_went_away_is_a_fault_after_all_tries(tmp_path: Path) -> None:
    def once(call: Call) -> Reply:
        return Reply(body=query(call).body, headers={"Connection": "close"})

    async def twice() -> tuple[Output, Output]:
        async with AsyncExitStack() as stack:
            with FakeServer(paths(query=once)) as server:
                made = await stack.enter_async_context(system(server.url, settings(tmp_path, tries=2)))
                before = await made.run(CASES[0])
            return before, await made.run(CASES[0])

    before, found = asyncio.run(twice())
    assert before.fault is None
    assert found.fault is not None
    assert found.fault.phase == "retrieval"
    assert found.fault.message.startswith("/retrieve: the connection failed")
    assert found.retry.attempts == 2


def test_everything_at_once(tmp_path: Path) -> None:
    """Every fourth call goes wrong in one way or another; every question is answered, and each try is counted."""
    mishaps = [*(MISHAPS[name] for name in ("429", "500", "cut", "malformed")), Reply(body={"answer": ""}, delay=4)]
    lock = threading.Lock()
    failed = 0

    def handle(call: Call) -> Reply:
        nonlocal failed
        if call.number % 4 == 0:
            with lock:
                failed += 1
            return mishaps[call.number // 4 % len(mishaps)]
        return paths()(call)

    cases = [Case(id=str(n), question=f"Question {n}?") for n in range(60)]
    with FakeServer(handle) as server:
        found = outputs(server.url, settings(tmp_path, timeout=3, tries=10), cases)
    assert [each.fault for each in found] == [None] * 60
    assert [each.answer for each in found] == [f"£20 [1] to: {case.question}" for case in cases]
    assert sum(each.retry.attempts - 1 for each in found) == failed
    assert len(server.calls) == 120 + failed
