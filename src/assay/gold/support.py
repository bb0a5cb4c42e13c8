"""Does an answer stand in its chunk? Word for word; by its words, numbers and negations; by its best sentences.

What is found are facts, without any limit: gates and the build put their limits to the same facts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations, pairwise
from typing import Literal

from msgspec import Struct

from assay.corpus.quotes import fold, stands_in
from assay.metrics.answers.claims import denies, is_time, numbers, times, wording
from assay.metrics.answers.sentences import sentences
from assay.metrics.answers.units import units_spelled
from assay.retrievers.analysis import content_words

Method = Literal["verbatim", "coverage", "similarity"]
COVERAGE, SIMILARITY = 0.80, 0.90
"""The limits of gate G3-1."""
WINDOW = 3
"""Sentences in a window, at most."""
_NEAR = 0.5
"""Share of a clause's words a sentence must have to be about the same."""
_CLOSE = 0.15
"""A sentence with so much less than the best one is still about the same."""
_TELLING = 3
"""Words from which on a clause that affirms can be compared with one that denies."""
_YES_NO = re.compile(r"^\W*(?:yes|no|oui|non|si)\b[\s,;:.!–—-]*", re.IGNORECASE)
_WITHOUT = re.compile(r"\b(?:without|sans)\b", re.IGNORECASE)
_CLAUSE = re.compile(r"[,;:–—]\s+|\s+(?:but|whereas|while|unless|mais|tandis que|alors que|sauf)\s+", re.IGNORECASE)


class Support(Struct, frozen=True, kw_only=True):
    """How far an answer stands in its chunk."""

    verbatim: bool = False
    coverage: float | None = None
    """Share of the answer's content words that are words of the chunk; None: it has no content word."""
    missing: tuple[str, ...] = ()
    """Content words that are not there."""
    numbers: tuple[str, ...] = ()
    """Numbers of the answer that do not stand in the sentences it is about."""
    denial: str | None = None
    """A clause of the answer that denies where the chunk affirms, or affirms where it denies."""
    similarity: float | None = None
    """Cosine with the best window of sentences; None: not measured, or nothing to measure."""

    def method(self, coverage: float = COVERAGE, similarity: float = SIMILARITY) -> Method | None:
        """The first way in which the answer stands in the chunk; None: it does not.

        A wrong number or a turned negation moves a vector very little: neither words nor vectors excuse it.
        """
        if self.coverage is None:
            return None
        if self.verbatim:
            return "verbatim"
        if self.numbers or self.denial:
            return None
        if self.coverage >= coverage:
            return "coverage"
        return "similarity" if self.similarity is not None and self.similarity >= similarity else None

    def value(self, method: Method | None) -> float | None:
        """What was measured in that way; the coverage where none held."""
        if method == "verbatim":
            return 1.0
        return self.similarity if method == "similarity" else self.coverage

    @property
    def reason(self) -> str:
        """Why it is not enough, for people."""
        if self.coverage is None:
            return "the answer has no content words"
        said = [f"numbers not in the chunk: {', '.join(self.numbers)}"] if self.numbers else []
        said += [f"says the opposite of the chunk: {self.denial}"] if self.denial else []
        said += [f"words not in the chunk: {', '.join(self.missing[:8])}"] if self.missing else []
        return "; ".join(said) or "not word for word in the chunk"


class Claim(Struct, frozen=True, kw_only=True):
    """What must stand in the chunk."""

    answer: str
    explanation: str = ""
    question: str = ""
    arithmetic: bool = False
    """Its numbers may follow from those of the chunk and the question, as the explanation says."""

    @property
    def text(self) -> str:
        """The answer without a leading yes or no; of a bare one, what explains it."""
        rest = _YES_NO.sub("", self.answer)
        return rest if rest.strip(" .") or not self.answer.strip() else self.explanation


