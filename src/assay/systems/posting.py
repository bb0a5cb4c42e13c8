"""JSON to a service and back: one session, patience by call, a token that is refreshed once, no secret in a word."""

from __future__ import annotations

import asyncio
from random import Random
from time import perf_counter
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from msgspec import Struct

from assay.config import Pipeline
from assay.errors import AssayError
from assay.files import dump_json, parse_json
from assay.llm.faults import LONGEST_ASKED_WAIT, CallFault, FatalLlmError, fault_of_status
from assay.systems.protocol import Retry
from assay.systems.secrets import struck_out, without_secrets
from assay.systems.token import Token
from assay.urls import asked_wait, proxy_for, shown_url

if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession

LARGEST_REPLY = 20_000_000
"""Bytes."""

_JITTER = 0.2
_NO_PATH = {404, 405, 501}


class Reply(Struct, frozen=True):
    """What the service said, the seconds of the try that went well, and the tries."""

    body: Any
    seconds: float
    retry: Retry


class Failed(Exception):
    """One call failed for good; the others may go on."""

    def __init__(self, what: str, retry: Retry) -> None:
        super().__init__(what)
        self.retry = retry


class NoSuchPath(Exception):
    """The service does not know what it was asked for."""


class _Refused(Exception):
    """401."""


