"""What a gate is: an id, a rule with its limits, a severity, and a function that says what failed and where."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Literal

from msgspec import Struct, structs

from assay.config import GoldGate
from assay.errors import unknown_name
from assay.gold.evidence import Evidence
from assay.registry import Registry

Severity = Literal["blocking", "warning", "off"]
Limits = Mapping[str, float]
Value = float | str | None


class Failure(Struct, frozen=True, kw_only=True):
    """What failed, and where."""

    question: str | None = None
    """Its id; None: the set as a whole."""
    what: str
    value: Value = None
    limit: str


class Checked(Struct, frozen=True, kw_only=True):
    """What a gate's function found."""

    value: Value = None
    """What the set as a whole was measured at."""
    failures: tuple[Failure, ...] = ()
    undefined: str | None = None
    """Why nothing could be measured; then nothing failed either."""
    by_model: bool = False
    """A model judged it, so that it may block."""


class Gate(Struct, frozen=True, kw_only=True):
    """One gate. `rule` names its limits in braces."""

    id: str
    phase: int
    severity: Severity
    rule: str
    limits: dict[str, float] = {}
    check: Callable[[Evidence, Limits], Checked]
    blocks_by_model: bool = False

    @property
    def limit(self) -> str:
        """The rule with its limits filled in."""
        return self.rule.format(**{name: f"{value:g}" for name, value in self.limits.items()})


class Outcome(Struct, frozen=True, kw_only=True):
    """What became of one gate."""

    gate: str
    phase: int
    severity: Severity
    rule: str
    status: Literal["passed", "failed", "undefined"]
    value: Value
    failures: tuple[Failure, ...] = ()
    note: str | None = None

    @property
    def blocks(self) -> bool:
        return self.status == "failed" and self.severity == "blocking"


GATES: Registry[Gate] = Registry("gate", "assay.gold.gates")


def gate(
    id_: str, severity: Severity, rule: str, *, blocks_by_model: bool = False, **limits: float
) -> Callable[[Callable[[Evidence, Limits], Checked]], Callable[[Evidence, Limits], Checked]]:
    """Decorator: make the function a gate. The phase stands in its id."""

    def add(check: Callable[[Evidence, Limits], Checked]) -> Callable[[Evidence, Limits], Checked]:
        GATES.register(id_)(
            Gate(
                id=id_,
                phase=int(id_[1]),
                severity=severity,
                rule=rule,
                limits=limits,
                check=check,
                blocks_by_model=blocks_by_model,
            )
        )
        return check

    return add


def settle(settings: Mapping[str, GoldGate], ids: Iterable[str] | None = None) -> list[Gate]:
    """The gates with the user's limits and severities, those switched off left out; in the order of their ids."""
    for id_, setting in settings.items():
        known = GATES.get(id_).limits
        for name in setting.limits:
            if name not in known:
                raise unknown_name(f"limit of gate {id_}", name, known)
    chosen = [GATES.get(id_) for id_ in (GATES.names() if ids is None else ids)]
    return [each for each in (_settled(each, settings.get(each.id)) for each in chosen) if each.severity != "off"]


def _settled(one: Gate, setting: GoldGate | None) -> Gate:
    if setting is None:
        return one
    own = setting.severity
    return structs.replace(
        one,
        severity=own or one.severity,
        limits=one.limits | setting.limits,
        blocks_by_model=one.blocks_by_model and own is None,
    )


def run_gates(evidence: Evidence, gates: Iterable[Gate]) -> list[Outcome]:
    return [_outcome(each, each.check(evidence, each.limits)) for each in gates]


def _outcome(one: Gate, checked: Checked) -> Outcome:
    blocks = one.blocks_by_model and checked.by_model
    return Outcome(
        gate=one.id,
        phase=one.phase,
        severity="blocking" if blocks else one.severity,
        rule=one.limit,
        status="undefined" if checked.undefined else "failed" if checked.failures else "passed",
        value=checked.value,
        failures=checked.failures,
        note=checked.undefined,
    )
