"""What a run was held against: an earlier run, the runs before it, its own variants among each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.compare import Comparison
from assay.report.blocks import Section
from assay.report.comparison import brief_section, full_section
from assay.report.trend import Step, measure_of, trend_section


def brief_sections(
    summary: Mapping[str, Any],
    baseline: Comparison | None,
    history: Sequence[Step],
    variants: Sequence[Comparison] = (),
) -> list[Section]:
    """What matters of it, among the first things of a report."""
    return [
        *([brief_section("Against the baseline", (baseline,))] if baseline else []),
        *trend_section(history, measure_of(summary)),
        *([brief_section("Variants compared", variants, among=True)] if variants else []),
    ]


def full_sections(baseline: Comparison | None, variants: Sequence[Comparison] = ()) -> list[Section]:
    """Every measure, among the last."""
    return [
        *([full_section("Against the baseline: all measures", (baseline,))] if baseline else []),
        *([full_section("Variants compared: all measures", variants, among=True)] if variants else []),
    ]
