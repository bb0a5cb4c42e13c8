"""The parts of a RAG run, one by one: retrieval inside it, where questions are lost, archetypes, the tally."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.config import Config, Gate
from assay.corpus.documents import Documents
from assay.llm.prices import FREE, Price
from assay.rag import summary
from assay.rag.conclusion import judge_gate, status_of
from assay.rag.outcomes import Corpus, archetype_of, stage_of
from assay.rag.retrieved import find
from assay.rag.tally import Spending, Tally
from assay.records import Case, Interval
from assay.runs.results import Row
from assay.sampling import per_bucket
from assay.systems.protocol import Passage


def passages(*pairs: tuple[str | None, str | None]) -> tuple[Passage, ...]:
    return tuple(Passage(id=id_, source=source) for id_, source in pairs)


def case(expected: tuple[str, ...] = (), sources: tuple[str, ...] = ()) -> Case:
    return Case(id="q", question="?", expected=dict.fromkeys(expected, 1), sources=sources)


@pytest.mark.parametrize(
    ("wanted", "candidates", "by", "recall", "mrr"),
    [
        (case(("b",)), passages(("a", "x"), ("b", "y")), "chunk", 1.0, 0.5),
        (case(("b", "z")), passages(("a", "x"), ("b", "y")), "chunk", 0.5, 0.5),
        (case(("z",)), passages(("a", "x")), "chunk", 0.0, 0.0),
        (case((), ("Y.pdf",)), passages((None, "x.pdf"), (None, "docs/y.pdf")), "document", 1.0, 0.5),
        (case((), ("y.pdf", "w.pdf")), passages((None, "y.pdf")), "document", 0.5, 1.0),
        # Equal, not substring: guide.pdf is not the-guide.pdf.
        (case((), ("guide.pdf",)), passages((None, "the-guide.pdf")), "document", 0.0, 0.0),
        # Ids that are not told: by document instead.
        (case(("b",), ("y.pdf",)), passages((None, "y.pdf")), "document", 1.0, 1.0),
        (case(), passages(("a", "x")), None, None, None),
        (case(("b",)), None, None, None, None),
        (case(("b",)), passages((None, None)), None, None, None),
        (case(("b",)), (), "chunk", 0.0, 0.0),
    ],
)
def test_retrieval_in_a_run(
    wanted: Case, candidates: tuple[Passage, ...] | None, by: str | None, recall: float | None, mrr: float | None
) -> None:
    found = find(wanted, candidates)
    assert (found.by, found.recall, found.reciprocal_rank) == (by, recall, mrr)
    assert found.hit is (None if recall is None else recall == 1.0)
    assert bool(found.reason) is (by is None)


def row(**changes: Any) -> Row:
    defaults: Row = {
        "case_id": "q",
        "status": "ok",
        "error": None,
        "tags": {},
        "question_type": "single_hop",
        "difficulty": "easy",
        "answerable": True,
        "question": "How many boats sail?",
        "category": None,
        "expected_answer": "Ten boats sail",
        "answer": "Some say so",
        "answer_length": 11,
        "judgment": {"verdict": "fail", "behaviour": "answered"},
        "expected_ids": ["want"],
        "expected_sources": ["a.pdf"],
        "recall_by": "chunk",
        "expected_ranks": [1],
        "context": [{"id": "want", "source": "a.pdf"}],
        "scores": {"pass_rate": 0.0, "fail_rate": 1.0, "token_f1": 0.0, "exact_match": 0.0, "groundedness": 1.0},
        "timing": {"retrieval": 1.0, "rerank": None, "generation": 2.0, "judge": None, "total": 3.0},
        "tokens": None,
        "judge_tokens": None,
        "llm_metadata": {"avg_logprobs": None, "used_fallback": None, "finish_reason": "stop"},
        "retry_info": {"attempts": 1, "recovered": False, "error": None},
    }
    scores = defaults["scores"] | changes.pop("scores", {})
    return defaults | changes | {"scores": scores}


CORPUS = Corpus(frozenset({"want", "other"}), Documents(["a.pdf", "b.pdf"]))
OTHER = [{"id": "other", "source": "b.pdf"}]
SIBLING = [{"id": "other", "source": "a.pdf"}]
REFUSED = {"verdict": "fail", "behaviour": "refused"}


@pytest.mark.parametrize(
    ("changes", "stage", "archetype"),
    [
        ({"answerable": False}, "answered_unanswerable", "hallucination"),
        ({"scores": {"token_f1": 0.8}, "answer": "10 boats sail"}, "judge_error", "judge_too_strict"),
        ({"scores": {"token_f1": 0.8}, "answer": "10 boats sail [1]"}, "judge_error", "judge_too_strict"),
        ({"scores": {"token_f1": 0.79}}, "wrong_though_used", "numerical_precision"),
        ({"scores": {"exact_match": 1.0}, "answer": "Ten boats sail"}, "judge_error", "judge_too_strict"),
        # The words are those of the truth, but the number, another number or a denial is not.
        ({"scores": {"token_f1": 0.9}, "answer": "Nine boats sail"}, "wrong_though_used", "numerical_precision"),
        ({"scores": {"exact_match": 1.0}, "answer": "12 boats sail"}, "in_prompt_unused", "numerical_precision"),
        ({"scores": {"token_f1": 0.9}, "answer": "10 boats do not sail"}, "wrong_though_used", "complex_reasoning"),
        ({"scores": {"token_f1": 0.9}, "answer": "10 or 12 boats sail"}, "wrong_though_used", "complex_reasoning"),
        (
            {"scores": {"token_f1": 0.9}, "answer": "10 boats sail in 2024", "question": "How many sail in 2024?"},
            "judge_error",
            "judge_too_strict",
        ),
        # Of several truths one is enough.
        (
            {"scores": {"token_f1": 0.9}, "answer": "12 boats sail", "accepted_answers": ["A dozen sail", "12 sail"]},
            "judge_error",
            "judge_too_strict",
        ),
        (
            {"scores": {"token_f1": 0.9}, "answer": "12 boats sail", "accepted_answers": ["11 sail"]},
            "wrong_though_used",
            "numerical_precision",
        ),
        ({"expected_sources": ["gone.pdf"], "expected_ids": ["gone"]}, "not_in_corpus", "wrong_document"),
        ({"expected_ids": ["gone"]}, "not_indexed", "incomplete_context"),
        ({"recall_by": None}, "unknown", "unknown"),
        ({"expected_ranks": [None], "context": OTHER}, "not_retrieved", "wrong_document"),
        ({"expected_ranks": [2], "context": OTHER}, "below_the_cut", "wrong_document"),
        ({"expected_ranks": [1], "context": OTHER}, "dropped_before_prompt", "wrong_document"),
        ({"expected_ranks": [2], "context": SIBLING}, "below_the_cut", "incomplete_context"),
        ({"context": None}, "unknown", "unknown"),
        ({"context": [{"id": None, "source": None}]}, "unknown", "unknown"),
        # A refusal makes nothing up, however little of it is grounded.
        ({"judgment": REFUSED, "scores": {"groundedness": 0.0}}, "in_prompt_unused", "complex_reasoning"),
        (
            {"judgment": REFUSED, "scores": {"groundedness": 0.0}, "expected_ranks": [2], "context": SIBLING},
            "below_the_cut",
            "incomplete_context",
        ),
        ({}, "in_prompt_unused", "complex_reasoning"),
        ({"scores": {"token_f1": 0.3}, "answer": "10 boats"}, "wrong_though_used", "complex_reasoning"),
        ({"scores": {"token_f1": 0.3}, "answer": "Nine boats sail"}, "wrong_though_used", "numerical_precision"),
        ({"scores": {"groundedness": 0.49}}, "in_prompt_unused", "hallucination"),
        ({"scores": {"groundedness": None}}, "in_prompt_unused", "complex_reasoning"),
        (
            {"recall_by": "document", "expected_sources": ["a.pdf", "b.pdf"], "expected_ranks": [1, 2]},
            "below_the_cut",
            "incomplete_context",
        ),
        # Of several, the first place where any of them was lost.
        ({"expected_ids": ["want", "other"], "expected_ranks": [1, None]}, "not_retrieved", "incomplete_context"),
        ({"expected_ids": ["want", "gone"], "expected_ranks": [1, None]}, "not_indexed", "incomplete_context"),
        ({"expected_ids": ["want", "other"], "expected_ranks": [2, 1]}, "dropped_before_prompt", "incomplete_context"),
        ({"expected_sources": ["a.pdf", "gone.pdf"]}, "not_in_corpus", "complex_reasoning"),
    ],
)
def test_where_it_was_lost_and_what_kind_it_is(changes: dict[str, Any], stage: str, archetype: str) -> None:
    assert stage_of(row(**changes), CORPUS) == stage
    assert archetype_of(row(**changes)) == archetype


def test_without_an_index_nothing_is_said_of_the_corpus() -> None:
    assert stage_of(row(expected_ids=["gone"], expected_ranks=[None], context=OTHER), None) == "not_retrieved"


def tally_of(*rows: Row, price: Price | None = None) -> Tally:
    tally = Tally(None, Spending(price), Spending(FREE))
    for one in rows:
        tally.add(one)
    return tally


ERROR = row(
    case_id="e", status="error", error={"phase": "generation", "message": "x"}, judgment=None, answer_length=None
)
ERROR["scores"] = {}
PASS = row(
    case_id="p", judgment={"verdict": "pass", "behaviour": "answered"}, scores={"pass_rate": 1.0, "fail_rate": 0.0}
)


def test_rates_are_over_all_questions_and_means_over_those_that_have_a_value() -> None:
    found = summary.metrics(tally_of(PASS, row(), ERROR), Config())
    rates = {name: found[f"{name}_rate"].mean for name in ("pass", "fail", "error")}
    assert rates == {name: pytest.approx(1 / 3) for name in rates}
    assert (found["token_f1"].n_scored, found["token_f1"].n_cases) == (2, 3)


@given(st.lists(st.sampled_from(["pass", "partial", "fail", "error"]), min_size=1, max_size=30))
def test_pass_partial_fail_and_error_are_one(verdicts: list[str]) -> None:
    rows = []
    for verdict in verdicts:
        one = row(judgment={"verdict": verdict, "behaviour": "answered"}) if verdict != "error" else dict(ERROR)
        if verdict != "error":
            one["scores"] = {f"{name}_rate": float(name == verdict) for name in ("pass", "partial", "fail")}
            one["scores"]["acceptable_rate"] = float(verdict in ("pass", "partial"))
        rows.append(one)
    found = summary.metrics(tally_of(*rows), Config())
    total = sum(found[f"{name}_rate"].mean or 0 for name in ("pass", "partial", "fail", "error"))
    assert total == pytest.approx(1.0)
    assert found["acceptable_rate"].mean == pytest.approx(
        (found["pass_rate"].mean or 0) + (found["partial_rate"].mean or 0)
    )


def test_a_phase_nobody_measured_is_null_and_not_zero() -> None:
    latency = summary.latency(tally_of(row(), row()))
    assert latency["by_phase"]["rerank"] == {"n": 0, "avg": None, "min": None, "max": None, "p50": None, "p95": None}
    assert latency["total"]["avg"] == 3.0
    # Two values: the median of an even list lies between.
    other = row(timing={"retrieval": 1.0, "rerank": None, "generation": 4.0, "judge": None, "total": 5.0})
    assert summary.latency(tally_of(row(), other))["total"]["p50"] == 4.0


USED = {"prompt": 1_000_000, "completion": 100_000, "thinking": 0, "cached": 400_000, "total": 1_100_000}


def test_cached_tokens_are_charged_at_the_cached_price_instead() -> None:
    # 600,000 x 0.075 + 400,000 x 0.01875 + 100,000 x 0.30, per million.
    price = Price(input=0.075, output=0.30, thinking=0.30, cached=0.01875)
    cost = summary.costs(tally_of(row(tokens=USED), price=price))
    assert cost["input_cost"] == pytest.approx(0.045)
    assert cost["cached_cost"] == pytest.approx(0.0075)
    assert cost["output_cost"] == pytest.approx(0.03)
    assert cost["total_cost_usd"] == pytest.approx(0.0825)
    assert cost["judge_cost"] == 0.0


def test_tokens_without_a_price_cost_nobody_knows_what() -> None:
    cost = summary.costs(tally_of(row(tokens=USED)))
    assert cost["total_cost_usd"] is None
    assert cost["cost_per_question_usd"] is None
    assert summary.costs(tally_of(row(), price=FREE))["total_cost_usd"] == 0.0, "what is free costs nothing"
    assert summary.costs(tally_of(row()))["total_cost_usd"] is None, "what was not measured is not free"


def test_a_measure_that_comes_late_is_undefined_before() -> None:
    tally = tally_of(row(), row(scores={"new": 1.0}))
    found = summary.metrics(tally, Config())["new"]
    assert (found.mean, found.n_scored, found.n_cases) == (1.0, 1, 2)


@pytest.mark.parametrize(
    ("rate", "status"), [(0.85, "good"), (0.8499, "fair"), (0.70, "fair"), (0.6999, "poor"), (None, "unknown")]
)
def test_status_by_pass_rate(rate: float | None, status: str) -> None:
    assert status_of(rate, Config()) == status


def test_a_gate_on_something_undefined_does_not_pass() -> None:
    gate = Gate(measure="mrr", at_least=0.0)
    assert judge_gate(gate, {"mrr": Interval(None, None, None, 0, 3)})["passed"] is False


def test_five_of_each_kind_at_most_thirty() -> None:
    kinds = [(kind, level) for kind in "abc" for level in ("easy", "medium", "hard")]
    cases = [
        Case(id=f"{kind}{level}{n}", question="?", tags={"question_type": kind, "difficulty": level})
        for kind, level in kinds
        for n in range(9)
    ]
    assert len(per_bucket(cases, 5, 30, 0)) == 30
    assert len(per_bucket(cases, 5, 100, 0)) == 45
    assert per_bucket(cases, 5, 30, 0) == per_bucket(cases, 5, 30, 0)
    assert per_bucket(cases, 5, 30, 0) != per_bucket(cases, 5, 30, 1)