class Poster:
    """Posts to the paths below one endpoint."""

    def __init__(self, endpoint: str, options: Pipeline, seed: int, setting: str = "run.pipeline") -> None:
        """`setting` is where the options come from, for advice."""
        self._setting = setting
        self._endpoint = _checked(endpoint)
        self._options = options
        self.where = shown_url(self._endpoint)
        self._token: Token | None = None
        self._proxy = proxy_for(self._endpoint)
        self._session: ClientSession | None = None
        self._random = Random(seed)  # noqa: S311 (spreads calls, guards nothing)
        self._resume_at = 0.0
        self._reached = False

    async def post(self, path: str, payload: dict[str, object]) -> Reply:
        """The reply. A fault of this call is `Failed`; one of every call is an AssayError."""
        body = dump_json(payload).encode()
        error, refused, attempt = None, None, 0
        while True:
            attempt += 1
            token = self._known_token()
            sent = token.value
            try:
                reply, seconds = await self._try(path, body, sent)
            except _Refused:
                if refused is not None:
                    what = f"/{path} answered 401{' again with a fresh token' if sent != refused else ''}"
                    raise AssayError(what, where=self.where, hint=token.advice()) from None
                await token.refresh(sent)
                refused, error = sent, "answered 401"
            except CallFault as fault:
                error = self._clean(f"/{path}: {fault.what}")
                if not fault.retry or attempt >= self._options.tries:
                    tries = f" ({attempt} tries)" if attempt > 1 else ""
                    raise Failed(f"{error}{tries}", Retry(attempts=attempt, error=error)) from None
                await asyncio.sleep(self._wait(attempt, fault))
            else:
                return Reply(reply, seconds, Retry(attempts=attempt, recovered=attempt > 1, error=error))

    async def close(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def _try(self, path: str, body: bytes, token: str) -> tuple[Any, float]:
        import aiohttp

        await self._pause()
        start = perf_counter()
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
        try:
            async with (
                asyncio.timeout(self._options.timeout),
                self._connected().post(
                    f"{self._endpoint}/{path}", data=body, headers=headers, proxy=self._proxy, allow_redirects=False
                ) as response,
            ):
                self._reached = True
                data = await _body(response)
        except aiohttp.ClientConnectorError as fault:
            raise self._unreachable(fault) from None
        except TimeoutError:
            raise CallFault("timeout", f"no answer within {self._options.timeout:g} s") from None
        except (aiohttp.ClientError, OSError, ValueError) as fault:
            raise CallFault("connection", f"the connection failed: {str(fault) or type(fault).__name__}") from None
        # Whatever a service echoes, the token goes no further than this.
        text = struck_out(data.decode("utf-8", "replace"), self._known_token().known)
        if response.status != 200:
            raise self._fault(path, response, text)
        try:
            return parse_json(text, self.where), perf_counter() - start
        except AssayError:
            raise CallFault("unreadable", f"the reply is not JSON: {' '.join(text.split())[:100]!r}") from None

    def _unreachable(self, fault: Exception) -> Exception:
        """A service that was there may come back. Where nobody ever was, every question would fail like the first."""
        if self._reached:
            return CallFault("connection", f"the connection failed: {fault}")
        hint = "Is the service running, and is this its address?"
        return AssayError(self._clean(f"nobody answers there: {fault}"), where=self.where, hint=hint)

    def _fault(self, path: str, response: ClientResponse, text: str) -> Exception:
        status = response.status
        if status == 401:
            return _Refused()
        if status in _NO_PATH:
            return NoSuchPath(f"/{path} answered {status}")
        if 300 <= status < 400:
            location = shown_url(response.headers.get("Location", "nowhere"))
            return AssayError(f"/{path} answered {status}, moved to {location}", where=self.where)
        wait = asked_wait(response.headers.get("Retry-After"))
        fault = fault_of_status(
            status, text, where=f"{self.where}/{path}", wait=wait, hint=self._known_token().advice()
        )
        if isinstance(fault, FatalLlmError) and status not in {402, 403}:
            return CallFault("rejected", fault.what, retry=False)  # a question may be what it does not like
        if isinstance(fault, CallFault) and wait is not None and wait <= LONGEST_ASKED_WAIT:
            self._resume_at = max(self._resume_at, asyncio.get_running_loop().time() + wait)
        return fault

    async def _pause(self) -> None:
        """Everybody waits when the service has asked for it, not only the call that was told."""
        wait = self._resume_at - asyncio.get_running_loop().time()
        if wait > 0:
            await asyncio.sleep(wait)

    def _wait(self, attempt: int, fault: CallFault) -> float:
        """Seconds before the next try; what the service has asked for comes on top in `_pause`."""
        if fault.wait is not None and fault.wait > LONGEST_ASKED_WAIT:
            what = self._clean(f"{fault.what} (asks to wait {fault.wait:.0f} s)")
            raise Failed(what, Retry(attempts=attempt, error=what))
        wait = self._options.first_wait * 2.0 ** (attempt - 1) * self._random.uniform(1 - _JITTER, 1 + _JITTER)
        return max(wait, fault.wait or 0.0)

    def _known_token(self) -> Token:
        if self._token is None:
            self._token = Token(self._options, self.where, self._setting)
        return self._token

    def _clean(self, text: str) -> str:
        return without_secrets(text, *(self._token.known if self._token else ()))

    def _connected(self) -> ClientSession:
        import aiohttp

        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0), timeout=aiohttp.ClientTimeout(total=None)
            )
        return self._session


async def _body(response: ClientResponse) -> bytes:
    """The whole body, unless it is larger than an answer can be."""
    parts, size = [], 0
    async for part in response.content.iter_any():
        size += len(part)
        if size > LARGEST_REPLY:
            raise CallFault("rejected", f"a reply of more than {LARGEST_REPLY // 1_000_000} MB", retry=False)
        parts.append(part)
    return b"".join(parts)


def _checked(endpoint: str) -> str:
    try:
        parts = urlsplit(endpoint)
        known = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        known = False
    if not known:
        raise AssayError(
            "not a URL that can be called", where=shown_url(endpoint), hint="Give http://... or https://..."
        )
    if parts.username or parts.password or parts.query or parts.fragment:
        raise AssayError(
            "an endpoint is an address alone, without user, password or query",
            where=shown_url(endpoint),
            hint="Name an environment variable with a bearer token in run.pipeline.token_env instead",
        )
    return endpoint.rstrip("/")
