"""`assay.yaml`: every setting with its default, its meaning and its limits, in one place.

The same records validate the file, explain it (`assay init`) and document it.
"""

from assay.config.comparison import THRESHOLDS, Comparison, Statistics
from assay.config.corpus import Chunking, Corpus, EmbedderOptions, IndexOptions, Paths
from assay.config.extraction import ExtractionOptions
from assay.config.gold import Balance, Band, GoldGate, GoldOptions
from assay.config.llm import LlmOptions, ModelOptions, Prices
from assay.config.rag import Judging, Pipeline, RunOptions
from assay.config.retrieval import (
    CodeFields,
    Decision,
    Http,
    Hybrid,
    LanesOptions,
    MemoryRanking,
    Rerank,
    RetrievalOptions,
)
from assay.config.settings import Contradiction, Gate, NotNegative, Positive, Settings, Share
from assay.config.whole import FILE_NAME, Config, load, parse

__all__ = [
    "FILE_NAME",
    "THRESHOLDS",
    "Balance",
    "Band",
    "Chunking",
    "CodeFields",
    "Comparison",
    "Config",
    "Contradiction",
    "Corpus",
    "Decision",
    "EmbedderOptions",
    "ExtractionOptions",
    "Gate",
    "GoldGate",
    "GoldOptions",
    "Http",
    "Hybrid",
    "IndexOptions",
    "Judging",
    "LanesOptions",
    "LlmOptions",
    "MemoryRanking",
    "ModelOptions",
    "NotNegative",
    "Paths",
    "Pipeline",
    "Positive",
    "Prices",
    "Rerank",
    "RetrievalOptions",
    "RunOptions",
    "Settings",
    "Share",
    "Statistics",
    "load",
    "parse",
]
