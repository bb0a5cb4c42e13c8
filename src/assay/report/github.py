"""What GitHub shows of a run: annotations (workflow commands) and the summary of a step, as text.

Nothing that comes from a corpus or a model can give the runner a command: values are escaped, and `harmless` takes the
power from lines that look like one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from assay.compare import Comparison
from assay.report.blocks import Column, Field, Item, Items, Report, Row, Section, Table, Tone
from assay.report.checks import Check, State, checks_of, comparison_checks
from assay.report.comparison import brief_section
from assay.report.markdown import to_markdown
from assay.report.outcomes import Outcome, outcomes_of
from assay.report.publish import Published
from assay.report.text import counted, one_line
from assay.report.verdict import comparison_verdict

LIMIT = 1024 * 1024
"""Bytes of a step's summary that GitHub accepts; more, and it shows none of it."""
SHOWN = 10
"""Annotations of a kind that GitHub shows of a step."""
WORST = 20
KINDS: dict[State, str] = {"failed": "error", "error": "error", "warning": "warning", "skipped": "notice"}
TONES: dict[State, Tone] = {"passed": "good", "failed": "bad", "error": "bad", "warning": "warn", "skipped": "plain"}
CUT = "*Cut: GitHub shows no more than 1 MiB. The whole is in the report.*\n"

_SPACE = "\u200b"
_COMMAND = re.compile(r"(?P<start>(?:\A|[\r\n])\s*)(?=::)")
"""Where the runner looks for a command: at the start of a line, behind any white space."""
_OLD_COMMAND = "##["
"""The older form, which it takes anywhere in a line."""


def harmless(text: str, *, json: bool = False) -> str:
    """Whole lines of output that the runner takes for nothing but text. JSON stays the same JSON."""
    safe = _COMMAND.sub(lambda found: found["start"] + _SPACE, text)
    return safe.replace(_OLD_COMMAND, "##\\u005b" if json else f"##{_SPACE}[")


class Annotation(Struct, frozen=True):
    """A line that GitHub shows beside the run: error, warning or notice."""

    kind: str
    title: str
    message: str

    @property
    def command(self) -> str:
        """`::error title=...::...`, one line whatever the texts hold."""
        return f"::{self.kind} title={_property(one_line(self.title))}::{_data(one_line(self.message))}"

    @property
    def plain(self) -> str:
        """For people, where nobody reads commands."""
        return f"{self.kind}: {one_line(self.title)}: {one_line(self.message)}"


def _data(text: str) -> str:
    escaped = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return escaped.replace(_OLD_COMMAND, f"##{_SPACE}[")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def annotations_of(checks: Iterable[Check]) -> list[Annotation]:
    """One for each check that did not simply pass; of each kind as many as are shown, the last one counts the rest."""
    by_kind: dict[str, list[Check]] = {}
    for check in checks:
        if check.state in KINDS:
            by_kind.setdefault(KINDS[check.state], []).append(check)
    return [each for kind, found in by_kind.items() for each in _of_kind(kind, found)]


def _of_kind(kind: str, checks: Sequence[Check]) -> list[Annotation]:
    shown = checks if len(checks) <= SHOWN else checks[: SHOWN - 1]
    found = [Annotation(kind, f"assay {check.group}: {check.name}", check.told or check.name) for check in shown]
    more = len(checks) - len(shown)
    return [*found, Annotation(kind, "assay", f"and {more} more; see the report")] if more else found


def step_summary(published: Published, room: int = LIMIT) -> str:
    """Verdict, three numbers, what changed, what fails, and the worst questions closed behind a click."""
    summary, verdict = published.summary, published.report.verdict
    changed = [brief_section("What changed", (published.comparison,))] if published.comparison else []
    sections = (*changed, Section("Gates and limits", (_checks(checks_of(published)),)))
    said = f": {verdict.word.lower()}" if verdict else ""
    title = f"Assay {summary['kind']}: {summary['corpus']['name']}{said}"
    report = Report(title, published.report.subtitle, sections, verdict)
    return fitting(report, [_item(outcome) for outcome in worst(published)], room)


def comparison_summary(comparison: Comparison, room: int = LIMIT) -> str:
    """The same of two runs side by side."""
    verdict = comparison_verdict(comparison)
    report = Report(
        f"Assay compare: {comparison.before} → {comparison.now}: {verdict.word.lower()}",
        f"{counted(comparison.common, 'question')} in common",
        (
            brief_section("What changed", (comparison,)),
            Section("Gates and limits", (_checks(comparison_checks(comparison)),)),
        ),
        verdict,
    )
    return fitting(report, (), room)


def _checks(checks: Sequence[Check]) -> Table:
    """Those that did not pass stand first."""
    ordered = sorted(checks, key=lambda check: check.state == "passed")
    rows = tuple(Row((check.group, check.name, check.state, check.told), TONES[check.state]) for check in ordered)
    return Table((Column("group"), Column("check"), Column("result"), Column("measured")), rows)


def worst(published: Published, count: int = WORST) -> list[Outcome]:
    """Cases without a result, those that got worse against the baseline, then the other failures; of one variant."""
    variant = (published.summary.get("decision") or {}).get("variant")
    flips = published.comparison.flips if published.comparison else ()
    lost = {flip.case_id for flip in flips if flip.now < flip.before}
    found = [
        outcome
        for outcome in outcomes_of(published.run)
        if outcome.result in ("failed", "error") and variant in (None, outcome.variant)
    ]
    return sorted(found, key=lambda outcome: (outcome.result != "error", outcome.case_id not in lost))[:count]


def _item(outcome: Outcome) -> Item:
    fields = (Field("why", outcome.reason), *(Field(name, text) for name, text in outcome.facts.items()))
    return Item(outcome.case_id, outcome.facts.get("question", outcome.reason), {}, fields, "bad")


def fitting(report: Report, items: Sequence[Item], room: int = LIMIT) -> str:
    """With as many questions as fit; what cannot fit is cut at a line, and the cut is told."""
    text = to_markdown(_with_items(report, items))
    if len(text.encode()) <= room:
        return text
    count, left = len(items), room - len(CUT) - 1
    while count and len(text.encode()) > left:
        count //= 2
        text = to_markdown(_with_items(report, items[:count]))
    if len(text.encode()) > left:
        text = text.encode()[: max(left, 0)].decode("utf-8", "ignore").rpartition("\n")[0] + "\n"
    return f"{text}\n{CUT}" if left > 0 else ""


def _with_items(report: Report, items: Sequence[Item]) -> Report:
    if not items:
        return report
    return replace(report, sections=(*report.sections, Section("Worst questions", (Items(tuple(items)),))))
