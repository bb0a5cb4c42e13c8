"""Every gate put to any schema-v2 file, wherever it came from: measured again from text, index and embeddings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from assay.config import Config
from assay.corpus.index import Index
from assay.gold.absence import by_model
from assay.gold.evidence import Evidence, Strata
from assay.gold.gates.protocol import Outcome, run_gates, settle
from assay.gold.gold_file import GoldFile
from assay.gold.grounds import Grounds


class Verification(Struct, frozen=True, kw_only=True):
    """What the gates said of one file."""

    gold: str
    sha256: str
    index: str
    fingerprint: str
    questions: int
    unanswerable: int
    model: str | None
    """That read the passages nearest to the unanswerable questions; None: they were tested by rule."""
    methods: dict[str, int]
    """How many answers stand in their chunk in which way."""
    outcomes: tuple[Outcome, ...]
    chunkless: int = 0
    """Questions that name no chunk."""
    false_scores: tuple[str, ...] = ()
    """Questions whose file says that they match their chunk, and that do not."""

    @property
    def blocked(self) -> tuple[Outcome, ...]:
        return tuple(outcome for outcome in self.outcomes if outcome.blocks)

    @property
    def warned(self) -> tuple[Outcome, ...]:
        return tuple(each for each in self.outcomes if each.status == "failed" and each.severity == "warning")

    @property
    def exit_code(self) -> int:
        return 1 if self.blocked else 0

    def as_data(self) -> dict[str, Any]:
        data: dict[str, Any] = msgspec.to_builtins(self)
        passed = sum(outcome.status == "passed" for outcome in self.outcomes)
        counts = {"passed": passed, "blocking": len(self.blocked), "warning": len(self.warned)}
        return {"kind": "gold_verification", "passed": not self.blocked, "counts": counts} | data


def verify(gold: GoldFile, index: Index, config: Config, model: str | None = None) -> Verification:
    """`model` reads the passages nearest to each unanswerable question; without one they are tested by rule."""
    gates = settle(config.gold.gates)
    evidence = evidence_of(gold, index, config)
    if model:
        evidence.absences = by_model(evidence.asked, evidence.grounds, config, model).absences
    outcomes = tuple(run_gates(evidence, gates))
    return Verification(
        gold=gold.name,
        sha256=gold.sha256,
        index=index.path.name,
        fingerprint=index.fingerprint,
        questions=len(gold.questions),
        unanswerable=len(evidence.impossible),
        model=model,
        methods=_methods(evidence),
        outcomes=outcomes,
        chunkless=len(evidence.chunkless),
        false_scores=_false_scores(gold, outcomes),
    )


def evidence_of(gold: GoldFile, index: Index, config: Config) -> Evidence:
    strata = _strata(gold.version)
    return Evidence(gold.questions, Grounds(index, config), raws=gold.raws, version=gold.version, strata=strata)


def _strata(version: Mapping[str, Any]) -> Strata | None:
    """As a build records them: `strata` {name: quota} and `target`."""
    quotas, target = version.get("strata"), version.get("target")
    if not isinstance(quotas, dict) or not all(isinstance(quota, int) for quota in quotas.values()):
        return None
    return Strata(quotas, target) if isinstance(target, int) else None


def _methods(evidence: Evidence) -> dict[str, int]:
    counts = Counter(support.method() or "none" for support in evidence.supports.values())
    return {name: counts[name] for name in ("verbatim", "coverage", "similarity", "none")}


def _false_scores(gold: GoldFile, outcomes: tuple[Outcome, ...]) -> tuple[str, ...]:
    failed = {f.question for outcome in outcomes if outcome.gate == "G1-1" for f in outcome.failures}
    return tuple(q.id for q in gold.questions if q.processing.chunk_match_score == 100 and q.id in failed)
