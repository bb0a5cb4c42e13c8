"""The content address of a request: whatever can change the reply changes it, nothing else does.

Long texts enter by their own hash, so that a recording need not hold the corpus to prove what it answers to.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from typing import Any

import msgspec
from msgspec import Struct

from assay.llm.protocol import ChatRequest, Message

_EXCERPT = 100
_encode = msgspec.json.Encoder(order="deterministic").encode


class MessagePart(Struct, frozen=True):
    role: str
    sha256: str
    starts: str
    """For people; not part of the address."""


class Parts(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a request consists of, in a form short enough to keep beside each reply."""

    provider: str
    identity: str = ""
    model: str
    parameters: dict[str, Any]
    schema: str | None = None
    messages: tuple[MessagePart, ...]

    @property
    def address(self) -> str:
        messages = [(part.role, part.sha256) for part in self.messages]
        head = (self.provider, self.identity, self.model, self.parameters, self.schema, messages)
        return sha256(_encode(head)).hexdigest()


def parts_of(provider: str, identity: str, request: ChatRequest) -> Parts:
    schema = request.json_schema
    return Parts(
        provider=provider,
        identity=identity,
        model=request.model,
        parameters=_parameters(request),
        schema=sha256(_encode((schema.name, schema.schema))).hexdigest() if schema else None,
        messages=tuple(
            MessagePart(message.role, _hash_of(message), message.content[:_EXCERPT]) for message in request.messages
        ),
    )


def _parameters(request: ChatRequest) -> dict[str, Any]:
    """Those that are given. One that is left out, as `null` or by default, is the same request."""
    given = {
        "temperature": None if request.temperature is None else float(request.temperature),
        "max_tokens": request.max_tokens,
        "seed": request.seed,
        "reasoning_effort": request.reasoning_effort,
        "logprobs": request.logprobs or None,
        "extra": request.extra or None,
        "repeat": request.repeat or None,
    }
    return {name: value for name, value in given.items() if value is not None}


def _hash_of(message: Message) -> str:
    """Instructions are the same for many requests, what they are about is not."""
    return _remembered(message.content) if message.role == "system" else _hash(message.content)


def _hash(text: str) -> str:
    """A lone half of a surrogate pair, which UTF-8 cannot hold, is hashed by its escape."""
    return sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


_remembered = lru_cache(maxsize=16)(_hash)


def differences(old: Parts, new: Parts) -> list[str]:
    """Which inputs changed, in words."""
    found = [
        f"{name} was {getattr(old, name)!r}, is {getattr(new, name)!r}"
        for name in ("provider", "identity", "model")
        if getattr(old, name) != getattr(new, name)
    ]
    for name in sorted({*old.parameters, *new.parameters}):
        was, now = old.parameters.get(name), new.parameters.get(name)
        if was != now:
            found.append(f"{name} was {was!r}, is {now!r}")
    if old.schema != new.schema:
        found.append("the JSON schema changed")
    if len(old.messages) != len(new.messages):
        found.append(f"there were {len(old.messages)} messages, there are {len(new.messages)}")
    changed = zip(old.messages, new.messages, strict=False)
    found += [
        f"message {number} ({now.role}) changed"
        for number, (was, now) in enumerate(changed, 1)
        if (was.role, was.sha256) != (now.role, now.sha256)
    ]
    return found
