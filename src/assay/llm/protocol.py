"""What every language model is here: a request in, a reply out, and what it took."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

from msgspec import Struct

from assay.config import ModelOptions
from assay.registry import Registry

Role = Literal["system", "user", "assistant"]
Source = Literal["call", "cache", "recording"]


class Message(Struct, frozen=True):
    role: Role
    content: str


class JsonSchema(Struct, frozen=True):
    """What a reply must look like. Providers are asked to enforce it; `parse_json_reply` does not trust them."""

    name: str
    schema: dict[str, Any]
    checked: bool = True
    """A reply that breaks it counts as a failed call. False: whoever asks reads the reply, whatever it is."""


class ChatRequest(Struct, frozen=True, kw_only=True):
    """Everything a reply depends on. `label` alone is for people: it names the request in messages and recordings."""

    model: str
    messages: tuple[Message, ...]
    temperature: float | None = 0.0
    """None: not sent, for models that refuse it."""
    max_tokens: int | None = None
    json_schema: JsonSchema | None = None
    seed: int | None = None
    reasoning_effort: str | None = None
    logprobs: bool = False
    extra: dict[str, Any] = {}
    """Sent as they are, beside the parameters above."""
    repeat: int = 0
    """The same request asked again on purpose, to see how steady the model is: a reply of its own."""
    label: str = ""


class Usage(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Tokens. `cached` is the part of `prompt` the service had already seen; `thinking` is not in `completion`."""

    prompt: int = 0
    completion: int = 0
    thinking: int = 0
    cached: int = 0

    @property
    def total(self) -> int:
        return self.prompt + self.completion + self.thinking

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            prompt=self.prompt + other.prompt,
            completion=self.completion + other.completion,
            thinking=self.thinking + other.thinking,
            cached=self.cached + other.cached,
        )


class RetryInfo(Struct, frozen=True, omit_defaults=True):
    """How many tries it took, and the last fault on the way."""

    attempts: int = 1
    recovered: bool = False
    error: str | None = None
    discarded: Usage = Usage()
    """Tokens of replies that were paid for and could not be read."""


class ChatReply(Struct, frozen=True, kw_only=True, omit_defaults=True):
    text: str
    model: str
    model_version: str | None = None
    finish_reason: str | None = None
    """stop, length, content_filter, refusal, ... in OpenAI's words whoever the provider is."""
    response_id: str | None = None
    usage: Usage | None = None
    """None: the service did not say."""
    avg_logprobs: float | None = None
    latency: float | None = None
    """Seconds of the call that gave the reply, without waiting for a place or for another try."""
    retry: RetryInfo = RetryInfo()
    source: Source = "call"
    """Replies from the cache or a recording keep usage, latency and tries of the call that was paid for."""


class Llm(Protocol):
    """A model, or anything around one: cache, meter, retry."""

    async def complete(self, request: ChatRequest) -> ChatReply: ...


class Provider(Llm, Protocol):
    """A model itself. A fault is raised as `CallFault` or `FatalLlmError`; trying again is not its business."""

    identity: str
    """What tells its replies from those of another model of the same name: endpoint, file, script."""
    free: bool
    """Its tokens cost no money, whatever they are called."""

    async def close(self) -> None: ...


@runtime_checkable
class Checkable(Protocol):
    """A provider that can say, without a call, that none will succeed: its key or its package is missing."""

    def check(self) -> None: ...


class Context(Struct, frozen=True, kw_only=True):
    """What a provider is made from."""

    model: str
    options: ModelOptions
    root: Path = Path()
    """Relative file names start here."""


PROVIDERS: Registry[Callable[[Context], Provider]] = Registry("LLM provider", "assay.llm.providers")
