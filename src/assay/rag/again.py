"""Stored outputs, judged or scored once more: nothing is generated again."""

from __future__ import annotations

from typing import Any

from assay.llm.protocol import Usage
from assay.records import Case, Fault
from assay.runs.folder import RunFolder
from assay.runs.passages import PassageStore
from assay.runs.results import Row
from assay.systems.protocol import Metadata, Output, Passage, Retry, Timing


def stored_case(row: Row) -> Case:
    """The case as it was asked."""
    return Case(
        id=row["case_id"],
        question=row["question"],
        expected=dict.fromkeys(row["expected_ids"], 1),
        answer=row["expected_answer"],
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
        retry=Retry(**row["retry_info"]),
        fault=Fault(error["phase"], error["message"]) if error and error["phase"] != "judge" else None,
    )


def _passage(entry: dict[str, Any], text: str | None = None) -> Passage:
    return Passage(id=entry["id"], source=entry["source"], page=entry["page"], score=entry.get("score"), text=text)


def _usage(tokens: dict[str, int] | None) -> Usage | None:
    if tokens is None:
        return None
    return Usage(**{kind: count for kind, count in tokens.items() if kind != "total"})


class Stored:
    """A finished run as a system: it gives what it gave."""

    def __init__(self, run: RunFolder):
        self.name: str = run.summary["system"]
        self._rows = {row["case_id"]: row for row in run.results.rows()}
        self._texts = PassageStore(run.path).read()

    @property
    def cases(self) -> tuple[Case, ...]:
        return tuple(stored_case(row) for row in self._rows.values())

    async def run(self, case: Case) -> Output:
        return stored_output(self._rows[case.id], self._texts)

    async def close(self) -> None:
        """Nothing is open."""
