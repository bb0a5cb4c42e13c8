"""An extractor as the engine runs it: one sample at a time, with a pause between calls if one is wanted.

Where answers are at hand, many samples are taken at once, so that they are matched and scored together."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from time import perf_counter

from msgspec.structs import replace

from assay.extraction.protocol import Extractor, Output, Sample


class Pace:
    """Calls begin at least so many seconds apart, however many workers there are."""

    def __init__(self, delay: float) -> None:
        self._delay, self._next = delay, 0.0

    async def turn(self) -> None:
        if not self._delay:
            return
        now = asyncio.get_running_loop().time()
        at = max(now, self._next)
        self._next = at + self._delay
        if at > now:
            await asyncio.sleep(at - now)


MOST, STEPS = 512, 100
"""Samples taken at once where answers are at hand; and in how many steps at least, for those who watch."""


class Subject:
    """What is under test. An extractor may say that it `tells_seconds` (those of its calls, without waits), that it
    `paces_itself` (or calls nobody), and that its answers are `at_hand`."""

    def __init__(self, extractor: Extractor, delay: float = 0.0, samples: int = 1) -> None:
        self.extractor, self.name = extractor, extractor.name
        self.batch_size = min(MOST, max(1, samples // STEPS)) if getattr(extractor, "at_hand", False) else 1
        self._pace = Pace(0.0 if getattr(extractor, "paces_itself", False) else delay)

    async def answer(self, cases: Sequence[Sample]) -> Sequence[Output]:
        return [await self._one(sample) for sample in cases]

    async def _one(self, sample: Sample) -> Output:
        await self._pace.turn()
        start = perf_counter()
        output = await self.extractor.extract(sample)
        if output.seconds is not None or getattr(self.extractor, "tells_seconds", False):
            return output  # where it tells none, as of a recorded answer or a failed call, nobody knows
        return replace(output, seconds=perf_counter() - start)
