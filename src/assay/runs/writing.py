"""Who fills a run's folder: one process at a time, and a new folder in which nothing came to stand goes again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from shutil import rmtree

from assay.errors import AssayError, IncompleteRun, Unwritable
from assay.locks import is_locked, locked
from assay.runs import sessions
from assay.runs.folder import RunFolder

LOCK = ".lock"


def is_being_written(run: RunFolder) -> bool:
    """Whether some command fills it right now."""
    return is_locked(run.path / LOCK)


@contextmanager
def writing(run: RunFolder, *, new: bool) -> Iterator[None]:
    """Two that resume the same run would pay for every case twice: the second is refused.

    What ends a run for good (a wrong key, a wrong name) leaves no empty folder behind: it would be the `last` run, and
    there is nothing in it to go on with. Where something is kept, the line says how to go on.
    """
    with locked(run.path / LOCK, "another command is writing this run", run.path):
        try:
            yield
        except (IncompleteRun, Unwritable) as fault:
            raise run.resumable(fault) from None
        except AssayError as fault:
            if next(run.results.rows(), None) is not None:
                fault.hint = (
                    f"{(fault.hint or 'What was finished is kept').rstrip('.')}. Go on with: {run.resume_command}"
                )
            elif new and not any(session.spent for session in sessions.read(run.path)):
                rmtree(run.path, ignore_errors=True)
            raise
