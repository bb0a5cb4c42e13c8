"""JSON over HTTP, in one place: many calls at once, patience with busy services, one clear line when it is hopeless.

Worth another try: 408, 425, 429, 5xx, timeouts, cut connections, replies that are not JSON. Not worth one: the rest.
The bearer token is read from an environment variable and never appears in a message.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from assay.config import Http
from assay.errors import AssayError
from assay.files import dump_json, parse_json
from assay.urls import asked_wait, is_loopback, shown_url

if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession

FIRST_WAIT = 0.5
LONGEST_WAIT = 30.0
LONGEST_ASKED_WAIT = 120.0
"""Seconds. A service that asks for more patience than this has run out of quota: the user should know now."""

IS_IT_THERE = "Is the service running, and is this its address?"

_RETRIED = {408, 425, 429}
_HOPELESS = {401, 403, 404}


class HttpFault(AssayError):
    """A call that failed for good. `status` is None when there was no answer at all."""

    def __init__(self, what: str, *, where: str, status: int | None = None, hint: str | None = None) -> None:
        super().__init__(what, where=where, hint=hint)
        self.status = status


class Unreachable(HttpFault):
    """Nobody took the call, at any try: every further call would end the same."""


def post_all(url: str, payloads: Sequence[Any], options: Http | None = None) -> list[Any]:
    """Each payload's reply, in order. The first fault that stays a fault ends all calls."""
    replies = post_each(url, payloads, options, stop_at_fault=True)
    for reply in replies:
        if isinstance(reply, HttpFault):
            raise reply
    return replies


def post_each(
    url: str, payloads: Sequence[Any], options: Http | None = None, *, stop_at_fault: bool = False
) -> list[Any | HttpFault]:
    """Each payload's reply or its fault, in order. 401, 403 and 404 end all calls at once: they concern every one.

    May be called from any thread, and from one that already runs an event loop.
    """
    if not payloads:
        return []
    _check(url)
    client = _Client(url, options or Http(), stop_at_fault=stop_at_fault)
    return _run(client, payloads)


def _run(client: _Client, payloads: Sequence[Any]) -> list[Any]:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(client.post(payloads))
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, client.post(payloads)).result()


class _Retry(Exception):
    """A fault that may pass, with how long the service asks to wait."""

    def __init__(self, what: str, status: int | None = None, wait: float | None = None) -> None:
        super().__init__(what)
        self.what, self.status, self.wait = what, status, wait


class _NobodyThere(_Retry):
    """The connection was refused, or there is no such host."""


