"""From text to the terms that are searched: words, elisions, numbers, stems, accents.

A text is cut at white space; everything costly happens once for each distinct piece in a language and is remembered.
Any text survives: what holds no word gives no term.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations, groupby, pairwise

from msgspec import Struct

from assay.retrievers.identifiers import split_identifier
from assay.retrievers.stopwords import STOP_WORDS

Stem = Callable[[str], str]

VERSION = 8
"""Raised when the same text gives other terms than before: prepared structures are then built again."""

CODE = "code"
"""The language of source code, whatever it is written in: names taken apart, comments read as English."""

SYMBOL, PATH, PAIR = "symbol", "path", "pair"
"""Those of qualified names, of paths, and of the words of a name two by two."""

EXACT = "="
"""Stands before a name or a path as it is written."""

TOGETHER = "+"
"""Stands before the words of a name, in the order of the alphabet."""

MOST_WORDS = 8
"""Of a name that are paired."""

LONGEST_WORD = 80
"""Characters; what is longer is no word but data, and is cut there."""

_REMEMBERED = 8_192
"""Pieces. More are hardly quicker: the others come seldom."""

STEMMERS = {
    "ar": "arabic",
    "ca": "catalan",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "eu": "basque",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "ne": "nepali",
    "nl": "dutch",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
}
_CODES = {name: code for code, name in STEMMERS.items()} | {"nb": "no", "nn": "no"}

# Python's \w leaves out the marks that belong to the words of many scripts (vowel signs, points, accents not composed).
_MARKS = "".join(
    f"{run[0]}-{run[-1]}"
    for is_mark, group in groupby(map(chr, range(0x300, 0x1D00)), lambda c: unicodedata.category(c) in {"Mn", "Mc"})
    if is_mark and (run := list(group))
)
_LETTER = rf"[\w{_MARKS}]"
_WORD = re.compile(
    rf"\d+(?:[.,]\d+)+|(?:[^\W\d_]\.){{2,}}(?:[^\W\d_](?!{_LETTER}))?|{_LETTER}+(?:['‐-](?!\d+[.,]\d){_LETTER}+)*"
)

_NAME = re.compile(rf"{_LETTER}+")
_PARTING = re.compile(r"(::|[()])")
_TYPE_PARAMETERS = re.compile(r"(?<=\w)<.*>")
_DIFFERENCE = re.compile(r"(?<!^operator)\(.*|@[a-z]+(?:#\d+)?$|#\d+$")
_APOSTROPHES = str.maketrans(dict.fromkeys("’‘ʼ`´′＇ʹ‛", "'"))
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")
_GROUPED = re.compile(r"(?<=\d)[\u00a0\u2009\u202f](?=\d{3}(?!\d))")
"""The spaces set between the thousands of a number."""

_THOUSANDS = re.compile(r"\d{1,3}(?:([.,])\d{3})+(?:(?!\1)[.,](\d+))?")
# Scripts written without spaces (Thai, Lao, Burmese, Khmer, kana, Chinese characters), and Korean, which glues endings.
_SPACELESS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_RUNS = re.compile(rf"[{_SPACELESS}{_MARKS}]+|[^{_SPACELESS}]+")
_HAS_SPACELESS = re.compile(rf"[{_SPACELESS}]")
_JOINTS = re.compile(r"[-‐_]+")
_ELISION = re.compile(r"^(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu|quelqu|dell|all|nell|sull|dall|un)'(?=\w)")
_CLITIC = re.compile(r"'(?:s|re|ve|ll|d|m)$")
_ENCLITICS = frozenset(["ce", "ci", "elle", "elles", "en", "il", "ils", "je", "la", "là", "le", "les", "leur", "leurs"])
_ENCLITICS |= {"lui", "moi", "nous", "on", "t", "toi", "tu", "vous", "y"}
# Latin, Greek and Cyrillic accents, and the points that Hebrew and Arabic write or leave out at will.
_OPTIONAL_MARKS = re.compile("[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670]")
_LIGATURES = str.maketrans({"æ": "ae", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"})


class Term(Struct, frozen=True, gc=False):
    """What is searched for one word, or for one part of it."""

    text: str
    is_stop: bool = False


def pieces(text: str) -> list[str]:
    """The text cut at white space, but for the spaces within numbers."""
    if "\u202f" in text or "\u00a0" in text or "\u2009" in text:
        text = _GROUPED.sub("", text)
    return text.split()


def words(text: str) -> list[str]:
    """The words in their order, as written; `l’arbitre` and `vice-president` are one word each."""
    if text.isascii():
        return _WORD.findall(text.replace("`", "'"))
    return _WORD.findall(unicodedata.normalize("NFKC", _INVISIBLE.sub("", text).translate(_APOSTROPHES)))


def language_code(name: str) -> str:
    """`fr`, `fr-FR`, `French` as `fr`; what is not known stays as it is and is not stemmed."""
    code = re.split(r"[-_]", name.strip().lower())[0]
    return _CODES.get(code, code)


class Analyzer:
    """Words to terms in one language."""

    def __init__(self, language: str) -> None:
        self.language = language_code(language)
        listed = STOP_WORDS.get(self.language, frozenset())
        self.stop_words = listed | {fold_accents(word) for word in listed}
        self._stem = _stemmer(self.language)
        self._known: dict[str, tuple[Term, ...]] = {}

    def terms(self, piece: str) -> tuple[Term, ...]:
        """The terms of a piece of text in their order, remembered."""
        found = self._known.get(piece)
        if found is None:
            if len(self._known) > _REMEMBERED:
                self._known.clear()
            found = self._known[piece] = tuple(self.analyse(piece))
        return found

    def analyse(self, piece: str) -> Iterator[Term]:
        for word in words(piece):
            yield from self._analyse(word)

    def pieces(self, text: str) -> list[str]:
        return pieces(text)

    def is_stop(self, piece: str) -> bool:
        found = self._known.get(piece) or tuple(self.analyse(piece))
        return bool(found) and all(term.is_stop for term in found)

    def _analyse(self, word: str) -> Iterable[Term]:
        word = word.casefold().replace("œ", "oe")
        if "." in word or "," in word:
            return map(Term, _number(word) if word[0].isdigit() else [fold_accents(word.replace(".", ""))])
        if _HAS_SPACELESS.search(word):
            runs = _RUNS.findall(word)
            return (term for run in runs for term in (_grams(run) if _HAS_SPACELESS.match(run) else self._spaced(run)))
        return self._spaced(word)

    def _spaced(self, word: str) -> Iterable[Term]:
        """Each part of a compound, and a compound also whole: `e-mail` is found by `mail` and by `email`."""
        word = _ELISION.sub("", word[:LONGEST_WORD])
        parts = [part for part in _JOINTS.split(word) if part.strip("'")]
        if len(parts) > 1 and parts[-1] not in _ENCLITICS and (whole := self.term("".join(parts))):
            yield Term(whole)
        for part in parts:
            bare = _CLITIC.sub("", _ELISION.sub("", part))
            is_stop = bare in self.stop_words or part in self.stop_words
            if text := self.term(bare):
                yield Term(text, is_stop)

    def term(self, word: str) -> str:
        """Accents are folded after stemming, because stemmers need them."""
        return fold_accents(self._stem(word)).replace("'", "")


class CodeAnalyzer(Analyzer):
    """Each name whole and in its parts: `SpecAutoState` is found by itself, by `spec_auto_state`, by `state`."""

    def __init__(self) -> None:
        super().__init__("en")
        self.language = CODE

    def pieces(self, text: str) -> list[str]:
        return _NAME.findall(text)

    def analyse(self, piece: str) -> Iterator[Term]:
        for name in _NAME.findall(piece):
            yield from self._name(name) if name.isascii() else super().analyse("_".join(split_identifier(name)))

    def _name(self, name: str) -> Iterator[Term]:
        parts = split_identifier(name[:LONGEST_WORD])
        if len(parts) > 1 and (whole := self.term("".join(parts).lower())):
            yield Term(whole)
        for part in map(str.lower, parts):
            if text := self.term(part):
                yield Term(text, part in self.stop_words)


class SymbolAnalyzer(CodeAnalyzer):
    """Of `Policy::max_wait(int n)`: its own name as written, its parts, the qualified name as one term
    (`policy.maxwait`), and the words of both, together and in any order. Its parameters are in its text."""

    def pieces(self, text: str) -> list[str]:
        return [text]

    def analyse(self, piece: str) -> Iterator[Term]:
        *around, own = split_symbol(piece)
        bare = bare_name(own)
        owner = _plain_names(bare_name(around[-1]))[-1:] if around else []
        names = _plain_names(bare)
        if bare:
            yield Term(EXACT + bare)
        if owner and names:
            yield Term(".".join(joined_names(" ".join([*owner, *names]))))
        own_words = together(*map(stems_of, names))
        all_words = together(*map(stems_of, [*owner, *names]))
        yield from (Term(words) for words in dict.fromkeys([own_words, all_words]) if words)
        yield from super().analyse(bare)


class PairAnalyzer(CodeAnalyzer):
    """Of `Policy::max_retry_delay`: each two words of its own name, `delay.max`, `delay.retri`, `max.retri`."""

    def pieces(self, text: str) -> list[str]:
        return [text]

    def analyse(self, piece: str) -> Iterator[Term]:
        names = _plain_names(bare_name(split_symbol(piece)[-1]))
        yield from map(Term, word_pairs(*map(stems_of, names)))


class PathAnalyzer(CodeAnalyzer):
    """Of `src/llm/retry.py`: its parts, and every end of it whole, `retry.py`, `llm/retry.py`, `src/llm/retry.py`."""

    def pieces(self, text: str) -> list[str]:
        return [text]

    def analyse(self, piece: str) -> Iterator[Term]:
        parts = [part for part in piece.split("/") if part]
        yield from (Term(EXACT + "/".join(parts[start:]).lower()) for start in range(len(parts)))
        yield from super().analyse(piece)


def split_symbol(symbol: str) -> list[str]:
    """`Policy::wait(std::chrono::seconds s)` at what parts a name from what it is part of, not within parameters."""
    if "(" not in symbol:
        return symbol.split("::")
    parts, depth = [""], 0
    for piece in _PARTING.split(symbol):
        depth += (piece == "(") - (piece == ")")
        if piece == "::" and depth <= 0:
            parts.append("")
        else:
            parts[-1] += piece
    return parts


def bare_name(name: str) -> str:
    """A name without what tells it from others of that name: `area(int a)#2`, `Point@type`."""
    return name if name.startswith("impl ") else _DIFFERENCE.sub("", name)


def names_in(text: str) -> list[str]:
    """In their order, as written."""
    return _NAME.findall(text)


def _plain_names(name: str) -> list[str]:
    """Without those of type parameters: a method of `impl Display for Point<i32>` is one of `Point`."""
    return names_in(_TYPE_PARAMETERS.sub("", name))


def joined_names(text: str) -> list[str]:
    """The names in a text, each as one word: `SpecAutoState` and `spec_auto_state` are the same."""
    return ["".join(split_identifier(name)).lower() for name in _NAME.findall(text)]


def stems_of(name: str) -> frozenset[str]:
    """Of the words of a name."""
    term = analyzer(CODE).term
    return frozenset(stem for word in split_identifier(name[:LONGEST_WORD]) if (stem := term(word.lower())))


def together(*stems: frozenset[str]) -> str | None:
    """One term for the words of one name or several, whatever their order; None for a word alone."""
    words = frozenset[str]().union(*stems)
    return TOGETHER + ".".join(sorted(words)) if len(words) > 1 else None


def word_pairs(*stems: frozenset[str]) -> list[str]:
    """One term for each two words of one name or several, whatever their order; of the first words, if there are more
    than a name has."""
    words = sorted(frozenset[str]().union(*stems))[:MOST_WORDS]
    return [f"{first}.{second}" for first, second in combinations(words, 2)]


@cache
def analyzer(language: str) -> Analyzer:
    """One for each language, so that what it remembers is shared."""
    special = {CODE: CodeAnalyzer, SYMBOL: SymbolAnalyzer, PATH: PathAnalyzer, PAIR: PairAnalyzer}
    return special[language]() if language in special else Analyzer(language)


def fold_accents(word: str) -> str:
    if word.isascii():
        return word
    bare = _OPTIONAL_MARKS.sub("", unicodedata.normalize("NFD", word))
    return unicodedata.normalize("NFC", bare).translate(_LIGATURES)


def content_words(text: str, language: str) -> set[str]:
    """The distinct terms of a text without its stop words."""
    terms = analyzer(language_code(language)).terms
    return {term.text for piece in set(pieces(text)) for term in terms(piece) if not term.is_stop}


def query_terms(text: str, analyzers: Sequence[Analyzer]) -> dict[str, int]:
    """The terms of a query in every given language and how often each is asked for, without stop words unless
    nothing else is there.

    Among several languages a stop word of one may be content in another (`car`): a language's list counts only
    when the query shows by two of its words that it is written in it.
    """
    asked = Counter(pieces(text))
    dropping = _languages_of(list(asked), analyzers)
    content = {
        piece: n
        for piece, n in asked.items()
        if any(each.terms(piece) for each in analyzers) and not any(each.is_stop(piece) for each in dropping)
    }
    found: dict[str, int] = {}
    for each in analyzers:
        counts: Counter[str] = Counter()
        for piece, n in (content or asked).items():
            for term in each.terms(piece):
                counts[term.text] += 0 if content and term.is_stop and each in dropping else n
        # A stem that two languages share is still one word of the query.
        found.update((term, max(n, found.get(term, 0))) for term, n in counts.items() if n)
    return found


def _languages_of(asked: Sequence[str], analyzers: Sequence[Analyzer]) -> list[Analyzer]:
    """The analyzers whose stop words are those of the query."""
    if len(analyzers) < 2:
        return list(analyzers)
    hits = [sum(map(each.is_stop, asked)) for each in analyzers]
    return [each for each, n in zip(analyzers, hits, strict=True) if n == max(hits) >= 2]


def _number(word: str) -> list[str]:
    """`1,857` as 1857, `3,5` as 3.5, `1.857,50` as 1857.50; dates and versions whole and in parts."""
    if match := _THOUSANDS.fullmatch(word):
        whole = re.sub(r"[.,]", "", word[: match.start(2) - 1] if match[2] else word)
        return [f"{whole}.{match[2]}" if match[2] else whole]
    parts = re.split(r"[.,]", word)
    return [".".join(parts), *(parts if len(parts) > 2 else ())]


def _grams(run: str) -> Iterable[Term]:
    """Characters and pairs of neighbours, where words are not set apart."""
    yield from map(Term, run)
    yield from (Term(a + b) for a, b in pairwise(run))


def _stemmer(language: str) -> Stem:
    name = STEMMERS.get(language)
    if name is None:
        return str
    import Stemmer

    stem: Stem = Stemmer.Stemmer(name, 0).stemWord
    return stem
