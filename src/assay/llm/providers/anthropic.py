"""Anthropic's own API through its own SDK (extra `anthropic`).

The API (version 2026-10-21, which the SDK speaks) takes no temperature and no seed: its replies can vary, which is
one reason more to keep them in the cache.
"""

from __future__ import annotations

from typing import Any

from assay.errors import MissingExtra
from assay.llm.faults import CallFault, FatalLlmError, fault_of_status
from assay.llm.keys import hidden, key_hint, read_key
from assay.llm.protocol import PROVIDERS, ChatReply, ChatRequest, Context, Usage
from assay.urls import asked_wait, shown_url

KEY = "ANTHROPIC_API_KEY"
_LONGEST_REPLY = 4096
"""This service wants a limit in every request."""
_FINISH = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
}


@PROVIDERS.register("anthropic")
class Anthropic:
    """The SDK's own retries are off: there is one patience for all providers."""

    free = False

    def __init__(self, context: Context) -> None:
        base = context.options.base_url
        self.identity = shown_url(base.rstrip("/")) if base else ""
        self._base_url = base
        self._where = f"anthropic/{context.model}"
        self._key_name = context.options.api_key_env or KEY
        self._client: Any = None

    async def complete(self, request: ChatRequest) -> ChatReply:
        sdk = _sdk()
        key = read_key(self._key_name, self._where)
        if self._client is None:
            self._client = sdk.AsyncAnthropic(api_key=key, base_url=self._base_url, max_retries=0, timeout=None)
        if request.temperature:
            raise FatalLlmError(
                f"takes no temperature, and {request.temperature:g} is asked for",
                where=self._where,
                hint="Set it to null under llm.models in assay.yaml",
            )
        try:
            message = await self._client.messages.create(**_arguments(sdk, request))
        except sdk.APIStatusError as fault:
            body = hidden(fault.response.text, key)
            wait = asked_wait(fault.response.headers.get("retry-after"))
            hint = key_hint(self._key_name)
            status = fault.status_code
            raise fault_of_status(status, body, where=self._where, wait=wait, hint=hint) from None
        except sdk.APIConnectionError as fault:
            raise CallFault("connection", hidden(f"the connection failed: {fault.__cause__ or fault}", key)) from None
        except (sdk.APIError, ValueError) as fault:
            raise CallFault("unreadable", hidden(f"the service's reply cannot be read: {fault}", key)) from None
        return _reply(message, request)

    def check(self) -> None:
        _sdk()
        read_key(self._key_name, self._where)

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()
            self._client = None


def _sdk() -> Any:
    try:
        import anthropic
    except ImportError:
        raise MissingExtra("anthropic", "anthropic", "the provider anthropic") from None
    return anthropic


def _arguments(sdk: Any, request: ChatRequest) -> dict[str, Any]:
    system = "\n\n".join(message.content for message in request.messages if message.role == "system")
    output: dict[str, Any] = {}
    if request.reasoning_effort:
        output["effort"] = request.reasoning_effort
    if request.json_schema:
        # What the service cannot enforce is moved into descriptions; the strict parser checks all of it.
        schema = sdk.transform_schema(request.json_schema.schema)
        output["format"] = {"type": "json_schema", "schema": schema}
    given = {
        "model": request.model,
        "max_tokens": request.max_tokens or _LONGEST_REPLY,
        "messages": [
            {"role": message.role, "content": message.content}
            for message in request.messages
            if message.role != "system"
        ],
        "system": system or None,
        "output_config": output or None,
        "extra_body": request.extra or None,
    }
    return {name: value for name, value in given.items() if value is not None}


def _reply(message: Any, request: ChatRequest) -> ChatReply:
    """Prompt tokens are counted in three parts here: new, written to the service's cache, read from it."""
    found = getattr(message, "usage", None)
    if found is None or not isinstance(getattr(message, "content", None), list):
        # The SDK gives a broken body as it is: text, or a message without its parts.
        raise CallFault("unreadable", "the service's reply is not a message")
    cached, written = found.cache_read_input_tokens or 0, found.cache_creation_input_tokens or 0
    details = getattr(found, "output_tokens_details", None)
    thinking = min(getattr(details, "thinking_tokens", 0) or 0, found.output_tokens)
    return ChatReply(
        text="".join(block.text for block in message.content if block.type == "text"),
        model=request.model,
        model_version=message.model,
        finish_reason=_FINISH.get(message.stop_reason, message.stop_reason),
        response_id=message.id,
        usage=Usage(
            prompt=found.input_tokens + cached + written,
            completion=found.output_tokens - thinking,
            thinking=thinking,
            cached=cached,
        ),
    )
