"""Faults a user can mend: one line that says what, where, what was expected and what to do next."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_CONTROL = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160))} | {ord("\t"): " "}
"""Names and values in a message come from files: they must not move the cursor of the terminal they are shown on."""


MOST_LISTED = 40
"""Names in one message; there are fewer options and settings, but more files."""
_HARDLY = 0.1
"""Of likeness, from 0 to 1."""


class AssayError(Exception):
    """A user's mistake or a fault of the surroundings. Printed as one line, never with a traceback."""

    exit_code = 2

    def __init__(
        self, what: str, *, where: str | None = None, expected: str | None = None, hint: str | None = None
    ) -> None:
        self.what, self.where, self.expected, self.hint = what, where, expected, hint
        super().__init__(str(self))

    def __str__(self) -> str:
        line = f"{self.where}: {self.what}" if self.where else self.what
        line = f"{line}; expected {self.expected}" if self.expected else line
        line = f"{line.rstrip('.')}. {self.hint}" if self.hint else line
        return " ".join(line.splitlines()).translate(_CONTROL)


class IncompleteRun(AssayError):
    """The run stopped before every case was evaluated; what was done is kept and can be resumed."""

    exit_code = 3


class Unwritable(AssayError):
    """A file cannot be written: no room, no right."""


class MissingExtra(AssayError):
    """An optional package is needed."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        self.package = package
        super().__init__(
            f"{purpose} needs the package '{package}'", hint=f"Install it with: pip install 'assay[{extra}]'"
        )


def unknown_name(kind: str, name: str, known: Iterable[str], where: str | None = None) -> AssayError:
    """The error for a name nobody knows, offering the nearest ones."""
    return AssayError(f"unknown {kind} '{name}'", where=where, hint=offer(name, known))


def offer(name: str, known: Iterable[str]) -> str:
    """The nearest known names as a question; all of them, as far as they can be read, if none is near."""
    names = sorted(known)
    near = nearest(name, names)
    if near:
        return f"Did you mean {' or '.join(near)}?"
    return f"Known: {listed(names)}" if names else "None is known"


def listed(names: Sequence[str]) -> str:
    """As many as a person reads; an index has thousands of files."""
    more = len(names) - MOST_LISTED
    return ", ".join(names[:MOST_LISTED]) + (f", ... and {more} more" if more > 0 else "")


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """At most three known names that look like the given one, upper and lower case alike: the nearest, and what is
    hardly farther. The dashes of options are no likeness."""
    from difflib import SequenceMatcher, get_close_matches

    given, by_word = _word(name), {_word(each): each for each in known}
    found = get_close_matches(given, list(by_word), n=3, cutoff=0.6)
    likeness = [SequenceMatcher(None, match, given).ratio() for match in found]
    return [by_word[match] for match, ratio in zip(found, likeness, strict=True) if ratio >= likeness[0] - _HARDLY]


def _word(name: str) -> str:
    return name.lower().lstrip("-")
