"""The language of a document, by counting the small words every sentence is full of."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from msgspec import Struct

_WORDS = {
    "en": """the of and to in is that for it with as was on are be by this at from or an not have has which their they
        were but his her you all will would there been more when who what about into than its if must may""",
    "fr": """le la les de des du et en un une est que qui dans pour pas sur au aux par plus ce cette il elle ne se sont
        avec son sa ses ou être été ont nous vous leur leurs comme mais tout doit ces même""",
    "de": """der die das und in zu den von mit ist des ein eine im für auf dem nicht sich auch es an als werden aus er
        hat dass sie nach wird bei einer um am sind noch wie einem über einen zum war haben nur oder aber""",
    "es": """el la los las de y en que a un una es por con para del se no su al lo como más pero sus le ya o este sí
        porque esta entre cuando muy sin sobre también hasta hay donde quien desde todo nos durante""",
    "it": """il lo la i gli le di e in che un una è per con non del della dei delle si da al alla nel nella sono come
        anche più ma se questo questa ha dal dalla suo sua o essere ai degli ed cui tra""",
    "nl": """de het een en van in is dat op te zijn met voor niet aan er die om ook als bij door maar naar heeft uit
        worden hij dan nog wordt hebben over zij tot kan deze wel of geen moet werd meer""",
    "pt": """o a os as de e em que um uma é do da dos das para com não por no na se mais ao como mas foi ele sua seu
        ou quando muito nos já eu também só pelo pela até isso ela entre era depois são""",
    "sv": """och i att det som en på är av för med den till inte ett om har de var från så kan vi när man ska ut eller
        men under efter vid sin också där hur mot blev""",
    "da": """og i at det som en på er af for med den til ikke et om har de var fra så kan vi når man skal ud eller men
        under efter ved sin også hvor mod blev blive være havde""",
}
_LANGUAGES_OF: dict[str, list[str]] = {}
for _code, _list in _WORDS.items():
    for _word in _list.split():
        _LANGUAGES_OF.setdefault(_word, []).append(_code)

_SAMPLE = 10_000
_LEAST_SHARE = 0.10
_LEAST_WORDS = 8
_LEAST_KINDS = 3
_WORD = re.compile(r"[^\W\d_]+")


def detect(text: str) -> str | None:
    """The code of the language, or None where the text is too short, a table of numbers, or a language not known."""
    return _decided([_counted(_sample(text))])


def detect_joined(texts: Sequence[str]) -> str | None:
    """The same of the texts with a newline between them. Each paragraph is counted once, however often it comes: the
    same passages stand in the contexts of many questions."""
    if sum(map(len, texts)) + len(texts) > _SAMPLE:
        return detect("\n".join(texts))
    return _decided([_remembered(part) for text in texts for part in text.split("\n\n")])


class _Counts(Struct, frozen=True):
    """Of one text: its words, how many are small words of which language, and which these are."""

    total: int
    by_language: Mapping[str, int]
    small: frozenset[str]


def _counted(text: str) -> _Counts:
    words = _WORD.findall(text.lower())
    small = Counter(word for word in words if word in _LANGUAGES_OF)
    by_language = Counter[str]()
    for word, count in small.items():
        for code in _LANGUAGES_OF[word]:
            by_language[code] += count
    return _Counts(len(words), by_language, frozenset(small))


_remembered = lru_cache(maxsize=1024)(_counted)


def _decided(parts: Sequence[_Counts]) -> str | None:
    total = sum(part.total for part in parts)
    counts: dict[str, int] = {}
    for part in parts:
        for code, count in part.by_language.items():
            counts[code] = counts.get(code, 0) + count
    second, best = ("", 0), ("", 0)
    for found in counts.items():
        if found[1] >= best[1]:
            second, best = best, found
        elif found[1] > second[1]:
            second = found
    if total < _LEAST_WORDS or best[1] < _LEAST_SHARE * total or best[1] == second[1]:
        return None
    kinds = {word for part in parts for word in part.small if best[0] in _LANGUAGES_OF[word]}
    return best[0] if len(kinds) >= _LEAST_KINDS else None


def detect_each(texts: Iterable[tuple[str, str]]) -> dict[str, str | None]:
    """The language of each source, given (source, text) pairs; a source too short to tell is like the others."""
    joined: dict[str, list[str]] = {}
    for source, text in texts:
        joined.setdefault(source, []).append(text[:_SAMPLE])
    found = {source: detect("\n".join(parts)) for source, parts in joined.items()}
    if None in found.values():
        whole = detect("\n".join(part[:200] for parts in joined.values() for part in parts))
        found = {source: code or whole for source, code in found.items()}
    return found


def _sample(text: str) -> str:
    """Long documents are judged by their beginning and their middle: the beginning alone may be a title page."""
    if len(text) <= _SAMPLE:
        return text
    middle = len(text) // 2
    return text[: _SAMPLE // 2] + " " + text[middle : middle + _SAMPLE // 2]
