"""What a confidence is worth: equal to scikit-learn where it has the measure, by hand where it has not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.metrics.calibration import auroc, brier, ece, levels, numbers, reliability

# brier_score_loss, roc_auc_score and calibration_curve(n_bins=10) of scikit-learn 1.9.1
VECTORS = [
    ([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1], 0.158125, 0.75, [0.0, 0.5, 1.0], [0.1, 0.375, 0.8]),
    (
        [0.9, 0.9, 0.8, 0.7, 0.6, 0.55, 0.5, 0.3, 0.2, 0.1],
        [1, 1, 1, 0, 1, 0, 1, 0, 0, 0],
        0.14025,
        0.88,
        [0.0, 0.0, 0.0, 1.0, 0.5, 0.0, 1.0, 1.0],
        [0.1, 0.2, 0.3, 0.5, 0.575, 0.7, 0.8, 0.9],
    ),
    (
        [0.0, 0.3, 0.3, 0.7, 1.0, 1.0, 0.95, 0.05],
        [0, 1, 0, 1, 1, 0, 1, 0],
        0.209375,
        0.75,
        [0.0, 0.5, 1.0, 2 / 3],
        [0.025, 0.3, 0.7, 0.983333333333],
    ),
    ([0.5] * 6, [1, 0, 1, 0, 1, 1], 0.25, 0.5, [2 / 3], [0.5]),
]


@pytest.mark.parametrize(("confidences", "right", "score", "area", "true", "said"), VECTORS)
def test_equal_to_scikit_learn(
    confidences: list[float], right: list[int], score: float, area: float, true: list[float], said: list[float]
) -> None:
    truth = list(map(bool, right))
    assert brier(confidences, truth) == pytest.approx(score, abs=1e-12)
    assert auroc(confidences, truth) == pytest.approx(area, abs=1e-12)
    curve = [each for each in reliability(confidences, truth) if each.n]
    assert [each.accuracy for each in curve] == pytest.approx(true, abs=1e-9)
    assert [each.confidence for each in curve] == pytest.approx(said, abs=1e-9)


def test_expected_calibration_error_by_hand() -> None:
    # bin (0.7, 0.8]: two at 0.8, one right: |0.5 - 0.8| · 2/4; bin (0.1, 0.2]: two at 0.2, none right: 0.2 · 2/4
    found = numbers([0.8, 0.8, 0.2, 0.2], [True, False, False, False], minimum=4)
    assert found.ece == pytest.approx(0.3 / 2 + 0.2 / 2)
    assert found.enough
    assert (found.n, found.accuracy, found.mean_confidence) == (4, 0.25, 0.5)


def test_nothing_to_judge_is_none_not_zero() -> None:
    found = numbers([], [])
    assert (found.accuracy, found.ece, found.brier, found.auroc, found.enough) == (None, None, None, None, False)
    assert auroc([0.3, 0.9], [True, True]) is None
    assert ece(()) is None


def test_levels_in_their_order_and_too_few_says_so() -> None:
    words = [("low", False)] * 12 + [("high", True)] * 9 + [("sure", True)] + [("medium", True)] * 10
    found = levels(words, minimum=10)
    assert [(each.name, each.n, each.accuracy, each.enough) for each in found] == [
        ("high", 9, 1.0, False),
        ("medium", 10, 1.0, True),
        ("low", 12, 0.0, True),
        ("sure", 1, 1.0, False),
    ]


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=30), st.integers(1, 12))
def test_laws(pairs: list[tuple[float, bool]], bins: int) -> None:
    confidences, right = [c for c, _ in pairs], [r for _, r in pairs]
    found = numbers(confidences, right, bins=bins)
    assert sum(each.n for each in found.curve) == len(pairs)
    for value in (found.ece, found.brier, found.auroc):
        assert value is None or 0 <= value <= 1
    backwards = numbers(confidences[::-1], right[::-1], bins=bins)
    assert backwards.ece == pytest.approx(found.ece)
    assert backwards.auroc == found.auroc
