"""Batch files: requests out, results in, and nothing that was asked gets lost."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from chat_server import chat
from llm_settings import ask, settings, user

from assay.errors import AssayError
from assay.llm import ChatReply, ChatRequest, JsonSchema
from assay.llm.batch import keep, read_batch, write_batch
from assay.llm.store import FILE_NAME, ReplyStore

REQUESTS = [ChatRequest(model="test", messages=user(text), max_tokens=9, label=text) for text in ("a", "b", "c", "d")]


def result(name: str, text: str = "x", **more: Any) -> str:
    line = {"id": "1", "custom_id": name, "response": {"status_code": 200, "body": chat(text)}, "error": None, **more}
    return json.dumps(line) + "\n"


def test_requests_are_written_once_each(tmp_path: Path) -> None:
    asked = write_batch(tmp_path / "in.jsonl", [*REQUESTS, REQUESTS[0]])
    lines = [json.loads(line) for line in (tmp_path / "in.jsonl").read_text().splitlines()]
    assert [line["custom_id"] for line in lines] == list(asked)
    assert list(asked.values()) == REQUESTS
    assert lines[0] == {
        "custom_id": lines[0]["custom_id"],
        "method": "POST",
        "url": "/v1/chat/completions",
        "body": {
            "model": "test",
            "messages": [{"role": "user", "content": "a"}],
            "temperature": 0.0,
            "max_completion_tokens": 9,
        },
    }
    assert all(len(line["custom_id"]) == 64 for line in lines)


def test_results_failures_and_what_is_missing(tmp_path: Path) -> None:
    asked = write_batch(tmp_path / "in.jsonl", REQUESTS)
    a, b, c, d = asked
    (tmp_path / "out.jsonl").write_text(result(c, "C") + result(a, "A"))
    (tmp_path / "errors.jsonl").write_text(result(b, response={"status_code": 400, "body": {"error": "too long"}}))
    found = read_batch([tmp_path / "out.jsonl", tmp_path / "errors.jsonl"], asked)
    assert {name: reply.text for name, reply in found.replies.items()} == {a: "A", c: "C"}
    assert list(found.failed) == [b]
    assert "answered 400" in found.failed[b]
    assert found.missing == (d,)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"error": {"message": "expired"}, "response": None}, "expired"),
        ({"response": None}, "no response"),
        ({"response": {"status_code": 200, "body": {}}}, "cannot be read"),
    ],
)
def test_a_failed_line_has_its_reason(tmp_path: Path, change: dict[str, Any], words: str) -> None:
    asked = write_batch(tmp_path / "in.jsonl", REQUESTS[:1])
    (name,) = asked
    (tmp_path / "out.jsonl").write_text(result(name, **change))
    assert words in read_batch([tmp_path / "out.jsonl"], asked).failed[name]


def test_an_unreadable_structured_reply_has_failed(tmp_path: Path) -> None:
    schema = JsonSchema("g", {"type": "object"})
    asked = write_batch(tmp_path / "in.jsonl", [ChatRequest(model="test", messages=user("a"), json_schema=schema)])
    (name,) = asked
    (tmp_path / "out.jsonl").write_text(result(name, "four"))
    assert "unreadable reply" in read_batch([tmp_path / "out.jsonl"], asked).failed[name]


def test_results_of_another_batch_are_refused(tmp_path: Path) -> None:
    asked = write_batch(tmp_path / "in.jsonl", REQUESTS)
    name = next(iter(asked))
    (tmp_path / "out.jsonl").write_text(result(name) + result("other"))
    with pytest.raises(AssayError, match=r"out\.jsonl:2: custom_id 'other' was not asked for"):
        read_batch([tmp_path / "out.jsonl"], asked)
    (tmp_path / "out.jsonl").write_text(result(name) + result(name))
    with pytest.raises(AssayError, match=r"out\.jsonl:2: .* is given twice"):
        read_batch([tmp_path / "out.jsonl"], asked)


def test_a_run_finds_the_batch_in_its_cache(tmp_path: Path) -> None:
    """No key is set and nothing is called: all replies came with the batch."""
    config = settings(tmp_path)
    requests = [ChatRequest(model="test", messages=user(text), label=text) for text in ("a", "b")]
    asked = write_batch(tmp_path / "in.jsonl", requests)
    (tmp_path / "out.jsonl").write_text("".join(result(name, f"batch {n}") for n, name in enumerate(asked)))

    async def fill() -> None:
        store = ReplyStore(config.path("cache") / FILE_NAME)
        await keep(read_batch([tmp_path / "out.jsonl"], asked), asked, store, provider="openai")
        store.close()

    asyncio.run(fill())
    found, _ = ask(config, ["a", "b"])
    assert [reply.text for reply in found if isinstance(reply, ChatReply)] == ["batch 0", "batch 1"]
