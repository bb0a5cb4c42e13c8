"""Stored outputs, judged or scored once more: nothing is generated again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct

from assay.config import ModelOptions
from assay.gold.case_store import CaseStore
from assay.judges import Answer, Judge, Judged, Judgment, VerdictRule, judged_again
from assay.llm.protocol import ChatReply, RetryInfo, Usage
from assay.records import Case, Fault
from assay.runs.folder import RunFolder
from assay.runs.passages import PassageStore
from assay.runs.results import ResultsFile, Row, is_unjudged
from assay.systems.protocol import Metadata, Output, Passage, Retry, Timing


def models_of(config: dict[str, Any]) -> dict[str, ModelOptions]:
    """The user's own models by name, as a run's settings had them."""
    return msgspec.convert(config["llm"]["models"], dict[str, ModelOptions])


def stored_case(row: Row) -> Case:
    """The case as it was asked."""
    return Case(
        id=row["case_id"],
        question=row["question"],
        expected=dict.fromkeys(row["expected_ids"], 1),
        answer=row["expected_answer"],
        accepted=tuple(row.get("accepted_answers", ())),
        answerable=row["answerable"],
        category=row["category"],
        truth=row["truth"],
        sources=tuple(row["expected_sources"]),
        tags=row["tags"],
    )


def stored_output(row: Row, texts: dict[str, str]) -> Output:
    """What the system gave, with the texts the generator saw."""
    context = row["context"]
    retrieved = row["retrieved"]
    timing = row["timing"]
    error = row["error"]
    return Output(
        answer=row["answer"],
        candidates=None if retrieved is None else tuple(_passage(entry) for entry in retrieved),
        context=None if context is None else tuple(_passage(entry, texts.get(entry["text"], "")) for entry in context),
        scale=row["scale"],
        timing=Timing(
            retrieval=timing["retrieval"],
            rerank=timing["rerank"],
            generation=timing["generation"],
            total=None if timing["total"] is None else timing["total"] - (timing["judge"] or 0),
        ),
        usage=_usage(row["tokens"]),
        metadata=Metadata(**row["llm_metadata"]),
        retry=_retry(row),
        fault=Fault(error["phase"], error["message"]) if error and error["phase"] != "judge" else None,
    )


def _retry(row: Row) -> Retry:
    """The system's own tries: those of the judge are taken off, for it is another one that judges now."""
    info = row["retry_info"]
    attempts = info["attempts"] - info.get("by_judge", 0)
    failed = row["error"] is not None and row["error"]["phase"] != "judge"
    tried = attempts > 1 or failed
    return Retry(attempts=attempts, recovered=attempts > 1 and not failed, error=info["error"] if tried else None)


def _passage(entry: dict[str, Any], text: str | None = None) -> Passage:
    return Passage(id=entry["id"], source=entry["source"], page=entry["page"], score=entry.get("score"), text=text)


def _usage(tokens: dict[str, int] | None) -> Usage | None:
    if tokens is None:
        return None
    return Usage(**{kind: count for kind, count in tokens.items() if kind != "total"})


class Lost(Struct, frozen=True):
    """What earlier sessions spent on judging an answer, in vain."""

    usage: Usage = Usage()
    tries: int = 0
    error: str | None = None


class Kept(Struct, frozen=True):
    """An output whose judgment failed, and what was lost with it."""

    output: Output
    lost: Lost


class Unjudged:
    """Outputs of an interrupted run that only wait for a judge. Read from the results when their case comes."""

    def __init__(self, results: ResultsFile, passages: PassageStore) -> None:
        self._results = results
        self._places = results.places(is_unjudged)
        self._texts = passages.read() if self._places else {}

    def __contains__(self, case_id: object) -> bool:
        return case_id in self._places

    def get(self, case_id: str) -> Kept | None:
        place = self._places.get(case_id)
        if place is None:
            return None
        row = self._results.row_at(place)
        retry = row["retry_info"]
        lost = Lost(_usage(row["judge_tokens"]) or Usage(), retry.get("by_judge", 0) + 1, retry["error"])
        return Kept(stored_output(row, self._texts), lost)


class Stored:
    """A finished run as a system: it gives what it gave. Rows are read when their case comes."""

    def __init__(self, run: RunFolder) -> None:
        self.name: str = run.summary["system"]
        self.run_name = run.name
        self._results = run.results
        self._places = self._results.places(lambda _: True)
        self._texts = PassageStore(run.path).read()

    @property
    def cases(self) -> Sequence[Case]:
        return CaseStore(stored_case(row) for row in self._results.rows())

    def row(self, case_id: str) -> Row:
        return self._results.row_at(self._places[case_id])

    async def run(self, case: Case) -> Output:
        return stored_output(self.row(case.id), self._texts)

    async def close(self) -> None:
        """Nothing is open."""


class Remembering:
    """A judge that is not asked again for what it has said already: the rule of now is applied to its old grades."""

    def __init__(self, judge: Judge, stored: Stored, rule: VerdictRule) -> None:
        self.name, self.fingerprint = judge.name, judge.fingerprint
        self._judge, self._stored, self._rule = judge, stored, rule

    async def judge(self, answer: Answer, repeat: int = 0) -> Judged:
        row = self._stored.row(answer.case_id)
        said = row["judgment"]
        if repeat or not said or said["status"] != "ok" or said["fingerprint"] != self.fingerprint:
            return await self._judge.judge(answer, repeat)
        judgment = judged_again(msgspec.convert(said, Judgment), answer, self._rule)
        more = row["retry_info"].get("by_judge", 0)
        return Judged(
            judgment=judgment,
            reply=ChatReply(
                text="", model=self.name, usage=_usage(row["judge_tokens"]), latency=row["timing"]["judge"]
            ),
            retry=RetryInfo(more + 1, more > 0, row["retry_info"]["error"] if more else None),
        )
