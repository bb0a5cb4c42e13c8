"""Requests that are kept for a batch file instead of being sent."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from msgspec import Struct

from assay.llm.faults import LlmError
from assay.llm.protocol import ChatRequest, RetryInfo


class Waiting(Struct, frozen=True):
    """A request and the service it is for."""

    provider: str
    identity: str
    request: ChatRequest

    @property
    def service(self) -> tuple[str, str, str]:
        """A batch file is for one model of one service."""
        return self.provider, self.identity, self.request.model


class Outbox:
    """While it is open, a request without a known reply is put here by its address."""

    def __init__(self) -> None:
        self.waiting: dict[str, Waiting] | None = None

    @contextmanager
    def opened(self) -> Iterator[dict[str, Waiting]]:
        self.waiting = {}
        try:
            yield self.waiting
        finally:
            self.waiting = None

    def keep(self, address: str, waiting: Waiting) -> None:
        """Raises the fault of a request that has no reply yet, if the outbox is open."""
        if self.waiting is not None:
            self.waiting[address] = waiting
            where = f"{waiting.provider}/{waiting.request.model}"
            raise LlmError("kept for a batch file", where=where, kind="rejected", retry=RetryInfo())
