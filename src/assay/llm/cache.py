"""A request whose reply is known is not sent: from the cache, from a recording, or from a call already under way."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import chain
from typing import Literal

import msgspec
from msgspec import Struct, field

from assay.errors import AssayError
from assay.llm.faults import MissingReply
from assay.llm.fingerprint import Parts, differences, parts_of
from assay.llm.outbox import Outbox, Waiting
from assay.llm.protocol import ChatReply, ChatRequest, Llm, Source
from assay.llm.recording import Recording
from assay.llm.store import Entry, ReplyStore

Mode = Literal["record", "replay", "off"]


class Memory(Struct, frozen=True, kw_only=True):
    """Where replies are kept, and what may be done with them."""

    mode: Mode = "record"
    store: ReplyStore | None = None
    recording: Recording | None = None
    outbox: Outbox = field(default_factory=Outbox)
    used: set[str] | None = None
    """Addresses of every reply given, where a recording of exactly this run is wanted."""

    def knows(self, provider: str, identity: str, model: str) -> bool:
        """Whether there is any reply of that model."""
        entries = chain.from_iterable(place.entries() for place in (self.recording, self.store) if place is not None)
        asked = (entry.request for entry in entries)
        return any((one.provider, one.identity, one.model) == (provider, identity, model) for one in asked)


class Cached:
    """A model behind its memory. Two equal requests at once make one call; faults are never kept."""

    def __init__(self, inner: Llm, memory: Memory, provider: str, identity: str) -> None:
        self._inner, self._memory = inner, memory
        self._provider, self._identity = provider, identity
        self._flights: dict[str, asyncio.Future[ChatReply]] = {}

    async def complete(self, request: ChatRequest) -> ChatReply:
        if self._memory.mode == "off":
            return await self._inner.complete(request)
        parts = parts_of(self._provider, self._identity, request)
        address = parts.address
        reply = await self._known(address)
        if reply is None:
            reply = await self._ask(request, parts, address)
        if self._memory.used is not None:
            self._memory.used.add(address)
        return reply

    async def _known(self, address: str) -> ChatReply | None:
        """From memory, or from the same request under way. If that is cancelled, one of those who wait asks."""
        while flight := self._flights.get(address):
            try:
                return msgspec.structs.replace(await asyncio.shield(flight), source="cache")
            except asyncio.CancelledError:
                task = asyncio.current_task()
                if not flight.cancelled() or (task and task.cancelling()):
                    raise
        return self.find(address)

    def find(self, address: str) -> ChatReply | None:
        places: tuple[tuple[Recording | ReplyStore | None, Source], ...] = (
            (self._memory.recording, "recording"),
            (self._memory.store, "cache"),
        )
        for place, source in places:
            reply = place.get(address) if place is not None else None
            if reply is not None:
                return msgspec.structs.replace(reply, source=source)
        return None

    async def _ask(self, request: ChatRequest, parts: Parts, address: str) -> ChatReply:
        if self._memory.mode == "replay":
            raise self._missing(request, parts, address)
        self._memory.outbox.keep(address, Waiting(self._provider, self._identity, request))
        flight = self._flights[address] = asyncio.get_running_loop().create_future()
        try:
            reply = await self._inner.complete(request)
            if self._memory.store is not None:
                reply = await self._memory.store.put(Entry(address, request.label, parts, reply))
            flight.set_result(reply)
            return reply
        except AssayError as fault:
            flight.set_exception(fault)
            flight.exception()  # nobody may be waiting for it
            raise
        finally:
            del self._flights[address]
            flight.cancel()

    def _missing(self, request: ChatRequest, parts: Parts, address: str) -> MissingReply:
        """Which input changed: against the recorded request of the same label, else against the nearest."""
        places = [place for place in (self._memory.recording, self._memory.store) if place is not None]
        where = str(places[0].path) if places else None
        name = f" of '{request.label}'" if request.label else ""
        what = f"no recorded reply to request {address[:16]}…{name}"
        same_label = chain.from_iterable(place.labelled(request.label) for place in places) if request.label else ()
        old = _nearest(iter(same_label), parts) or _nearest(
            chain.from_iterable(place.entries() for place in places), parts
        )
        if old is not None:
            what += f"; compared with {old.address[:16]}…{f' ({old.label})' if old.label else ''}: "
            what += ", ".join(differences(old.request, parts))
        return MissingReply(what, where=where, hint="Record again with cache: record, or restore the input")


def _nearest(entries: Iterator[Entry], parts: Parts) -> Entry | None:
    """The entry that differs in the fewest inputs; the first of those by address."""
    return min(entries, key=lambda entry: (len(differences(entry.request, parts)), entry.address), default=None)
