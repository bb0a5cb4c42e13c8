"""Progress on stderr: bars on a terminal, plain lines elsewhere, nothing when quiet. stdout stays clean."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, redirect_stdout
from time import monotonic
from typing import TYPE_CHECKING, Any

from assay.records import Progress, Step
from assay.report.text import clip, counted, one_line

if TYPE_CHECKING:
    from rich.progress import ProgressColumn, Task, TaskID

Line = Callable[[Step], str | None]
"""What is worth a line of its own, if anything."""
EVERY = 5.0
"""Seconds from one plain line to the next."""
NAME_ROOM = 24


@contextmanager
def progress_to(*, quiet: bool, line: Line | None = None) -> Iterator[Progress]:
    """Whoever works tells each step; `line` says what of it is kept on the screen."""
    with clean_stdout():
        if quiet:
            yield lambda _: None
        elif is_screen():
            with _bars(line) as progress:
                yield progress
        else:
            yield _lines(line)


def clean_stdout() -> AbstractContextManager[Any]:
    """Around a system of the user's own: what it prints goes to stderr, for stdout is the result's."""
    return redirect_stdout(sys.stderr)


def is_screen() -> bool:
    """A terminal on which something can be drawn over."""
    return sys.stderr.isatty() and os.environ.get("TERM", "") not in ("dumb", "unknown")


class Pace:
    """Steps a second, for each thing that is done, from its first report on: what was done before does not count."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._first: dict[str, tuple[float, int]] = {}

    def rate(self, step: Step) -> float | None:
        now = self._clock()
        start, done = self._first.setdefault(step.what, (now, step.done))
        return (step.done - done) / (now - start) if now > start and step.done > done else None


def told(step: Step, rate: float | None) -> str:
    """`3.2/s · ETA 0:09 · $0.0123 · 2 errors`, as far as it is known."""
    parts = []
    if rate:
        parts.append(f"{rate:.1f}/s" if rate < 100 else f"{rate:.0f}/s")
        if step.done < step.total:
            parts.append(f"ETA {duration((step.total - step.done) / rate)}")
    if step.spent:
        parts.append(f"${step.spent:.4f}")
    if step.errors:
        parts.append(counted(step.errors, "error"))
    return " · ".join(parts)


def duration(seconds: float) -> str:
    """`0:09`, `12:30`, `3:07:00`."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


@contextmanager
def _bars(line: Line | None) -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import Progress as Bars
    from rich.text import Text

    pace = Pace()
    console = Console(stderr=True)
    with Bars(*_columns(console.width), console=console) as bars:
        tasks: dict[str, TaskID] = {}

        def show(step: Step) -> None:
            name = clip(one_line(step.what), NAME_ROOM)
            if step.what not in tasks:
                tasks[step.what] = bars.add_task(name, total=step.total, told="", errors=0)
            bars.update(tasks[step.what], completed=step.done, told=told(step, pace.rate(step)), errors=step.errors)
            kept = line(step) if line else None
            if kept:
                bars.console.print(Text(kept), soft_wrap=True)

        yield show


def _columns(width: int) -> list[ProgressColumn]:
    """What fits: a narrow terminal has no room for the bar, which says least."""
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.text import Text

    class Told(TextColumn):
        def render(self, task: Task) -> Text:
            return Text(str(task.fields["told"]), style="yellow" if task.fields["errors"] else "")

    columns: list[Any] = [TextColumn("{task.description}", markup=False), MofNCompleteColumn(), Told("")]
    return columns if width < 60 else [columns[0], BarColumn(bar_width=min(40, width // 4)), *columns[1:]]


def _lines(line: Line | None) -> Progress:
    """A line when a stage ends, and one at most every few seconds in between; or those that are asked for."""
    pace, last = Pace(), monotonic()

    def show(step: Step) -> None:
        nonlocal last
        rate, kept = pace.rate(step), line(step) if line else None
        if kept is None and (step.done == step.total or monotonic() - last >= EVERY):
            last = monotonic()
            how = told(step, rate)
            kept = f"[{step.done}/{step.total}] {one_line(step.what)}" + (f" · {how}" if how else "")
        if kept:
            print(kept, file=sys.stderr, flush=True)

    return show