def examine(claim: Claim, passage: str, language: str) -> Support:
    """Everything but the similarity, which is measured for many at once."""
    text = claim.text
    wanted = content_words(units_spelled(text), language)
    if not wanted:
        return Support()
    passage_words = _words_of(passage, language)
    quoted = fold(text).strip(" .;,:!?\"'")
    counted = {word for word in wanted if not (word.replace(".", "").isdigit() or is_time(word))}
    found = _covered(counted, passage_words)
    missing = tuple(sorted(counted - found))
    coverage = (len(wanted) - len(missing)) / len(wanted)
    if stands_in(quoted, _folded(passage)):
        return Support(verbatim=True, coverage=coverage, missing=missing)
    clauses = [*_clauses(text, language)]
    evidence = _evidence(passage, language)
    return Support(
        coverage=coverage,
        missing=missing,
        numbers=_wrong_numbers(claim, clauses, passage, evidence),
        denial=next((each.text for each in (*clauses, *_whole(text, language)) if _is_turned(each, evidence)), None),
    )


def windows(passage: str) -> list[str]:
    """Every run of one, two or three sentences."""
    found = sentences(passage)
    sizes = range(1, min(WINDOW, len(found)) + 1)
    return [" ".join(found[at : at + size]) for size in sizes for at in range(len(found) - size + 1)]


class _Unit(Struct, frozen=True):
    """A sentence or clause: its words without numbers and negations, its numbers, whether it denies."""

    text: str
    words: frozenset[str]
    numbers: frozenset[str]
    times: dict[str, frozenset[str]]
    """Read with a point, `8.3` → without one, 8 and 30."""
    denies: bool
    denied: frozenset[str]
    """The first content word behind each negation: `no answer after 30 minutes` denies the answer, not the minutes."""
    lacks: bool
    """It says *without*, which denies a thing and leaves its verb as it is."""
    negates: bool
    """It denies by any other word."""


def _unit(text: str, language: str) -> _Unit:
    words = {word for word in content_words(wording(text), language) if not any(map(str.isdigit, word))}
    denying = denies(text)
    denied = frozenset(_denied(text, language)) if denying else frozenset[str]()
    bare = _WITHOUT.sub(" ", text)
    return _Unit(
        text=text,
        words=frozenset(words),
        numbers=frozenset(numbers(text)),
        times=times(text),
        denies=denying,
        denied=denied,
        lacks=bare != text,
        negates=denying and denies(bare),
    )


def _whole(text: str, language: str) -> Iterator[_Unit]:
    """Sentences that affirm, for those whose clauses are too short to tell. One that denies may affirm too, and is
    told by its clauses."""
    return (_unit(sentence, language) for sentence in sentences(text) if not denies(sentence))


def _denied(text: str, language: str) -> Iterator[str]:
    pieces = text.split()
    for at, piece in enumerate(pieces):
        if denies(piece):
            rest = (content_words(wording(after), language) for after in pieces[at:])
            yield from next((found for found in rest if found), ())


def _clauses(text: str, language: str) -> Iterator[_Unit]:
    for sentence in sentences(text):
        for clause in _CLAUSE.split(sentence):
            if clause.strip():
                yield _unit(clause, language)


class _Evidence(Struct, frozen=True):
    """A chunk in units of growing size."""

    clauses: tuple[_Unit, ...]
    sentences: tuple[_Unit, ...]
    pairs: tuple[_Unit, ...]
    """Neighbouring sentences: what is said in one often belongs to the other."""


@lru_cache(maxsize=4096)
def _evidence(passage: str, language: str) -> _Evidence:
    """Remembered: the same chunk serves several questions."""
    found = tuple(_unit(text, language) for text in sentences(passage))
    return _Evidence(
        clauses=tuple(_clauses(passage, language)),
        sentences=found,
        pairs=tuple(_joined(first, second) for first, second in pairwise(found)),
    )


def _joined(first: _Unit, second: _Unit) -> _Unit:
    return _Unit(
        text=f"{first.text} {second.text}",
        words=first.words | second.words,
        numbers=first.numbers | second.numbers,
        times=first.times | second.times,
        denies=first.denies or second.denies,
        denied=first.denied | second.denied,
        lacks=first.lacks or second.lacks,
        negates=first.negates or second.negates,
    )


