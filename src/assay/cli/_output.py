"""What commands share: progress on stderr, JSON on stdout, lists on the command line."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any

from assay.errors import AssayError

if TYPE_CHECKING:
    import argparse

    from assay.config import Config
    from assay.report.blocks import Report
    from assay.report.publish import Published

Progress = Callable[[str, int, int], None]


def words(text: str | None) -> tuple[str, ...] | None:
    """`a,b` as ('a', 'b')."""
    return None if text is None else tuple(word.strip() for word in text.split(",") if word.strip())


def numbers(text: str | None, option: str) -> tuple[int, ...] | None:
    """`1,3,5` as (1, 3, 5)."""
    found = words(text)
    if found is None:
        return None
    if not found or not all(word.isascii() and word.isdigit() and int(word) > 0 for word in found):
        raise AssayError(f"{option} is '{text}'", expected="whole numbers from 1 on, as in 1,3,5")
    return tuple(int(word) for word in found)


def print_json(value: Any) -> None:
    from assay.files import dump_json

    print(dump_json(value, indent=2))


def told(done: Exception, arguments: argparse.Namespace) -> int:
    """A batch file instead of a run."""
    if arguments.json:
        print_json({"written": str(arguments.batch_out), "told": str(done)})
    else:
        print(done)
    return 0


def show(report: Report, *, whole: bool = False, stderr: bool = False) -> None:
    """On the terminal; details are left to the files unless the whole is asked for."""
    from msgspec.structs import replace
    from rich.console import Console

    from assay.report.console import print_report

    kept = tuple(section for section in report.sections if whole or not section.detail)
    print_report(replace(report, sections=kept), Console(stderr=stderr))


def finish(published: Published, config: Config, arguments: argparse.Namespace, *, one_of_many: bool = False) -> None:
    """What every evaluation ends with: the summary on stdout, where the report is, a baseline if asked for.

    The JSON of one of many, and what a pipeline is told, is left to the caller: it is one document for all.
    """
    from assay.cli._ci import tell_pipeline
    from assay.cli._notes import note

    folder = published.run
    if arguments.json:
        if not one_of_many:
            print_json(published.as_data())
    else:
        show(published.report)
        print(f"\n{folder.path}/report.html")
    if arguments.update_baseline:
        from datetime import UTC, datetime

        from assay.runs.baselines import promote

        baseline = promote(folder, config.path("baselines"), today=datetime.now(UTC).date(), force=arguments.force)
        note(f"baseline {baseline.path}", arguments)
    if not one_of_many:
        tell_pipeline([published], arguments)


@contextmanager
def progress_to(*, quiet: bool) -> Iterator[Progress]:
    """A bar on a terminal, a plain line now and then elsewhere, nothing when quiet. stdout stays clean."""
    if quiet:
        yield lambda _what, _done, _total: None
    elif sys.stderr.isatty():
        with _bars() as progress:
            yield progress
    else:
        yield _lines()


@contextmanager
def _bars() -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as bars:
        tasks: dict[str, TaskID] = {}

        def show(what: str, done: int, total: int) -> None:
            task = tasks[what] if what in tasks else tasks.setdefault(what, bars.add_task(what, total=total))
            bars.update(task, completed=done)

        yield show


def _lines(every: float = 5.0) -> Progress:
    """A line when a stage ends, and one at most every few seconds in between."""
    last = monotonic()

    def show(what: str, done: int, total: int) -> None:
        nonlocal last
        if done == total or monotonic() - last >= every:
            last = monotonic()
            print(f"[{done}/{total}] {what}", file=sys.stderr, flush=True)

    return show