class _Client:
    def __init__(self, url: str, options: Http, *, stop_at_fault: bool) -> None:
        self.url, self.options, self.stop_at_fault = url, options, stop_at_fault
        self.where = shown_url(url)
        self.token = _token(options.token_env)
        self.resume_at = 0.0

    async def post(self, payloads: Sequence[Any]) -> list[Any]:
        import aiohttp

        replies: list[Any] = [None] * len(payloads)
        queue = iter(enumerate(payloads))
        workers = min(self.options.workers, len(payloads))
        async with (
            aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=workers),
                timeout=aiohttp.ClientTimeout(total=self.options.timeout),
                headers=self._headers(),
                # A proxy from the environment is right for the world and wrong for this machine.
                trust_env=not is_loopback(self.url),
            ) as session,
            asyncio.TaskGroup() as group,
        ):
            tasks = [group.create_task(self._work(session, queue, replies)) for _ in range(workers)]
            group.create_task(_end_all_at_first_fault(tasks))
        for task in tasks:
            if not task.cancelled() and (fault := task.result()) is not None:
                raise fault
        return replies

    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    async def _work(
        self, session: ClientSession, queue: Iterator[tuple[int, Any]], replies: list[Any]
    ) -> HttpFault | None:
        """Takes payloads until none is left; gives back a fault that must end all the others."""
        for number, payload in queue:
            try:
                replies[number] = await self._post(session, payload)
            except HttpFault as fault:
                if self.stop_at_fault or fault.status in _HOPELESS:
                    return fault
                replies[number] = fault
        return None

    async def _post(self, session: ClientSession, payload: Any) -> Any:
        body = dump_json(payload).encode()
        for attempt in range(self.options.retries + 1):
            await self._pause()
            try:
                return await self._try(session, body)
            except _Retry as fault:
                if attempt == self.options.retries:
                    what = f"{fault.what} ({attempt + 1} tries)"
                    if isinstance(fault, _NobodyThere):
                        raise Unreachable(what, where=self.where, hint=IS_IT_THERE) from None
                    raise self._fault(what, fault.status) from None
                await self._wait(attempt, fault)
        raise AssertionError

    async def _try(self, session: ClientSession, body: bytes) -> Any:
        import aiohttp

        try:
            async with session.post(
                self.url, data=body, headers={"Content-Type": "application/json"}, allow_redirects=False
            ) as response:
                return self._read(response, await response.read())
        except aiohttp.ClientConnectorError as fault:
            raise _NobodyThere(f"nobody answers there: {self._clean(str(fault))}") from None
        except TimeoutError:
            raise _Retry(f"no answer within {self.options.timeout:g} s") from None
        except (aiohttp.ClientError, OSError) as fault:
            raise _Retry(f"the connection failed: {self._clean(str(fault) or type(fault).__name__)}") from None

    def _read(self, response: ClientResponse, body: bytes) -> Any:
        status = response.status
        text = body.decode("utf-8", "replace")
        if status < 300:
            try:
                return parse_json(text, self.where)
            except AssayError:
                raise _Retry(f"the reply is not JSON: {self._excerpt(text)!r}", status) from None
        what = f"answered {status} {response.reason}: {self._excerpt(text)}".rstrip(": ")
        if status in _RETRIED or status >= 500:
            raise _Retry(what, status, asked_wait(response.headers.get("Retry-After")))
        if status < 400:
            what = f"answered {status}, moved to {shown_url(response.headers.get('Location', 'nowhere'))}"
        raise self._fault(what, status)

    def _fault(self, what: str, status: int | None) -> HttpFault:
        hint = None
        if status in {401, 403}:
            name = self.options.token_env
            hint = f"Check the key in the environment variable {name}." if self.token else "No key was sent."
            hint += f" Set the environment variable {name}." if name and not self.token else ""
        elif status == 404:
            hint = "Check the URL and the model's name."
        return HttpFault(what, where=self.where, status=status, hint=hint)

    async def _pause(self) -> None:
        """Everybody waits when the service has asked for it, not only the call that was told."""
        wait = self.resume_at - asyncio.get_running_loop().time()
        if wait > 0:
            await asyncio.sleep(wait)

    async def _wait(self, attempt: int, fault: _Retry) -> None:
        if fault.wait is not None:
            if fault.wait > LONGEST_ASKED_WAIT:
                raise self._fault(f"{fault.what} (asks to wait {fault.wait:.0f} s)", fault.status)
            self.resume_at = max(self.resume_at, asyncio.get_running_loop().time() + fault.wait)
            return
        longest = min(LONGEST_WAIT, FIRST_WAIT * 2**attempt)
        await asyncio.sleep(longest * random.uniform(0.5, 1))  # noqa: S311 (spreads the calls, decides nothing)

    def _excerpt(self, text: str) -> str:
        return self._clean(" ".join(text.split())[:200])

    def _clean(self, text: str) -> str:
        return text.replace(self.token, "***") if self.token else text


async def _end_all_at_first_fault(tasks: list[asyncio.Task[HttpFault | None]]) -> None:
    for done in asyncio.as_completed(tasks):
        if await done is not None:
            for task in tasks:
                task.cancel()
            return


def _token(name: str | None) -> str:
    import os

    return os.environ.get(name, "").strip() if name else ""


def _check(url: str) -> None:
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url)
        known = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        known = False
    if not known:
        raise HttpFault("not a URL that can be called", where=shown_url(url), hint="Give http://... or https://...")
