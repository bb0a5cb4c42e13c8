"""The chat-completions protocol, which nearly every service and server speaks: requests and replies as JSON."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from assay.llm.faults import CallFault
from assay.llm.protocol import ChatReply, ChatRequest, Usage


def body_of(request: ChatRequest, max_tokens_field: str = "max_tokens") -> dict[str, Any]:
    """The request as services want it; what is None is left out."""
    schema = request.json_schema
    given = {
        "model": request.model,
        "messages": [{"role": message.role, "content": message.content} for message in request.messages],
        "temperature": request.temperature,
        max_tokens_field: request.max_tokens,
        "seed": request.seed,
        "reasoning_effort": request.reasoning_effort,
        "logprobs": request.logprobs or None,
        "response_format": schema
        and {
            "type": "json_schema",
            "json_schema": {"name": schema.name, "strict": True, "schema": schema.schema},
        },
    }
    return {name: value for name, value in given.items() if value is not None} | request.extra


class _PromptDetails(Struct):
    cached_tokens: int | None = None


class _CompletionDetails(Struct):
    reasoning_tokens: int | None = None


class _Usage(Struct):
    prompt_tokens: int = 0
    completion_tokens: int = 0
    total_tokens: int | None = None
    prompt_tokens_details: _PromptDetails | None = None
    completion_tokens_details: _CompletionDetails | None = None


class _Message(Struct):
    content: str | list[dict[str, Any]] | None = None
    refusal: str | None = None


class _Token(Struct):
    logprob: float


class _Logprobs(Struct):
    content: list[_Token] | None = None


class _Choice(Struct):
    message: _Message
    finish_reason: str | None = None
    logprobs: _Logprobs | None = None


class _Response(Struct):
    choices: list[_Choice]
    id: str | None = None
    model: str | None = None
    usage: _Usage | None = None


_decode = msgspec.json.Decoder(_Response).decode


def reply_of(body: bytes, request: ChatRequest) -> ChatReply:
    """The reply in a body; a body that is none is worth another try."""
    try:
        response = _decode(body)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as fault:
        raise CallFault("unreadable", f"the service's reply cannot be read: {fault}") from None
    if not response.choices:
        raise CallFault("unreadable", "the service's reply has no choices")
    choice = response.choices[0]
    refused = choice.message.refusal is not None
    return ChatReply(
        text=choice.message.refusal if choice.message.refusal is not None else _text(choice.message.content),
        model=request.model,
        model_version=response.model,
        finish_reason="refusal" if refused else choice.finish_reason,
        response_id=response.id,
        usage=_usage(response.usage) if response.usage else None,
        avg_logprobs=_average(choice.logprobs),
    )


def _text(content: str | list[dict[str, Any]] | None) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content)
    return content or ""


def _usage(found: _Usage) -> Usage:
    """Thinking is inside completion_tokens here and is taken out. Some services leave it out and show it only in the
    total."""
    prompt, completion = found.prompt_tokens, found.completion_tokens
    details = found.completion_tokens_details
    thinking = (details.reasoning_tokens or 0) if details else 0
    beside = max(0, (found.total_tokens or 0) - prompt - completion)
    cached = found.prompt_tokens_details.cached_tokens if found.prompt_tokens_details else 0
    if beside:
        return Usage(prompt=prompt, completion=completion, thinking=beside, cached=cached or 0)
    thinking = min(thinking, completion)
    return Usage(prompt=prompt, completion=completion - thinking, thinking=thinking, cached=cached or 0)


def _average(logprobs: _Logprobs | None) -> float | None:
    tokens = logprobs.content if logprobs else None
    return sum(token.logprob for token in tokens) / len(tokens) if tokens else None
