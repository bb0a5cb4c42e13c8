"""The questions of a run: filtered, sorted, and one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Any

from msgspec import Struct

from assay.runs.folder import RunFolder
from assay.viewer.choice import TAG, Choice, counted, ordered
from assay.viewer.labels import AnswerLabels
from assay.viewer.lines import Entry
from assay.viewer.outcome import Reasons
from assay.viewer.refusal import mistaken
from assay.viewer.visit import Visit

ORDERS: dict[str, Callable[[Entry], Any] | None] = {
    "order": None,
    "id": lambda entry: entry.case_id,
    "outcome": lambda entry: entry.outcome,
    "score": lambda entry: entry.score,
    "seconds": lambda entry: entry.seconds,
}
LABELLED = ("unlabelled", "labelled", "disagrees")
"""By the one who asks; `disagrees`: the label and the judge's verdict differ."""


_CALLED = {"extraction": "sample", "lanes": "case"}


def called(kind: str) -> str:
    """What is evaluated in a run of that kind."""
    return _CALLED.get(kind, "question")


class Questions(Struct, frozen=True, kw_only=True):
    """All that is needed to choose among the questions of a run."""

    entries: list[Entry]
    reasons: Reasons
    labels: AnswerLabels
    rater: str
    spoiled: int = 0

    @classmethod
    def of(cls, visit: Visit, run: RunFolder) -> Questions:
        lines = visit.desk.catalogue.lines(run)
        return cls(
            entries=lines.entries(),
            reasons=visit.desk.catalogue.reasons(run),
            labels=visit.desk.answer_labels(run),
            rater=visit.rater,
            spoiled=lines.spoiled,
        )

    def reasons_of(self, entry: Entry) -> tuple[str, ...]:
        return entry.reasons or self.reasons.get((entry.variant, entry.case_id), ())

    def label_of(self, entry: Entry) -> str | None:
        """The verdict of the one who asks; `graded` where there are only grades."""
        label = self.labels.get(entry.case_id, {}).get(self.rater)
        if label is None or label.human is None:
            return None
        return label.human.verdict or "graded"

    def chosen(self, choice: Choice) -> list[Entry]:
        """Those that fit every filter and hold every word, in the asked order."""
        tests = [
            self._test(name, value)
            for name, value in choice.filters.items()
            if name in _FILTERS or name.startswith(TAG)
        ]
        if choice.words:
            words = choice.words
            tests.append(lambda entry: all(word in entry.text for word in words))
        found = [entry for entry in self.entries if all(test(entry) for test in tests)]
        return ordered(found, ORDERS[choice.sort], descending=choice.descending)

    def _test(self, name: str, value: str) -> Callable[[Entry], bool]:
        if name.startswith(TAG):
            key = name.removeprefix(TAG)
            return lambda entry: entry.tags.get(key) == value
        if name == "outcome":
            return lambda entry: entry.outcome == value
        if name == "variant":
            return lambda entry: entry.variant == value
        if name == "reason":
            return lambda entry: value in self.reasons_of(entry)
        return self._label_test(value)

    def _label_test(self, value: str) -> Callable[[Entry], bool]:
        if value == "unlabelled":
            return lambda entry: self.label_of(entry) is None
        if value == "labelled":
            return lambda entry: self.label_of(entry) is not None
        if value == "disagrees":
            return lambda entry: self.label_of(entry) not in (None, "graded", entry.outcome)
        raise mistaken(f"label is '{value}'; expected one of {', '.join(LABELLED)}")

    def choices(self) -> dict[str, dict[str, int]]:
        """For each filter its values with their counts, over the whole run."""
        entries = self.entries
        tags = dict.fromkeys(name for entry in entries for name in entry.tags)
        return {
            "outcome": counted(entry.outcome for entry in entries),
            "variant": counted(entry.variant for entry in entries),
            "reason": counted(reason for entry in entries for reason in self.reasons_of(entry)),
            **{f"{TAG}{name}": counted(e.tags[name] for e in entries if name in e.tags) for name in tags},
        }

    def queue(self) -> list[Entry]:
        """What the one who asks has not labelled, in an order of chance that is always the same: whenever a person
        stops, what is labelled is a random sample, as the check of a judge needs it."""
        return sorted(self._waiting(), key=lambda entry: chance(entry.case_id))

    def waiting(self) -> int:
        """How many are in the queue."""
        return sum(1 for _ in self._waiting())

    def _waiting(self) -> Iterator[Entry]:
        return (entry for entry in self.entries if entry.outcome != "error" and self.label_of(entry) is None)


_FILTERS = ("outcome", "variant", "reason", "label")


def chance(id_: str) -> str:
    return sha256(id_.encode("utf-8", "backslashreplace")).hexdigest()


def around(found: list[Entry], entry: Entry) -> tuple[Entry | None, Entry | None, int | None]:
    """The one before, the one behind and the place, from 1. One that is no longer among them stands where it was."""
    place = next((place for place, each in enumerate(found) if each.number == entry.number), None)
    if place is None:
        before = [each for each in found if each.number < entry.number]
        behind = [each for each in found if each.number > entry.number]
        return (before[-1] if before else None), (behind[0] if behind else None), None
    return (found[place - 1] if place else None), (found[place + 1] if place + 1 < len(found) else None), place + 1


def listed(entries: Iterable[Entry], questions: Questions) -> list[dict[str, Any]]:
    """The lines of a list, for its JSON twin."""
    return [
        {
            "id": entry.case_id,
            "variant": entry.variant,
            "question": entry.title,
            "outcome": entry.outcome,
            "reasons": list(questions.reasons_of(entry)),
            "score": entry.score,
            "seconds": entry.seconds,
            "tags": entry.tags,
            "label": questions.label_of(entry),
        }
        for entry in entries
    ]


def filters_of(query: Mapping[str, str]) -> dict[str, str]:
    """The part of a query that leads back to the same list."""
    return {name: value for name, value in query.items() if value and name not in {"id", "queue", "blind"}}
