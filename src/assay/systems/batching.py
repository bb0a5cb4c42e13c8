"""Many ask one question each; what waits at the same time is worked on together, in a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from assay.systems.threads import Raised, in_thread

Asked = TypeVar("Asked")
Given = TypeVar("Given")

LARGEST = 64


class Batched(Generic[Asked, Given]):
    """One batch at a time, of everything that came while the one before was worked on: nobody waits for company."""

    def __init__(self, work: Callable[[Sequence[Asked]], Sequence[Given]], largest: int = LARGEST) -> None:
        self._work, self._largest = work, largest
        self._waiting: list[tuple[Asked, asyncio.Future[Given]]] = []
        self._worker: asyncio.Task[None] | None = None

    async def ask(self, asked: Asked) -> Given:
        """The answer to this one. What the work raises concerns everyone in the batch."""
        return await self.submit(asked)

    def submit(self, asked: Asked) -> asyncio.Future[Given]:
        """The same for who does not wait yet."""
        future: asyncio.Future[Given] = asyncio.get_running_loop().create_future()
        self._waiting.append((asked, future))
        if self._worker is None:
            self._worker = asyncio.create_task(self._serve())
        return future

    async def _serve(self) -> None:
        try:
            while self._waiting:
                batch, self._waiting = self._waiting[: self._largest], self._waiting[self._largest :]
                await self._settle([(asked, future) for asked, future in batch if not future.done()])
        finally:
            self._worker = None

    async def _settle(self, batch: Sequence[tuple[Asked, asyncio.Future[Given]]]) -> None:
        try:
            given = await in_thread(lambda: self._work([asked for asked, _ in batch])) if batch else ()
        except asyncio.CancelledError:
            _give_up(batch)
            raise
        for number, (_, future) in enumerate(batch):
            if future.done():
                continue
            if isinstance(given, Raised):
                future.set_exception(given.fault)
            else:
                future.set_result(given[number])

    async def close(self) -> None:
        """Who still waits is told that nothing comes."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.cancel()
            await asyncio.gather(worker, return_exceptions=True)
        _give_up(self._waiting)
        self._waiting.clear()


def _give_up(batch: Sequence[tuple[Asked, asyncio.Future[Given]]]) -> None:
    for _, future in batch:
        future.cancel()
