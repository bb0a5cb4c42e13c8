"""A measure is a value that parses back from its own text: `ndcg@10` in code, commands, tables and files alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from msgspec import Struct

from assay.errors import AssayError
from assay.metrics.ranking.judged import Floats, Judged
from assay.records import Score
from assay.registry import Registry

Function = Callable[[Judged, int | None], Floats]
"""One value for each query; NaN where the measure is undefined."""


class Definition(Struct, frozen=True):
    """What a name stands for."""

    cutoff: Literal["required", "optional", "none"]
    undefined: str
    """Why a query has no value, where it has none."""
    function: Function | None
    """None: not computed from judged rankings."""


MEASURES: Registry[Definition] = Registry("measure", "assay.metrics.ranking")


def measure(
    name: str, *, cutoff: Literal["required", "optional", "none"] = "optional", undefined: str = "nothing is relevant"
) -> Callable[[Function], Function]:
    """Decorator: make a function known as a measure."""

    def add(function: Function) -> Function:
        MEASURES.register(name)(Definition(cutoff, undefined, function))
        return function

    return add


class Measure(Struct, frozen=True):
    """A name with its cut-off."""

    name: str
    cutoff: int | None = None

    @classmethod
    def parse(cls, text: str) -> Measure:
        """`recall@5`, `map`, ...; upper and lower case are the same."""
        name, at, cutoff = text.strip().lower().partition("@")
        definition = MEASURES.get(name)
        if not at:
            if definition.cutoff == "required":
                raise AssayError(f"measure '{text}' has no cut-off", expected=f"one such as {name}@10")
            return cls(name)
        if definition.cutoff == "none":
            raise AssayError(f"measure '{text}' has a cut-off", expected=f"{name} alone")
        if not (cutoff.isascii() and cutoff.isdigit() and int(cutoff) > 0):
            raise AssayError(f"measure '{text}' has no valid cut-off", expected=f"a number from 1 on, as in {name}@10")
        return cls(name, int(cutoff))

    def __str__(self) -> str:
        return self.name if self.cutoff is None else f"{self.name}@{self.cutoff}"

    @property
    def undefined(self) -> str:
        """Why a query may have no value."""
        return MEASURES.get(self.name).undefined

    def compute(self, judged: Judged) -> Floats:
        """One value for each query; NaN where it is undefined."""
        function = MEASURES.get(self.name).function
        if function is None:
            raise AssayError(f"{self} is not computed from judged ids")
        return function(judged, self.cutoff)

    def scores(self, judged: Judged) -> list[Score]:
        """One score for each query; undefined is None with its reason."""
        reason = self.undefined
        return [
            Score(None, "undefined", reason) if value is None else Score(value)
            for value in defined(self.compute(judged))
        ]


def defined(values: Floats) -> list[float | None]:
    """NaN as None."""
    return [None if undefined else value for value, undefined in zip(values.tolist(), np.isnan(values), strict=True)]
