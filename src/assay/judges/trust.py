"""How far can a judge be trusted? Its judgments against people's, and against its own."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from assay.judges.judgment import DIMENSIONS
from assay.judges.labels import Label
from assay.judges.pass_rate import PassRate, pass_rate
from assay.judges.pooled import PooledCase, pooled
from assay.judges.verdict import VerdictRule
from assay.metrics.agreement import (
    Consistency,
    Distribution,
    Estimate,
    accuracy,
    cohen_kappa,
    confusion,
    consistency,
    distribution,
    krippendorff_alpha,
    spearman,
)
from assay.stats import Resampling

FEW_LABELS, FEW_DISAGREEMENTS = 30, 5
UNSTEADY = 0.1
"""Flip rate from which on a judge is called unsteady."""


class Agreement(Struct, frozen=True, kw_only=True):
    """All coefficients of one scale. Numbers are compared by their values, verdicts as fail 0, partial 1, pass 2."""

    accuracy: Estimate
    kappa: Estimate
    quadratic_kappa: Estimate
    alpha_nominal: Estimate
    alpha_ordinal: Estimate
    alpha_interval: Estimate
    spearman: Estimate


class TrustReport(Struct, frozen=True, kw_only=True):
    """Everything that is known about a judge. Pure data."""

    n_cases: int
    n_labelled: int
    n_judged: int
    n_both: int
    raters: tuple[str, ...]
    verdicts: Agreement
    grades: dict[str, Agreement]
    confusion: list[list[int]]
    """Rows: people; columns: the judge; both fail, partial, pass."""
    between_people: Estimate
    """Krippendorff's ordinal alpha of the people's verdicts: no judge can be expected to do better."""
    length_bias: Estimate
    """Rank correlation of the judge's error with the length of the answer; above 0: long answers are favoured."""
    position_bias: Estimate
    """The same with the rank of the evidence in the context."""
    judge_scores: Distribution
    human_scores: Distribution
    consistency: Consistency
    pass_rate: PassRate
    warnings: tuple[str, ...]


class Permission(Struct, frozen=True):
    """Whether a judge may decide over an exit code, and why."""

    allowed: bool
    reason: str


def may_gate(report: TrustReport, minimum_kappa: float) -> Permission:
    """A judge whose kappa with people is below the limit, or not known, may warn but not gate."""
    kappa = report.verdicts.kappa
    if kappa.value is None:
        return Permission(False, f"the judge's agreement with people is not known: {kappa.reason}")
    said = f"kappa {kappa.value:.2f} over {kappa.n} labels, at least {minimum_kappa:.2f} needed"
    return Permission(kappa.value >= minimum_kappa, said)


def check(labels: Sequence[Label], plan: Resampling, rule: VerdictRule | None = None) -> TrustReport:
    """Everything about the judge whose marks stand in the labels; how these are put together: `pooled`."""
    cases = pooled(labels, rule or VerdictRule())
    both = [case for case in cases if case.human.keys() & case.judge.keys()]
    verdicts = _agreement(cases, "verdict", plan)
    people, judge = _column(cases, "verdict")
    report = TrustReport(
        n_cases=len(cases),
        n_labelled=sum(bool(case.human) for case in cases),
        n_judged=sum(bool(case.judge) for case in cases),
        n_both=len(both),
        raters=tuple(sorted({label.rater for label in labels if label.human is not None})),
        verdicts=verdicts,
        grades={
            name: _agreement(cases, name, plan)
            for name in (*DIMENSIONS, "overall_score")
            if any(name in case.human and name in case.judge for case in cases)
        },
        confusion=confusion(people, judge, levels=[0, 1, 2]),
        between_people=krippendorff_alpha([case.people for case in cases], plan, "ordinal"),
        length_bias=_bias(cases, lambda case: case.length, plan),
        position_bias=_bias(cases, lambda case: case.evidence_rank, plan),
        judge_scores=distribution(_scores(cases, lambda case: case.judge)),
        human_scores=distribution(_scores(cases, lambda case: case.human)),
        consistency=consistency([case.repeats for case in cases], plan),
        pass_rate=pass_rate(cases, plan),
        warnings=(),
    )
    return replace(report, warnings=(*_strangers(labels), *_warnings(report)))


