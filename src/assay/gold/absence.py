"""Proof of absence: an unanswerable question is searched for in the whole corpus, and the best passages are read.

By a model, whose word counts only with a quote that stands in the passage; or by rule, which can show an answer that
is worded like the question but not one in other words, and so only ever warns.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Sequence
from typing import Any, Literal

from msgspec import Struct

from assay.config import Config, LlmOptions
from assay.corpus.language import detect
from assay.corpus.quotes import fold, stands_in
from assay.gold.asking import load_prompt
from assay.gold.grounds import Grounds
from assay.gold.support import WINDOW
from assay.judges.fence import Section, cut, fenced, mark_of
from assay.llm.connect import Model, connect
from assay.llm.faults import LlmError
from assay.llm.protocol import JsonSchema, Message
from assay.llm.structured import Unparsed, parse_json_reply
from assay.metrics.answers.claims import numbers
from assay.metrics.answers.sentences import sentences
from assay.records import Chunk
from assay.retrievers.analysis import content_words

By = Literal["rule", "model"]
SHOWN = 8
"""Passages shown to a model."""
_LENGTH = 4000
"""Characters of each."""
ABSENT = frozenset({"OUT_OF_SCOPE", "INSUFFICIENT_INFO", "TEMPORAL_MISMATCH"})
"""The categories in which the corpus lacks the answer, so that a passage with all of the question's words is suspect.
In the others (a false premise, several answers, a world that is not) such a passage is what a question is made of."""
_WORTH = 0.5
"""A chunk with less of the question's words is not looked into."""
_ASKS_NUMBER = re.compile(
    r"\b(?:how (?:many|much|long|often|far|old|high|deep|fast)|when|what (?:time|year|date|price|fee|age)"
    r"|which (?:year|date)|combien|quand|quelle (?:heure|date|annee|somme)|quel (?:prix|age|tarif|montant))\b"
)
_SCHEMA = JsonSchema(
    "absence",
    {
        "type": "object",
        "properties": {
            "answered": {"type": "boolean"},
            "passage": {"type": "integer", "minimum": 0},
            "quote": {"type": "string"},
            "reason": {"type": "string"},
        },
        "required": ["answered", "passage", "quote", "reason"],
        "additionalProperties": False,
    },
)


class Asked(Struct, frozen=True, kw_only=True):
    """An unanswerable question."""

    id: str
    question: str
    category: str | None = None


class Absence(Struct, frozen=True, kw_only=True):
    """What the search of the whole corpus found for one question."""

    by: By
    share: float
    """Of the question's words, weighed by rarity, in the best sentences of the corpus. By a model: 1 if answered."""
    chunk_id: str | None = None
    quote: str = ""
    fault: str | None = None
    """Why nobody can say: the model failed, or its reply could not be read."""


def by_rule(asked: Sequence[Asked], grounds: Grounds) -> dict[str, Absence]:
    """For each question the sentences of the corpus that hold most of its words."""
    tested = [each for each in asked if each.category is None or each.category in ABSENT]
    found = grounds.search([each.question for each in tested])
    chunks = grounds.chunks(id_ for ids in found for id_ in ids)
    result = {each.id: Absence(by="rule", share=0.0) for each in asked}
    for each, ids in zip(tested, found, strict=True):
        result[each.id] = _best(each.question, [chunks[id_] for id_ in ids if id_ in chunks], grounds)
    return result


def _best(question: str, chunks: Sequence[Chunk], grounds: Grounds) -> Absence:
    """The best sentences of all chunks. No window has more of the words than its chunk, so most need no look."""
    wanted = {}
    for chunk in chunks:
        language = grounds.language(chunk)
        if language not in wanted:
            wanted[language] = _Wanted.of(question, language, grounds)
    pairs = [(wanted[grounds.language(chunk)], chunk) for chunk in chunks]
    bounds = [each.share(grounds.holds(chunk, each.weights)) for each, chunk in pairs]
    best = Absence(by="rule", share=0.0)
    for bound, (each, chunk) in sorted(zip(bounds, pairs, strict=True), key=lambda item: (-item[0], item[1][1].id)):
        if bound <= max(best.share, _WORTH):
            break
        best = max(best, _best_sentences(each, chunk, grounds), key=lambda absence: absence.share)
    return best


