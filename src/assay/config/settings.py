"""What every block of settings is made of."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from assay.errors import AssayError

Positive = Annotated[int, Meta(ge=1)]
Share = Annotated[float, Meta(ge=0, le=1)]
NotNegative = Annotated[float, Meta(ge=0)]


class Contradiction(AssayError, ValueError):
    """Two settings that cannot both hold. A ValueError, because to those msgspec adds the place in the file."""


def require(holds: bool, rule: str) -> None:
    """What the limits of a single setting cannot say."""
    if not holds:
        raise Contradiction(rule)


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of every block of settings."""


class Gate(Settings, frozen=True):
    """A rule on a measure."""

    measure: Annotated[str, Meta(description="which measure")]
    at_least: Annotated[float, Meta(description="lower limit")]
    severity: Annotated[Literal["blocking", "warning"], Meta(description="blocking sets the exit code")] = "blocking"
