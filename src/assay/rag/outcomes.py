"""Where a failed question was lost, and what kind of failure it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from msgspec import Struct

from assay.corpus.documents import Documents
from assay.corpus.index import Index
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
}
MATCHING = 0.8
"""Token F1 with the truth from which on an answer says the same."""
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
        return None if index is None else cls(frozenset(index.ids), Documents(index.sources))


def stage_of(row: Row, corpus: Corpus | None) -> str:
    """The first place where a failed question was lost."""
    scores = row["scores"]
    if not row["answerable"]:
        return "answered_unanswerable"
    if (scores.get("token_f1") or 0) >= MATCHING or scores.get("exact_match") == 1:
        return "judge_error"
    if corpus is not None:
        if row["expected_sources"] and not any(corpus.documents.find(name) for name in row["expected_sources"]):
            return "not_in_corpus"
        if row["expected_ids"] and not any(id_ in corpus.ids for id_ in row["expected_ids"]):
            return "not_indexed"
    if row["recall_by"] is None:
        return "unknown"
    return _after_retrieval(row)


def _after_retrieval(row: Row) -> str:
    known = [rank for rank in row["expected_ranks"] if rank is not None]
    if not known:
        return "not_retrieved"
    if row["context"] is None:
        return "unknown"
    if not _in_prompt(row):
        return "below_the_cut" if min(known) > len(row["context"]) else "dropped_before_prompt"
    return "wrong_though_used" if (row["scores"].get("token_f1") or 0) >= USED else "in_prompt_unused"


def _in_prompt(row: Row) -> list[str]:
    """Which of the expected chunks or documents the generator saw."""
    if row["recall_by"] == "chunk":
        shown = {passage["id"] for passage in row["context"]}
        return [id_ for id_ in row["expected_ids"] if id_ in shown]
    documents = Documents(passage["source"] or "" for passage in row["context"])
    return [name for name in row["expected_sources"] if documents.find(name)]


def archetype_of(row: Row) -> str:
    """By rule; the first that holds."""
    scores = row["scores"]
    if (scores.get("token_f1") or 0) >= MATCHING or scores.get("exact_match") == 1:
        return "judge_too_strict"
    grounded = scores.get("groundedness")
    if not row["answerable"] or (grounded is not None and grounded < GROUNDED):
        return "hallucination"
    if row["context"] is not None and row["recall_by"] is not None:
        expected = row["expected_ids"] if row["recall_by"] == "chunk" else row["expected_sources"]
        shown = _in_prompt(row)
        if not shown and not _documents_shown(row):
            return "wrong_document"
        if len(shown) < len(expected):
            return "incomplete_context"
    if _numbers_differ(row):
        return "numerical_precision"
    return "complex_reasoning"


def _documents_shown(row: Row) -> bool:
    """Whether any passage of an expected document was in the prompt."""
    documents = Documents(passage["source"] or "" for passage in row["context"])
    return any(documents.find(name) for name in row["expected_sources"])


def _numbers_differ(row: Row) -> bool:
    from assay.metrics.answers.claims import numbers

    wanted, given = numbers(row["expected_answer"] or ""), numbers(row["answer"] or "")
    return bool(wanted) and not wanted <= given and (row["scores"].get("token_f1") or 0) >= USED


def counts_of(described: Iterable[Mapping[str, Any]], key: str, names: Iterable[str]) -> dict[str, int]:
    tally = Counter(entry[key] for entry in described if entry[key])
    return {name: tally[name] for name in names}
