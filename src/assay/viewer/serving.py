"""The viewer from its start to Ctrl-C."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from assay.errors import AssayError
from assay.viewer.guard import Guard
from assay.viewer.places import Places
from assay.viewer.server import Server


def serve(places: Places, port: int, ready: Callable[[Guard], None]) -> None:
    """Until it is cancelled, as Ctrl-C does. `ready` is told the address as soon as it is one."""
    if not 0 <= port <= 65535:
        raise AssayError(f"port is {port}", expected="a number from 0 to 65535")
    if not places.runs.is_dir():
        hint = "Name it with --runs, or make a run first"
        raise AssayError("there is no such folder", where=str(places.runs), hint=hint)
    with suppress(asyncio.CancelledError):
        asyncio.run(_serve(Server(places), port, ready))


async def _serve(server: Server, port: int, ready: Callable[[Guard], None]) -> None:
    guard = await server.start(port)
    try:
        ready(guard)
        await asyncio.Event().wait()
    finally:
        await server.stop()
