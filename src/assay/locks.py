"""One process at a time. A lock is the kernel's: it ends with its owner, however that ends; the file names it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from time import monotonic, sleep

from assay.errors import AssayError
from assay.files import unwritable

PATIENCE = 0.1
"""Seconds. Who only looks whether it is locked holds it for a moment, too."""

_held: set[FileIO] = set()


@contextmanager
def locked(path: Path, busy: str, where: Path) -> Iterator[None]:
    """While it lasts nobody else gets in: who tries is told that it is busy."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = _lock(path)
    except BlockingIOError:
        hint = "Try again when it is done"
        raise AssayError(f"{busy}{_owner(path)}", where=str(where), hint=hint) from None
    except OSError as fault:
        raise unwritable(where, fault) from None
    _held.add(file)
    owner = os.getpid()
    try:
        yield
    finally:
        if os.getpid() == owner:  # a fork that comes out here leaves its parent's lock alone
            path.unlink(missing_ok=True)
            _held.discard(file)
            _release(file)


def is_locked(path: Path) -> bool:
    """Whether its owner lives. The file alone does not say so: one that was killed leaves it behind."""
    import fcntl

    try:
        with path.open("rb", buffering=0) as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def _lock(path: Path) -> FileIO:
    """The locked file. One that its last owner removed while we opened it locks nothing: then once more."""
    deadline = monotonic() + PATIENCE
    while True:
        file = path.open("ab", buffering=0)
        try:
            if _is_ours(file, path):
                return file
        except BlockingIOError:
            file.close()
            if monotonic() > deadline:
                raise
            sleep(PATIENCE / 10)
        except OSError:
            file.close()
            raise
        file.close()


def _is_ours(file: FileIO, path: Path) -> bool:
    import fcntl

    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    if not path.exists() or not os.path.samestat(os.fstat(file.fileno()), path.stat()):
        return False
    file.truncate(0)
    file.write(str(os.getpid()).encode())
    return True


def _release(file: FileIO) -> None:
    """Said, and not left to the closing of the file: a process that was forked by other means than Python's has it."""
    import fcntl

    with file:
        fcntl.flock(file, fcntl.LOCK_UN)


def _let_go() -> None:
    """A process that a user's system forks lives on when the run is killed, and would hold its lock."""
    for file in _held:
        file.close()
    _held.clear()


os.register_at_fork(after_in_child=_let_go)


def _owner(path: Path) -> str:
    """As it has written there: it may just be about to."""
    with suppress(OSError):
        found = path.read_bytes()[:20]
        if found.isdigit():
            return f" (process {found.decode()})"
    return ""
