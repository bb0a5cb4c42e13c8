"""The OpenAI-compatible provider against a real server on loopback."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest
from chat_server import Answer, Call, ChatServer, chat, error
from llm_settings import ask, ask_one, settings

from assay.llm import FatalLlmError, JsonSchema, LlmError, QuotaSpent, Usage
from assay.llm.chat_completions import body_of
from assay.llm.protocol import ChatRequest, Context, Message
from assay.llm.providers.openai import OpenAi

KEY = "sk-test-0123456789-secret"
SCHEMA = JsonSchema("grade", {"type": "object", "properties": {"grade": {"type": "integer"}}, "required": ["grade"]})


def at(server: ChatServer, **more: Any) -> dict[str, Any]:
    return {"base_url": f"{server.url}/v1", **more}


def test_what_is_sent(tmp_path: Path) -> None:
    with ChatServer(lambda _call: Answer(chat('{"grade": 3}'))) as server:
        model = at(server, max_tokens=7, seed=3, reasoning_effort="low", extra={"top_p": 0.5})
        ask_one(settings(tmp_path, model), json_schema=SCHEMA, logprobs=True)
    call = server.calls[0]
    assert call.path == "/v1/chat/completions"
    assert "authorization" not in call.headers
    assert call.body == {
        "model": "test",
        "messages": [{"role": "user", "content": "hello"}],
        "temperature": 0.0,
        "max_tokens": 7,
        "seed": 3,
        "reasoning_effort": "low",
        "logprobs": True,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "grade", "strict": True, "schema": SCHEMA.schema},
        },
        "top_p": 0.5,
    }


def test_what_is_none_is_not_sent() -> None:
    request = ChatRequest(model="x", messages=(Message("user", "a"),), temperature=None)
    assert body_of(request) == {"model": "x", "messages": [{"role": "user", "content": "a"}]}


def test_what_comes_back(tmp_path: Path) -> None:
    body = chat(
        "hi",
        id="r-1",
        model="test-2026-01-01",
        choices=[
            {
                "message": {"content": "hi"},
                "finish_reason": "length",
                "logprobs": {"content": [{"logprob": -0.5}, {"logprob": -1.5}]},
            }
        ],
    )
    with ChatServer(lambda _call: Answer(body, delay=0.02)) as server:
        reply = ask_one(settings(tmp_path, at(server)))
    assert (reply.text, reply.model, reply.model_version, reply.finish_reason, reply.response_id) == (
        "hi",
        "test",
        "test-2026-01-01",
        "length",
        "r-1",
    )
    assert reply.avg_logprobs == -1.0
    assert reply.latency is not None
    assert 0.02 <= reply.latency < 2
    assert (reply.retry.attempts, reply.retry.recovered, reply.retry.error) == (1, False, None)
    assert reply.source == "call"


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        # reasoning is inside completion_tokens: 30 - 20 = 10
        (
            {
                "prompt_tokens": 100,
                "completion_tokens": 30,
                "total_tokens": 130,
                "prompt_tokens_details": {"cached_tokens": 40},
                "completion_tokens_details": {"reasoning_tokens": 20},
            },
            Usage(prompt=100, completion=10, thinking=20, cached=40),
        ),
        # reasoning shows only in the total: 150 - 100 - 30 = 20
        (
            {"prompt_tokens": 100, "completion_tokens": 30, "total_tokens": 150},
            Usage(prompt=100, completion=30, thinking=20),
        ),
        (
            {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3, "prompt_tokens_details": None},
            Usage(prompt=1, completion=2),
        ),
        (
            {"prompt_tokens": 1, "completion_tokens": 0, "completion_tokens_details": {"reasoning_tokens": None}},
            Usage(prompt=1),
        ),
        (None, None),
    ],
)
def test_usage(tmp_path: Path, usage: Any, expected: Usage | None) -> None:
    with ChatServer(lambda _call: Answer(chat("x", usage=usage))) as server:
        reply = ask_one(settings(tmp_path, at(server)))
    assert reply.usage == expected
    if expected is not None:
        assert expected.total == expected.prompt + expected.completion + expected.thinking


@pytest.mark.parametrize(
    ("message", "text", "finish"),
    [
        ({"content": None}, "", "stop"),
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "ab", "stop"),
        ({"content": None, "refusal": "I cannot"}, "I cannot", "refusal"),
    ],
)
def test_messages_of_other_shapes(tmp_path: Path, message: Any, text: str, finish: str) -> None:
    body = chat("", choices=[{"message": message, "finish_reason": "stop"}])
    with ChatServer(lambda _call: Answer(body)) as server:
        reply = ask_one(settings(tmp_path, at(server)))
    assert (reply.text, reply.finish_reason) == (text, finish)


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (error(401, "Incorrect API key"), FatalLlmError, "answered 401: Incorrect API key"),
        (error(403), FatalLlmError, "answered 403"),
        (error(404, "The model `test` does not exist"), FatalLlmError, "Check the model's name"),
        (error(400, "test is not a valid model ID"), FatalLlmError, "Check the model's name"),
        (error(400, "invalid model ID", code="model_not_found"), FatalLlmError, "Check the model's name"),
        (error(400, "API key not valid. Please pass a valid API key."), FatalLlmError, "not valid"),
        (error(400, "'temperature' is unsupported", code="unsupported_value"), FatalLlmError, "to null under"),
        (error(429, "no money", code="insufficient_quota"), QuotaSpent, "Resume the run"),
        (error(429, "later", headers={"Retry-After": "3600"}), QuotaSpent, "asks to wait 3600 s"),
        (error(429, "slow down", details=[{"retryDelay": "600s"}]), QuotaSpent, "asks to wait 600 s"),
        (Answer(b"", 307, {"Location": "http://elsewhere.invalid/v1?key=abc"}), FatalLlmError, "elsewhere.invalid/v1."),
        (error(400, "context too long"), LlmError, "context too long"),
        (Answer(b"<html>no</html>", 422), LlmError, "answered 422: <html>no</html>"),
    ],
)
def test_faults_that_do_not_pass_are_not_retried(
    tmp_path: Path, answer: Answer, kind: type[Exception], words: str
) -> None:
    with ChatServer(lambda _call: answer) as server, pytest.raises(kind) as caught:
        ask_one(settings(tmp_path, at(server)))
    assert len(server.calls) == 1
    assert words in f"{caught.value}."
    assert "\n" not in str(caught.value)
    assert "key=abc" not in str(caught.value)


def test_after_a_fatal_fault_nothing_more_is_sent(tmp_path: Path) -> None:
    with ChatServer(lambda _call: error(401)) as server:
        found, _ = ask(settings(tmp_path, at(server, workers=4)), [str(n) for n in range(100)])
    assert len(server.calls) <= 4
    assert all(isinstance(fault, FatalLlmError) for fault in found)


def test_a_missing_key_is_one_line_without_a_call(tmp_path: Path) -> None:
    with pytest.raises(FatalLlmError, match="OPENAI_API_KEY is not set") as caught:
        ask_one(settings(tmp_path))
    assert "openai/test" in str(caught.value)
    assert not (tmp_path / "runs").exists()


def test_the_usual_key_is_not_sent_to_another_service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with ChatServer() as server:
        ask_one(settings(tmp_path, at(server)))
        ask_one(settings(tmp_path, at(server, api_key_env="OPENAI_API_KEY")), "again")
    assert [call.headers.get("authorization") for call in server.calls] == [None, f"Bearer {KEY}"]


def test_a_secret_is_in_no_file_no_message_and_no_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Even from a service that repeats what it was sent: in replies and in faults of every kind."""
    monkeypatch.setenv("MY_KEY", KEY)
    caplog.set_level(logging.DEBUG)

    def repeat(call: Call) -> Answer:
        sent = call.headers["authorization"]
        return {
            "a": Answer(chat(sent)),
            "b": error(400, f"bad: {sent}"),
            "c": error(401, f"bad: {sent}"),
            "d": Answer(f"not JSON {sent}".encode()),
            "e": error(500, f"broken: {sent}"),
        }[call.text[0]]

    shown = []
    with ChatServer(repeat) as server:
        config = settings(tmp_path, at(server, api_key_env="MY_KEY", tries=2))
        for text in ("a", "b", "d", "e", "c"):
            found, model = ask(config, [text])
            shown += [repr(found[0]), str(found[0]), repr(model), repr(vars(model.provider)), repr(config)]
        assert all(call.headers["authorization"].endswith(KEY) for call in server.calls)
    assert any("***" in text for text in shown)
    assert not [text for text in [*shown, caplog.text] if KEY in text]
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if KEY.encode() in path.read_bytes()]


def test_identity_and_limits_differ_between_openai_and_the_others() -> None:
    own = OpenAi(Context(model="x", options=settings(Path()).llm.models["m"]))
    other = OpenAi(Context(model="x", options=settings(Path(), {"base_url": "http://u:p@h:1/v1/"}).llm.models["m"]))
    assert (own.identity, other.identity) == ("", "http://h:1/v1")
    assert own._max_tokens_field == "max_completion_tokens"
    assert other._max_tokens_field == "max_tokens"


def test_a_url_that_is_none(tmp_path: Path) -> None:
    with pytest.raises((FatalLlmError, LlmError), match="openai/test"):
        ask_one(settings(tmp_path, {"base_url": "ftp:nowhere", "tries": 1}))


def test_nobody_listens(tmp_path: Path) -> None:
    with pytest.raises(FatalLlmError, match=r"nobody answers there.*Is the service running"):
        ask_one(settings(tmp_path, {"base_url": "http://127.0.0.1:9/v1", "first_wait": 60.0}))
