"""Agreement coefficients, against the libraries of the field and by hand."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from assay.metrics.agreement import Estimate, accuracy, cohen_kappa, confusion, krippendorff_alpha, spearman
from assay.stats import Resampling

PLAN = Resampling(seed=0, resamples=300)

# pip install scikit-learn==1.9.1 statsmodels==0.15.0 krippendorff==0.9.0; then, with numpy's default_rng(7):
#   human = rng.integers(1, 6, 40); judge = np.clip(human + rng.integers(-1, 3, 40), 1, 5)
HUMAN = [int(grade) for grade in "5445345212255135141352224253333335544425"]
JUDGE = [int(grade) for grade in "5354554111155155351452215142545245535534"]
THREE = [
    [None if grade == "-" else int(grade) for grade in grades]
    for grades in (
        "544-345-122551-5141--22-425333-33554-4--",
        "535455411115-1-53-14-22151-2-45245535534",
        "535524-322155125241-522-315332223--4452-",
    )
]


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        # sklearn.metrics.cohen_kappa_score(human, judge, weights=..., labels=[1, 2, 3, 4, 5]);
        # statsmodels.stats.inter_rater.cohens_kappa(table, wt=...).kappa agrees
        ("none", 0.10898965791567228),
        ("linear", 0.5003785011355033),
        ("quadratic", 0.7504352872896112),
    ],
)
def test_kappa_equals_scikit_learn_and_statsmodels(weights: str, expected: float) -> None:
    found = cohen_kappa(HUMAN, JUDGE, PLAN, weights)  # type: ignore[arg-type]
    assert found.value == pytest.approx(expected, abs=1e-12)
    assert found.low is not None
    assert found.high is not None
    assert found.low < expected < found.high
    assert found.n == 40


@pytest.mark.parametrize(
    ("scale", "two", "three"),
    [
        # krippendorff.alpha(np.array([human, judge]), level_of_measurement=...), and of the three with missing labels
        ("nominal", 0.10336441021483589, 0.35039717563989414),
        ("ordinal", 0.6937234938256205, 0.7702726348515336),
        ("interval", 0.7526756461594466, 0.7783013816000857),
    ],
)
def test_alpha_equals_krippendorffs_package(scale: str, two: float, three: float) -> None:
    pairs = list(zip(HUMAN, JUDGE, strict=True))
    assert krippendorff_alpha(pairs, PLAN, scale).value == pytest.approx(two, abs=1e-12)  # type: ignore[arg-type]
    found = krippendorff_alpha(list(zip(*THREE, strict=True)), PLAN, scale)  # type: ignore[arg-type]
    assert found.value == pytest.approx(three, abs=1e-12)
    assert found.n == 35  # five cases have fewer than two labels


GRADES = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=2, max_size=30)


@given(GRADES)
def test_spearman_equals_scipy(pairs: list[tuple[int, int]]) -> None:
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    found = spearman(first, second, PLAN).value
    if len(set(first)) == 1 or len(set(second)) == 1:
        assert found is None
    else:
        assert found == pytest.approx(float(spearmanr(first, second).statistic), abs=1e-12)


def by_hand(table: list[list[int]]) -> float:
    n = sum(map(sum, table))
    agreed = sum(table[i][i] for i in range(len(table))) / n
    chance = sum(sum(table[i]) * sum(row[i] for row in table) for i in range(len(table))) / n**2
    return (agreed - chance) / (1 - chance)


@given(GRADES)
def test_kappa_by_its_first_formula(pairs: list[tuple[int, int]]) -> None:
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    table = confusion(first, second, levels=[1, 2, 3, 4, 5])
    value = cohen_kappa(first, second, PLAN).value
    if value is None:
        assert len({*first, *second}) == 1
    else:
        assert value == pytest.approx(by_hand(table), abs=1e-12)
        assert value == pytest.approx(cohen_kappa(second, first, PLAN).value)


def test_alpha_does_not_depend_on_the_unit_of_the_labels() -> None:
    """Marks from 0 to 0.05 disagree by less than one in all: still a share of the disagreement by chance."""
    pairs = list(zip(HUMAN, JUDGE, strict=True))
    small = [(one / 100, other / 100) for one, other in pairs]
    whole = krippendorff_alpha(pairs, PLAN, "interval").value
    assert whole is not None
    assert krippendorff_alpha(small, PLAN, "interval").value == pytest.approx(whole, abs=1e-9)


MEASURES: list[Callable[[Sequence[float | None], Sequence[float | None]], Estimate]] = [
    lambda a, b: accuracy(a, b, PLAN),
    lambda a, b: cohen_kappa(a, b, PLAN),
    lambda a, b: cohen_kappa(a, b, PLAN, "quadratic"),
    lambda a, b: krippendorff_alpha(list(zip(a, b, strict=True)), PLAN, "ordinal"),
    lambda a, b: spearman(a, b, PLAN),
]


@pytest.mark.parametrize("measure", MEASURES)
def test_order_and_missing_labels_do_not_matter(
    measure: Callable[[Sequence[float | None], Sequence[float | None]], Estimate],
) -> None:
    backwards = measure([None, *reversed(HUMAN), 3], [4, *reversed(JUDGE), None])
    assert backwards == measure(HUMAN, JUDGE)


def test_nothing_in_common() -> None:
    for measure in MEASURES:
        found = measure([1, None], [None, 2])
        assert found.value is None
        assert found.n == 0
        assert found.reason


def test_all_labels_equal() -> None:
    same = [2.0] * 5
    assert accuracy(same, same, PLAN).value == 1.0
    assert cohen_kappa(same, same, PLAN).reason == "both gave one and the same label to every case"
    assert krippendorff_alpha([(2, 2)] * 5, PLAN, "interval").reason == "every label is the same"
    assert spearman(same, same, PLAN).reason == "one side is the same in every case"


def test_one_rater_is_constant() -> None:
    """By chance 3 of 6 agree, and 3 do: kappa 0 (as scikit-learn has it). Ranks say nothing."""
    assert cohen_kappa([1, 1, 1, 1, 1, 1], [1, 1, 1, 2, 2, 2], PLAN).value == 0.0
    assert spearman([1, 1, 1], [1, 2, 3], PLAN).value is None


def test_one_case() -> None:
    assert cohen_kappa([1], [1], PLAN).value is None
    different = cohen_kappa([1], [2], PLAN)
    assert (different.value, different.low, different.reason) == (0.0, None, "no interval from one case")
    assert accuracy([1], [1], PLAN) == Estimate(value=1.0, n=1, reason="no interval from one case")


def test_full_agreement_has_no_bootstrap_interval_but_accuracy_has_one() -> None:
    labels = [1, 2, 1, 2, 1, 2]
    kappa = cohen_kappa(labels, labels, PLAN)
    assert (kappa.value, kappa.low, kappa.reason) == (1.0, None, "no interval: the same in every resample")
    right = accuracy(labels, labels, PLAN)
    assert right.low is not None
    assert right.low < 0.8  # Wilson: 6 of 6 may be less than 1


def test_a_coefficient_that_is_undefined_in_most_resamples_has_no_interval() -> None:
    """Of two cases half of the resamples hold only one, twice; with this seed a little more than half."""
    found = cohen_kappa([1, 2], [1, 2], Resampling(seed=0, resamples=41))
    assert (found.value, found.low, found.reason) == (1.0, None, "no interval: undefined in most resamples")


@given(GRADES, st.integers(0, 3))
def test_values_lie_in_range_and_the_same_seed_gives_the_same_interval(pairs: list[tuple[int, int]], seed: int) -> None:
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    plan = Resampling(seed=seed, resamples=50)
    for found in (cohen_kappa(first, second, plan, "quadratic"), spearman(first, second, plan)):
        again = cohen_kappa(first, second, plan, "quadratic")
        assert found.value is None or (math.isfinite(found.value) and -1 <= found.value <= 1)
        assert again == cohen_kappa(first, second, plan, "quadratic")
        if found.low is not None and found.high is not None:
            assert found.low <= found.high


def test_many_cases_and_few_draw_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = cohen_kappa(HUMAN, JUDGE, PLAN)
    monkeypatch.setattr("assay.stats.resample._KEPT", 0)
    assert cohen_kappa(HUMAN, JUDGE, PLAN) == kept


def test_a_label_outside_the_levels_and_lists_of_different_length_are_faults() -> None:
    with pytest.raises(ValueError, match="not among the levels"):
        confusion([1, 7], [1, 2], levels=[1, 2])
    with pytest.raises(ValueError, match="2 labels of one rater, 1 of the other"):
        cohen_kappa([1, 2], [1], PLAN)
    assert confusion([], [], levels=[0, 1]) == [[0, 0], [0, 0]]
