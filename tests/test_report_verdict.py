"""The verdict on top of a report: one word, why, three numbers, what changed; the exit code says the same."""

from __future__ import annotations

from typing import Any

import pytest

from assay.compare import Comparison, Figure, Flip, Row
from assay.report.verdict import NO_BASELINE, Compared, Number, comparison_verdict, outcome_of, verdict_of


def summary(*gates: dict[str, Any], errors: int = 0, **more: Any) -> dict[str, Any]:
    return {"gates": list(gates), "errors": {"total": errors}, **more}


def gate(measure: str = "recall@5", *, passed: bool = True, severity: str = "blocking") -> dict[str, Any]:
    return {"measure": measure, "at_least": 0.7, "value": 0.612, "passed": passed, "severity": severity}


def broken(failed: int) -> dict[str, Any]:
    """An extraction: one sample could not be read."""
    return summary() | {"errors": {"total": failed + 1, "broken": [{"id": "a", "message": "a.txt:1: not UTF-8"}]}}


def row(measure: str = "mrr", *, worse: bool = True, variant: str = "hybrid") -> Row:
    return Row(
        variant=variant,
        measure=measure,
        before=0.8,
        now=0.7 if worse else 0.9,
        delta=-0.1 if worse else 0.1,
        counts=True,
        flagged=True,
        verdict="worse" if worse else "better",
    )


def comparison(*rows: Row, flips: tuple[Flip, ...] = (), before: str = "old") -> Comparison:
    return Comparison(
        before=before,
        now="new",
        warnings=(),
        rows=rows,
        flips=flips,
        flip_measure="hit@5",
        common=10,
        only_before=0,
        only_now=0,
    )


SLOW = Figure(name="latency_p95", before=None, now=3.0, limit=2.0)


@pytest.mark.parametrize(
    ("found", "compared", "code", "word", "why"),
    [
        (summary(), Compared(), 0, "Measured", "No gate says what is good enough."),
        (summary(), Compared(comparison()), 0, "No worse", "No regression against the baseline"),
        (summary(gate()), Compared(), 0, "Pass", "The gate holds."),
        (summary(gate() | {"of_cases": True}), Compared(), 0, "Measured", "No gate says what is good enough."),
        (summary(gate(), gate() | {"of_cases": True}), Compared(), 0, "Pass", "The gate holds."),
        (summary(gate(), gate("mrr")), Compared(comparison()), 0, "Pass", "All 2 gates hold, and nothing got worse."),
        (
            summary(gate(passed=False, severity="warning")),
            Compared(),
            0,
            "Pass",
            "With a warning: gate fails: recall@5",
        ),
        (summary(gate(passed=False)), Compared(), 1, "Fail", "Gate fails: recall@5 is 0.6120, not 0.7."),
        (summary(), Compared(comparison(row())), 1, "Fail", "Regression against the baseline in mrr."),
        (summary(gate()), Compared(None, (SLOW,)), 1, "Fail", "Beyond its limit: latency_p95."),
        (summary(gate(passed=False), errors=2), Compared(), 3, "Incomplete", "2 without a result, in no mean: go on"),
        (
            summary(errors=2, kind="rag"),
            Compared(),
            3,
            "Incomplete",
            "2 without a result, errors in the rates, in no other mean: go on with --resume.",
        ),
        (
            summary(gate(passed=False) | {"value": None}),
            Compared(),
            1,
            "Fail",
            "Gate fails: recall@5 could not be measured, 0.7 is asked.",
        ),
        (broken(failed=0), Compared(), 3, "Incomplete", "1 sample is broken and in no mean: mend the files"),
        (
            broken(failed=2),
            Compared(),
            3,
            "Incomplete",
            "2 samples failed, and all expected there is missed: go on with --resume. 1 sample is broken",
        ),
    ],
)
def test_what_came_of_a_run(found: dict[str, Any], compared: Compared, code: int, word: str, why: str) -> None:
    outcome = outcome_of(found, compared)
    assert (outcome.code, outcome.word) == (code, word)
    assert outcome.why.startswith(why)


def test_a_long_list_of_faults_is_cut() -> None:
    gates = [gate(f"m{i}", passed=False) for i in range(5)]
    rows = [row(f"r{i}") for i in range(5)]
    why = outcome_of(summary(*gates), Compared(comparison(*rows))).why
    assert "m2 is 0.6120, not 0.7 and 2 more" in why
    assert "in r0, r1, r2 and 2 more" in why


