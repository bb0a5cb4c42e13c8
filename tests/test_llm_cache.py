"""Replies are paid once: cache, recordings, calls under way, two processes, kill -9."""

from __future__ import annotations

import asyncio
import json
import signal
import sqlite3
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import msgspec
import pytest
from chat_server import Answer, ChatServer, chat, error
from hypothesis import given
from hypothesis import strategies as st
from llm_settings import ask, ask_one, settings, user

from assay.errors import AssayError, IncompleteRun
from assay.llm import ChatReply, ChatRequest, JsonSchema, LlmError, Message, MissingReply, Usage, connect
from assay.llm.cache import Cached, Memory
from assay.llm.fingerprint import parts_of
from assay.llm.providers.scripted import Line, Scripted
from assay.llm.recording import Recording
from assay.llm.store import Entry, ReplyStore

REQUEST = ChatRequest(model="x", messages=(Message("system", "s"), Message("user", "u")), label="judge q1")


def at(server: ChatServer, **more: Any) -> dict[str, Any]:
    return {"base_url": f"{server.url}/v1", **more}


def changed(**fields: Any) -> ChatRequest:
    return msgspec.structs.replace(REQUEST, **fields)


def address(request: ChatRequest, provider: str = "openai", identity: str = "") -> str:
    return parts_of(provider, identity, request).address


def test_everything_that_can_change_a_reply_changes_the_address() -> None:
    others = [
        changed(model="y"),
        changed(messages=(Message("system", "s"), Message("user", "v"))),
        changed(messages=(Message("system", "su"),)),
        changed(messages=(Message("user", "s"), Message("user", "u"))),
        changed(temperature=None),
        changed(temperature=0.5),
        changed(max_tokens=5),
        changed(seed=0),
        changed(reasoning_effort="low"),
        changed(logprobs=True),
        changed(extra={"top_p": 1}),
        changed(repeat=1),
        changed(json_schema=JsonSchema("a", {"type": "object"})),
        changed(json_schema=JsonSchema("a", {"type": "array"})),
    ]
    found = [address(request) for request in (REQUEST, *others)]
    found += [address(REQUEST, provider="gemini"), address(REQUEST, identity="http://h/v1")]
    assert len(set(found)) == len(found)
    assert address(changed(label="other", extra={})) == address(REQUEST)
    assert address(changed(temperature=0)) == address(REQUEST)
    assert address(changed(extra={"a": 1, "b": 2})) == address(changed(extra={"b": 2, "a": 1}))


def test_the_address_is_the_same_for_ever() -> None:
    """A committed recording must still answer after an upgrade."""
    assert address(REQUEST) == "8c0df4f5b24dd136aa017af30008ab70a6986411d6149063aa7591ee4f26b9b5"


@given(st.text(), st.text())
def test_texts_do_not_run_into_each_other(one: str, two: str) -> None:
    joined = changed(messages=user(one + two))
    apart = changed(messages=(Message("user", one), Message("user", two)))
    assert address(joined) != address(apart)


def test_a_second_run_makes_no_call_and_gives_the_same(tmp_path: Path) -> None:
    with ChatServer() as server:
        config = settings(tmp_path, at(server))
        first, _ = ask(config, ["a", "b"])
        second, model = ask(config, ["a", "b"])
        assert len(server.calls) == 2
    assert [msgspec.structs.replace(reply, source="call") for reply in second if isinstance(reply, ChatReply)] == first
    assert {reply.source for reply in second if isinstance(reply, ChatReply)} == {"cache"}
    assert (model.ledger.calls, model.ledger.reused) == (0, 2)
    assert model.ledger.usage == Usage(prompt=20, completion=10)
    assert model.ledger.spent_usage == Usage()


def test_off_calls_each_time(tmp_path: Path) -> None:
    with ChatServer() as server:
        config = settings(tmp_path, at(server), cache="off")
        for _ in range(2):
            ask(config, ["a", "a"])
        assert len(server.calls) == 4
    assert list(tmp_path.iterdir()) == []


