"""What a gold set is made of: distributions, coverage of the corpus, hardness, triviality."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from assay.gold.candidate import HARD
from assay.gold.gold_file import GoldFile
from assay.gold.grounds import Grounds
from assay.gold.leaves import LEAVES, present
from assay.gold.schema import Question
from assay.stats import quantile

BINS = 10


class Quantiles(Struct, frozen=True):
    """Least, quarter, middle, three quarters, most."""

    low: float
    q25: float
    median: float
    q75: float
    high: float
    n: int


class Coverage(Struct, frozen=True, kw_only=True):
    """How much of the corpus is asked about."""

    documents: int
    documents_asked: int
    chunks: int
    chunks_asked: int
    missing_documents: tuple[str, ...]
    per_document: dict[str, int]
    unknown_chunks: int
    """Questions whose chunk is not in the index."""
    without_chunk: int
    """Questions that name none."""


class GoldStats(Struct, frozen=True, kw_only=True):
    """Everything that is counted. What needs an index is None without one."""

    name: str
    questions: int
    answerable: int
    distributions: dict[str, dict[str, int]]
    """Field → value → questions, of all."""
    answerable_distributions: dict[str, dict[str, int]]
    difficulty: tuple[int, ...]
    """Questions in each tenth from 0 to 1."""
    difficulty_answerable: tuple[int, ...]
    difficulty_unknown: int
    hard: float | None
    """Share with difficulty ≥ 0.7."""
    hard_answerable: float | None
    question_words: Quantiles | None
    answer_words: Quantiles | None
    leaves: Quantiles | None
    """Of the 46, how many count."""
    exam_questions: int
    sessions: dict[str, int]
    success_rate: Quantiles | None
    coverage: Coverage | None = None
    trivial: float | None = None
    """Share of the answerable whose chunk bm25 alone ranks first: a set that is all trivial measures nothing."""


FIELDS: dict[str, Callable[[Question], str | None]] = {
    "hard_type": lambda q: q.classification.hard_type,
    "reasoning_class": lambda q: q.classification.reasoning_class,
    "reasoning_type": lambda q: q.classification.reasoning_type,
    "question_type": lambda q: q.classification.question_type,
    "cognitive_level": lambda q: q.classification.cognitive_level,
    "answer_type": lambda q: q.classification.answer_type,
    "category": lambda q: q.classification.category,
    "source": lambda q: q.provenance.docs[0] if q.provenance.docs else None,
    "status": lambda q: q.validation.status,
}


def describe(gold: GoldFile, grounds: Grounds | None = None) -> GoldStats:
    """`grounds` is the corpus, for coverage and triviality."""
    questions = gold.questions
    answerable = [question for question in questions if not question.content.is_impossible]
    exams = [q.provenance.annales_source for q in questions if q.provenance.annales_source]
    return GoldStats(
        name=gold.name,
        questions=len(questions),
        answerable=len(answerable),
        distributions=_distributions(questions),
        answerable_distributions=_distributions(answerable),
        difficulty=_bins(questions),
        difficulty_answerable=_bins(answerable),
        difficulty_unknown=sum(question.difficulty is None for question in questions),
        hard=_hard(questions),
        hard_answerable=_hard(answerable),
        question_words=_quantiles(len(q.content.question.split()) for q in questions),
        answer_words=_quantiles(len((q.content.expected_answer or "").split()) for q in answerable),
        leaves=_quantiles(present(raw) for raw in gold.raws),
        exam_questions=sum(bool(q.mcq and q.mcq.choices) for q in questions),
        sessions=dict(sorted(Counter(str(exam.session) for exam in exams if exam.session).items())),
        success_rate=_quantiles(exam.success_rate for exam in exams if exam.success_rate is not None),
        coverage=_coverage(questions, grounds) if grounds else None,
        trivial=_trivial(answerable, grounds) if grounds else None,
    )


ALL_LEAVES = len(LEAVES)


def _distributions(questions: Sequence[Question]) -> dict[str, dict[str, int]]:
    found = {}
    for name, field in FIELDS.items():
        counts = Counter(field(question) or "unknown" for question in questions)
        found[name] = dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
    return found


def _bins(questions: Sequence[Question]) -> tuple[int, ...]:
    """0.7 is in the bin that begins with it, 1 in the last; in steps of a tenth without the error of a division."""
    known = (question.difficulty for question in questions if question.difficulty is not None)
    counts = Counter(min(round(value * 1000) // 100, BINS - 1) for value in known)
    return tuple(counts[number] for number in range(BINS))


def _hard(questions: Sequence[Question]) -> float | None:
    """Of all; undefined where not one says how difficult it is."""
    known = [question.difficulty for question in questions if question.difficulty is not None]
    return sum(value >= HARD for value in known) / len(questions) if known else None


def _quantiles(values: Iterable[float]) -> Quantiles | None:
    found = sorted(float(value) for value in values)
    if not found:
        return None
    ends = [quantile(found, share) for share in (0.0, 0.25, 0.5, 0.75, 1.0)]
    low, q25, median, q75, high = (0.0 if end is None else end for end in ends)
    return Quantiles(low, q25, median, q75, high, len(found))


def _coverage(questions: Sequence[Question], grounds: Grounds) -> Coverage:
    ids = [question.provenance.chunk_id or "" for question in questions]
    chunks = grounds.chunks(ids)
    per_document = Counter(chunks[id_].source for id_ in ids if id_ in chunks)
    return Coverage(
        documents=len(grounds.documents),
        documents_asked=len(per_document.keys() & grounds.documents),
        chunks=len(grounds.index),
        chunks_asked=len(chunks),
        missing_documents=tuple(sorted(grounds.documents - per_document.keys())),
        per_document=dict(sorted(per_document.items(), key=lambda item: (-item[1], item[0]))),
        unknown_chunks=sum(id_ not in chunks for id_ in ids if id_),
        without_chunk=ids.count(""),
    )


def _trivial(answerable: Sequence[Question], grounds: Grounds) -> float | None:
    known = [question for question in answerable if question.provenance.chunk_id]
    if not known:
        return None
    first = grounds.by_words([question.content.question for question in known], 1)
    hits = sum(ids[:1] == (q.provenance.chunk_id,) for q, ids in zip(known, first, strict=True))
    return hits / len(known)
