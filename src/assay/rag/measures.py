"""The measures of a RAG run by name, in one place: what a gate may be set on is known before anything is asked."""

from __future__ import annotations

from pathlib import Path

from assay.config import Config
from assay.errors import AssayError, unknown_name
from assay.judges import DIMENSIONS
from assay.judges.labels import read_labels
from assay.rag.tally import RATES

BESIDE_THE_JUDGE = (
    "exact_match",
    "token_f1",
    "rouge_l",
    "similarity",
    "groundedness",
    "citation_precision",
    "citation_recall",
)
"""Measures that need no judge."""


def measures_of(recall_k: int) -> tuple[str, ...]:
    """All of them, as the summary, a comparison and gates call them."""
    return (*RATES, f"recall_at_{recall_k}", "mrr", "overall_score_avg", *DIMENSIONS, *BESIDE_THE_JUDGE)


def check_rules(config: Config) -> None:
    """What a run would only need at its end: the gates' measures and people's labels."""
    known = measures_of(config.run.pipeline.recall_k)
    for gate in config.run.gates:
        if gate.measure not in known:
            raise unknown_name("metric", gate.measure, known, where="run.gates")
    if config.run.judging.labels:
        path = Path(config.root) / config.run.judging.labels
        if not path.is_file():
            raise AssayError("there is no such file", where=str(path), hint="It is named by run.judging.labels")
        read_labels(path)
