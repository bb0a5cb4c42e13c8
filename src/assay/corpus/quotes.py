"""Quotes: the same words, however they are set. What was quoted from a text is found in it again."""

from __future__ import annotations

import unicodedata

_MARKS = str.maketrans(
    {**dict.fromkeys("’‘ʼ`´′", "'"), **dict.fromkeys("“”„«»", '"'), **dict.fromkeys("‐‑–—−", "-"), "\u00ad": None}
)


def fold(text: str) -> str:
    """Unicode form, case, accents, white space and the shape of quotation marks and dashes do not matter."""
    plain = unicodedata.normalize("NFKD", text.translate(_MARKS)).casefold()
    if not plain.isascii():
        plain = "".join(c for c in plain if not unicodedata.combining(c))
    return " ".join(plain.split())


def stands_in(quote: str, text: str) -> bool:
    """Whether one folded text stands in another as whole words; an empty one stands nowhere.

    >>> stands_in("art", "a party"), stands_in("party", "a party.")
    (False, True)
    """
    start = text.find(quote) if quote else -1
    while start >= 0:
        end = start + len(quote)
        if not _joined(text, start, quote[0]) and not _joined(text, end, quote[-1]):
            return True
        start = text.find(quote, start + 1)
    return False


def _joined(text: str, at: int, edge: str) -> bool:
    """Whether the quote is cut out of a word or number there: `2` of `12`, `1` of `1.5`."""
    if not edge.isalnum() or not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    if before.isalnum() and after.isalnum():
        return True
    return _is_decimal(text[max(0, at - 2) : at + 1]) or _is_decimal(text[at - 1 : at + 2])


def _is_decimal(three: str) -> bool:
    return len(three) == 3 and three[0].isdigit() and three[1] in ".," and three[2].isdigit()
