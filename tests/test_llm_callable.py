"""A model that nobody can call is told before another one is paid."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

from assay.config import Config, LlmOptions, ModelOptions
from assay.errors import AssayError
from assay.llm import Connections

KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY", "gemini": "GEMINI_API_KEY"}


def connections(folder: Path, cache: Literal["record", "replay"] = "record") -> Connections:
    return Connections(Config(root=str(folder), llm=LlmOptions(cache=cache)))


@pytest.mark.parametrize("provider", KEYS)
def test_without_its_key_no_model_can_be_called(provider: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEYS[provider], raising=False)
    found = connections(tmp_path)
    found.require_callable()
    found.model(f"{provider}/some-model")
    with pytest.raises(AssayError, match=f"{KEYS[provider]} is not set|needs the package"):
        found.require_callable()


def test_with_a_key_it_can(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-something-long")
    found = connections(tmp_path)
    found.model("openai/some-model")
    found.require_callable()


def test_who_replays_calls_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    connections(tmp_path)  # makes the cache that is replayed
    found = connections(tmp_path, "replay")
    found.model("openai/some-model")
    found.require_callable()


def test_a_provider_that_needs_no_key_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "script.jsonl").write_text('{"reply": "yes"}\n')
    found = Connections(
        Config(root=str(tmp_path), llm=LlmOptions(models={"s": ModelOptions(model="scripted/script.jsonl")}))
    )
    found.model("s")
    found.require_callable()
