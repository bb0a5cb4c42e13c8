"""Every question of a RAG run: what was expected, found, seen, answered and judged."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import Any

from msgspec import Struct

from assay.corpus.documents import same_document
from assay.judges import DIMENSIONS
from assay.rag.expense import Expenses
from assay.rag.outcomes import ARCHETYPES, STAGES
from assay.rag.tally import KINDS, PHASES, RATES
from assay.report.blocks import Block, Facts, Field, Item, Items, Note, Passage, Ranking, Tone
from assay.report.cutting import held
from assay.report.island import BUDGET
from assay.report.numbers import call_dollars, format_value
from assay.report.rag.lines import GRADES, Line, line_of
from assay.report.text import are, counted
from assay.runs.folder import RunFolder
from assay.runs.passages import PassageStore

Row = Mapping[str, Any]
TONES: dict[str, Tone] = {"pass": "good", "partial": "warn", "fail": "bad", "error": "bad"}
GROUPS = {"fail": "Failures", "error": "Errors", "partial": "Partial answers", "pass": "Passed"}
ORDER = ("fail", "error", "partial", "pass")
SHOWN, RANKED = 1000, 25
"""Questions, and passages of a ranking, that are shown; the others are in the files."""
HELD = 5 * BUDGET
"""Characters of passages that are held: no more are needed to cut them to what a page has room for."""
TOLD_ELSEWHERE = {*RATES, "overall_score_avg", *DIMENSIONS}


class Pages(Struct, frozen=True):
    """What the report needs of the results: a little of every row, and the questions a person can open."""

    lines: list[Line]
    items: list[Item]


def pages_of(run: RunFolder, *, questions: bool = True) -> Pages:
    """Of a great many questions, those that did not pass come before those that did."""
    said = {entry["case_id"]: entry for entry in run.summary["not_passed"]}
    room = {True: SHOWN, False: max(SHOWN - len(said), 0)} if questions else {True: 0, False: 0}
    lines, shown = [], set()
    passages: set[str] = set()
    for row in run.results.rows():
        lines.append(line_of(row))
        failed = row["case_id"] in said
        if room[failed]:
            room[failed] -= 1
            shown.add(row["case_id"])
            passages.update(passage["text"] for passage in row["context"] or ())
    texts = held(PassageStore(run.path).some(passages), HELD)
    return Pages(lines, _items(run, said, shown, texts) if shown else [])


def _items(run: RunFolder, said: Mapping[str, Row], shown: Container[str], texts: Mapping[str, str]) -> list[Item]:
    """A second pass over the results: neither they nor all passages are held."""
    expenses = Expenses(run.summary["config"])
    items = (
        question_item(row, said.get(row["case_id"]), texts, expenses(row))
        for row in run.results.rows()
        if row["case_id"] in shown
    )
    return sorted(items, key=lambda item: ORDER.index(item.tags["verdict"]))


def questions_blocks(pages: Pages) -> tuple[Block, ...]:
    items = Items(tuple(pages.items), "No question was asked.")
    left = len(pages.lines) - len(pages.items)
    if not left:
        return (items,)
    return (Note(f"{counted(left, 'question')} more {are(left)} in results.jsonl."), items)


def question_item(
    row: Row, entry: Mapping[str, Any] | None, texts: Mapping[str, str], paid: Mapping[str, float | None]
) -> Item:
    """`entry`: what the summary says of a question that did not pass; `paid`: US dollars, by who was paid."""
    verdict = entry["verdict"] if entry else "pass"
    told = {"archetype": entry["archetype"], "lost": entry["stage"]} if entry else {}
    lost = {name: value for name, value in told.items() if value}
    return Item(
        row["case_id"],
        row["question"],
        {"verdict": verdict, **lost, **row["tags"]},
        tuple(_fields(row, entry)),
        TONES[verdict],
        tuple(facts for facts in (*_facts(row), _cost(paid)) if facts.pairs),
        _rankings(row, texts),
        GROUPS[verdict],
        routine=verdict == "pass",
    )


def _fields(row: Row, entry: Mapping[str, Any] | None) -> Iterator[Field]:
    judgment, error, found = row["judgment"] or {}, row["error"], entry or {}
    expected = row["expected_answer"]
    if not row["answerable"]:
        expected = f"None: unanswerable ({row['category']}). {row['truth'] or ''}"
    pairs = {
        "Question": row["question"],
        "Expected answer": expected,
        "Right too": " · ".join(row.get("accepted_answers", ())),
        "Answer": row["answer"],
        "Error": f"{error['phase']}: {error['message']}" if error else None,
        "Judge": judgment.get("reason"),
        "Lost": f"{found['stage']}: {STAGES[found['stage']]}" if found.get("stage") else None,
        "Archetype": f"{found['archetype']}: {ARCHETYPES[found['archetype']]}" if found.get("archetype") else None,
        "Rank of what is expected": ", ".join("not found" if r is None else str(r) for r in row["expected_ranks"]),
        "Not measured": "; ".join(f"{name}: {why}" for name, why in row["undefined"].items()),
    }
    yield from (Field(label, text) for label, text in pairs.items() if text)


def _facts(row: Row) -> Iterator[Facts]:
    judgment, retries = row["judgment"] or {}, row["retry_info"]
    grades = {name.replace("_", " "): judgment.get(name) for name in GRADES}
    yield Facts("Grades", tuple((name, f"{round(g, 2):g}") for name, g in grades.items() if g is not None))
    measures = {name: value for name, value in row["scores"].items() if name not in TOLD_ELSEWHERE}
    yield Facts("Measures", tuple((name, format_value(v, "share")) for name, v in measures.items() if v is not None))
    times = {name: row["timing"][name] for name in (*PHASES, "total")}
    yield Facts("Time", tuple((name, format_value(t, "seconds")) for name, t in times.items() if t is not None))
    for title, used in (("Tokens", row["tokens"]), ("Tokens of the judge", row["judge_tokens"])):
        told = [(kind, (used or {}).get(kind)) for kind in KINDS]
        yield Facts(title, tuple((kind, format_value(count, "integer")) for kind, count in told if count is not None))
    if retries["attempts"] > 1:
        recovered = "yes" if retries["recovered"] else "no"
        why = (("error", str(retries["error"])),) if retries["error"] else ()
        yield Facts("Tries", (("tries", str(retries["attempts"])), ("recovered", recovered), *why))


def _cost(paid: Mapping[str, float | None]) -> Facts:
    """Nothing is said of what is free."""
    if all(dollars == 0 for dollars in paid.values()):
        return Facts("Cost", ())
    known = [dollars for dollars in paid.values() if dollars is not None]
    whole = sum(known) if len(known) == len(paid) else None
    return Facts("Cost", tuple((who, call_dollars(dollars)) for who, dollars in {**paid, "total": whole}.items()))


def _rankings(row: Row, texts: Mapping[str, str]) -> tuple[Ranking, ...]:
    context = row["context"]
    known = {passage["id"]: texts.get(passage["text"], "") for passage in context or () if passage["id"]}
    seen = Ranking(
        "Context as the generator saw it",
        tuple(_seen(at, passage, row, texts) for at, passage in enumerate(context or (), 1)),
        empty="The system does not tell." if context is None else "Nothing was in the prompt.",
    )
    every = row["retrieved"] or ()
    shown = [each for each in every if each["rank"] <= RANKED or _is_expected(each, row)]
    found = Ranking(
        f"Retrieved, the first {RANKED} of {len(every)}" if len(every) > RANKED else "Retrieved",
        tuple(
            Passage(
                each["id"] or each["source"] or "passage",
                known.get(each["id"], ""),
                where_of(each),
                each["score"],
                each["rank"],
                expected=_is_expected(each, row),
                seen=each["id"] in known,
            )
            for each in shown
        ),
        row["scale"] or "",
    )
    return (seen, found)


def _seen(at: int, passage: Row, row: Row, texts: Mapping[str, str]) -> Passage:
    name = passage["id"] or passage["source"] or "passage"
    text = texts.get(passage["text"], "")
    return Passage(name, text, where_of(passage), rank=at, expected=_is_expected(passage, row))


def _is_expected(passage: Row, row: Row) -> bool:
    if row["recall_by"] == "chunk":
        return passage["id"] in row["expected_ids"]
    source = passage["source"]
    return bool(source) and any(same_document(source, name) for name in row["expected_sources"])


def where_of(passage: Row) -> str:
    page = f" p. {passage['page']}" if passage.get("page") is not None else ""
    return f"{passage['source'] or ''}{page}".strip()
