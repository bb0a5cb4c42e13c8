"""What can be checked: one file for each check here, a decorator or an entry point for others."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec import Struct

from assay.registry import Registry

TOLERANCE = 1e-9


class Outcome(Struct, frozen=True):
    """One thing that was compared with what it must be."""

    name: str
    reference: str
    """Where the expected values come from."""
    compared: int
    worst: float | None
    """The greatest difference; None: not even comparable."""

    @property
    def ok(self) -> bool:
        return self.compared > 0 and self.worst is not None and self.worst <= TOLERANCE


Check = Callable[[], Iterable[Outcome]]
CHECKS: Registry[Check] = Registry("check", "assay.selftest")


def run_checks() -> list[Outcome]:
    """Every check there is, in the order of their names."""
    return [outcome for name in CHECKS.names() for outcome in CHECKS.get(name)()]
