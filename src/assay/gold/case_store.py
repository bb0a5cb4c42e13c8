"""Cases that stand on disk and are read when they are asked for: memory does not grow with their number."""

from __future__ import annotations

import weakref
from array import array
from collections.abc import Iterable, Sequence
from contextlib import suppress
from tempfile import SpooledTemporaryFile
from threading import Lock
from typing import overload

import msgspec

from assay.errors import AssayError
from assay.records import Case

_IN_MEMORY = 1 << 18
"""Bytes: a small set needs no file."""


class CaseStore(Sequence[Case]):
    """Sorted by id. Its file has no name and is gone with the process."""

    def __init__(self, cases: Iterable[Case]) -> None:
        self._file = SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - open as long as this lives
        weakref.finalize(self, self._file.close)
        self._lock = Lock()
        self._decode = msgspec.msgpack.Decoder(Case).decode
        self._odd: dict[int, Case] = {}
        """Those that MessagePack has no form for: with half a surrogate pair, or a page of more than 64 bits."""
        ids, ends = [], array("q", [0])
        try:
            for place, case in enumerate(cases):
                ids.append(case.id)
                ends.append(ends[-1] + self._file.write(self._encoded(case, place)))
            self._file.flush()
        except OSError as fault:
            with suppress(OSError):  # what is left to be written fails once more
                self._file.close()
            hint = "Let TMPDIR name a folder with room"
            raise AssayError(f"no room for the questions: {fault.strerror}", hint=hint) from None
        self._ends = ends
        self._order = array("q", sorted(range(len(ids)), key=ids.__getitem__))

    def __len__(self) -> int:
        return len(self._order)

    @overload
    def __getitem__(self, at: int) -> Case: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Case, ...]: ...
    def __getitem__(self, at: int | slice) -> Case | tuple[Case, ...]:
        if isinstance(at, slice):
            return tuple(map(self._read, self._order[at]))
        return self._read(self._order[at])

    def _encoded(self, case: Case, place: int) -> bytes:
        try:
            return msgspec.msgpack.encode(case)
        except (UnicodeEncodeError, OverflowError):
            self._odd[place] = case
            return b""

    def _read(self, place: int) -> Case:
        if place in self._odd:
            return self._odd[place]
        start, end = self._ends[place : place + 2]
        with self._lock:
            self._file.seek(start)
            data = self._file.read(end - start)
        return self._decode(data)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CaseStore) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]