@lru_cache(maxsize=4096)
def _words_of(passage: str, language: str) -> frozenset[str]:
    return frozenset(content_words(units_spelled(passage), language))


@lru_cache(maxsize=4096)
def _folded(passage: str) -> str:
    return fold(passage)


def _covered(wanted: set[str], words: frozenset[str]) -> set[str]:
    """A spelled number counts for its figure; everything else as the same stem."""
    return {word for word in wanted if word in words or numbers(word) & words}


def _about(clause: _Unit, levels: Sequence[Sequence[_Unit]]) -> list[_Unit]:
    """What in the chunk speaks of the same: at least half of the clause's words, and nearly as many as the best.

    Small units before large ones, unless a larger one has clearly more of the words.
    """
    if not clause.words:
        return []
    shares = [[len(clause.words & unit.words) / len(clause.words) for unit in units] for units in levels]
    least = max(_NEAR, max((share for level in shares for share in level), default=0.0) - _CLOSE)
    for units, level in zip(levels, shares, strict=True):
        if found := [unit for unit, share in zip(units, level, strict=True) if share >= least]:
            return found
    return []


def _is_turned(clause: _Unit, evidence: _Evidence) -> bool:
    same = _about(clause, (evidence.clauses, evidence.sentences, evidence.pairs))
    if clause.lacks and same and all(_differs_beside_without(unit, clause) for unit in same):
        return True
    if clause.denies:
        return bool(clause.words) and not any(unit.denies for unit in same)
    return len(clause.words) >= _TELLING and bool(same) and all(_denies_all(unit, clause) for unit in same)


def _differs_beside_without(unit: _Unit, clause: _Unit) -> bool:
    """`may not sail without a licence` and `may sail without a licence`: both deny something, one of them the verb."""
    return unit.lacks and unit.negates != clause.negates and _holds(unit, clause)


def _denies_all(unit: _Unit, clause: _Unit) -> bool:
    """A negation near some of the words may be about others."""
    return bool(unit.denied & clause.words) and _holds(unit, clause)


def _holds(unit: _Unit, clause: _Unit) -> bool:
    return len(clause.words & unit.words) >= 0.8 * len(clause.words)


def _wrong_numbers(claim: Claim, clauses: Iterable[_Unit], passage: str, evidence: _Evidence) -> tuple[str, ...]:
    """`8:30`, `8h30` and `8.30` are one time; as an amount, 8.30 is neither 8 nor 30."""
    everywhere = numbers(passage) | times(passage).keys()
    derived = _derived(claim, everywhere) if claim.arithmetic else set()
    wrong: set[str] = set()
    for clause in clauses:
        same = _about(clause, (evidence.sentences, evidence.pairs))
        near = set[str]().union(*(unit.numbers | unit.times.keys() for unit in same)) if same else everywhere
        pointed = frozenset[str]().union(*(parts for time, parts in clause.times.items() if time in near))
        wrong |= clause.numbers - near - derived - pointed
    return tuple(sorted(wrong))


def _derived(claim: Claim, known: set[str]) -> set[str]:
    """The results that the explanation states and that follow from numbers of the chunk and the question."""
    stated = numbers(claim.explanation)
    given = known | numbers(claim.question)
    operands = sorted(float(number) for number in stated & given if number.count(".") < 2)
    results = {round(sum(operands), 6)}
    for a, b in combinations(operands, 2):
        results |= {round(value, 6) for value in (a + b, abs(a - b), a * b)}
        results |= {round(value, 6) for value in ((a / b) if b else a, (b / a) if a else b)}
    results |= {round(a * factor, 6) for a in operands for factor in (2, 0.5)}
    return {
        number
        for number in numbers(claim.answer) & stated
        if number.count(".") < 2 and round(float(number), 6) in results
    }