def test_equal_requests_at_once_make_one_call(tmp_path: Path) -> None:
    with ChatServer(lambda call: Answer(chat(call.text), delay=0.05)) as server:
        found, model = ask(settings(tmp_path, at(server, workers=50)), ["a"] * 20 + ["b"] * 20)
        assert len(server.calls) == 2
    assert [reply.text for reply in found if isinstance(reply, ChatReply)] == ["a"] * 20 + ["b"] * 20
    assert model.ledger.spent_usage == Usage(prompt=20, completion=10)
    assert (model.ledger.calls, model.ledger.reused) == (2, 38)


def test_a_fault_is_shared_by_those_who_wait_and_is_not_kept(tmp_path: Path) -> None:
    with ChatServer(lambda call: error(400) if call.number == 0 else Answer(chat("ok"))) as server:
        config = settings(tmp_path, at(server))
        found, _ = ask(config, ["a"] * 3)
        assert len(server.calls) == 1
        assert all(isinstance(fault, LlmError) for fault in found)
        assert ask_one(config, "a").text == "ok"


def test_whoever_waits_for_a_cancelled_call_asks_again() -> None:
    async def run() -> list[Any]:
        model = Scripted([Line(reply="never", delay=60, times=1), Line(reply="yes", delay=0.01)])
        cached = Cached(model, Memory(), "scripted", "")
        tasks = [asyncio.create_task(cached.complete(REQUEST)) for _ in range(3)]
        await asyncio.sleep(0.01)
        tasks[0].cancel()
        found = await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 5)
        return [*found, len(model.requests)]

    first, second, third, calls = asyncio.run(run())
    assert isinstance(first, asyncio.CancelledError)
    assert (second.text, third.text, calls) == ("yes", "yes", 2)


def test_cancelling_everybody_ends_everything() -> None:
    async def run() -> int:
        model = Scripted([Line(reply="never", delay=60)])
        cached = Cached(model, Memory(), "scripted", "")
        tasks = [asyncio.create_task(cached.complete(REQUEST)) for _ in range(4)]
        await asyncio.sleep(0.01)
        for task in tasks:
            task.cancel()
        done, _ = await asyncio.wait(tasks, timeout=5)
        assert len(done) == 4
        assert all(task.cancelled() for task in tasks)
        return len(model.requests)

    assert asyncio.run(run()) == 1


def test_cancelling_one_who_waits_harms_nobody_else() -> None:
    async def run() -> tuple[str, bool, int]:
        model = Scripted([Line(reply="yes", delay=0.05)])
        cached = Cached(model, Memory(), "scripted", "")
        leader, follower = (asyncio.create_task(cached.complete(REQUEST)) for _ in range(2))
        await asyncio.sleep(0.01)
        follower.cancel()
        await asyncio.wait([follower])
        return (await leader).text, follower.cancelled(), len(model.requests)

    assert asyncio.run(run()) == ("yes", True, 1)


def record(tmp_path: Path, texts: list[str]) -> Path:
    """A recording, made with a server that is gone afterwards."""
    path = tmp_path / "recording.jsonl"

    async def run(url: str) -> None:
        async with connect(settings(tmp_path, {"model": "openai/test", "base_url": url}), noted=True) as models:
            model = models.model("m")
            for text in texts:
                await model.complete(model.request(user(text), label=f"q {text}"))
            assert models.export(path) == len(set(texts))

    with ChatServer() as server:
        asyncio.run(run(f"{server.url}/v1"))
        (tmp_path / "url").write_text(f"{server.url}/v1")
    return path


def replaying(tmp_path: Path, **model: Any) -> Any:
    """A fresh place with the recording alone: no cache, no key, no network."""
    base = {"base_url": (tmp_path / "url").read_text()}
    (tmp_path / "elsewhere").mkdir()
    return settings(tmp_path / "elsewhere", base | model, cache="replay", recording="../recording.jsonl")


