"""What the judge is shown: instructions and rubric, then everything else as data."""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256

import msgspec
from msgspec import Struct

from assay.judges.fence import Section, cut, fenced, mark_of
from assay.judges.judgment import Answer
from assay.judges.reply import SCHEMA
from assay.judges.rubric import Rubric, instructions
from assay.judges.verdict import ACCEPTANCE
from assay.llm.protocol import Message


class Wording(Struct, frozen=True, kw_only=True):
    """The few words around the data."""

    mark: str
    no_truth: str
    no_context: str
    unanswerable: str
    of_category: str
    task: str


WORDINGS = {
    "en": Wording(
        mark="Mark of the data",
        no_truth="No ground truth is known.",
        no_context="The context is not known.",
        unanswerable="This question cannot be answered from the documents",
        of_category="; its category is",
        task="Grade the answer. Reply with the JSON object alone.",
    ),
    "fr": Wording(
        mark="Marque des données",
        no_truth="Aucune vérité de référence n’est connue.",
        no_context="Le contexte n’est pas connu.",
        unanswerable="Les documents ne permettent pas de répondre à cette question",
        of_category=" ; sa catégorie est",
        task="Notez la réponse. Répondez par le seul objet JSON.",
    ),
}


class Limits(Struct, frozen=True):
    """Characters shown; 0: all."""

    context: int = 0
    answer: int = 20_000


def messages(answer: Answer, rubric: Rubric, limits: Limits) -> tuple[Message, Message]:
    """The same system message for every question, so that services can keep it; the data in the user's."""
    words = WORDINGS[rubric.language]
    sections = _sections(answer, limits)
    mark = mark_of(sections)
    lines = [f"{words.mark}: {mark}", fenced(sections, mark), *_remarks(answer, words), words.task]
    return _told(rubric), Message("user", "\n\n".join(lines))


@lru_cache(maxsize=4)
def _told(rubric: Rubric) -> Message:
    return Message("system", f"{instructions(rubric.language)}\n{rubric.text}")


def prompt_hash(language: str) -> str:
    """Changes with every word the judge is told, but for the rubric, and with what it must reply."""
    parts = (instructions(language), WORDINGS[language], SCHEMA)
    return sha256(msgspec.json.encode(parts, order="deterministic")).hexdigest()


def _sections(answer: Answer, limits: Limits) -> list[Section]:
    several = len(answer.references) > 1
    sections = [Section("question", answer.question)]
    for number, reference in enumerate(answer.references, 1):
        sections.append(Section(f"ground truth {number}" if several else "ground truth", reference))
    if answer.context is not None:
        sections.append(Section("context", *cut(answer.context, limits.context)))
    return [*sections, Section("answer", *cut(answer.text, limits.answer))]


def _remarks(answer: Answer, words: Wording) -> list[str]:
    """Said outside the data, so in our words alone: a category that is not one of ours is not repeated."""
    remarks = []
    if not answer.references:
        remarks.append(words.no_truth)
    if answer.context is None:
        remarks.append(words.no_context)
    if not answer.answerable:
        known = f"{words.of_category} {answer.category}" if answer.category in ACCEPTANCE else ""
        remarks.append(f"{words.unanswerable}{known}.")
    return remarks
