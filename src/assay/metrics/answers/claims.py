"""What in a text can be checked one by one: its numbers, and the sentences that deny something."""

from __future__ import annotations

import re

from assay.metrics.answers.spelled import spelled_numbers, without_spelled
from assay.metrics.answers.units import units_spelled

_GROUPED = re.compile(r"(?<=\d)[\u00a0\u2009\u202f ](?=\d{3}(?!\d))")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_THOUSANDS = re.compile(r"(\d{1,3}(?:([.,])\d{3})(?:\2\d{3})*)(?:(?!\2)[.,](\d+))?")

NEGATION = re.compile(
    r"\b(?:not|never|none|nobody|nothing|neither|nor|without|cannot|no(?!\.? ?\d)"
    r"|ne|pas|jamais|aucune?|sans|ni|rien|non)\b|n't\b|\bn'(?=\w)",
    re.IGNORECASE,
)
_TIME = re.compile(r"(?<![\d.,:])(2[0-4]|[01]?\d)(?::|\s?(?:h|heures)\s?)([0-5]\d)(?![\d:])", re.IGNORECASE)
_APOSTROPHES = str.maketrans("’ʼ`", "'''")


def straight(text: str) -> str:
    """With one kind of apostrophe."""
    return text.translate(_APOSTROPHES)


def numbers(text: str) -> set[str]:
    """The distinct numbers, each in one spelling: `1,857`, `1 857` and `1857` are the same, `3,50` and `3.5` too.

    Spelled ones from two to ninety-nine count, in English and French.

    >>> sorted(numbers("Three boats, £1,857.50, 3,5 m, twenty-five, vingt et un"))
    ['1857.5', '21', '25', '3', '3.5']
    """
    found = {_plain(match[0]) for match in _NUMBER.finditer(_GROUPED.sub("", text))}
    return found | spelled_numbers(text)


def times(text: str) -> dict[str, frozenset[str]]:
    """The times of day: how each reads as `numbers` with a point for its mark → the numbers it is without one.

    >>> times("from 8:30 to 17h05")["8.3"] == {"8", "30"}, sorted(times("from 8:30 to 17h05"))
    (True, ['17.05', '8.3'])
    """
    return {_plain(f"{hour}.{minute}"): frozenset(map(_plain, (hour, minute))) for hour, minute in _TIME.findall(text)}


def is_time(word: str) -> bool:
    """Whether the whole word is a time of day: `8h30`."""
    return _TIME.fullmatch(word) is not None


def wording(text: str) -> str:
    """Lower case, without what is counted apart from words: spelled numbers and negations. Units in one spelling."""
    plain = NEGATION.sub(" ", straight(text))
    return without_spelled(units_spelled(plain))


def _plain(literal: str) -> str:
    if grouped := _THOUSANDS.fullmatch(literal):
        literal = re.sub(r"[.,]", "", grouped[1]) + (f".{grouped[3]}" if grouped[3] else "")
    parts = re.split(r"[.,]", literal)
    if len(parts) == 2:
        whole, fraction = parts[0].lstrip("0") or "0", parts[1].rstrip("0")
        return f"{whole}.{fraction}" if fraction else whole
    return ".".join(part.lstrip("0") or "0" for part in parts)


def denies(sentence: str) -> bool:
    """Whether the sentence holds a negation, English or French; `no. 5` is none.

    >>> denies("Dogs aren't allowed"), denies("Boat no. 5"), denies("L’accès n’est pas libre")
    (True, False, True)
    """
    return bool(NEGATION.search(straight(sentence)))
