"""How each case of a run went, whatever its kind: passed, failed, broken or not to be decided, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct

from assay.files import dump_json, read_jsonl
from assay.report.text import clip, counted
from assay.retrieval.diagnosis import CUT, is_missed
from assay.runs.folder import FAILURES, RunFolder

Result = Literal["passed", "failed", "error", "skipped"]
Row = Mapping[str, Any]
ROOM, SHOWN = 2000, 5
"""Characters of a text, and ids of a list, that are shown; the whole is in the run's folder."""


class Outcome(Struct, frozen=True, kw_only=True):
    """One case of one variant. What a person needs to look further is told only of those that did not pass."""

    variant: str
    case_id: str
    result: Result
    reason: str = ""
    """One line."""
    facts: dict[str, str] = {}
    """By name: question, expected, answer, ..."""
    seconds: float | None = None


def outcomes_of(run: RunFolder) -> Iterator[Outcome]:
    """In the order of the results file, one after the other."""
    read = KINDS.get(run.summary["kind"], _by_ranks)
    why = _explanations(run)
    for row in run.results.rows():
        yield _broken(row) if row["status"] == "error" else read(row, why)


def _explanations(run: RunFolder) -> dict[tuple[str, str], str]:
    """Of questions whose failure was examined, by variant and case."""
    path = run.path / FAILURES
    entries = [entry for _, entry in read_jsonl(path)] if path.exists() else []
    return {
        (entry["variant"], entry["case_id"]): entry["explanation"]
        for entry in entries
        if isinstance(entry.get("explanation"), str)
    }


def _outcome(row: Row, result: Result, reason: str = "", **facts: Any) -> Outcome:
    seconds = row.get("time", row.get("seconds"))
    told = {name: clip(_text(value), ROOM) for name, value in facts.items() if value not in (None, "", [])}
    return Outcome(
        variant=row["variant"],
        case_id=row["case_id"],
        result=result,
        reason=clip(" ".join(reason.split()), ROOM),
        facts=told,
        seconds=seconds,
    )


def _text(value: Any) -> str:
    if not isinstance(value, list):
        return str(value)
    more = f", and {len(value) - SHOWN} more" if len(value) > SHOWN else ""
    return ", ".join(each if isinstance(each, str) else dump_json(each) for each in value[:SHOWN]) + more


def _broken(row: Row) -> Outcome:
    error = row.get("error") or {}
    reason = f"{error.get('phase', 'unknown')}: {error.get('message', 'no message')}"
    return _outcome(row, "error", reason, question=row.get("question"))


def _by_ranks(row: Row, why: Mapping[tuple[str, str], str]) -> Outcome:
    """Retrieval: fails with no expected chunk, or page, among the first five."""
    scores, missed = row["scores"], is_missed(row["scores"])
    if missed is None:
        reasons = row.get("undefined") or {}
        return _outcome(row, "skipped", reasons.get(f"hit@{CUT}") or "no expected chunk is known")
    if not missed:
        return _outcome(row, "passed")
    told = why.get((row["variant"], row["case_id"]))
    what = "page" if scores.get(f"hit@{CUT}") is None else "chunk"
    reason = f"no expected {what} among the first {CUT}" + (f": {told}" if told else "")
    return _outcome(row, "failed", reason, **_ranked(row))


def _ranked(row: Row) -> dict[str, Any]:
    found: Sequence[str] = row["retrieved"]["ids"]
    return {
        "question": row["question"],
        "expected": row["expected_ids"],
        "rank": row.get("rank") or "not found",
        "retrieved": list(found[:SHOWN]),
    }


def _by_lane(row: Row, _why: Mapping[tuple[str, str], str]) -> Outcome:
    """Fails unless every expected unit is among the first k."""
    if row["status"] == "undefined":
        return _outcome(row, "skipped", row["reason"])
    if row["recall_at_k"] == 1:
        return _outcome(row, "passed")
    hits, expected = len(row["hits"]), len(row["expected_ids"]) - len(row["missing_expected_ids"])
    return _outcome(row, "failed", f"{hits} of {expected} expected units among the first {row['k']}", **_ranked(row))


def _by_verdict(row: Row, _why: Mapping[tuple[str, str], str]) -> Outcome:
    """A partial answer passes: it is acceptable, and told."""
    judgment = row["judgment"] or {}
    verdict, reason = judgment.get("verdict"), judgment.get("reason") or "the judge gave no reason"
    if verdict is None:
        return _outcome(row, "skipped", reason if judgment else "not judged", question=row["question"])
    if verdict == "pass":
        return _outcome(row, "passed")
    expected = row["expected_answer"] if row["answerable"] else row["truth"] or "a refusal: it cannot be answered"
    facts = {"question": row["question"], "expected": expected, "answer": row["answer"]}
    result: Result = "failed" if verdict == "fail" else "passed"
    return _outcome(row, result, f"{verdict}: {reason}", **facts)


def _by_records(row: Row, _why: Mapping[tuple[str, str], str]) -> Outcome:
    """A sample passes if every expected record is there and nothing else."""
    if not row["scored"]:
        return _outcome(row, "skipped", "nothing says what is expected")
    if row["scores"]["perfect"]:
        return _outcome(row, "passed")
    found = [fault for pair in row["pairs"] if not pair["matched"] for fault in pair["failures"] if fault["scored"]]
    said = [f"{fault['field']}: {fault['detail']}" for fault in found]
    said += [f"{counted(len(row[key]), 'record')} {word}" for key, word in WORDS.items() if row[key]]
    missed = [row["expected"][place] for place in row["missed"]]
    extra = [row["actual"][place] for place in row["extra"]]
    return _outcome(row, "failed", "; ".join(said), missed=missed, extra=extra)


WORDS = {"missed": "missed", "extra": "not expected"}
KINDS: dict[str, Callable[[Row, Mapping[tuple[str, str], str]], Outcome]] = {
    "rag": _by_verdict,
    "extraction": _by_records,
    "lanes": _by_lane,
    "retrieval": _by_ranks,
}
