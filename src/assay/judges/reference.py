"""The reference judge: the same five dimensions without a model, by formulas anybody can recompute.

Every grade is 1 + 4·x, with x from 0 to 1:

| dimension | x |
|---|---|
| correctness | N · P · max(EM, (C + max(F1, S)) / 2) |
| completeness | C |
| faithfulness | G; at most ¼ if a number or a denial of the answer is not in the context |
| relevance | the greatest of: x of correctness, S of question and answer, Q |
| clarity | min(1, allowed / words) · distinct sentences / sentences; allowed = max(60, 4 · the reference's words) |

EM, F1 and S are exact match, token F1 and cosine of answer and reference; C is the share of the reference's content
words, numbers and denials that the answer has (`groundedness` of the reference in the answer); G is the groundedness of
the answer in the context; N is the share of the reference's numbers the answer has (1 if it has none); P is 0 if one
begins with yes and the other with no, or one denies what the other says (`denial.py`), else 1; Q is the share of the
question's content words the answer has. Of several references the one with the highest correctness counts. S is left
out where no similarity is given, and never below 0.

Marks of citation (`[1]`) are taken out of the answer first: they are neither words nor numbers of it. Units are
compared in one spelling (`units.py`): `25 €` is `25 euros`.

The overall score is 0.4 correctness + 0.2 completeness + 0.2 faithfulness + 0.1 relevance + 0.1 clarity; faithfulness
is None without a context, and the other weights are then divided by their sum.

What the answer does is told from its wording (`assay.metrics.answers.response`), unless the truth itself is worded like
a refusal. An answerable question refused:
correctness, completeness and relevance 1, faithfulness 5. An unanswerable one: correctness, completeness and
relevance 5 if what the answer does is accepted for its category, else 1.
"""

from __future__ import annotations

import re
from hashlib import sha256

from msgspec import Struct
from msgspec.structs import replace

from assay.judges.denial import one_denies
from assay.judges.judgment import Answer, Grades, Judged, Judgment
from assay.judges.verdict import VerdictRule, verdict_of, withholds
from assay.judges.words import Similarity, content_terms, language_of
from assay.metrics.answers import Behaviour, Response, Terms, groundedness, response, without_citations
from assay.metrics.answers.claims import numbers
from assay.metrics.answers.overlap import exact, f1
from assay.metrics.answers.sentences import sentences
from assay.metrics.answers.units import units_spelled

NAME = "reference"
VERSION = 4
"""Raised when the same answer gets other grades than before."""
WEIGHTS = {"correctness": 0.4, "completeness": 0.2, "faithfulness": 0.2, "relevance": 0.1, "clarity": 0.1}
UNSUPPORTED = 0.25
"""The most faithfulness can be with a number or a denial that the context does not hold."""
LOOKED_AT = 100_000
WORDS_ALLOWED, TIMES_ALLOWED = 60, 4

_YES = re.compile(r"\W*(?:yes|oui|si)\b", re.IGNORECASE)
_NO = re.compile(r"\W*(?:no|non)\b(?!\.? ?\d)", re.IGNORECASE)


class Match(Struct, frozen=True):
    """How an answer compares with one reference; both from 0 to 1."""

    correctness: float
    completeness: float


