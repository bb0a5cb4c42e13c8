"""Settings for tests of models: quick waits, and everything below one folder."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import aiohttp  # noqa: F401 (on a busy machine its import takes longer than the time a test gives a call)

from assay.config import Config, LlmOptions, ModelOptions
from assay.llm import ChatReply, Message, Model, connect


def settings(root: Path, model: dict[str, Any] | None = None, **llm: Any) -> Config:
    """One model, called `m`. Waits are a thousandth of the real ones."""
    given: dict[str, Any] = {"model": "openai/test", "first_wait": 0.002, "timeout": 5.0, **(model or {})}
    return Config(root=str(root), llm=LlmOptions(models={"m": ModelOptions(**given)}, **llm))


def user(text: str) -> tuple[Message, ...]:
    return (Message("user", text),)


def ask(config: Config, texts: Sequence[str], **given: Any) -> tuple[list[ChatReply | BaseException], Model]:
    """The replies or faults of all texts, asked at once."""

    async def run() -> tuple[list[ChatReply | BaseException], Model]:
        async with connect(config) as models:
            model = models.model("m")
            requests = [model.request(user(text), label=text, **given) for text in texts]
            return await asyncio.gather(*map(model.complete, requests), return_exceptions=True), model

    return asyncio.run(run())


def ask_one(config: Config, text: str = "hello", **given: Any) -> ChatReply:
    """The reply; a fault is raised."""
    found = ask(config, [text], **given)[0][0]
    if isinstance(found, BaseException):
        raise found
    return found
