"""How many calls at once, how many a minute, how many tokens a minute."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

_BURST = 1.0
"""Seconds of the allowance that may be used at once: small, so that no minute sees much more than its share."""


class Bucket:
    """A token bucket. What is taken beyond its content is owed and waited for, in the order of asking."""

    def __init__(self, per_minute: float, now: float) -> None:
        self._rate = per_minute / 60
        self._capacity = max(1.0, self._rate * _BURST)
        self._level, self._time = self._capacity, now

    def take(self, amount: float, now: float) -> float:
        """Seconds to wait before the amount may be used. More than the bucket holds is possible: it takes longer."""
        self._fill(now)
        self._level -= amount
        return max(0.0, -self._level / self._rate)

    def give_back(self, amount: float, now: float) -> None:
        """What was taken too much; negative: what more was used."""
        self._fill(now)
        self._level = min(self._capacity, self._level + amount)

    def _fill(self, now: float) -> None:
        self._level = min(self._capacity, self._level + (now - self._time) * self._rate)
        self._time = now


class Places:
    """So many calls at once, first come first served. Adaptive: half as many after a 429, one more after each
    full round of successes (additive increase, multiplicative decrease), between 1 and the number of workers."""

    def __init__(self, workers: int, *, adaptive: bool = True) -> None:
        self.workers, self.limit, self.adaptive = workers, workers, adaptive
        self.active = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._successes = 0
        self._round = 0

    async def enter(self) -> int:
        """Waits for a place; gives the round in which the call starts."""
        if self.active < self.limit and not self._waiting:
            self.active += 1
            return self._round
        place = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self.leave()
            raise
        return self._round

    def leave(self) -> None:
        self.active -= 1
        self._admit()

    def succeeded(self) -> None:
        if not self.adaptive or self.limit >= self.workers:
            return
        self._successes += 1
        if self._successes >= self.limit:
            self._successes = 0
            self.limit += 1
            self._admit()

    def refused(self, started_in: int) -> None:
        """All refusals of calls that were under way together count once, else one burst would stop everything."""
        if self.adaptive and started_in == self._round:
            self._round += 1
            self._successes = 0
            self.limit = max(1, self.limit // 2)

    def _admit(self) -> None:
        while self._waiting and self.active < self.limit:
            place = self._waiting.popleft()
            if not place.cancelled():
                self.active += 1
                place.set_result(None)


class Limiter:
    """A place, and a share of the minute."""

    def __init__(self, places: Places, requests_per_minute: int | None, tokens_per_minute: int | None) -> None:
        self.places = places
        self._limits = (requests_per_minute, tokens_per_minute)
        self._buckets: tuple[Bucket | None, Bucket | None] | None = None
        self.apart = 0.0
        """Seconds from the beginning of one call to that of the next."""
        self._next = 0.0

    @asynccontextmanager
    async def place(self, tokens: int) -> AsyncIterator[int]:
        """The round in which the call starts. `tokens` is an estimate, see `settle`."""
        started_in = await self.places.enter()
        try:
            await self._wait(tokens)
            yield started_in
        finally:
            self.places.leave()

    def settle(self, estimated: int, used: int) -> None:
        """The estimate was wrong by that much."""
        bucket = self._ready()[1]
        if bucket is not None:
            bucket.give_back(estimated - used, asyncio.get_running_loop().time())

    async def _wait(self, tokens: int) -> None:
        now = asyncio.get_running_loop().time()
        requests, all_tokens = self._ready()
        wait = max(requests.take(1, now) if requests else 0.0, all_tokens.take(tokens, now) if all_tokens else 0.0)
        if self.apart:
            wait = max(wait, self._next - now)
            self._next = now + wait + self.apart
        if wait > 0:
            await asyncio.sleep(wait)

    def _ready(self) -> tuple[Bucket | None, Bucket | None]:
        if self._buckets is None:
            now = asyncio.get_running_loop().time()
            requests, tokens = (Bucket(limit, now) if limit else None for limit in self._limits)
            self._buckets = requests, tokens
        return self._buckets
