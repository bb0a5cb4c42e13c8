"""Recordings: replies in a text file that can be read, reviewed, committed, and replayed without key or network."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from assay.errors import AssayError
from assay.files import read_text, write_atomic
from assay.llm.protocol import ChatReply
from assay.llm.store import Entry


def write_recording(path: Path, entries: Iterable[Entry]) -> int:
    """One line for each reply, sorted by label, then address: the same replies are the same bytes."""
    encode = msgspec.json.Encoder(order="deterministic").encode
    lines = sorted((entry.label, entry.address, encode(entry)) for entry in entries)
    write_atomic(path, b"".join(line + b"\n" for _, _, line in lines))
    return len(lines)


class Recording:
    """A recording in memory. Read-only."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._entries = dict(_read(path))

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, address: str) -> ChatReply | None:
        entry = self._entries.get(address)
        return entry.reply if entry else None

    def entries(self) -> Iterator[Entry]:
        yield from self._entries.values()

    def labelled(self, label: str) -> Iterator[Entry]:
        return (entry for entry in self._entries.values() if entry.label == label)


def _read(path: Path) -> Iterator[tuple[str, Entry]]:
    """Each entry must be what its address says: an edited request would answer to another one."""
    decode = msgspec.json.Decoder(Entry).decode
    seen: dict[str, int] = {}
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        try:
            entry = decode(line)
        except msgspec.MsgspecError as fault:
            raise AssayError(f"not a recorded reply: {fault}", where=where) from None
        if entry.request.address != entry.address:
            raise AssayError("the request was changed after it was recorded", where=where, hint="Record it again")
        if seen.setdefault(entry.address, number) != number:
            raise AssayError(f"the same request is in line {seen[entry.address]}", where=where)
        yield entry.address, entry
