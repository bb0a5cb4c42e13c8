"""Retries with growing delays, for calls that fail now and then."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import overload

MAX_ATTEMPTS = 5
timeout: float = 2.5
_cache = {}  # type: ignore[var-annotated]


# How long to wait.
# Grows with every attempt.
def delay(attempt: int) -> float:
    """Seconds before the next attempt, with jitter."""

    def jitter() -> float:
        return random.random()

    return 2.0**attempt + jitter()


@overload
def parse(value: int) -> int: ...
@overload
def parse(value: str) -> str: ...
def parse(value: int | str) -> int | str:
    return value


class Policy:
    """When to give up."""

    class Fault(Exception):
        pass

    @property
    def limit(self) -> int:
        return self._limit

    @limit.setter
    def limit(self, value: int) -> None:
        self._limit = value

    @staticmethod
    async def wait(seconds: float) -> None:
        del seconds


if timeout:

    def when() -> str:
        return "on"
else:

    def when() -> str:
        return "off"


def retrying(call: Callable[[], object]) -> object:
    try:
        return call()
    except Policy.Fault:

        class Again:
            def once(self) -> object:
                return call()

        return Again().once()