def test_a_recording_is_replayed_without_key_and_network(tmp_path: Path) -> None:
    record(tmp_path, ["b", "a", "a"])
    config = replaying(tmp_path)
    found, model = ask(config, ["a", "b"])
    assert [(r.text, r.source) for r in found if isinstance(r, ChatReply)] == [
        ("reply to a", "recording"),
        ("reply to b", "recording"),
    ]
    assert model.ledger.calls == 0
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_recording_is_sorted_readable_and_the_same_each_time(tmp_path: Path) -> None:
    path = record(tmp_path, ["b", "a"])
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line["label"] for line in lines] == ["q a", "q b"]
    assert lines[0]["request"]["messages"][0]["starts"] == "a"
    assert lines[0]["reply"]["text"] == "reply to a"
    before = path.read_bytes()
    asyncio.run(export_again(tmp_path, path))
    assert path.read_bytes() == before


async def export_again(tmp_path: Path, path: Path) -> None:
    config = settings(tmp_path, {"base_url": (tmp_path / "url").read_text()}, recording="recording.jsonl")
    async with connect(config, noted=True) as models:
        model = models.model("m")
        for text in ("a", "b"):
            await model.complete(model.request(user(text)))
        models.export(path)


@pytest.mark.parametrize(
    ("model", "text", "label", "words"),
    [
        ({}, "c", "q a", ["'q a'", "message 1 (user) changed"]),
        ({"model": "openai/other"}, "a", "q a", ["model was 'test', is 'other'"]),
        ({"temperature": 0.5}, "a", "q a", ["temperature was 0.0, is 0.5"]),
        ({"seed": 1}, "a", "unknown", ["seed was None, is 1", "(q a)"]),
        ({"base_url": "http://127.0.0.1:9/v2"}, "a", "q a", ["identity was"]),
    ],
)
def test_replaying_a_changed_input_names_it(
    tmp_path: Path, model: dict[str, Any], text: str, label: str, words: list[str]
) -> None:
    record(tmp_path, ["a", "b"])

    async def run() -> None:
        async with connect(replaying(tmp_path, **model)) as models:
            m = models.model("m")
            await m.complete(m.request(user(text), label=label))

    with pytest.raises(MissingReply) as caught:
        asyncio.run(run())
    message = str(caught.value)
    assert "recording.jsonl: no recorded reply to request " in message
    for word in words:
        assert word in message


def test_replaying_from_nothing(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="nothing to replay"):
        ask(settings(tmp_path, cache="replay"), ["a"])
    assert list(tmp_path.iterdir()) == []


def test_replaying_from_the_cache_never_calls(tmp_path: Path) -> None:
    with ChatServer() as server:
        ask(settings(tmp_path, at(server)), ["a"])
        found, _ = ask(settings(tmp_path, at(server), cache="replay"), ["a", "b"])
        assert len(server.calls) == 1
    assert isinstance(found[0], ChatReply)
    assert isinstance(found[1], MissingReply)


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (lambda text: text.replace('"model":"test"', '"model":"other"', 1), "1: the request was changed"),
        (lambda text: text + text.splitlines()[0], "3: the same request is in line 1"),
        (lambda text: text + "{}", "3: not a recorded reply"),
        (lambda text: text[:-20], "2: not a recorded reply"),
    ],
)
def test_a_recording_that_was_edited_is_refused_with_its_line(tmp_path: Path, edit: Any, words: str) -> None:
    path = record(tmp_path, ["a", "b"])
    path.write_text(edit(path.read_text()))
    with pytest.raises(AssayError, match=words):
        Recording(path)


def entry(number: int) -> Entry:
    request = changed(messages=user(f"m{number}"))
    parts = parts_of("openai", "", request)
    return Entry(parts.address, f"l{number}", parts, ChatReply(text=f"t{number}", model="x"))