class _Wanted(Struct, frozen=True):
    """What a sentence must have to answer a question: its words with their rarity, its numbers, a number of its own."""

    weights: dict[str, float]
    numbers: frozenset[str]
    asks_number: bool

    @classmethod
    def of(cls, question: str, language: str, grounds: Grounds) -> _Wanted:
        text = fold(question)
        asks_number = bool(_ASKS_NUMBER.search(text))
        words = content_words(_ASKS_NUMBER.sub(" ", text) if asks_number else question, language)
        weights = {word: grounds.weight(word) for word in sorted(words)}
        return cls(weights, frozenset(numbers(question)), asks_number)

    def share(self, words: Collection[str]) -> float:
        """In one order, so that the same words give the same bits."""
        total = sum(self.weights.values())
        return sum(weight for word, weight in self.weights.items() if word in words) / total if total else 0.0


def _best_sentences(wanted: _Wanted, chunk: Chunk, grounds: Grounds) -> Absence:
    best = Absence(by="rule", share=0.0)
    if wanted.numbers - numbers(chunk.text):
        return best
    found, language = sentences(chunk.text), grounds.language(chunk)
    words = [content_words(sentence, language) & wanted.weights.keys() for sentence in found]
    for start in range(len(found)):
        for stop in range(start + 1, min(start + WINDOW, len(found)) + 1):
            share = wanted.share(set[str]().union(*words[start:stop]))
            if share > best.share:
                window = " ".join(found[start:stop])
                if not wanted.asks_number or numbers(window) - wanted.numbers:
                    best = Absence(by="rule", share=share, chunk_id=chunk.id, quote=window)
    return best


class Proofs(Struct, frozen=True):
    """What a model found, and what it left of the budget."""

    absences: dict[str, Absence]
    left: LlmOptions


def by_model(asked: Sequence[Asked], grounds: Grounds, config: Config, name: str) -> Proofs:
    """One call for each question; a fault is told, never taken for an absence."""
    found = grounds.search([each.question for each in asked])
    chunks = grounds.chunks(id_ for ids in found for id_ in ids)
    shown = [[chunks[id_] for id_ in ids[:SHOWN] if id_ in chunks] for ids in found]
    return asyncio.run(_ask_all(asked, shown, config, name))


async def _ask_all(asked: Sequence[Asked], shown: Sequence[list[Chunk]], config: Config, name: str) -> Proofs:
    async with connect(config) as connections:
        model = connections.model(name)
        pairs = zip(asked, shown, strict=True)
        found = await asyncio.gather(*(_ask(model, each, passages) for each, passages in pairs))
        left = connections.budget.left_of(config.llm)
    return Proofs({each.id: absence for each, absence in zip(asked, found, strict=True)}, left)


async def _ask(model: Model, asked: Asked, passages: list[Chunk]) -> Absence:
    request = model.request(messages(asked, passages), json_schema=_SCHEMA, label=f"absence {asked.id}")
    try:
        reply = await model.complete(request)
    except LlmError as fault:
        return Absence(by="model", share=0.0, fault=fault.what)
    return read(reply.text, passages)


def messages(asked: Asked, passages: Sequence[Chunk]) -> tuple[Message, Message]:
    """Question and passages are data between unforgeable marks."""
    sections = [Section("question", asked.question)]
    sections += [Section(f"passage {n}", *cut(chunk.text, _LENGTH)) for n, chunk in enumerate(passages, 1)]
    mark = mark_of(sections)
    instructions = load_prompt("absence", detect(asked.question) or "en").text
    return Message("system", instructions), Message("user", f"Mark of the data: {mark}\n\n{fenced(sections, mark)}")


def read(text: str, passages: Sequence[Chunk]) -> Absence:
    """An answer without a quote that really stands in the passage is not believed."""
    reply: Any = parse_json_reply(text, _SCHEMA.schema)
    if isinstance(reply, Unparsed):
        return Absence(by="model", share=0.0, fault=f"unreadable reply: {reply.reason}")
    if not reply["answered"]:
        return Absence(by="model", share=0.0)
    at = reply["passage"] - 1
    if not 0 <= at < len(passages) or not stands_in(fold(reply["quote"]).strip(" .\"'"), fold(passages[at].text)):
        return Absence(by="model", share=0.0, fault="claims an answer, but its quote does not stand in the passage")
    return Absence(by="model", share=1.0, chunk_id=passages[at].id, quote=reply["quote"])
