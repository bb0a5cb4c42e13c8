"""Replies that were paid for, in one SQLite file that any number of runs may share at once.

Replies are written by one thread, all that wait in one transaction. `put` comes back when its reply is in the file:
a process that is killed afterwards has lost nothing. Only a power cut can lose the last moments (WAL without a sync
for each transaction).
"""

from __future__ import annotations

import asyncio
import queue
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import msgspec
from msgspec import Struct

from assay.errors import AssayError, IncompleteRun
from assay.llm.fingerprint import Parts
from assay.llm.protocol import ChatReply

FILE_NAME = "replies.db"
_VERSION = 1
_PATIENCE = 30.0
"""Seconds to wait for another process that writes."""
_MOST_AT_ONCE = 200
"""Four values each, and an old SQLite takes 999 in one statement."""
_STATEMENTS = 8
"""Kept ready. There is one for each number of rows, and each takes up to 100 kB."""

_SCHEMA = f"""
CREATE TABLE IF NOT EXISTS replies (
    address TEXT PRIMARY KEY, label TEXT NOT NULL, request BLOB NOT NULL, reply BLOB NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS replies_by_label ON replies (label);
PRAGMA user_version = {_VERSION};
"""


class Entry(Struct, frozen=True):
    """A reply and what it answers to."""

    address: str
    label: str
    request: Parts
    reply: ChatReply


class _Waiting(Struct, frozen=True):
    entry: Entry
    loop: asyncio.AbstractEventLoop
    done: asyncio.Future[ChatReply]


class ReplyStore:
    """Use it from one event loop; another process may use the same file at the same time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._reader = self._open()
        self._queue: queue.SimpleQueue[_Waiting | None] = queue.SimpleQueue()
        self._writer: threading.Thread | None = None
        self._decode = msgspec.json.Decoder(ChatReply).decode
        self._encode = msgspec.json.Encoder(order="deterministic").encode

    def get(self, address: str) -> ChatReply | None:
        with _told(self.path):
            row = self._reader.execute("SELECT reply FROM replies WHERE address = ?", (address,)).fetchone()
            return self._decode(row[0]) if row else None

    async def put(self, entry: Entry) -> ChatReply:
        """The reply that stands: this one, or that of another process that was quicker."""
        loop = asyncio.get_running_loop()
        if self._writer is None:
            self._writer = threading.Thread(
                target=self._write_all, args=(self._open(),), name="assay-replies", daemon=True
            )
            self._writer.start()
        waiting = _Waiting(entry, loop, loop.create_future())
        self._queue.put(waiting)
        return await waiting.done

    def entries(self, addresses: Iterable[str] | None = None) -> Iterator[Entry]:
        """All of them, or those asked for and known; one at a time."""
        if addresses is None:
            yield from self._select("SELECT address, label, request, reply FROM replies")
            return
        for address in addresses:
            yield from self._select("SELECT address, label, request, reply FROM replies WHERE address = ?", address)

    def labelled(self, label: str) -> Iterator[Entry]:
        yield from self._select("SELECT address, label, request, reply FROM replies WHERE label = ?", label)

    def close(self) -> None:
        """What was put is written first."""
        if self._writer is not None:
            self._queue.put(None)
            self._writer.join()
            self._writer = None
        self._reader.close()

    def _select(self, query: str, *values: str) -> Iterator[Entry]:
        with _told(self.path):
            for address, label, request, reply in self._reader.execute(query, values):
                yield Entry(address, label, msgspec.json.decode(request, type=Parts), self._decode(reply))

    def _open(self) -> sqlite3.Connection:
        with _told(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(
                self.path,
                timeout=_PATIENCE,
                isolation_level=None,
                check_same_thread=False,
                cached_statements=_STATEMENTS,
            )
            try:
                _prepare(connection)
            except BaseException:
                connection.close()
                raise
            return connection

    def _write_all(self, connection: sqlite3.Connection) -> None:
        """The thread. A fault is handed to whoever waits; the next batch is tried anew."""
        with closing(connection):
            while batch := self._next_batch():
                self._write(connection, batch)

    def _next_batch(self) -> list[_Waiting]:
        """Everything that waits; empty when there will be no more. The end mark stays in the queue until then."""
        batch: list[_Waiting] = []
        while (not batch or not self._queue.empty()) and len(batch) < _MOST_AT_ONCE:
            item = self._queue.get()
            if item is None:
                if batch:
                    self._queue.put(None)
                break
            batch.append(item)
        return batch

    def _write(self, connection: sqlite3.Connection, batch: list[_Waiting]) -> None:
        try:
            with _told(self.path):
                replies = self._insert(connection, [waiting.entry for waiting in batch])
        except AssayError as fault:
            hint = "What was finished is kept. Make room there, or choose another place with paths.cache"
            _tell(batch, [IncompleteRun(fault.what, where=fault.where, hint=hint)] * len(batch))
            return
        _tell(batch, replies)

    def _insert(self, connection: sqlite3.Connection, entries: list[Entry]) -> list[ChatReply]:
        """In one statement, which is a transaction of its own: between two the event loop may take its turn, and this
        thread would wait for it each time."""
        row = "(?, ?, ?, ?)"
        values = [
            value
            for entry in entries
            for value in (entry.address, entry.label, self._encode(entry.request), self._encode(entry.reply))
        ]
        sql = f"INSERT OR IGNORE INTO replies VALUES {', '.join([row] * len(entries))}"  # noqa: S608
        if connection.execute(sql, values).rowcount == len(entries):
            return [entry.reply for entry in entries]
        return [self._standing(connection, entry.address) for entry in entries]

    def _standing(self, connection: sqlite3.Connection, address: str) -> ChatReply:
        row = connection.execute("SELECT reply FROM replies WHERE address = ?", (address,)).fetchone()
        return self._decode(row[0])


def _prepare(connection: sqlite3.Connection) -> None:
    """WAL lets others read while one writes. Two processes that switch to it at once do not wait by themselves."""
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            break
        except sqlite3.OperationalError as fault:
            if "locked" not in str(fault) or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
    connection.execute("PRAGMA synchronous = NORMAL")
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version not in {0, _VERSION}:
        raise sqlite3.DatabaseError(f"its version is {version}, not {_VERSION}")
    if version == 0:
        connection.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} COMMIT;")


class _told:  # noqa: N801 (used like a function)
    """Faults of SQLite and of the disk as one line that names the file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, _kind: object, fault: BaseException | None, _trace: object) -> None:
        if isinstance(fault, sqlite3.Error | OSError | msgspec.MsgspecError):
            raise AssayError(
                f"the reply cache cannot be used: {fault}",
                where=str(self.path),
                hint="Free the disk, delete the file (replies are asked for again), or set paths.cache in assay.yaml",
            ) from None


def _tell(batch: Sequence[_Waiting], outcomes: Sequence[ChatReply | AssayError]) -> None:
    """One message to the loop for all: each wakes it."""

    def settle() -> None:
        for waiting, outcome in zip(batch, outcomes, strict=True):
            if waiting.done.cancelled():
                continue
            if isinstance(outcome, AssayError):
                waiting.done.set_exception(outcome)
            else:
                waiting.done.set_result(outcome)

    loop = batch[0].loop
    if not loop.is_closed():
        loop.call_soon_threadsafe(settle)
