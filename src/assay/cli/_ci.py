"""`--ci`, one implementation for every command that evaluates: JUnit, GitHub's step summary and annotations.

Nothing is asked, lines are plain, and text that looks like a command to GitHub's runner is printed without its power.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    import argparse

    from assay.compare import Comparison
    from assay.errors import AssayError
    from assay.gold.verify import Verification
    from assay.report.blocks import Report
    from assay.report.checks import Check
    from assay.report.github import Annotation
    from assay.report.publish import Published

JUNIT = "assay-junit.xml"
SUMMARY = "GITHUB_STEP_SUMMARY"


def add_ci_arguments(parser: argparse.ArgumentParser, place: str = "the run's folder") -> None:
    group = parser.add_argument_group("in a pipeline")
    group.add_argument(
        "--ci", action="store_true", help="JUnit XML, GitHub step summary and annotations; plain lines, no questions"
    )
    group.add_argument(
        "--junit", metavar="FILE", type=Path, help=f"write JUnit XML there (with --ci: else {JUNIT} in {place})"
    )


@contextmanager
def tell_pipeline(done: Sequence[Published], arguments: argparse.Namespace) -> Iterator[None]:
    """Around what is printed: the files before it, because whoever reads may stop reading; annotations behind it."""
    from assay.report.checks import checks_of
    from assay.report.github import annotations_of, step_summary
    from assay.report.junit import junit_of, suites_of, to_junit

    if arguments.junit:
        several = len(done) > 1
        suites = [suite for published in done for suite in suites_of(published, named=several)]
        _write(arguments.junit, to_junit("assay", suites), arguments)
    elif arguments.ci:
        for published in done:
            _write(published.run.path / JUNIT, junit_of(published), arguments)
    if arguments.ci:
        for published in done:
            _summarise(step_summary(published, _room()))
    yield
    if arguments.ci:
        _annotate(annotations_of(check for published in done for check in checks_of(published)))


def tell_pipeline_of(comparison: Comparison, arguments: argparse.Namespace) -> AbstractContextManager[None]:
    """The same of two runs side by side."""
    from assay.report.checks import comparison_checks
    from assay.report.github import comparison_summary

    summary = partial(comparison_summary, comparison)
    return _tell_checks("compare", comparison_checks(comparison), summary, arguments)


def tell_pipeline_of_gates(
    found: Verification, report: Report, arguments: argparse.Namespace
) -> AbstractContextManager[None]:
    """The same of the gates of a gold set."""
    from assay.report.gold_checks import verification_checks, verification_summary

    summary = partial(verification_summary, report)
    return _tell_checks("gold", verification_checks(found), summary, arguments)


@contextmanager
def _tell_checks(
    name: str, checks: Sequence[Check], summary: Callable[[int], str], arguments: argparse.Namespace
) -> Iterator[None]:
    """There is no folder of a run, so the file stands here. `summary`: in that many bytes."""
    from assay.report.github import annotations_of
    from assay.report.junit import check_suites, to_junit

    if arguments.junit or arguments.ci:
        suites = check_suites(checks, f"assay.{name}")
        _write(arguments.junit or Path(JUNIT), to_junit(f"assay {name}", suites), arguments)
    if arguments.ci:
        _summarise(summary(_room()))
    yield
    if arguments.ci:
        _annotate(annotations_of(checks))


def tell_fault(fault: AssayError) -> None:
    """Why there is no result, where people look first."""
    from assay.report.github import Annotation

    if os.environ.get("GITHUB_ACTIONS") == "true":
        _annotate([Annotation("error", "assay", str(fault))])


def _write(path: Path, pieces: Iterable[bytes], arguments: argparse.Namespace) -> None:
    from assay.cli._notes import note
    from assay.files import write_atomic

    write_atomic(path, pieces)
    note(f"junit {path}", arguments)


def _room() -> int:
    """Bytes that are left of what GitHub shows of a step, which may have written something before."""
    from assay.report.github import LIMIT

    path = Path(os.environ.get(SUMMARY) or os.devnull)
    return LIMIT - (path.stat().st_size if path.is_file() else 0)


def _summarise(text: str) -> None:
    if os.environ.get(SUMMARY):
        with Path(os.environ[SUMMARY]).open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)


def _annotate(found: Iterable[Annotation]) -> None:
    """Behind everything that was printed before: commands to GitHub's runner, or else the same in plain words."""
    if os.environ.get("GITHUB_ACTIONS") != "true":
        for each in found:
            print(each.plain, file=sys.stderr)
        return
    sys.stdout.flush()
    stream = sys.stdout.stream if isinstance(sys.stdout, Harmless) else sys.stdout
    stream.writelines(f"{each.command}\n" for each in found)
    stream.flush()


class Harmless:
    """A stream of whole lines in which no text is a command to the runner. It is no terminal."""

    def __init__(self, stream: TextIO, *, json: bool) -> None:
        self.stream, self._json, self._begun = stream, json, ""

    def write(self, text: str) -> int:
        whole, end, self._begun = (self._begun + text).rpartition("\n")
        if end:
            self._put(whole + end)
        return len(text)

    def _put(self, text: str) -> None:
        from assay.report.github import harmless

        self.stream.write(harmless(text, json=self._json))

    def close_line(self) -> None:
        """What was printed without an end of line."""
        if self._begun:
            self._put(self._begun)
            self._begun = ""
        self.stream.flush()

    def isatty(self) -> bool:
        return False

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


@contextmanager
def guarded(words: Sequence[str]) -> Iterator[None]:
    """While it lasts, what is printed cannot speak to the runner."""
    old = sys.stdout, sys.stderr
    out = Harmless(old[0], json="--json" in words)
    err = Harmless(old[1], json=False)
    sys.stdout, sys.stderr = out, err
    try:
        yield
    finally:
        sys.stdout, sys.stderr = old
        out.close_line()
        err.close_line()
