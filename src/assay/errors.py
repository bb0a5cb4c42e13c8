"""Faults a user can mend: one line that says what, where, what was expected and what to do next."""

from __future__ import annotations

from collections.abc import Iterable


class AssayError(Exception):
    """A user's mistake or a fault of the surroundings. Printed as one line, never with a traceback."""

    exit_code = 2

    def __init__(self, what: str, *, where: str | None = None, expected: str | None = None, hint: str | None = None):
        self.what, self.where, self.expected, self.hint = what, where, expected, hint
        super().__init__(str(self))

    def __str__(self) -> str:
        line = f"{self.where}: {self.what}" if self.where else self.what
        line = f"{line}; expected {self.expected}" if self.expected else line
        return f"{line}. {self.hint}" if self.hint else line


class IncompleteRun(AssayError):
    """The run stopped before every case was evaluated; what was done is kept and can be resumed."""

    exit_code = 3


class MissingExtra(AssayError):
    """An optional package is needed."""

    def __init__(self, package: str, extra: str, purpose: str):
        super().__init__(
            f"{purpose} needs the package '{package}'", hint=f"Install it with: pip install 'assay[{extra}]'"
        )


def unknown_name(kind: str, name: str, known: Iterable[str], where: str | None = None) -> AssayError:
    """The error for a name nobody knows, offering the nearest ones."""
    names = sorted(known)
    near = nearest(name, names)
    hint = f"Did you mean {' or '.join(near)}?" if near else f"Known: {', '.join(names)}"
    return AssayError(f"unknown {kind} '{name}'", where=where, hint=hint)


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """At most three known names that look like the given one."""
    from difflib import get_close_matches

    return get_close_matches(name.lower(), list(known), n=3, cutoff=0.6)