def test_a_distrusted_judge_does_not_fail_a_run() -> None:
    compared = Compared(comparison(row("pass_rate")))
    assert outcome_of(summary(trust={"may_gate": True}), compared).code == 1
    assert outcome_of(summary(trust={"may_gate": False}), compared).code == 0


def test_two_runs_side_by_side_fail_by_a_regression_alone() -> None:
    worse, fine = comparison_verdict(comparison(row())), comparison_verdict(comparison(row(worse=False)))
    assert (worse.word, worse.why, worse.tone) == ("Fail", "Regression against the baseline in mrr.", "bad")
    assert (worse.change_tone, fine.change_tone) == ("bad", "plain")
    assert (fine.word, fine.why) == ("No worse", "No regression, and nothing is beyond its limit.")


def test_without_a_baseline_it_says_so_and_with_one_that_cannot_be_compared_why() -> None:
    assert verdict_of(summary(), Compared(), ()).change == NO_BASELINE
    refused = verdict_of(summary(), Compared(refused="other judges"), ())
    assert (refused.change, refused.change_tone) == ("Not compared: other judges", "warn")


def test_what_changed_names_the_baseline_and_counts_the_flips() -> None:
    flips = (Flip("hybrid", "q1", 1.0, 0.0, {}), Flip("hybrid", "q2", 0.0, 1.0, {}), Flip("hybrid", "q3", 0.0, 1.0, {}))
    label = "baseline_orrin_v12__2026-11-15__q243.json"
    change = verdict_of(summary(), Compared(comparison(flips=flips, before=label)), ()).change
    assert change.startswith("Against baseline v12 of 2026-11-15: ")
    assert change.endswith("3 questions changed: 2 gained, 1 lost.")


INTERVAL = {"mean": 0.7, "low": 0.61, "high": 0.78, "n_scored": 90, "n_cases": 100}


NUMBER_OF_MINE = Number("mrr", "MRR", INTERVAL, variant="mine")


@pytest.mark.parametrize(
    ("number", "rows", "note"),
    [
        (Number("mrr", "MRR", INTERVAL), (), "0.61 – 0.78, n = 90 / 100"),
        (Number("mrr", "MRR", INTERVAL), (row(),), "0.61 – 0.78, n = 90 / 100 · −0.100 (worse)"),
        (Number("mrr", "MRR", INTERVAL, "percent"), (row(),), "61.0 – 78.0, n = 90 / 100 · −10.0 points (worse)"),
        (
            Number("mrr", "MRR", INTERVAL, "percent"),
            (row(worse=False),),
            "61.0 – 78.0, n = 90 / 100 · +10.0 points (better)",
        ),
        (
            Number("mrr", "MRR", INTERVAL, variant="bm25"),
            (row(), row(worse=False, variant="bm25")),
            "0.61 – 0.78, n = 90 / 100 · +0.100 (better)",
        ),
        (Number("mrr", "MRR", INTERVAL), (row(), row(variant="bm25")), "0.61 – 0.78, n = 90 / 100"),
        (Number("mrr", "MRR", None), (), "nothing to score"),
    ],
)
def test_a_number_has_its_interval_and_its_difference(number: Number, rows: tuple[Row, ...], note: str) -> None:
    [card] = verdict_of(summary(), Compared(comparison(*rows)), [number]).cards
    assert card.note == note


def test_a_number_has_no_difference_of_another_variant() -> None:
    """The baseline knows bm25 alone; the best of this run is new."""
    found = summary() | {"variants": ["mine", "bm25"]}
    [card] = verdict_of(found, Compared(comparison(row(variant="bm25"))), [NUMBER_OF_MINE]).cards
    assert card.note == "0.61 – 0.78, n = 90 / 100"
    renamed = summary() | {"variants": ["mine"]}
    [card] = verdict_of(renamed, Compared(comparison(row(variant="bm25 → mine"))), [NUMBER_OF_MINE]).cards
    assert card.note == "0.61 – 0.78, n = 90 / 100 · −0.100 (worse)"


def test_a_difference_of_nothing_and_one_within_chance() -> None:
    same = Row(variant="v", measure="mrr", before=0.7, now=0.7, delta=0.0)
    [card] = verdict_of(summary(), Compared(comparison(same)), [Number("mrr", "MRR", INTERVAL, "percent")]).cards
    assert card.note.endswith("0.0 points (within chance)")
    missing = Row(variant="v", measure="mrr", before=None, now=0.7, delta=None)
    [card] = verdict_of(summary(), Compared(comparison(missing)), [Number("mrr", "MRR", INTERVAL)]).cards
    assert card.note == "0.61 – 0.78, n = 90 / 100"
