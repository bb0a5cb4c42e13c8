"""Replies from a script instead of a model, for tests: `scripted/replies.jsonl` or `.yaml`, or `Scripted([...])`.

A script is a list of entries. The first whose `match` (regular expression) and `contains` fit the request's messages
and that has `times` left gives its `reply` or its `fault`. Faults are those of real services, so everything around a
model (patience, cache, budget) can be tried without one.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

from assay.errors import AssayError
from assay.files import dump_json, parse_json, read_text
from assay.llm.faults import CallFault, FatalLlmError
from assay.llm.protocol import PROVIDERS, ChatReply, ChatRequest, Context, Usage
from assay.llm.tokens import estimate_prompt, estimate_tokens
from assay.validation import Place, convert
from assay.yaml_source import Source

Fault = Literal["429", "500", "401", "404", "400", "cut", "malformed", "timeout"]


class Line(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One entry of a script."""

    reply: Any = None
    """Text; anything else is given as JSON."""
    fault: Fault | None = None
    match: str | None = None
    contains: str | None = None
    times: int | None = None
    """How often it may be used; null: always."""
    retry_after: float | None = None
    delay: float = 0.0
    finish_reason: str = "stop"
    usage: Usage | None = None
    """Null: by the rule of thumb for tokens."""

    def __post_init__(self) -> None:
        if (self.reply is None) == (self.fault is None):
            raise ValueError("an entry has either a reply or a fault")
        if self.match is not None:
            try:
                re.compile(self.match)
            except re.error as fault:
                raise ValueError(f"match is not a regular expression: {fault}") from None

    def fits(self, text: str) -> bool:
        return (self.contains is None or self.contains in text) and (
            self.match is None or re.search(self.match, text, re.DOTALL) is not None
        )


class Scripted:
    """A model that says what it is told to. `requests` is everything it was asked, in order."""

    free = True

    def __init__(self, lines: Sequence[Line], identity: str = "") -> None:
        self._lines = list(lines)
        self._left = [line.times for line in lines]
        self.identity = identity
        self.requests: list[ChatRequest] = []

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.requests.append(request)
        line = self._next("\n\n".join(message.content for message in request.messages))
        if line.delay:
            await asyncio.sleep(line.delay)
        if line.fault is not None:
            raise _fault(line.fault, line.retry_after)
        text = line.reply if isinstance(line.reply, str) else dump_json(line.reply)
        usage = line.usage or Usage(prompt=estimate_prompt(request), completion=estimate_tokens(text))
        return ChatReply(
            text=text,
            model=request.model,
            model_version="scripted",
            finish_reason=line.finish_reason,
            usage=usage,
        )

    async def close(self) -> None:
        """Nothing is open."""

    def _next(self, text: str) -> Line:
        for number, line in enumerate(self._lines):
            left = self._left[number]
            if left != 0 and line.fits(text):
                self._left[number] = None if left is None else left - 1
                return line
        raise CallFault("rejected", f"the script has no reply to {text[-80:]!r}", retry=False)


def _fault(name: Fault, retry_after: float | None) -> Exception:
    if name in {"401", "404"}:
        return FatalLlmError(f"answered {name}, as scripted", where="scripted")
    what = f"answered {name}, as scripted"
    faults = {
        "429": CallFault("rate_limited", what, wait=retry_after),
        "500": CallFault("server", what, wait=retry_after),
        "400": CallFault("rejected", what, retry=False),
        "cut": CallFault("connection", "the connection was cut, as scripted"),
        "malformed": CallFault("unreadable", "the service's reply cannot be read, as scripted"),
        "timeout": CallFault("timeout", "no answer in time, as scripted"),
    }
    return faults[name]


@PROVIDERS.register("scripted")
def scripted(context: Context) -> Scripted:
    """The script of that file name. Its content is the model's identity: another script, other replies."""
    path = context.root / context.model
    text = read_text(path)
    return Scripted(_read(path, text), identity=sha256(text.encode()).hexdigest()[:16])


def _read(path: Path, text: str) -> list[Line]:
    if path.suffix in {".yaml", ".yml"}:
        source = Source(text, str(path))
        if not isinstance(source.data, list):
            raise AssayError("not a script", where=str(path), expected="a list of entries")
        return [convert(item, Line, _inside(source, number)) for number, item in enumerate(source.data)]
    return [
        convert(parse_json(line, str(path), number), Line, _in_line(f"{path}:{number}"))
        for number, line in enumerate(text.split("\n"), 1)
        if line.strip()
    ]


def _inside(source: Source, number: int) -> Place:
    return lambda keys: source.place((number, *keys))


def _in_line(where: str) -> Place:
    return lambda _keys: where