class ReferenceJudge:
    """Deterministic, offline, named `reference` in every report."""

    name = NAME

    def __init__(self, rule: VerdictRule, similarity: Similarity | None = None, language: str = "auto") -> None:
        self._rule, self._similarity, self._language = rule, similarity, language
        self._rule_id = rule.fingerprint
        embedder = similarity.model_id if similarity else "none"
        self.fingerprint = sha256(f"{NAME}\0{VERSION}\0{embedder}\0{language}".encode()).hexdigest()

    async def judge(self, answer: Answer, repeat: int = 0) -> Judged:  # noqa: ARG002 (always says the same)
        return Judged(judgment=self.judgment(answer))

    def judgment(self, answer: Answer) -> Judgment:
        """By the first 100,000 characters of what the answer says; marks of citation are no part of that."""
        answer = replace(answer, text=said_in(answer))
        if answer.answerable and not answer.references:
            return self._judgment(answer, None, None, "no reference answer: there is nothing to compare with")
        done = _response(answer)
        refused = withholds(answer, done.behaviour, self._rule)
        compared = answer.answerable and not refused
        grades = self._compared(answer) if compared else self._by_behaviour(answer, refused)
        return self._judgment(answer, grades, done.behaviour, done.because)

    def _compared(self, answer: Answer) -> Grades:
        language = language_of(answer, self._language)
        terms = content_terms(language)
        best = max(
            (self._match(answer.text, reference, language) for reference in answer.references),
            key=lambda match: (match.correctness, match.completeness),
        )
        asked = terms(answer.question)
        found = len(set(asked) & set(terms(answer.text))) / len(asked) if asked else 0.0
        return graded(
            correctness=best.correctness,
            completeness=best.completeness,
            faithfulness=faithfulness(answer, terms),
            relevance=max(best.correctness, self._alike(answer.question, answer.text), found),
            clarity=clarity(answer),
        )

    def _by_behaviour(self, answer: Answer, refused: bool) -> Grades:
        right = float(refused and not answer.answerable)
        faith = 1.0 if refused else faithfulness(answer, content_terms(language_of(answer, self._language)))
        return graded(
            correctness=right, completeness=right, faithfulness=faith, relevance=right, clarity=clarity(answer)
        )

    def _match(self, said: str, wanted_text: str, language: str) -> Match:
        terms, text, reference = content_terms(language), units_spelled(said), units_spelled(wanted_text)
        covered = groundedness(reference, text, terms).score.value
        same = exact(text, reference, language)
        coverage = same if covered is None else covered
        wanted = numbers(reference)
        found = len(wanted & numbers(text)) / len(wanted) if wanted else 1.0
        near = max(f1(text, reference, language), self._alike(said, wanted_text))
        polarity = 0.0 if _opposed(text, reference) or one_denies(text, reference, terms) else 1.0
        return Match(found * polarity * max(same, (coverage + near) / 2), coverage)

    def _alike(self, first: str, second: str) -> float:
        return max(0.0, self._similarity(first, second)) if self._similarity else 0.0

    def _judgment(self, answer: Answer, grades: Grades | None, behaviour: Behaviour | None, reason: str) -> Judgment:
        known = {name: getattr(grades, name) for name in Grades.__struct_fields__} if grades else {}
        verdict = verdict_of(answer, grades, behaviour, self._rule) if grades and behaviour else None
        return Judgment(
            **known,
            verdict=verdict,
            reason=reason,
            behaviour=behaviour,
            status="ok" if grades else "error",
            judge=self.name,
            fingerprint=self.fingerprint,
            rule=self._rule_id,
        )


def said_in(answer: Answer) -> str:
    """What is graded of an answer."""
    return without_citations(answer.text[:LOOKED_AT])


def faithfulness(answer: Answer, terms: Terms) -> float | None:
    """The groundedness of the answer in its context, capped; None if it cannot be told."""
    found = groundedness(answer.text, answer.context, terms)
    value = found.score.value
    if value is None:
        return None
    return min(value, UNSUPPORTED) if found.numbers or found.denials else value


def clarity(answer: Answer) -> float:
    """Short enough, and nothing said twice."""
    said = [sentence.casefold() for sentence in sentences(answer.text)]
    words = len(answer.text.split())
    longest = max((len(reference.split()) for reference in answer.references), default=0)
    allowed = max(WORDS_ALLOWED, TIMES_ALLOWED * longest)
    return min(1.0, allowed / words) * len(set(said)) / len(said) if words else 1.0


def graded(**shares: float | None) -> Grades:
    """Shares from 0 to 1 as grades from 1 to 5, with their weighted mean."""
    grades = {name: None if share is None else 1 + 4 * share for name, share in shares.items()}
    known = {name: grade for name, grade in grades.items() if grade is not None}
    total = sum(WEIGHTS[name] for name in known)
    overall = sum(WEIGHTS[name] * grade for name, grade in known.items()) / total
    return Grades(overall_score=min(5.0, max(1.0, round(overall, 9))), **grades)


def _response(answer: Answer) -> Response:
    """What the answer does; words that the truth itself uses are no refusal (`It is not stated in the rules`)."""
    done = response(answer.text)
    if (
        answer.answerable
        and done.abstains
        and done.behaviour in {response(text).behaviour for text in answer.references}
    ):
        return Response("answered", f"in the words of the reference: {done.because}")
    return done


def _opposed(text: str, reference: str) -> bool:
    return bool((_YES.match(text) and _NO.match(reference)) or (_NO.match(text) and _YES.match(reference)))
