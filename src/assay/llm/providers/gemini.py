"""Gemini's own API through its own SDK (extra `gemini`)."""

from __future__ import annotations

from typing import Any

from assay.errors import MissingExtra
from assay.llm.faults import CallFault, fault_of_status
from assay.llm.keys import hidden, key_hint, read_key
from assay.llm.protocol import PROVIDERS, ChatReply, ChatRequest, Context, Usage
from assay.urls import asked_wait, shown_url

KEY = "GEMINI_API_KEY"
_FINISH = {"STOP": "stop", "MAX_TOKENS": "length"}
_FILTERED = {"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY"}


@PROVIDERS.register("gemini")
class Gemini:
    """The SDK's own retries are off: there is one patience for all providers."""

    free = False

    def __init__(self, context: Context) -> None:
        base = context.options.base_url
        self.identity = shown_url(base.rstrip("/")) if base else ""
        self._base_url = base
        self._where = f"gemini/{context.model}"
        self._key_name = context.options.api_key_env or KEY
        self._client: Any = None

    async def complete(self, request: ChatRequest) -> ChatReply:
        import aiohttp  # the SDK's transport wherever it is installed

        genai = _sdk()
        key = read_key(self._key_name, self._where)
        if self._client is None:
            http = {"base_url": self._base_url, "retry_options": {"attempts": 1}}
            self._client = genai.Client(api_key=key, http_options=http)
        try:
            response = await self._client.aio.models.generate_content(**_arguments(request))
            return _reply(response, request)
        except genai.errors.APIError as fault:
            raise self._fault(fault, key) from None
        except (aiohttp.ClientError, OSError) as fault:
            raise CallFault("connection", hidden(f"the connection failed: {fault}", key)) from None
        except ValueError as fault:
            raise CallFault("unreadable", hidden(f"the service's reply cannot be read: {fault}", key)) from None

    def check(self) -> None:
        _sdk()
        read_key(self._key_name, self._where)

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aio.aclose()
            self._client = None

    def _fault(self, fault: Any, key: str) -> Exception:
        import msgspec

        headers = getattr(fault.response, "headers", None) or {}
        body = hidden(msgspec.json.encode(fault.details, enc_hook=str).decode(), key)
        wait = asked_wait(headers.get("Retry-After"))
        return fault_of_status(fault.code, body, where=self._where, wait=wait, hint=key_hint(self._key_name))


def _sdk() -> Any:
    try:
        from google import genai
        from google.genai import errors  # noqa: F401 (used as an attribute)
    except ImportError:
        raise MissingExtra("google-genai", "gemini", "the provider gemini") from None
    return genai


def _arguments(request: ChatRequest) -> dict[str, Any]:
    """Parameters of `extra` stand in the SDK's config, such as `thinking_config: {thinking_budget: 0}`."""
    schema = request.json_schema
    config = {
        "system_instruction": "\n\n".join(m.content for m in request.messages if m.role == "system") or None,
        "temperature": request.temperature,
        "max_output_tokens": request.max_tokens,
        "seed": request.seed,
        "response_mime_type": "application/json" if schema else None,
        "response_json_schema": schema.schema if schema else None,
        "thinking_config": {"thinking_level": request.reasoning_effort} if request.reasoning_effort else None,
        "response_logprobs": request.logprobs or None,
    }
    roles = {"user": "user", "assistant": "model"}
    return {
        "model": request.model,
        "contents": [
            {"role": roles[message.role], "parts": [{"text": message.content}]}
            for message in request.messages
            if message.role in roles
        ],
        "config": {name: value for name, value in config.items() if value is not None} | request.extra,
    }


def _reply(response: Any, request: ChatRequest) -> ChatReply:
    candidate = response.candidates[0] if response.candidates else None
    return ChatReply(
        text=_text(candidate),
        model=request.model,
        model_version=response.model_version,
        finish_reason=_finish(response, candidate),
        response_id=response.response_id,
        usage=_usage(response.usage_metadata),
        avg_logprobs=candidate.avg_logprobs if candidate else None,
    )


def _text(candidate: Any) -> str:
    parts = (candidate.content.parts if candidate and candidate.content else None) or ()
    return "".join(part.text for part in parts if part.text and not part.thought)


def _finish(response: Any, candidate: Any) -> str | None:
    """A prompt that was blocked has no candidate at all."""
    if candidate is None:
        if response.prompt_feedback and response.prompt_feedback.block_reason:
            return "content_filter"
        raise CallFault("unreadable", "the service's reply has no candidates")
    if candidate.finish_reason is None:
        return None
    name = str(candidate.finish_reason.value)
    return "content_filter" if name in _FILTERED else _FINISH.get(name, name.lower())


def _usage(found: Any) -> Usage | None:
    if found is None:
        return None
    return Usage(
        prompt=(found.prompt_token_count or 0) + (found.tool_use_prompt_token_count or 0),
        completion=found.candidates_token_count or 0,
        thinking=found.thoughts_token_count or 0,
        cached=found.cached_content_token_count or 0,
    )
