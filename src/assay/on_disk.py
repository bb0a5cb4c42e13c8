"""Things that stand on disk and are read when they are asked for: memory does not grow with their number."""

from __future__ import annotations

import weakref
from array import array
from collections.abc import Iterable, Sequence
from contextlib import suppress
from tempfile import SpooledTemporaryFile
from threading import Lock
from typing import Generic, TypeVar, overload

import msgspec

from assay.errors import AssayError

_IN_MEMORY = 1 << 18
"""Bytes: a small set needs no file."""

T = TypeVar("T")


class OnDisk(Sequence[T], Generic[T]):
    """In the order in which they are given. Its file has no name and is gone with the process."""

    def __init__(self, kind: type[T], items: Iterable[T], what: str) -> None:
        """`what` they are called where there is no room for them."""
        self._file = SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - open as long as this lives
        weakref.finalize(self, self._file.close)
        self._lock = Lock()
        self._decode = msgspec.msgpack.Decoder(kind).decode
        self._odd: dict[int, T] = {}
        """Those that MessagePack has no form for: with half a surrogate pair, or a number of more than 64 bits."""
        self._ends = array("q", [0])
        try:
            for place, item in enumerate(items):
                self._ends.append(self._ends[-1] + self._file.write(self._encoded(item, place)))
            self._file.flush()
        except OSError as fault:
            with suppress(OSError):  # what is left to be written fails once more
                self._file.close()
            hint = "Let TMPDIR name a folder with room"
            raise AssayError(f"no room for {what}: {fault.strerror}", hint=hint) from None

    def __len__(self) -> int:
        return len(self._ends) - 1

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[T, ...]: ...
    def __getitem__(self, at: int | slice) -> T | tuple[T, ...]:
        places = range(len(self))[at]
        return self._read(places) if isinstance(places, int) else tuple(map(self._read, places))

    def _encoded(self, item: T, place: int) -> bytes:
        try:
            return msgspec.msgpack.encode(item)
        except (UnicodeEncodeError, OverflowError):
            self._odd[place] = item
            return b""

    def _read(self, place: int) -> T:
        if place in self._odd:
            return self._odd[place]
        start, end = self._ends[place : place + 2]
        with self._lock:
            self._file.seek(start)
            data = self._file.read(end - start)
        return self._decode(data)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OnDisk) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]
