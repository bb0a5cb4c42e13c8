"""Somebody else's code beside the run: in daemon threads, so that what hangs holds up neither the run nor Ctrl-C.

Whatever that code raises comes back as a value, so that its timeouts and cancellations are never taken for ours.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from contextvars import copy_context
from threading import Thread
from typing import Any

from msgspec import Struct


class Raised(Struct, frozen=True):
    """What the code raised."""

    fault: BaseException


async def in_thread(function: Callable[[], Any]) -> Any:
    """What the function returns, or `Raised`. Like `asyncio.to_thread`, but the interpreter does not wait for it."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()
    context = copy_context()

    def settle(result: Any) -> None:
        if not future.done():
            future.set_result(result)

    def work() -> None:
        try:
            result = context.run(function)
        except BaseException as fault:  # noqa: BLE001 (given to whoever waits)
            result = Raised(fault)
        with suppress(RuntimeError):  # nobody waits any more: the run has ended
            loop.call_soon_threadsafe(settle, result)

    Thread(target=work, daemon=True).start()
    return await future


async def within(seconds: float, work: Coroutine[Any, Any, Any]) -> Any:
    """What the work over there gives, or TimeoutError. What has come counts, even if we were too busy to look in time:
    `asyncio.timeout` would throw it away."""
    task = asyncio.create_task(work)
    try:
        await asyncio.wait((task,), timeout=seconds)
        if not task.done():
            raise TimeoutError
        return task.result()
    finally:
        task.cancel()


class SideLoop:
    """An event loop in a thread of its own: a coroutine that blocks it does not block ours."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None

    async def run(self, work: Callable[[], Awaitable[Any]]) -> Any:
        """What the coroutine returns, or `Raised`. Cancelled here is cancelled there."""
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(_caught(work), self._started()))

    def close(self) -> None:
        """What still runs there is cancelled. May be called again."""
        loop, self._loop = self._loop, None
        if loop is not None:
            asyncio.run_coroutine_threadsafe(_end(), loop)

    def _started(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            Thread(target=_serve, args=(self._loop,), daemon=True).start()
        return self._loop


async def _caught(work: Callable[[], Awaitable[Any]]) -> Any:
    try:
        return await work()
    except asyncio.CancelledError as fault:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        return Raised(fault)
    except (Exception, SystemExit, KeyboardInterrupt) as fault:  # noqa: BLE001 (given to whoever waits)
        return Raised(fault)


async def _end() -> None:
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    asyncio.get_running_loop().stop()


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    """`sys.exit()` in a task of theirs is thrown through the loop, too: the others in it go on."""
    while True:
        try:
            loop.run_forever()
        except (SystemExit, KeyboardInterrupt):
            continue
        break
    loop.close()
