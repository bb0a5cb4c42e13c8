"""What will be asked is worked on before it is: a search is then done while the model writes the answers before it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from typing import Generic, Protocol, TypeVar

from assay.systems.batching import LARGEST, Batched


class Identified(Protocol):
    @property
    def id(self) -> str: ...


Asked = TypeVar("Asked", bound=Identified)
Given = TypeVar("Given")


class Ahead(Generic[Asked, Given]):
    """At most one batch is ready and not yet asked for, however many are expected: memory does not grow with them."""

    def __init__(self, batched: Batched[Asked, Given], most: int = LARGEST) -> None:
        self._batched, self._most = batched, most
        self._coming: Iterator[Asked] = iter(())
        self._early: set[str] = set()
        """Asked for before it was their turn."""
        self._begun: dict[str, asyncio.Future[Given]] = {}

    def expect(self, asked: Iterable[Asked]) -> None:
        """These will be asked, in about this order. One that never is costs a place in the batch that is ready."""
        self._coming = iter(asked)

    async def ask(self, asked: Asked) -> Given:
        begun = self._begun.pop(asked.id, None)
        if begun is None:
            self._early.add(asked.id)
            begun = self._batched.submit(asked)
        if len(self._begun) <= self._most // 2:
            self._begin()
        return await begun

    def _begin(self) -> None:
        while len(self._begun) < self._most:
            asked = next(self._coming, None)
            if asked is None:
                self._early.clear()
                return
            if asked.id in self._early:
                self._early.remove(asked.id)
                continue
            begun = self._begun[asked.id] = self._batched.submit(asked)
            begun.add_done_callback(_seen)

    async def close(self) -> None:
        self._coming = iter(())
        await self._batched.close()


def _seen(future: asyncio.Future[Given]) -> None:
    """Nobody may come for it any more: a fault is told to who asks, not to the log."""
    if not future.cancelled():
        future.exception()
