"""Numbers in words, from two to ninety-nine, in English and French."""

from __future__ import annotations

import re
from collections.abc import Iterator

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_ENGLISH = """
    one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen
"""
_FRENCH = """
    un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit
    dix-neuf
"""
_TENS = {
    "twenty": 20,
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
}
_DIZAINES = {"vingt": 20, "trente": 30, "quarante": 40, "cinquante": 50, "soixante": 60}
_BELGIAN = {"septante": 70, "huitante": 80, "octante": 80, "nonante": 90}


def _spelled() -> dict[str, str]:
    """One is left out: in French it is an article, in English often a pronoun."""
    words = {"quatre-vingts": 80, "quatre-vingt": 80}
    for names, tens in ((_ENGLISH.split(), _TENS), (_FRENCH.split(), _DIZAINES | _BELGIAN)):
        words |= {name: value for value, name in enumerate(names, 1)} | tens
        for ten, base in tens.items():
            words |= {f"{ten}-{name}": base + value for value, name in enumerate(names[:9], 1)}
    words |= {f"{ten}-une": base + 1 for ten, base in _DIZAINES.items()}
    for value, name in enumerate(_FRENCH.split(), 1):
        words |= {f"soixante-{name}": 60 + value, f"quatre-vingt-{name}": 80 + value}
    return {word: str(value) for word, value in words.items() if word not in ("one", "un")}


_WORDS = _spelled()
_APART = re.compile(
    rf"\b(?:({'|'.join(_TENS)})\s+({'|'.join(_ENGLISH.split()[:9])})|({'|'.join(_DIZAINES)})[\s-]et[\s-](une?|onze))\b"
)
"""Written in several words: `twenty five`, `vingt et un`."""


def spelled_numbers(text: str) -> set[str]:
    """In digits, each once.

    >>> sorted(spelled_numbers("Forty-two, vingt et un, a three-day pass; one of them"))
    ['21', '3', '42']
    """
    together = _APART.sub(lambda m: f"{m[1]}-{m[2]}" if m[1] else f"{m[3]}-{m[4]}", text.lower())
    return {value for word in _WORD.findall(together) for value in _values(word)}


def without_spelled(text: str) -> str:
    """The text without the words that are numbers."""
    return _WORD.sub(lambda word: _without(word[0]), text)


def _values(word: str) -> Iterator[str]:
    """Of a word, or of the parts of a compound: `forty-two-year-old` holds 42."""
    if word in _WORDS:
        yield _WORDS[word]
    elif "-" in word:
        parts = word.split("-")
        heads = ((size, "-".join(parts[:size])) for size in range(len(parts) - 1, 0, -1))
        size, head = next(((size, head) for size, head in heads if head in _WORDS), (1, ""))
        if head:
            yield _WORDS[head]
        yield from _values("-".join(parts[size:]))


def _without(word: str) -> str:
    if word.lower() in _WORDS:
        return " "
    return "-".join(" " if part.lower() in _WORDS else part for part in word.split("-")) if "-" in word else word
