"""Exact match and token F1, as SQuAD's evaluation script computes them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from assay.metrics.answers.normalise import normalise
from assay.records import Score

NO_REFERENCE = "no reference answer"


def exact(answer: str, reference: str, language: str = "en") -> float:
    """1 if both are the same after normalisation, else 0; SQuAD's `compute_exact`."""
    return float(normalise(answer, language) == normalise(reference, language))


def f1(answer: str, reference: str, language: str = "en") -> float:
    """2·p·r / (p + r) over the words of both as bags; SQuAD 2.0's `compute_f1`.

    With nothing left of either after normalisation it is 1 if both are empty, else 0.
    """
    given, wanted = normalise(answer, language).split(), normalise(reference, language).split()
    if not given or not wanted:
        return float(given == wanted)
    shared = (Counter(given) & Counter(wanted)).total()
    if not shared:
        return 0.0
    precision, recall = shared / len(given), shared / len(wanted)
    return 2 * precision * recall / (precision + recall)


def exact_match(answer: str, references: Sequence[str], language: str = "en") -> Score:
    """The best `exact` over the references; undefined without one.

    >>> exact_match("the duty officer", ["Harbour Master", "Duty officer."]).value
    1.0
    """
    return best(references, lambda reference: exact(answer, reference, language), language)


def token_f1(answer: str, references: Sequence[str], language: str = "en") -> Score:
    """The best `f1` over the references; undefined without one.

    Two of three words each way, p = r = 2/3:

    >>> token_f1("duty officer signs", ["the duty officer countersigns"]).value
    0.6666666666666666
    """
    return best(references, lambda reference: f1(answer, reference, language), language)


def best(references: Sequence[str], measure: Callable[[str], float], language: str = "en") -> Score:
    """The highest value over the references. One of which nothing is left is none (SQuAD 2.0 drops it too)."""
    known = [reference for reference in references if normalise(reference, language)]
    if not known:
        return Score(None, "undefined", NO_REFERENCE)
    return Score(max(map(measure, known)))