WRITER = """
    import asyncio, sys
    from pathlib import Path
    from test_llm_cache import entry
    from assay.llm.store import ReplyStore

    async def run():
        store = ReplyStore(Path(sys.argv[1]))
        for start in range(int(sys.argv[2]), 400, 20):
            await asyncio.gather(*(store.put(entry(n)) for n in range(start, start + 20)))
            print(start + 20, flush=True)
        store.close()

    asyncio.run(run())
"""


def writer(path: Path, start: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", textwrap.dedent(WRITER), str(path), str(start)]
    return subprocess.Popen(command, cwd=Path(__file__).parent, stdout=subprocess.PIPE, text=True)


def test_processes_share_a_cache(tmp_path: Path) -> None:
    """Three at once on a file that does not exist yet; two write the same, the first one stands."""
    path = tmp_path / "deep" / "replies.db"
    processes = [writer(path, start) for start in (0, 0, 200)]
    assert [process.wait(60) for process in processes] == [0, 0, 0]
    for process in processes:
        assert process.stdout is not None
        process.stdout.close()
    store = ReplyStore(path)
    assert sum(1 for _ in store.entries()) == 400
    assert store.get(entry(7).address) == entry(7).reply
    store.close()


def test_a_reply_that_was_given_survives_kill_9(tmp_path: Path) -> None:
    path = tmp_path / "replies.db"
    process = writer(path, 0)
    assert process.stdout is not None
    given = [int(process.stdout.readline()) for _ in range(3)][-1]
    process.send_signal(signal.SIGKILL)
    process.wait(60)
    process.stdout.close()
    store = ReplyStore(path)
    assert all(store.get(entry(number).address) is not None for number in range(given))
    store.close()


def test_the_first_of_two_replies_stands(tmp_path: Path) -> None:
    async def run() -> ChatReply:
        one, two = ReplyStore(tmp_path / "r.db"), ReplyStore(tmp_path / "r.db")
        await one.put(entry(1))
        late = msgspec.structs.replace(entry(1), reply=ChatReply(text="late", model="x"))
        stands = await two.put(late)
        one.close()
        two.close()
        return stands

    assert asyncio.run(run()).text == "t1"


def test_of_many_at_once_each_gets_the_one_that_stands(tmp_path: Path) -> None:
    """More than one statement takes; every fifth is there already."""

    async def run() -> list[str]:
        one, two = ReplyStore(tmp_path / "r.db"), ReplyStore(tmp_path / "r.db")
        await asyncio.gather(*(one.put(entry(number)) for number in range(0, 450, 5)))
        late = [msgspec.structs.replace(entry(n), reply=ChatReply(text="late", model="x")) for n in range(450)]
        stands = await asyncio.gather(*map(two.put, late))
        one.close()
        two.close()
        return [reply.text for reply in stands]

    assert asyncio.run(run()) == [f"t{n}" if n % 5 == 0 else "late" for n in range(450)]


def test_a_full_disk_is_one_line_and_what_was_kept_stays(tmp_path: Path) -> None:
    async def run() -> None:
        store = ReplyStore(tmp_path / "r.db")
        await store.put(entry(1))
        big = ChatReply(text="x" * 5_000_000, model="x")
        with pytest.raises(IncompleteRun, match=r"r\.db: the reply cache cannot be used"):
            await store.put(msgspec.structs.replace(entry(2), reply=big))
        await store.put(entry(3))
        assert store.get(entry(1).address) is not None
        assert store.get(entry(2).address) is None
        store.close()

    original = ReplyStore._open

    def small(store: ReplyStore) -> sqlite3.Connection:
        connection = original(store)
        connection.execute("PRAGMA max_page_count = 200")
        return connection

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ReplyStore, "_open", small)
        asyncio.run(run())


@pytest.mark.parametrize("content", [b"not a database at all, but text" * 100, None])
def test_a_cache_that_is_none(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "r.db"
    if content is None:
        with sqlite3.connect(path) as connection:
            connection.execute("PRAGMA user_version = 9")
        connection.close()
    else:
        path.write_bytes(content)
    with pytest.raises(AssayError, match=r"r\.db: the reply cache cannot be used"):
        ReplyStore(path)
