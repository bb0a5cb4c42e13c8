"""What was computed once is kept as long as the files it came from stay the same."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

T = TypeVar("T")
Signature = tuple[tuple[int, int, int] | None, ...]
"""Inode, size and time of change of each file; None: not there."""


def signature(paths: Iterable[Path]) -> Signature:
    return tuple(_stat(path) for path in paths)


def _stat(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


class Memory:
    """The last few results by key; a result is computed once, however many ask for it at the same time."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: OrderedDict[Hashable, tuple[Signature, Any]] = OrderedDict()
        self._doors: dict[Hashable, Lock] = {}
        self._lock = Lock()

    def get(self, key: Hashable, files: Iterable[Path], make: Callable[[], T]) -> T:
        """The kept value, or that of `make` if one of the files has changed. What `make` raises is not kept."""
        with self._lock:
            door = self._doors.setdefault(key, Lock())
        with door:
            now = signature(files)
            kept = self._kept.get(key)
            if kept is not None and kept[0] == now:
                with self._lock:
                    self._kept.move_to_end(key)
                value: T = kept[1]
                return value
            made = make()
            with self._lock:
                self._kept[key] = (now, made)
                self._kept.move_to_end(key)
                while len(self._kept) > self._size:
                    old, _ = self._kept.popitem(last=False)
                    self._doors.pop(old, None)
            return made
