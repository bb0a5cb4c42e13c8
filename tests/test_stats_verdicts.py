"""What may be said of a difference."""

from __future__ import annotations

import pytest

from assay.stats import Verdict, is_flagged, verdict

NOTHING: Verdict = "no evidence either way"


@pytest.mark.parametrize(
    ("delta", "p", "higher_is_better", "expected"),
    [
        (0.05, 0.01, True, "better"),
        (-0.05, 0.01, True, "worse"),
        (0.05, 0.01, False, "worse"),
        (-0.05, 0.01, False, "better"),
        (-0.30, 0.06, True, NOTHING),
        (-0.30, 0.05, True, NOTHING),
        (-0.30, 0.05 - 1e-12, True, NOTHING),
        (-0.30, 0.0499, True, "worse"),
        (1e-12, 0.01, True, NOTHING),
        (None, 0.01, True, NOTHING),
        (0.05, None, True, NOTHING),
    ],
)
def test_verdict(delta: float | None, p: float | None, higher_is_better: bool, expected: Verdict) -> None:
    assert verdict(delta, p, higher_is_better=higher_is_better, alpha=0.05) == expected


def test_alpha_decides() -> None:
    assert verdict(0.1, 0.03, higher_is_better=True, alpha=0.05) == "better"
    assert verdict(0.1, 0.03, higher_is_better=True, alpha=0.01) == NOTHING


def test_a_boundary_value_is_decided_on_rounded_numbers() -> None:
    assert 0.42 - 0.40 < 0.02
    assert is_flagged(0.42 - 0.40, 0.02)
    assert is_flagged(0.40 - 0.42, 0.02)
    assert is_flagged(0.3 - 0.2, 0.1)  # 0.09999999999999998
    assert not is_flagged(0.0199, 0.02)
    assert not is_flagged(-0.0199, 0.02)


def test_nothing_to_compare_is_not_flagged() -> None:
    assert not is_flagged(None, 0.02)
    assert not is_flagged(0.5, None)