def _agreement(cases: Sequence[PooledCase], name: str, plan: Resampling) -> Agreement:
    """Whether two grades are the same is asked of whole ones: 4.1 beside a person's 4 is no disagreement."""
    people, judge = _column(cases, name)
    whole_people, whole_judge = _whole(people), _whole(judge)
    pairs = list(zip(people, judge, strict=True))
    return Agreement(
        accuracy=accuracy(whole_people, whole_judge, plan),
        kappa=cohen_kappa(whole_people, whole_judge, plan),
        quadratic_kappa=cohen_kappa(people, judge, plan, "quadratic"),
        alpha_nominal=krippendorff_alpha(list(zip(whole_people, whole_judge, strict=True)), plan, "nominal"),
        alpha_ordinal=krippendorff_alpha(pairs, plan, "ordinal"),
        alpha_interval=krippendorff_alpha(pairs, plan, "interval"),
        spearman=spearman(people, judge, plan),
    )


def _whole(grades: Sequence[float | None]) -> list[float | None]:
    """To the nearest whole grade, halves up."""
    return [None if grade is None else float(math.floor(grade + 0.5)) for grade in grades]


def _column(cases: Sequence[PooledCase], name: str) -> tuple[list[float | None], list[float | None]]:
    return [case.human.get(name) for case in cases], [case.judge.get(name) for case in cases]


def _scores(cases: Sequence[PooledCase], side: Callable[[PooledCase], dict[str, float]]) -> list[float]:
    return [side(case)["overall_score"] for case in cases if "overall_score" in side(case)]


def _bias(cases: Sequence[PooledCase], measure: Callable[[PooledCase], int | None], plan: Resampling) -> Estimate:
    return spearman([case.error() for case in cases], [measure(case) for case in cases], plan)


def _strangers(labels: Sequence[Label]) -> list[str]:
    """People's labels that stand beside no judgment: most likely of another set of questions."""
    judged = {label.case_id for label in labels if label.judge is not None}
    alone = sorted({label.case_id for label in labels if label.human is not None} - judged)
    if not alone or not judged:
        return []
    return [f"{len(alone)} labelled questions were not judged, such as '{alone[0]}': their labels say nothing here"]


def _warnings(report: TrustReport) -> list[str]:
    found = []
    kappa = report.verdicts.kappa
    if kappa.n < FEW_LABELS:
        found.append(f"{kappa.n} cases with both verdicts are few; {FEW_LABELS} or more tell something")
    if kappa.value is None:
        found.append(f"kappa is undefined: {kappa.reason}")
    different = sum(map(sum, report.confusion)) - sum(report.confusion[place][place] for place in range(3))
    if report.pass_rate.corrected.value is not None and different < FEW_DISAGREEMENTS:
        found.append(
            f"judge and people differ in {different} cases: the corrected pass rate's interval may be too narrow, the"
            " cross-check's is not"
        )
    found += [f"judge: {finding}" for finding in report.judge_scores.findings]
    found += _leanings("length", "long answers", report.length_bias)
    found += _leanings("position", "answers whose evidence stands late", report.position_bias)
    flips = report.consistency.flip_rate
    if flips.value is not None and flips.value > UNSTEADY:
        found.append(f"asked again, the judge changed its verdict in {flips.value:.0%} of {flips.n} cases")
    return found


def _leanings(name: str, kind: str, bias: Estimate) -> list[str]:
    if bias.low is None or bias.high is None or bias.low <= 0 <= bias.high:
        return []
    how = "favoured" if bias.low > 0 else "put at a disadvantage"
    return [f"{name} bias: {kind} are {how} (rank correlation {bias.value:.2f})"]
