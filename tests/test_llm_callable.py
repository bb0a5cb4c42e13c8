"""A model that nobody can call is told before another one is paid."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.config import Config, LlmOptions, ModelOptions
from assay.errors import AssayError
from assay.llm import Connections

KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY", "gemini": "GEMINI_API_KEY"}
Connect = Callable[..., Connections]


@pytest.fixture
def connect(tmp_path: Path) -> Iterator[Connect]:
    made: list[Connections] = []

    def make(**options: Any) -> Connections:
        made.append(Connections(Config(root=str(tmp_path), llm=LlmOptions(**options))))
        return made[-1]

    yield make
    for each in made:
        asyncio.run(each.close())


@pytest.mark.parametrize("provider", KEYS)
def test_without_its_key_no_model_can_be_called(
    provider: str, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(KEYS[provider], raising=False)
    found = connect()
    found.require_callable()
    found.model(f"{provider}/some-model")
    with pytest.raises(AssayError, match=f"{KEYS[provider]} is not set|needs the package"):
        found.require_callable()


def test_with_a_key_it_can(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-something-long")
    found = connect()
    found.model("openai/some-model")
    found.require_callable()


def test_who_replays_calls_nobody(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    connect()  # makes the cache that is replayed
    found = connect(cache="replay")
    found.model("openai/some-model")
    found.require_callable()


def test_a_provider_that_needs_no_key_says_nothing(connect: Connect, tmp_path: Path) -> None:
    (tmp_path / "script.jsonl").write_text('{"reply": "yes"}\n')
    found = connect(models={"s": ModelOptions(model="scripted/script.jsonl")})
    found.model("s")
    found.require_callable()
