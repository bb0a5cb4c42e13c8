"""What a sentence says besides when: what is to be done, what the event is called, where it is, and who comes.

All of it by word lists, English and French together; they are the whole of what these rules know of a language.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

Action = Literal["create", "update", "delete"]


def _words(*patterns: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(patterns)})(?!\w)", re.IGNORECASE)


CANCEL = _words(
    r"cancel(?:l?ed|l?ing|s)?", r"call(?:ed|ing|s)?\s+(?:\w+\s+){0,4}?off", "drop", "delete", "scrap",
    r"annul(?:e|er|ez|ée?s?|ons)", r"supprim(?:e|er|ez|ée?s?)", r"décommand(?:e|er|ez)",
)  # fmt: skip
MOVE = _words(
    r"mov(?:e|es|ed|ing)", r"reschedul(?:e|es|ed|ing)", r"postpon(?:e|es|ed|ing)", r"push(?:ed|es)?\s+back",
    r"bring\s+forward", r"chang(?:e|es|ed|ing)\s+(?:the\s+)?(?:room|time|place)",
    r"report(?:er|ez|ée?s?|ons)", r"repouss(?:e|er|ez|ée?s?)", r"déplac(?:e|er|ez|ée?s?)", r"décal(?:e|er|ez|ée?s?)",
    r"avanc(?:er|ez|ée?s?)",
)  # fmt: skip
NOT_MEANT = _words(
    r"do\s+not\s+book", r"don['’]t\s+book", "never", "if", "would", "was", "were", "met", "had", r"took\s+place",
    r"held\s+on", "went", "came", "did", "left", "said", "closed", "last", "ago", "yesterday", r"please\s+pay", "due",
    r"reply\s+by", r"office\s+hours", "hier", "était", "étaient", r"s['’]est", "avait", r"fermée?s?",
    "serait", r"ne\s+\w+\s+pas",
)  # fmt: skip
"""Past, refused, wished for or due: a sentence with one of these creates nothing."""
WHOLE_DAY = _words(r"(?:the\s+whole|all)\s+day", r"toute\s+la\s+journée")

_LEADING = re.compile(
    r"^(?:please|kindly|hi|hello|dear|fine|also|so|and|then|note|notice|reminder|could\s+you|can\s+we|can\s+you"
    r"|we\s+(?:have|need)\s+to|(?:i|we)\s+(?:have|do|meet\s+for)|is|est|there\s+is|let\s+us|let['’]s|it\s+is|il\s+faut|merci\s+de|on\s+a|et|alors|du\s+coup"
    r"|the|an?|le|la|les|une?|l['’]|d['’]|our|your|my|notre|votre|mon|ma)(?:\s+|(?<=['’])|\s*[,:]\s*|$)",
    re.IGNORECASE,
)
_TRAILING = re.compile(
    r"(?:\s+|^)(?:on|at|in|from|for|is|the|of|by|between|until|will\s+be|takes\s+place|will\s+take\s+place|is\s+confirmed|starts|begins|departs|dans\s+la\s+nuit\s+de|le|la|à|au|de|du"
    r"|dès|pour|est|a\s+lieu|aura\s+lieu|this|ce)$",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[:;!?]\s+|[—–]\s+|(?<=\w),\s+(?=(?:the|so|and|then|and\s+then|et|alors)\b)")
_PLACE = re.compile(
    r"(?:^|[\s,(])(?:at|in|à|au|chez|dans|meeting\s+point:|rendez-vous:?)\s+(?:the\s+|la\s+|le\s+|l['’]|restaurant\s+)*"
    r"(?P<place>[^\W\d_a-zà-ÿ][^,.;:!?()\n]{1,60})"
)
_LAST_PLACE = re.compile(r"^\s*\)?\s*,\s+(?:the\s+)?(?P<place>[\w][\w'’& -]{2,40}?)\s*(?:[.,;(]|$)")
_GUESTS = re.compile(
    r"\b(?:with|avec)\s+(?P<who>(?:Frau |Herr |Mr |Mrs |Ms |Dr |Mme |M\. )?[^\W\d_a-zà-ÿ][\w'’-]+"
    r"(?:(?:, | and | et )[^\W\d_a-zà-ÿ][\w'’-]+)*)"
)
_EDGE = " \t,.-–—:;|@\"'“”«»()[]*#"
_SMALL = {"the", "a", "an", "of", "with", "on", "at", "in", "and", "le", "la", "les", "l", "de", "du", "des", "d", "et"}


def action_of(sentence: str) -> Action:
    """By its verb: to cancel, to move, or else to make."""
    if CANCEL.search(sentence):
        return "delete"
    return "update" if MOVE.search(sentence) else "create"


def title_of(before: str) -> str:
    """What stands before the day: its last clause without polite words, articles and prepositions at the edges."""
    title = _CLAUSE.split(before)[-1].strip(_EDGE)
    for edge in (_LEADING, _TRAILING):
        while (shorter := edge.sub("", title).strip(_EDGE)) != title:
            title = shorter
    return title[:1].upper() + title[1:]


def title_after(after: str) -> str:
    """Where nothing stands before the day: what goes on behind it, up to a comma or a place."""
    if not re.match(r"\s+\w", after):
        return ""
    return title_of(re.split(r"[,.;:(!?]|\s(?:at|in|à|au|chez|dans|with|avec)\s", after)[0])


def place_of(after: str, title: str) -> str | None:
    """A name with a capital behind `at`, `in`, `à`, `chez`, or else what follows the time behind a comma."""
    match = _PLACE.search(after) or _LAST_PLACE.match(after)
    place = match["place"].strip(" -") if match else ""
    return place if place and place.lower() != title.lower() else None


def guests_of(sentence: str) -> list[str]:
    """Names with a capital behind `with` or `avec`."""
    match = _GUESTS.search(sentence)
    return re.split(r", | and | et ", match["who"]) if match else []


def content_words(text: str) -> set[str]:
    """Words without accents and case, small ones left out."""
    plain = unicodedata.normalize("NFKD", text.lower())
    return set(re.findall(r"\w+", "".join(c for c in plain if not unicodedata.combining(c)))) - _SMALL
