"""What the writer of questions is asked: instructions from a versioned file, then the passages as data."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Literal

from msgspec import Struct

from assay.errors import AssayError
from assay.files import read_text
from assay.judges.fence import Section, fenced, mark_of
from assay.llm.protocol import Message
from assay.records import Chunk

LANGUAGES = ("en", "fr")
Kind = Literal["answerable", "unanswerable"]

_FOLDER = Path(__file__).parent / "prompts"
_TITLE = re.compile(r"# .+, version (\S+)\n")


class Prompt(Struct, frozen=True, kw_only=True):
    """A prompt file of the package."""

    name: str
    language: str
    version: str
    text: str

    @property
    def identity(self) -> str:
        """What the log keeps of it."""
        return f"{self.name}.{self.language} v{self.version} {sha256(self.text.encode()).hexdigest()[:8]}"


@cache
def load_prompt(name: str, language: str) -> Prompt:
    """In that language, or in English where there is none in it."""
    path = _FOLDER / f"{name}.{language if language in LANGUAGES else 'en'}.md"
    text = read_text(path)
    title = _TITLE.match(text)
    if title is None:
        raise AssayError("the prompt has no version", where=str(path), expected="# NAME, version N on its first line")
    return Prompt(name=name, language=path.name.split(".")[1], version=title[1], text=text)


class Batch(Struct, frozen=True, kw_only=True):
    """Chunks that are shown in one prompt, and what is wanted from them."""

    id: str
    """`1-003-…`: the phase, its number there, and a hash of everything it is."""
    kind: Kind
    language: str
    """Of the questions."""
    chunks: tuple[str, ...]
    wanted: int
    classes: dict[str, int] = {}
    """Answerable: how many of each reasoning class."""
    hard: int = 0
    categories: tuple[str, ...] = ()
    """Unanswerable: one for each chunk."""

    @property
    def phase(self) -> int:
        return 1 if self.kind == "answerable" else 2


class Wording(Struct, frozen=True, kw_only=True):
    """The few words around the data."""

    mark: str
    language: str
    names: dict[str, str]
    wanted: str
    classes: str
    hard: str
    category: str
    again: str


WORDINGS = {
    "en": Wording(
        mark="Mark of the data",
        language="Language of the questions",
        names={"en": "English", "fr": "French", "de": "German", "es": "Spanish", "it": "Italian", "nl": "Dutch"},
        wanted="At most {} questions in all.",
        classes="Of each reasoning_class, at most",
        hard="Of these, hard (difficulty 0.7 or more) if the passages allow it",
        category="Category for each passage",
        again="The last reply was not the JSON object that was asked for. Reply with that object alone.",
    ),
    "fr": Wording(
        mark="Marque des données",
        language="Langue des questions",
        names={"en": "anglais", "fr": "français", "de": "allemand", "es": "espagnol", "it": "italien"},
        wanted="Au plus {} questions en tout.",
        classes="De chaque reasoning_class, au plus",
        hard="Parmi elles, difficiles (difficulty de 0,7 ou plus) si les passages le permettent",
        category="Catégorie de chaque passage",
        again="La dernière réponse n’était pas l’objet JSON demandé. Répondez par ce seul objet.",
    ),
}


def prompt_of(batch: Batch) -> Prompt:
    return load_prompt(batch.kind, batch.language)


def messages(batch: Batch, chunks: Mapping[str, Chunk], *, again: bool = False) -> tuple[Message, Message]:
    """Instructions that are the same for every batch; the passages fenced; what is wanted, in our own words alone."""
    prompt = prompt_of(batch)
    words = WORDINGS[prompt.language]
    sections = [Section(f"passage {n}", _shown(chunks[id_])) for n, id_ in enumerate(batch.chunks, 1)]
    mark = mark_of(sections)
    lines = [f"{words.mark}: {mark}", fenced(sections, mark), "\n".join(_order(batch, words))]
    if again:
        lines.append(words.again)
    return Message("system", prompt.text), Message("user", "\n\n".join(lines))


def _shown(chunk: Chunk) -> str:
    """The source is data like the text: it stands inside the fence."""
    page = f", page {chunk.page}" if chunk.page is not None else ""
    return f"{chunk.source}{page}\n\n{chunk.text}"


def _order(batch: Batch, words: Wording) -> Sequence[str]:
    lines = [f"{words.language}: {words.names.get(batch.language, batch.language)}.", words.wanted.format(batch.wanted)]
    if batch.classes:
        lines.append(f"{words.classes}: {', '.join(f'{name} {count}' for name, count in batch.classes.items())}.")
    if batch.hard:
        lines.append(f"{words.hard}: {batch.hard}.")
    if batch.categories:
        named = ", ".join(f"{number} {name}" for number, name in enumerate(batch.categories, 1))
        lines.append(f"{words.category}: {named}.")
    return lines
