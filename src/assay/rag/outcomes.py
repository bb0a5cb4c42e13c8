"""Where a failed question was lost, and what kind of failure it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from msgspec import Struct

from assay.corpus.documents import Documents
from assay.corpus.index import Index
from assay.metrics.answers import without_citations
from assay.metrics.answers.claims import denies, numbers
from assay.runs.results import Row

STAGES = {
    "not_in_corpus": "the expected document is not in the corpus",
    "not_indexed": "the document is there, the expected chunk is not in the index",
    "not_retrieved": "in the index, but not among the candidates",
    "below_the_cut": "retrieved, but below what the generator is shown",
    "dropped_before_prompt": "above the cut, but not in the prompt (reranked away or cut)",
    "in_prompt_unused": "in the prompt, but the answer does not use it",
    "wrong_though_used": "in the prompt and used, and still wrong",
    "answered_unanswerable": "the corpus does not hold the answer; one was given",
    "judge_error": "the answer says what the truth says; the judge disagrees",
    "unknown": "the system does not tell enough",
}
"""In the order in which a question can be lost; the first that holds is named."""
ARCHETYPES = {
    "judge_too_strict": "the answer matches the truth",
    "hallucination": "the answer is not grounded in what the generator saw, or there was nothing to answer",
    "wrong_document": "no passage of an expected document was in the prompt",
    "numerical_precision": "the words are right, a number is not",
    "incomplete_context": "some but not all of what is needed was in the prompt",
    "complex_reasoning": "everything needed was in the prompt",
    "unknown": "the system does not tell enough",
}
MATCHING = 0.8
"""Token F1 with the truth from which on an answer says the same, if its numbers and denials are the truth's too."""
GROUNDED = 0.5
"""Groundedness below which an answer is made up."""
USED = 0.3
"""Share of the truth's words an answer has at least if it used the passage that holds it."""


class Corpus(Struct, frozen=True):
    """What the index holds; None: there is no index to look into."""

    ids: Collection[str]
    documents: Documents

    @classmethod
    def of(cls, index: Index | None) -> Corpus | None:
        return None if index is None else cls(index.rows.keys(), index.documents)


def stage_of(row: Row, corpus: Corpus | None) -> str:
    """The first place where anything that a failed question needs was lost."""
    if not row["answerable"]:
        return "answered_unanswerable"
    if _says_the_same(row):
        return "judge_error"
    if corpus is not None:
        if not all(corpus.documents.find(name) for name in row["expected_sources"]):
            return "not_in_corpus"
        if not all(id_ in corpus.ids for id_ in row["expected_ids"]):
            return "not_indexed"
    if row["recall_by"] is None:
        return "unknown"
    return _after_retrieval(row)


def _after_retrieval(row: Row) -> str:
    ranks = row["expected_ranks"]
    if None in ranks:
        return "not_retrieved"
    if not _context_is_named(row):
        return "unknown"
    shown = set(_in_prompt(row))
    missing = [rank for name, rank in zip(_expected(row), ranks, strict=True) if name not in shown]
    if missing:
        return "below_the_cut" if max(missing) > len(row["context"]) else "dropped_before_prompt"
    return "wrong_though_used" if (row["scores"].get("token_f1") or 0) >= USED else "in_prompt_unused"


def _expected(row: Row) -> list[str]:
    """In the order of the ranks."""
    names: list[str] = row["expected_ids"] if row["recall_by"] == "chunk" else row["expected_sources"]
    return names


def _context_is_named(row: Row) -> bool:
    """Whether it can be told what the generator saw: texts alone do not say where they are from."""
    key = "id" if row["recall_by"] == "chunk" else "source"
    return row["context"] is not None and all(passage[key] is not None for passage in row["context"])


def _in_prompt(row: Row) -> list[str]:
    """Which of the expected chunks or documents the generator saw."""
    if row["recall_by"] == "chunk":
        shown = {passage["id"] for passage in row["context"]}
        return [id_ for id_ in row["expected_ids"] if id_ in shown]
    documents = Documents(passage["source"] or "" for passage in row["context"])
    return [name for name in row["expected_sources"] if documents.find(name)]


def archetype_of(row: Row) -> str:
    """By rule; the first that holds. Who refuses makes nothing up."""
    if _matches(row) and _numbers_differ(row):
        return "numerical_precision"
    if _says_the_same(row):
        return "judge_too_strict"
    grounded = row["scores"].get("groundedness")
    made_up = grounded is not None and grounded < GROUNDED and not _refused(row)
    if not row["answerable"] or made_up:
        return "hallucination"
    lacking = _lacking(row)
    if lacking:
        return lacking
    if _numbers_differ(row):
        return "numerical_precision"
    return "unknown" if lacking is None else "complex_reasoning"


def _lacking(row: Row) -> str | None:
    """What the prompt lacks; "" if nothing, None if that is not known."""
    if row["recall_by"] is None or not _context_is_named(row):
        return None
    shown = _in_prompt(row)
    if not shown and row["expected_sources"] and not _documents_shown(row):
        return "wrong_document"
    return "incomplete_context" if len(shown) < len(_expected(row)) else ""


def _refused(row: Row) -> bool:
    return (row["judgment"] or {}).get("behaviour") in ("refused", "asked_back")


def _matches(row: Row) -> bool:
    """Whether the answer has the words of the truth."""
    scores = row["scores"]
    return (scores.get("token_f1") or 0) >= MATCHING or scores.get("exact_match") == 1


def _says_the_same(row: Row) -> bool:
    """The words of the truth, its numbers and no other but the question's, and a denial only where it has one."""
    if not _matches(row):
        return False
    answer, asked = without_citations(row["answer"] or ""), numbers(row["question"])
    given = numbers(answer)
    return any(
        (wanted := numbers(truth)) <= given and given <= wanted | asked and denies(truth) == denies(answer)
        for truth in _truths(row)
    )


def _truths(row: Row) -> list[str]:
    """The expected answer, and those that are right too."""
    return [row["expected_answer"] or "", *row.get("accepted_answers", ())]


def _documents_shown(row: Row) -> bool:
    """Whether any passage of an expected document was in the prompt."""
    documents = Documents(passage["source"] or "" for passage in row["context"])
    return any(documents.find(name) for name in row["expected_sources"])


def _numbers_differ(row: Row) -> bool:
    """A number of the truth, of each if there are several, is not in an answer that has some of its words."""
    given = numbers(without_citations(row["answer"] or ""))
    near = (row["scores"].get("token_f1") or 0) >= USED or row["scores"].get("exact_match") == 1
    return near and not any(numbers(truth) <= given for truth in _truths(row))


def counts_of(described: Iterable[Mapping[str, Any]], key: str, names: Iterable[str]) -> dict[str, int]:
    tally = Counter(entry[key] for entry in described if entry[key])
    return {name: tally[name] for name in names}
