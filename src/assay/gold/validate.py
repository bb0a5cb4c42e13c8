"""Phase 3: is the answer really in the chunk, is an unanswerable question really without an answer anywhere?

A candidate is put to the same gates that `verify` puts to a finished set, with the same limits: what they would refuse
there is refused here, with the gate and the reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from assay.config import Config
from assay.gold.absence import Absence, Proofs, by_model
from assay.gold.candidate import Candidate
from assay.gold.evidence import Evidence
from assay.gold.gates.protocol import Failure, Gate, settle
from assay.gold.grounds import Grounds
from assay.gold.leaves import PUBLISHED
from assay.gold.schema import Classification, Content, Provenance, Question
from assay.gold.support import Support

EACH = ("G1-1", "G1-2", "G1-4", "G1-5", "G2-4", "G3-1", "G3-2", "G3-3", "G5-2")
"""The gates that look at each question by itself, in the order in which a refusal is told."""


class Verdict(Struct, frozen=True, kw_only=True):
    """What phase 3 says of one candidate."""

    key: str
    accepted: bool
    gate: str | None = None
    """The first gate that refused it."""
    reason: str | None = None
    value: float | str | None = None
    limit: str | None = None
    method: str | None = None
    """How the answer was found in the chunk: verbatim, coverage, similarity; of an unanswerable one: absent_by_rule or
    absent_by_model."""
    measured: float | None = None
    """What that method measured."""


def validate(
    candidates: Sequence[Candidate], grounds: Grounds, config: Config, absences: Mapping[str, Absence] | None = None
) -> list[Verdict]:
    """One verdict for each candidate, in order. `absences` are those that a model proved before (`prove_absence`)."""
    evidence = evidence_of(candidates, grounds, absences)
    gates = settle(config.gold.gates, EACH)
    refused = _refusals(evidence, gates)
    return [_verdict(candidate, evidence, refused.get(candidate.key)) for candidate in candidates]


def prove_absence(candidates: Iterable[Candidate], grounds: Grounds, config: Config, model: str) -> Proofs:
    """Every unanswerable candidate searched for in the whole corpus, and the best passages shown to the model."""
    return by_model(evidence_of(list(candidates), grounds).asked, grounds, config, model)


def evidence_of(
    candidates: Sequence[Candidate], grounds: Grounds, absences: Mapping[str, Absence] | None = None
) -> Evidence:
    """The measurements of candidates, by key."""
    raws = [{"provenance": {"contradiction": candidate.contradiction}} for candidate in candidates]
    evidence = Evidence([question_of(candidate) for candidate in candidates], grounds, raws=raws)
    if absences is not None:
        evidence.absences = dict(absences)
    return evidence


def question_of(candidate: Candidate) -> Question:
    """What gates look at, under the candidate's key."""
    absent = candidate.is_impossible
    return Question(
        id=candidate.key,
        content=Content(question=candidate.question, expected_answer=candidate.answer, is_impossible=absent),
        provenance=Provenance(
            chunk_id=candidate.chunk_id,
            answer_explanation=candidate.corpus_truth if absent else candidate.explanation,
        ),
        classification=Classification(
            difficulty=candidate.difficulty,
            question_type=candidate.question_type,
            cognitive_level=candidate.cognitive_level,
            reasoning_type=candidate.reasoning_type,
            reasoning_class=candidate.reasoning_class,
            answer_type=candidate.answer_type,
            hard_type=PUBLISHED.get(candidate.hard_type, candidate.hard_type),
        ),
    )


def _refusals(evidence: Evidence, gates: Sequence[Gate]) -> dict[str, tuple[str, Failure]]:
    """The first failure of each question, with its gate. A support is not told by a gate that knows less of it."""
    found: dict[str, tuple[str, Failure]] = {}
    for gate in gates:
        for failure in gate.check(evidence, gate.limits).failures:
            if failure.question is not None:
                found.setdefault(failure.question, (gate.id, failure))
    return found


def _verdict(candidate: Candidate, evidence: Evidence, refusal: tuple[str, Failure] | None) -> Verdict:
    method, measured = _method(candidate, evidence)
    if refusal is None:
        return Verdict(key=candidate.key, accepted=True, method=method, measured=measured)
    gate, failure = refusal
    return Verdict(
        key=candidate.key,
        accepted=False,
        gate=gate,
        reason=failure.what,
        value=failure.value,
        limit=failure.limit,
        method=method,
        measured=measured,
    )


def _method(candidate: Candidate, evidence: Evidence) -> tuple[str | None, float | None]:
    if candidate.is_impossible:
        absence = evidence.absences.get(candidate.key)
        return (f"absent_by_{absence.by}", absence.share) if absence and not absence.fault else (None, None)
    support: Support | None = evidence.supports.get(candidate.key)
    method = support.method() if support else None
    return method, support.value(method) if support else None
