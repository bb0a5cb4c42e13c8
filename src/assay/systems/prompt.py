"""What the embedded pipeline asks its model: instructions from a file, then passages and question as data.

The files are in the package (`prompts/answer.en.md`, `.fr.md`, versioned in their titles) or the user's own. A file
that holds `{passages}` and `{question}` is the whole message, with these filled in; any other is the instructions, and
passages and question follow in a message of their own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from msgspec import Struct

from assay.errors import AssayError
from assay.files import read_text
from assay.judges.fence import Section, fenced, mark_of
from assay.llm.protocol import Message
from assay.retrievers.analysis import analyzer, pieces
from assay.systems.protocol import Passage

LANGUAGES = ("en", "fr")
MARK_LENGTH = 8
"""Shorter than a judge's, for it is paid with every passage. It stands in no text, so none can forge it."""

_FOLDER = Path(__file__).parent / "prompts"
_PLACE = re.compile(r"\{(passages|question)\}")
_ELISION = re.compile(r"\b(?:[cdjlmnst]|qu)['’]\w", re.IGNORECASE)
_NOTHING = {"en": "No passage was found.", "fr": "Aucun passage n’a été trouvé."}
_MARK = {"en": "Mark of the data", "fr": "Marque des données"}


class Prompt(Struct, frozen=True):
    """The text of a file in each language; a user's own is the same in all."""

    texts: dict[str, str]

    @property
    def sha256(self) -> str:
        whole = "\0".join(f"{language}\0{text}" for language, text in sorted(self.texts.items()))
        return sha256(whole.encode("utf-8", "backslashreplace")).hexdigest()

    def messages(self, question: str, passages: Sequence[Passage]) -> tuple[Message, ...]:
        language = language_of(question)
        text = self.texts[language]
        shown = [Section(f"passage {n}", _text(passage)) for n, passage in enumerate(passages, 1)]
        asked = [Section("question", question)]
        mark = mark_of([*shown, *asked], MARK_LENGTH)
        head = f"{_MARK[language]}: {mark}"
        parts = {"passages": fenced(shown, mark) or _NOTHING[language], "question": fenced(asked, mark)}
        if _PLACE.search(text):
            filled = _PLACE.sub(lambda place: parts[place[1]], text)
            return (Message("user", f"{head}\n\n{filled}"),)
        return Message("system", text), Message("user", f"{head}\n\n{parts['passages']}\n\n{parts['question']}")


def load_prompt(path: Path | None = None) -> Prompt:
    """The file's, or those of the package."""
    if path is None:
        return Prompt({language: read_text(_FOLDER / f"answer.{language}.md") for language in LANGUAGES})
    text = read_text(path)
    if not text.strip():
        raise AssayError("the prompt is empty", where=str(path))
    places = set(_PLACE.findall(text))
    if len(places) == 1:
        absent = ({"passages", "question"} - places).pop()
        raise AssayError(
            f"the prompt has a place for {{{places.pop()}}} but none for {{{absent}}}",
            where=str(path),
            expected="both, or neither for instructions alone",
        )
    return Prompt(dict.fromkeys(LANGUAGES, text))


def language_of(question: str) -> str:
    """`fr` if more of its small words (and elisions) are French than English, else `en`.

    >>> language_of("Qui signe le plan de navigation ?"), language_of("Who signs the float plan?")
    ('fr', 'en')
    """
    counts = [sum(each) for each in zip(*map(_is_small, pieces(question)), strict=True)] or [0] * len(LANGUAGES)
    hits = dict(zip(LANGUAGES, counts, strict=True))
    hits["fr"] += len(_ELISION.findall(question))
    return max(LANGUAGES, key=hits.__getitem__)


@lru_cache(maxsize=4096)
def _is_small(piece: str) -> tuple[bool, ...]:
    """Whether it is a small word in each of the languages. Remembered: questions are made of the same few."""
    return tuple([analyzer(language).is_stop(piece) for language in LANGUAGES])


def _text(passage: Passage) -> str:
    """The source is data like the text: it stands inside the fence."""
    page = f", page {passage.page}" if passage.page is not None else ""
    source = f"{passage.source}{page}\n\n" if passage.source else ""
    return f"{source}{passage.text or ''}"
