"""The tests that a settings file becomes: a gate, a limit, a regression, a case."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.config import load
from assay.errors import AssayError
from assay.report.checks import Check, checks_of
from assay.report.outcomes import Outcome, outcomes_of
from assay.report.publish import publish
from assay.report.text import one_line
from assay.runs.folder import RunFolder
from assay.testing.evaluations import evaluated

FAILED = ("failed", "error")


class Failed(Exception):
    """A check or a case that did not pass; its text is all there is to say."""


class SettingsFile(pytest.File):
    """Evaluates when it is collected, unless only the collection is wanted: which tests there are, a run tells."""

    def collect(self) -> Iterator[pytest.Item]:
        if self.config.getoption("collectonly"):
            yield Pending.from_parent(self, name="evaluation (not done with --collect-only)")
            return
        try:
            folders = evaluated(self.config, self.path)
            found = [each for folder in folders for each in self._tests(folder)]
        except AssayError as fault:
            raise self.CollectError(f"assay: {fault}") from None
        seen: Counter[str] = Counter()
        for name, told in found:
            seen[name] += 1
            unique = name if seen[name] == 1 else f"{name} #{seen[name]}"
            yield Told.from_parent(self, name=unique, told=told)

    def _tests(self, folder: Path) -> Iterator[tuple[str, Check | Outcome]]:
        run = RunFolder(folder)
        published = publish(run, load(self.path))
        kind = published.summary["kind"]
        for check in checks_of(published):
            yield one_line(f"{kind} {check.group}: {check.name}"), check
        if self.config.getoption("assay_cases"):
            for outcome in outcomes_of(run):
                yield one_line(f"{kind} case {outcome.variant}: {outcome.case_id}"), outcome


class Pending(pytest.Item):
    """Stands for the tests that an evaluation would make."""

    def runtest(self) -> None:
        """Never called: it is only collected."""

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        return self.path, None, self.name


class Told(pytest.Item):
    """One check or one case."""

    def __init__(self, *, told: Check | Outcome, **more: Any) -> None:
        super().__init__(**more)
        self.state = told.state if isinstance(told, Check) else told.result
        self.reason = one_line(told.told if isinstance(told, Check) else told.reason)
        self.facts = {} if isinstance(told, Check) else told.facts

    def runtest(self) -> None:
        if self.reason:
            self.user_properties.append((self.state, self.reason))
        if self.state in FAILED:
            facts = [f"{name}: {one_line(text)}" for name, text in self.facts.items()]
            raise Failed("\n".join([self.reason or self.name, *facts]))
        if self.state == "skipped":
            pytest.skip(self.reason)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        return str(excinfo.value) if isinstance(excinfo.value, Failed) else super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        """The space at the end keeps pytest from taking the name for a dotted one: `0.9` is no class."""
        return self.path, None, f"{self.name} "
