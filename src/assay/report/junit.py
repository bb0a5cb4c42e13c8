"""A run as JUnit XML: what Jenkins, GitLab, Azure, Buildkite and others read and show.

A suite for each group of checks and for the cases of each variant. Failed blocking gates, regressions and failed cases
are failures, cases without a result are errors, what cannot be decided is skipped. All text may be hostile: characters
that XML cannot hold are shown by visible signs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Literal

from msgspec import Struct

from assay.report.checks import Check, checks_of
from assay.report.outcomes import Outcome, outcomes_of
from assay.report.publish import Published
from assay.report.text import one_line, visible

Result = Literal["passed", "failed", "error", "skipped"]
ELEMENTS: dict[Result, str] = {"failed": "failure", "error": "error", "skipped": "skipped"}


class Entry(Struct, frozen=True, kw_only=True):
    """One test case of the file."""

    name: str
    result: Result
    message: str = ""
    """In one line: why it did not pass, or what is worth knowing although it did."""
    body: str = ""
    seconds: float | None = None


class Suite(Struct, frozen=True, kw_only=True):
    """Tests under one name; `seconds` where they were measured together."""

    name: str
    tests: Sequence[Entry]
    timestamp: str | None = None
    seconds: float | None = None
    properties: Mapping[str, str] = {}

    def count(self, *results: Result) -> int:
        return sum(test.result in results for test in self.tests)

    @property
    def time(self) -> float | None:
        if self.seconds is not None:
            return self.seconds
        known = [test.seconds for test in self.tests if test.seconds is not None]
        return sum(known) if known else None


def junit_of(published: Published) -> Iterator[bytes]:
    """The whole file of a run, piece by piece."""
    return to_junit(f"assay {published.summary['kind']}", suites_of(published))


def suites_of(published: Published, *, named: bool = False) -> list[Suite]:
    """Checks, then cases; `named` with the corpus, where several stand in one file."""
    summary = published.summary
    prefix, timestamp = f"assay.{summary['kind']}", summary["created_date"][:19]
    if named:
        prefix = f"{prefix}.{summary['corpus']['name']}"
    about = {"run": summary["run_id"], "corpus": summary["corpus"]["name"], "exit_code": str(published.exit_code)}
    return [*check_suites(checks_of(published), prefix, timestamp, about), *_case_suites(published, prefix, timestamp)]


def check_suites(
    checks: Iterable[Check], prefix: str, timestamp: str | None = None, properties: Mapping[str, str] | None = None
) -> list[Suite]:
    """One for each group, in the order in which the groups come."""
    groups: dict[str, list[Entry]] = {}
    for check in checks:
        groups.setdefault(check.group, []).append(_of_check(check))
    return [
        Suite(name=f"{prefix}.{group}", tests=tests, timestamp=timestamp, properties=properties or {})
        for group, tests in groups.items()
    ]


def _case_suites(published: Published, prefix: str, timestamp: str) -> list[Suite]:
    by_variant: dict[str, list[Entry]] = {}
    for outcome in outcomes_of(published.run):
        by_variant.setdefault(outcome.variant, []).append(_of_outcome(outcome))
    search = published.summary["execution"].get("search") or {}
    return [
        Suite(
            name=f"{prefix}.cases.{variant}",
            tests=tests,
            timestamp=timestamp,
            seconds=(search.get(variant) or {}).get("seconds"),
        )
        for variant, tests in by_variant.items()
    ]


def _of_check(check: Check) -> Entry:
    if check.state == "warning":
        return Entry(name=check.name, result="passed", message=f"warning: {check.told}")
    return Entry(name=check.name, result=check.state, message=check.told)


def _of_outcome(outcome: Outcome) -> Entry:
    return Entry(
        name=outcome.case_id,
        result=outcome.result,
        message=outcome.reason,
        body="\n".join(f"{name}: {text}" for name, text in outcome.facts.items()),
        seconds=outcome.seconds,
    )


def to_junit(name: str, suites: Sequence[Suite]) -> Iterator[bytes]:
    """The file, piece by piece."""
    tests = sum(len(suite.tests) for suite in suites)
    failures, errors = (sum(suite.count(result) for suite in suites) for result in ("failed", "error"))
    head = _attributes(name=name, tests=str(tests), failures=str(failures), errors=str(errors))
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites{head}>\n'.encode()
    for suite in suites:
        yield from (piece.encode() for piece in _suite(suite))
    yield b"</testsuites>\n"


def _suite(suite: Suite) -> Iterator[str]:
    head = _attributes(
        name=suite.name,
        tests=str(len(suite.tests)),
        failures=str(suite.count("failed")),
        errors=str(suite.count("error")),
        skipped=str(suite.count("skipped")),
        time=_time(suite.time),
        timestamp=suite.timestamp,
    )
    yield f" <testsuite{head}>\n"
    if suite.properties:
        listed = (f"<property{_attributes(name=key, value=value)}/>" for key, value in suite.properties.items())
        yield f"  <properties>{''.join(listed)}</properties>\n"
    for test in suite.tests:
        yield f"  {_test(test, suite.name)}\n"
    yield " </testsuite>\n"


def _test(test: Entry, classname: str) -> str:
    head = f"<testcase{_attributes(name=test.name, classname=classname, time=_time(test.seconds))}"
    if test.result == "passed":
        told = "\n".join(filter(None, (test.message, test.body)))
        return f"{head}><system-out>{_escaped(told)}</system-out></testcase>" if told else f"{head}/>"
    element = ELEMENTS[test.result]
    message = _attributes(message=test.message, type=element)
    return f"{head}><{element}{message}>{_escaped(test.body)}</{element}></testcase>"


def _attributes(**values: str | None) -> str:
    return "".join(f' {name}="{escape(one_line(value))}"' for name, value in values.items() if value is not None)


def _escaped(text: str) -> str:
    return escape(visible(text), quote=False)


def _time(seconds: float | None) -> str | None:
    """Three decimals: what the common schema allows."""
    return None if seconds is None else f"{seconds:.3f}"
