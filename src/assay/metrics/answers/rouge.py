"""ROUGE-L: how long a sequence of words answer and reference have in common."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from assay.metrics.answers.overlap import NO_REFERENCE
from assay.records import Score

_WORD = re.compile(r"[^\W_]+")
_STEMMED_FROM = 4
"""Letters; rouge-score leaves shorter words as they are."""


def rouge_l(answer: str, references: Sequence[str], stem: Callable[[str], str] | None = None) -> Score:
    """The F-measure of the longest common subsequence, the best over the references; undefined without one.

    With L the length of the longest common subsequence of words, p = L / answer's words and r = L / reference's
    words: 2·p·r / (p + r). Sentence level, β = 1 (Lin 2004), equal to `rougeL` of the rouge-score package on
    ASCII text; unlike it, letters beyond ASCII are letters. `stem`, if given, is applied to words of more than
    three letters, as that package does with Porter's.

    L = 3 (the, signs, plan), p = 3/4, r = 3/5:

    >>> round(rouge_l("the skipper signs plan", ["the duty officer signs plan"]).value, 6)
    0.666667
    """
    given = _words(answer, stem)
    wanted = [words for words in (_words(reference, stem) for reference in references) if words]
    if not wanted:
        return Score(None, "undefined", NO_REFERENCE)
    return Score(max(_f_measure(given, words) for words in wanted))


def _words(text: str, stem: Callable[[str], str] | None) -> list[str]:
    words = _WORD.findall(text.lower())
    if stem is None:
        return words
    return [stem(word) if len(word) >= _STEMMED_FROM else word for word in words]


def _f_measure(given: Sequence[str], wanted: Sequence[str]) -> float:
    common = longest_common(given, wanted)
    if not common:
        return 0.0
    precision, recall = common / len(given), common / len(wanted)
    return 2 * precision * recall / (precision + recall)


def longest_common(first: Sequence[str], second: Sequence[str]) -> int:
    """The length of the longest common subsequence.

    One bit for each word of the second; a row of the usual table is one addition of whole numbers (Hyyrö 2004),
    so that an answer of megabytes takes seconds and not hours.
    """
    places: dict[str, int] = {}
    for place, word in enumerate(second):
        places[word] = places.get(word, 0) | 1 << place
    every = (1 << len(second)) - 1
    row = every
    for word in first:
        matched = row & places.get(word, 0)
        row = (row + matched | row - matched) & every
    return len(second) - row.bit_count()
