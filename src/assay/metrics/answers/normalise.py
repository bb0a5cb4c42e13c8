"""Text as SQuAD compares it: lower case, no punctuation, no articles, single spaces."""

from __future__ import annotations

import re
import string

_PUNCTUATION = {ord(mark): None for mark in string.punctuation}
_TYPOGRAPHIC = _PUNCTUATION | {ord(mark): None for mark in "«»‹›“”„…–—‘’"}
_APOSTROPHES = str.maketrans("’ʼ", "''")
_ENGLISH_ARTICLES = re.compile(r"\b(a|an|the)\b")
_FRENCH_ARTICLES = re.compile(r"\b(?:l'|(?:le|la|les|un|une|des|du|au|aux)\b(?!'))")


def normalise(text: str, language: str = "en") -> str:
    """The text in the form in which answers are compared.

    `en` is `normalize_answer` of SQuAD's evaluation scripts 1.1 and 2.0 (Rajpurkar et al. 2016, 2018), to the
    letter: only ASCII punctuation goes. `fr` drops the French articles, the elided `l'` among them, before
    punctuation, for `l'arbitre` would else become one word; typographic marks go as well. Any other language
    loses punctuation only.

    >>> normalise("The  Duty-Officer!")
    'dutyofficer'
    >>> normalise("L’arbitre des courses", "fr")
    'arbitre courses'
    """
    text = text.lower()
    if language == "en":
        text = _ENGLISH_ARTICLES.sub(" ", text.translate(_PUNCTUATION))
    elif language == "fr":
        text = _FRENCH_ARTICLES.sub(" ", text.translate(_APOSTROPHES)).translate(_TYPOGRAPHIC)
    else:
        text = text.translate(_TYPOGRAPHIC)
    return " ".join(text.split())
