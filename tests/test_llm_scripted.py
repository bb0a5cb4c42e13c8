"""The shipped model that says what it is told to."""

from __future__ import annotations

from pathlib import Path

import pytest
from llm_settings import ask, ask_one, settings

from assay.errors import AssayError
from assay.llm import PROVIDERS, ChatReply, FatalLlmError, JsonSchema, LlmError, Usage, resolve
from assay.llm.providers.scripted import Line, Scripted

SCRIPT = """\
{"contains": "capital of France", "reply": "Paris"}
{"match": "grade .* answer", "reply": {"grade": 4}, "usage": {"prompt": 7, "completion": 3}}
{"fault": "429", "retry_after": 0.01, "times": 2}
{"reply": "I do not know", "finish_reason": "length"}
"""
YAML = """\
- contains: capital of France
  reply: Paris
- match: grade .* answer
  reply: {grade: 4}
  usage: {prompt: 7, completion: 3}
- {fault: "429", retry_after: 0.01, times: 2}
- {reply: I do not know, finish_reason: length}
"""


@pytest.mark.parametrize(("name", "text"), [("replies.jsonl", SCRIPT), ("replies.yaml", YAML)])
def test_a_script_file(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    config = settings(tmp_path, {"model": f"scripted/{name}"})
    found, model = ask(config, ["What is the capital of France?", "grade this answer"])
    replies = [reply for reply in found if isinstance(reply, ChatReply)]
    assert [reply.text for reply in replies] == ["Paris", '{"grade":4}']
    assert [reply.usage for reply in replies] == [Usage(prompt=12, completion=2), Usage(prompt=7, completion=3)]
    assert model.ledger.spent is not None
    assert model.ledger.spent.total == 0.0
    reply = ask_one(config, "else")
    assert (reply.text, reply.finish_reason, reply.retry.attempts) == ("I do not know", "length", 3)


def test_another_script_is_another_model(tmp_path: Path) -> None:
    config = settings(tmp_path, {"model": "scripted/r.jsonl"})
    for text in ("one", "two"):
        (tmp_path / "r.jsonl").write_text(f'{{"reply": "{text}"}}')
        assert ask_one(config).text == text


@pytest.mark.parametrize(
    ("fault", "kind", "calls"),
    [
        ("429", LlmError, 5),
        ("500", LlmError, 5),
        ("cut", LlmError, 5),
        ("malformed", LlmError, 5),
        ("timeout", LlmError, 5),
        ("400", LlmError, 1),
        ("401", FatalLlmError, 1),
        ("404", FatalLlmError, 1),
    ],
)
def test_scripted_faults_are_treated_like_real_ones(
    tmp_path: Path, fault: str, kind: type[Exception], calls: int
) -> None:
    (tmp_path / "r.jsonl").write_text(f'{{"fault": "{fault}"}}')
    found, model = ask(settings(tmp_path, {"model": "scripted/r.jsonl"}), ["a"])
    assert isinstance(found[0], kind)
    assert isinstance(model.provider, Scripted)
    assert len(model.provider.requests) == calls


def test_no_entry_fits(tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text('{"contains": "x", "reply": "y"}')
    with pytest.raises(LlmError, match="the script has no reply to 'hello'"):
        ask_one(settings(tmp_path, {"model": "scripted/r.jsonl"}))


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("r.jsonl", '{"reply": "a"}\n{"replay": "b"}', r"r\.jsonl:2: unknown key 'replay'.*Did you mean reply"),
        ("r.jsonl", '{"reply": "a", "fault": "429"}', "either a reply or a fault"),
        ("r.jsonl", '{"match": "(", "reply": "a"}', "not a regular expression"),
        ("r.jsonl", '{"fault": "418"}', "fault is '418'; expected 400 or 401"),
        ("r.yaml", "- reply: a\n- replay: b", r"r\.yaml:2: unknown key"),
        ("r.yaml", "reply: a", "a list of entries"),
        ("none.jsonl", None, "no such file"),
    ],
)
def test_a_wrong_script_is_told_with_its_line(tmp_path: Path, name: str, text: str | None, words: str) -> None:
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(AssayError, match=words):
        ask_one(settings(tmp_path, {"model": f"scripted/{name}"}))


def test_a_structured_reply_is_checked_like_any_other(tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text('{"reply": {"grade": 7}, "times": 1}\n{"reply": {"grade": 4}}')
    schema = JsonSchema("g", {"type": "object", "properties": {"grade": {"type": "integer", "maximum": 5}}})
    reply = ask_one(settings(tmp_path, {"model": "scripted/r.jsonl"}), json_schema=schema)
    assert (reply.text, reply.retry.attempts) == ('{"grade":4}', 2)


def test_a_schema_with_a_rule_nobody_keeps_is_refused(tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text('{"reply": "4"}')
    with pytest.raises(AssayError, match="multipleOf"):
        ask_one(settings(tmp_path, {"model": "scripted/r.jsonl"}), json_schema=JsonSchema("g", {"multipleOf": 2}))


def test_lines_match_by_both_rules() -> None:
    line = Line(reply="x", match="a+b", contains="c")
    assert line.fits("c aab")
    assert not line.fits("aab")
    assert not line.fits("c")


@pytest.mark.parametrize("name", ["gpt-5-mini", "openai/", "/x", ""])
def test_what_is_no_model(name: str) -> None:
    with pytest.raises(AssayError, match="is not a model; expected provider/model"):
        resolve(name, {})


def test_an_unknown_provider_offers_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match=r"unknown LLM provider 'opnai'\. Did you mean openai"):
        ask_one(settings(tmp_path, {"model": "opnai/x"}))
    assert PROVIDERS.names() == ["anthropic", "gemini", "local", "openai", "scripted"]
