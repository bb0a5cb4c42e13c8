"""The Markdown report under a name of its own: `benchmark_YYYY-MM-DDTHH-MM-SS.md`."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from datetime import datetime
from itertools import count
from pathlib import Path

from assay.errors import AssayError


def write_benchmark(folder: Path, report: Path, now: datetime) -> Path:
    """Never over another one: in the same second it gets `_2`, `_3`, ... whoever else writes at the same time."""
    stem = f"benchmark_{now:%Y-%m-%dT%H-%M-%S}"
    temporary = folder / f".{stem}.{os.getpid()}.{os.urandom(4).hex()}.tmp"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(report, temporary)
        for number in count(1):
            path = folder / f"{stem}{'' if number == 1 else f'_{number}'}.md"
            with suppress(FileExistsError):
                path.hardlink_to(temporary)
                return path
    except OSError as fault:
        raise AssayError(f"cannot be written: {fault.strerror}", where=str(folder)) from None
    finally:
        temporary.unlink(missing_ok=True)
    raise AssertionError("unreachable")
