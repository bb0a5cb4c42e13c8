"""One pass over the results of a run: numbers are kept, texts are not, so that memory does not grow with them."""

from __future__ import annotations

import sys
from array import array
from collections import Counter
from collections.abc import Callable
from math import nan
from typing import Any

from assay.judges import Answer
from assay.llm.prices import FREE, Cost, Price, cost, unknown_price
from assay.llm.protocol import Usage
from assay.metrics.answers import Behaviour
from assay.rag.archetypes import Kinds
from assay.rag.outcomes import Corpus, archetype_of, stage_of
from assay.runs.results import Row

RATES = ("pass_rate", "partial_rate", "fail_rate", "error_rate", "acceptable_rate")
PHASES = ("retrieval", "rerank", "generation", "judge")
KINDS = ("prompt", "completion", "thinking", "cached", "total")


class Spending:
    """Tokens and their cost, call by call: prices have tiers. Without a price, that of the model each call names."""

    def __init__(self, price: Price | None, told: Callable[[str], Price | None] | None = None) -> None:
        self.price, self._told = price, told
        self.tokens: dict[str, int] | None = None
        self.cost = Cost()
        self.unmeasured = 0
        """Replies whose tokens nobody told."""
        self.unpriced: set[str] = set()

    def add(self, used: dict[str, int] | None, *, replied: bool, model: str | None = None) -> None:
        if used is None:
            self.unmeasured += replied
            return
        before = self.tokens or dict.fromkeys(KINDS, 0)
        self.tokens = {kind: before[kind] + used[kind] for kind in KINDS}
        price = self.price
        if price is None and self._told is not None and model:
            price = self._told(model)
        if price is None:
            self.unpriced.add(model or "")
        else:
            self.cost += cost(Usage(**{kind: used[kind] for kind in KINDS if kind != "total"}), price)

    @property
    def known_cost(self) -> Cost | None:
        """None where anything that may have cost money was not measured or has no price; only what is free is 0."""
        if self.price == FREE:
            return self.cost
        measured = not self.unmeasured and (self.tokens is not None or self.price is not None)
        return self.cost if measured and not self.unpriced else None

    @property
    def warnings(self) -> list[str]:
        """Of a system of the user's own; models of the settings have theirs from the connection."""
        if self._told is None or self.price == FREE:
            return []
        found = [unknown_price(name) for name in sorted(self.unpriced) if name]
        if "" in self.unpriced:
            found.append("the system tells tokens but no model: their cost is not known. Name the model with --model")
        if self.unmeasured and self.tokens is not None:
            found.append(f"{self.unmeasured} answers came without their tokens: the cost is not known")
        return found


class Tally:
    """What a summary needs of every row."""

    def __init__(self, corpus: Corpus | None, answers: Spending, judge: Spending) -> None:
        self._corpus = corpus
        self.count = 0
        self.columns: dict[str, array[float]] = {name: array("d") for name in RATES}
        self.kinds: dict[str, list[str]] = {"question_type": [], "difficulty": [], "source": []}
        self.times = {name: array("d") for name in (*PHASES, "total")}
        self.answers, self.judge = answers, judge
        self.archetypes = Spending(FREE)
        self.lengths, self.logprobs = array("d"), array("d")
        self.fallback = array("b")
        self.finish_reasons: Counter[str] = Counter()
        self.tries: Counter[str] = Counter()
        self.errors: Counter[str] = Counter()
        self.stages: Counter[str] = Counter()
        self.not_passed: list[dict[str, Any]] = []
        self.behaviours: Counter[tuple[Answer, Behaviour | None]] = Counter()

    def add(self, row: Row) -> None:
        self.count += 1
        self._scores(row)
        self.kinds["question_type"].append(sys.intern(row["question_type"]))
        self.kinds["difficulty"].append(sys.intern(row["difficulty"]))
        self.kinds["source"].append(sys.intern(row["tags"].get("source", "unknown")))
        for name, values in self.times.items():
            values.append(_number(row["timing"][name]))
        self.answers.add(row["tokens"], replied=row["answer"] is not None, model=row["llm_metadata"].get("model"))
        self.judge.add(row["judge_tokens"], replied=row["status"] == "ok")
        self._outcome(row)
        self._described(row)

    def name_kinds(self, kinds: Kinds, price: Price | None) -> None:
        """Archetypes that a model has named take the place of the rules'."""
        self.archetypes = Spending(price)
        for usage in kinds.used:
            self.archetypes.add(tokens_of(usage), replied=True)
        for entry in self.not_passed:
            entry["archetype"] = kinds.by_case.get(entry["case_id"], entry["archetype"])

    def _scores(self, row: Row) -> None:
        failed = row["status"] == "error"
        scores = {"error_rate": float(failed), **row["scores"]}
        if failed:
            scores |= {name: 0.0 for name in RATES if name != "error_rate"}
        for name in [name for name in scores if name not in self.columns]:
            self.columns[name] = array("d", [nan] * (self.count - 1))
        for name, values in self.columns.items():
            values.append(_number(scores.get(name)))

    def _outcome(self, row: Row) -> None:
        """Where it was lost, and whether it was answered or refused."""
        judgment = row["judgment"] or {}
        answer = Answer(case_id="", question="", text="", answerable=row["answerable"], category=row["category"])
        self.behaviours[answer, judgment.get("behaviour")] += 1
        verdict = judgment.get("verdict") if row["status"] == "ok" else "error"
        if row["status"] == "error":
            self.errors[row["error"].get("phase") or "unknown"] += 1
        if verdict == "pass":
            return
        failed = verdict == "fail"
        stage = stage_of(row, self._corpus) if failed else None
        if stage:
            self.stages[stage] += 1
        entry = {"case_id": row["case_id"], "verdict": verdict, "stage": stage}
        self.not_passed.append(entry | {"archetype": archetype_of(row) if failed else None})

    def _described(self, row: Row) -> None:
        data, retry = row["llm_metadata"], row["retry_info"]
        if row["answer_length"] is not None:
            self.lengths.append(row["answer_length"])
        if data["avg_logprobs"] is not None:
            self.logprobs.append(data["avg_logprobs"])
        if data["used_fallback"] is not None:
            self.fallback.append(data["used_fallback"])
        if data["finish_reason"]:
            self.finish_reasons[data["finish_reason"]] += 1
        self.tries["attempts"] += retry["attempts"]
        if retry["attempts"] > 1:
            self.tries["retried"] += 1
            self.tries["recovered"] += bool(retry["recovered"])


def tokens_of(usage: Usage | None) -> dict[str, int] | None:
    """By kind, with their total."""
    return None if usage is None else {kind: getattr(usage, kind) for kind in KINDS}


def _number(value: float | None) -> float:
    return nan if value is None else float(value)
