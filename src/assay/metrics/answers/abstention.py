"""Does an answer answer? Decided by rule, in English and French, from its wording alone.

An answer is cut into sentences and these at `;`, `:`, dashes and words of contrast. Each piece is one of

| piece | is |
|---|---|
| refusal | says that the answer is not known or not in the sources (patterns in `phrases.py`) |
| courtesy | excuses itself, points elsewhere, offers help |
| question | ends with a question mark |
| report | says what the sources do cover, without saying it: `it only describes the fees` |
| correction | says that what the question takes for granted is not so |
| statement | anything else |

A refusal with no statement and no correction beside it is a refusal; **with a statement it is an answer**, for a reader
takes `I am not sure, but it is probably £20` for one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from msgspec import Struct

from assay.metrics.answers import phrases
from assay.metrics.answers.phrases import compiled
from assay.metrics.answers.sentences import sentences

Behaviour = Literal["answered", "refused", "asked_back", "corrected"]
Piece = Literal["refusal", "courtesy", "question", "report", "correction", "statement"]

_REFUSAL, _COURTESY, _REPORT, _CORRECTION, _CUT = map(
    compiled, (phrases.REFUSALS, phrases.COURTESIES, phrases.REPORTS, phrases.CORRECTIONS, phrases.CONTRASTS)
)
_OPENING = re.compile(r"^(?:unfortunately|malheureusement|sorry|désolée?|i'm sorry|i am sorry|hélas)(?: that)?[,.!]? +")
_APOSTROPHES = str.maketrans("’ʼ`", "'''")
_LOOKED_AT = 20_000
"""Characters. Who has written more has not refused."""


class Response(Struct, frozen=True):
    """What an answer does, and by which words that is known."""

    behaviour: Behaviour
    because: str

    @property
    def abstains(self) -> bool:
        return self.behaviour in ("refused", "asked_back")


def response(answer: str) -> Response:
    """What the answer does. An empty one refuses, as SQuAD 2.0 has it.

    >>> response("The documents do not name the insurer. Please ask the Treasurer.").behaviour
    'refused'
    >>> response("I am not sure, but the fee is probably £20.").behaviour
    'answered'
    >>> response("Do you mean the 2024 or the 2026 edition?").behaviour
    'asked_back'
    """
    if not answer.strip():
        return Response("refused", "empty")
    found: dict[Piece, str] = {}
    for kind, text in pieces(answer[:_LOOKED_AT]):
        found.setdefault(kind, text)
    if len(answer) > _LOOKED_AT or "statement" in found:
        text = found.get("statement", "its length")
        return Response("answered", f"refuses but also states: {text}" if "refusal" in found else f"states: {text}")
    if "correction" in found:
        return Response("corrected", f"corrects: {found['correction']}")
    if "refusal" in found:
        return Response("refused", f"refuses: {found['refusal']}")
    if "question" in found:
        return Response("asked_back", f"asks: {found['question']}")
    return Response("answered", "no refusal")


def pieces(answer: str) -> Iterable[tuple[Piece, str]]:
    """The pieces of the answer with what each is."""
    for sentence in sentences(answer.casefold().translate(_APOSTROPHES)):
        is_question = sentence.endswith("?")
        for part in _CUT.split(sentence):
            text = part.strip(" .,!?…\"'*()[]")
            if text:
                yield ("question" if is_question else _kind(text)), text


def _kind(text: str) -> Piece:
    bare = _OPENING.sub("", text)
    if _REFUSAL.search(bare):
        return "refusal"
    if _CORRECTION.search(bare):
        return "correction"
    if _COURTESY.search(bare):
        return "courtesy"
    return "report" if _REPORT.search(bare) else "statement"
