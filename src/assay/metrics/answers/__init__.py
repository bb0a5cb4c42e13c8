"""Measures of an answer beside any judge: pure functions of texts."""

from assay.metrics.answers.abstention import Behaviour, Response, response
from assay.metrics.answers.citations import CitationScores, Passage, citation_scores, citations, without_citations
from assay.metrics.answers.grounding import Grounding, Terms, groundedness
from assay.metrics.answers.normalise import normalise
from assay.metrics.answers.overlap import exact_match, token_f1
from assay.metrics.answers.rouge import rouge_l
from assay.metrics.answers.similarity import answer_similarity, cosine

__all__ = [
    "Behaviour",
    "CitationScores",
    "Grounding",
    "Passage",
    "Response",
    "Terms",
    "answer_similarity",
    "citation_scores",
    "citations",
    "cosine",
    "exact_match",
    "groundedness",
    "normalise",
    "response",
    "rouge_l",
    "token_f1",
    "without_citations",
]
