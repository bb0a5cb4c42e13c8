"""Any service that speaks OpenAI's chat completions: OpenAI, Gemini's compatible endpoint, vLLM, Ollama, llama.cpp.

Spoken directly over HTTP: a tenth of the CPU time of the SDK.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from assay.llm.chat_completions import body_of, reply_of
from assay.llm.faults import CallFault, FatalLlmError, fault_of_status
from assay.llm.keys import hidden, key_hint, read_key
from assay.llm.protocol import PROVIDERS, ChatReply, ChatRequest, Context
from assay.urls import asked_wait, proxy_for, shown_url

if TYPE_CHECKING:
    from aiohttp import ClientSession

OWN_URL = "https://api.openai.com/v1"
KEY = "OPENAI_API_KEY"
_encode = msgspec.json.Encoder().encode


@PROVIDERS.register("openai")
class OpenAi:
    """The key is sent to OpenAI itself, or to the service for which `api_key_env` names one; nowhere else."""

    free = False

    def __init__(self, context: Context) -> None:
        options = context.options
        base = (options.base_url or OWN_URL).rstrip("/")
        self.identity = "" if base == OWN_URL else shown_url(base)
        self._url = f"{base}/chat/completions"
        self._where = f"openai/{context.model} at {shown_url(base)}"
        self._key_name = options.api_key_env or (KEY if base == OWN_URL else None)
        # OpenAI's newer models refuse max_tokens, other services know nothing else.
        self._max_tokens_field = "max_completion_tokens" if base == OWN_URL else "max_tokens"
        self._proxy = proxy_for(self._url)
        self._session: ClientSession | None = None
        self._reached = False

    async def complete(self, request: ChatRequest) -> ChatReply:
        import aiohttp

        key = read_key(self._key_name, self._where)
        headers = {"Content-Type": "application/json"}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        body = _encode(body_of(request, self._max_tokens_field))
        try:
            async with self._connected().post(
                self._url, data=body, headers=headers, proxy=self._proxy, allow_redirects=False
            ) as response:
                self._reached = True
                # Whatever a service echoes, the key goes no further than this.
                found = hidden(await response.read(), key)
                if response.status == 200:
                    return reply_of(found, request)
                wait = asked_wait(response.headers.get("Retry-After"))
                location = response.headers.get("Location", "")
                status = response.status
        except (aiohttp.InvalidURL, aiohttp.NonHttpUrlClientError):
            raise FatalLlmError("not a URL that can be called", where=self._where) from None
        except (aiohttp.ClientError, OSError) as fault:
            if isinstance(fault, aiohttp.ClientConnectorError) and not self._reached:
                hint = "Is the service running, and is this its address?"
                raise FatalLlmError(f"nobody answers there: {fault}", where=self._where, hint=hint) from None
            what = hidden(f"the connection failed: {str(fault) or type(fault).__name__}", key)
            raise CallFault("connection", what) from None
        if 300 <= status < 400:
            raise FatalLlmError(f"answered {status}, moved to {shown_url(location)}", where=self._where)
        hint = key_hint(self._key_name)
        raise fault_of_status(status, found.decode("utf-8", "replace"), where=self._where, wait=wait, hint=hint)

    def check(self) -> None:
        read_key(self._key_name, self._where)

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _connected(self) -> ClientSession:
        import aiohttp

        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0),
                timeout=aiohttp.ClientTimeout(total=None),
            )
        return self._session
