"""How a question is worded: can it be understood alone, does it copy its chunk, is it in the chunk's language?"""

from __future__ import annotations

import re

from assay.corpus.language import detect
from assay.corpus.quotes import fold
from assay.retrievers.analysis import analyzer

_PART = "document|passage|text|excerpt|extract|paragraph|section|chunk|page|article|table|figure|sentence|context"
_PARTIE = "document|passage|texte|extrait|paragraphe|chapitre|section|page|article|tableau|figure|phrase|contexte"
_POINTING = re.compile(
    r"\b(?:"
    rf"(?:this|that|these|those|the (?:above|following|given|preceding|provided)) (?:{_PART})s?"
    rf"|the (?:{_PART}) (?:above|below|shown|given|provided)"
    r"|(?:according to|based on|as (?:described|stated|mentioned|shown) in|in|from|of|does|do|did|is|what|that)"
    r" the (?:passage|excerpt|extract|snippet|chunk|text|document|context)(?=$|[?,.;:]|"
    r" (?:say|says|said|state|states|stated|mention|mentions|describe|describes|explain|explains|about|give|gives)\b)"
    r"|(?:mentioned|described|shown|listed|stated|cited|discussed) (?:above|below|here|earlier)"
    rf"|(?:ce|cet|cette|ces|le present|la presente) (?:{_PARTIE})s?"
    r"|(?:d'apres|selon|dans|suivant) (?:le (?:texte|document|passage|contexte)|l'extrait)(?=$|[ ?,.;:])"
    r"|(?:du (?:passage|texte|document)|de l'extrait)(?= ?(?:$|[?,.;:]))"
    r"|(?:which|what|who|one|any|all|none) of the following"
    rf"|(?:le|la|les|du|au|l') ?(?:{_PARTIE})s? (?:ci-dessus|ci-dessous|suivante?|precedente?|fournie?)s?"
    r"|(?:ci-dessus|ci-dessous|susmentionnee?s?|(?:mentionnee?|cite|citee)s? plus haut)"
    r")"
)
"""In folded text: without accents, in lower case."""
_LISTS = {
    "pronouns": "it he she him they them elle elles il ils",
    "possessives": "its his her hers their theirs son sa ses leur leurs",
    "people": """people children men women staff crew anyone anybody someone somebody everyone everybody nobody gens
        chacun""",
    "who": "who qui whoever quiconque",
    "pointers": "this that these those cet cette ces",
    "determiners": """the a an my your our each every any all no some both which what one two three l' le la les un une
        des du de d' au aux mon ma mes notre nos votre vos chaque tout toute tous quel quelle quels quelles""",
    "asking": """who what when where why how which whose whom is are was were does do did can could should must may
        might will would has have had and but so then much many long often far old if qui que quoi quand ou pourquoi
        comment combien quel quelle quels quelles est sont a ont doit doivent peut peuvent faut et t heure for in on at
        by from to of with until since during after before under up pour dans sur par depuis jusqu avec sans chez""",
    "expletive": """rain rains raining snow snows take takes seem seems matter happen happens to that until if for faut
        possible permis interdit obligatoire necessaire vrai y passe reste restait agit existe""",
}
_PRONOUNS, _POSSESSIVES, _PEOPLE, _WHO, _POINTERS, _DETERMINERS, _ASKING, _EXPLETIVE = (
    frozenset(words.split()) for words in _LISTS.values()
)
_THIS_ONE = re.compile(r"\b(?:celui|celle|ceux|celles)-(?:ci|la)\b|\b(?:ce dernier|cette derniere|ces derniers)\b")
_TOKEN = re.compile(r"\w+'|\w+")
_WORD = re.compile(r"\w+(?:'\w+)*")
_CLEARLY = 2
"""Small words more than of the expected language."""


def pointing(question: str) -> str | None:
    """What in the question needs something beside it: a passage it speaks of, a pronoun with nothing to point to.

    >>> pointing("According to the passage above, who signs the plan?")
    'the passage above'
    >>> pointing("Who signs the float plan?")
    """
    text = fold(question)
    if found := _POINTING.search(text):
        end = re.match(r" (?:above|below|ci-dessus|ci-dessous)", text[found.end() :])
        return found[0] + (end[0] if end else "")
    found = _THIS_ONE.search(text)
    return found[0] if found else _lonely(question)


def _lonely(question: str) -> str | None:
    """A pronoun before which nothing is named that it could stand for."""
    words = _TOKEN.findall(question.replace("’", "'"))
    plain = [fold(word) for word in words]
    for at, word in enumerate(plain):
        if _is_named(words, plain, at):
            return None
        if at == 0 and word == "it":
            continue  # a story begins: "It is blowing hard."
        if _is_pointer(plain, at) or _is_pronoun(plain, at):
            return " ".join(words[max(0, at - 1) : at + 2])
    return None


def _is_pointer(plain: list[str], at: int) -> bool:
    """“What are these fees?” points to something; “for those who join late” does not."""
    asked = 0 < at <= 2 and all(word in _ASKING for word in plain[:at])
    return plain[at] in _POINTERS and asked and not _WHO & set(plain[at + 1 : at + 2])


def _is_pronoun(plain: list[str], at: int) -> bool:
    """“Who left her boat?” says whose boat it is, “it is possible” speaks of nothing."""
    word = plain[at]
    if word in {"it", "il"}:
        return not _EXPLETIVE & set(plain[max(0, at - 3) : at + 5])
    return word in _PRONOUNS or (word in _POSSESSIVES and not _WHO & set(plain[:at]))


def _is_named(words: list[str], plain: list[str], at: int) -> bool:
    """A word that a later pronoun may stand for: a name, a plural, or what follows an article."""
    word = plain[at]
    if word in _PRONOUNS | _POSSESSIVES | _POINTERS | _ASKING | _DETERMINERS or len(word) < 2:
        return False
    if word in _PEOPLE:
        return True
    if at and plain[at - 1] in _WHO:
        return words[at][0].isupper()  # “who signs”: a verb, not a plural
    is_name = words[at][0].isupper()
    is_plural = len(word) > 3 and word.endswith("s")
    return is_name or is_plural or word[0].isdigit() or (at > 0 and plain[at - 1] in _DETERMINERS)


def copied(question: str, passage: str) -> tuple[int, float]:
    """The longest run of the question's words that stands in the passage: how many, and their share of the question.

    >>> copied("Is it true that the skipper files the plan?", "The skipper files the plan in the log.")
    (5, 0.5555555555555556)
    """
    asked, text = _WORD.findall(fold(question)), f" {' '.join(_WORD.findall(fold(passage)))} "
    best = 0
    for start in range(len(asked)):
        while start + best < len(asked) and f" {' '.join(asked[start : start + best + 1])} " in text:
            best += 1
    return best, best / len(asked) if asked else 0.0


def other_language(text: str, language: str) -> str | None:
    """The language of the text, where it can be told and is not the given one.

    A short text shares its small words with neighbouring languages: it must have clearly more of the other's.
    """
    found = detect(text)
    if not found or found == language:
        return None
    pieces = text.split()
    other, own = (sum(map(analyzer(code).is_stop, pieces)) for code in (found, language))
    return found if other >= own + _CLEARLY else None
