"""Everything gates look at, measured once from the questions, the index and the embeddings.

Nothing that a file says about itself (a stored score, a status) is taken for a measurement.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from typing import Any

import numpy as np
from msgspec import Struct, structs
from numpy.typing import NDArray

from assay.gold.absence import Absence, Asked, by_rule
from assay.gold.grounds import Grounds
from assay.gold.leaves import ANSWERABLE
from assay.gold.schema import Question
from assay.gold.support import Claim, Support, examine, windows
from assay.gold.wording import copied
from assay.records import Chunk
from assay.retrievers.vector import cosines

_TEXTS = 4096
"""Windows embedded at once: the memory stays flat."""


class Strata(Struct, frozen=True):
    """How the questions were to be spread."""

    quotas: Mapping[str, int]
    target: int


class Copied(Struct, frozen=True):
    """How near a question is to its chunk."""

    similarity: float | None
    words: int
    """Of the question, in one run that stands in the chunk."""
    share: float
    """That run is so much of the question."""


class Evidence:
    """The measurements of one set of questions; each is made when a gate first asks for it.

    `raws` are the questions as the file has them, for what the typed records do not keep.
    """

    def __init__(
        self,
        questions: Sequence[Question],
        grounds: Grounds,
        *,
        raws: Sequence[Any],
        version: Mapping[str, Any] | None = None,
        strata: Strata | None = None,
    ) -> None:
        self.questions, self.grounds, self.strata = tuple(questions), grounds, strata
        self.raws, self.version = tuple(raws), dict(version or {})

    @cached_property
    def answerable(self) -> tuple[Question, ...]:
        return tuple(question for question in self.questions if not question.content.is_impossible)

    @cached_property
    def impossible(self) -> tuple[Question, ...]:
        return tuple(question for question in self.questions if question.content.is_impossible)

    @cached_property
    def chunks(self) -> dict[str, Chunk]:
        """The chunks the questions were made from, by id; those that are not in the index are not here."""
        return self.grounds.chunks(q.provenance.chunk_id for q in self.questions if q.provenance.chunk_id)

    def chunk(self, question: Question) -> Chunk | None:
        return self.chunks.get(question.provenance.chunk_id or "")

    @cached_property
    def chunkless(self) -> tuple[Question, ...]:
        """Those that name no chunk at all."""
        return tuple(question for question in self.questions if not question.provenance.chunk_id)

    @cached_property
    def _languages(self) -> dict[str, str]:
        return {id_: self.grounds.language(chunk) for id_, chunk in self.chunks.items()}

    def language(self, chunk: Chunk) -> str:
        return self._languages[chunk.id]

    @cached_property
    def supports(self) -> dict[str, Support]:
        """How each answer stands in its chunk, by question id; a question without a chunk has none."""
        claims = {q.id: claim_of(q) for q in self.answerable}
        placed = [(q, chunk) for q in self.answerable if (chunk := self.chunk(q))]
        found = {q.id: examine(claims[q.id], chunk.text, self.language(chunk)) for q, chunk in placed}
        open_ = [(q.id, chunk) for q, chunk in placed if not found[q.id].verbatim and found[q.id].coverage is not None]
        for id_, similarity in self._best_windows(open_, claims):
            found[id_] = structs.replace(found[id_], similarity=similarity)
        return found

    def _best_windows(
        self, open_: Sequence[tuple[str, Chunk]], claims: Mapping[str, Claim]
    ) -> Iterator[tuple[str, float | None]]:
        """The cosine of each answer with its best window; the windows of a chunk are embedded once."""
        answers = self.grounds.embed_passages([claims[id_].text for id_, _ in open_])
        ordered = sorted(range(len(open_)), key=lambda at: open_[at][1].id)
        for batch in self._batches([(at, open_[at][1]) for at in ordered]):
            texts = [text for _, found in batch for text in found]
            vectors, start = self.grounds.embed_passages(texts), 0
            for members, found in batch:
                rows, start = vectors[start : start + len(found)], start + len(found)
                for at in members:
                    yield open_[at][0], _nearest(answers[at], rows)

    def _batches(self, placed: Sequence[tuple[int, Chunk]]) -> Iterator[list[tuple[list[int], list[str]]]]:
        """(answers, windows) of each chunk, in batches of bounded size."""
        batch: list[tuple[list[int], list[str]]] = []
        for _, group in groupby(placed, key=lambda pair: pair[1].id):
            members = list(group)
            batch.append(([at for at, _ in members], windows(members[0][1].text)))
            if sum(len(found) for _, found in batch) >= _TEXTS:
                yield batch
                batch = []
        if batch:
            yield batch

    @cached_property
    def vectors(self) -> NDArray[np.float32]:
        """One row for each question."""
        return self.grounds.embed_questions([question.content.question for question in self.questions])

    @cached_property
    def copies(self) -> dict[str, Copied]:
        """How much each question takes from its chunk, by question id."""
        rows = [row for row, question in enumerate(self.questions) if self.chunk(question)]
        chunks = [self.chunks[self.questions[row].provenance.chunk_id or ""] for row in rows]
        anchors = self.grounds.chunk_vectors(chunks)
        found = {}
        for row, chunk, anchor in zip(rows, chunks, anchors, strict=True):
            question = self.questions[row]
            words, share = copied(question.content.question, chunk.text)
            found[question.id] = Copied(_nearest(self.vectors[row], anchor[None]), words, share)
        return found

    @cached_property
    def absences(self) -> dict[str, Absence]:
        """What the whole corpus says to each unanswerable question, by rule unless a model was asked before."""
        return by_rule(self.asked, self.grounds)

    @property
    def asked(self) -> list[Asked]:
        return [
            Asked(id=q.id, question=q.content.question, category=q.classification.hard_type) for q in self.impossible
        ]


def absent(question: Question) -> str:
    """Why a question has no chunk, for people."""
    id_ = question.provenance.chunk_id
    return f"the chunk '{id_}' is not in the index" if id_ else "names no chunk"


def claim_of(question: Question) -> Claim:
    return Claim(
        answer=question.content.expected_answer or "",
        explanation=question.provenance.answer_explanation or "",
        question=question.content.question,
        arithmetic=question.classification.reasoning_class == "arithmetic",
    )


def is_adversarial(question: Question) -> bool:
    """Made in phase 2, by its category and labels, whatever `is_impossible` says."""
    kind = question.classification
    category = kind.hard_type not in {None, ANSWERABLE} and str(kind.hard_type).isupper()
    return category or kind.answer_type == "unanswerable" or kind.reasoning_class == "adversarial"


def _nearest(vector: NDArray[np.float32], rows: NDArray[np.float32]) -> float | None:
    """The highest cosine; None where the text has no direction or there is nothing to compare with."""
    return float(cosines(rows, vector).max()) if len(rows) and vector.any() else None
