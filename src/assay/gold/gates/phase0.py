"""Phase 0: are the questions spread over the corpus?"""

from __future__ import annotations

from assay.gold.evidence import Evidence
from assay.gold.gates.protocol import Checked, Failure, Limits, gate
from assay.gold.gates.shares import within


@gate("G0-1", "blocking", "≥ {strata} strata, or one for each document; the quotas sum to the target", strata=5)
def strata(evidence: Evidence, limits: Limits) -> Checked:
    """Of a set without a record of its strata, the documents it was made from are them."""
    planned = evidence.strata
    names = {n for n, quota in planned.quotas.items() if quota} if planned else _documents(evidence)
    needed = min(int(limits["strata"]), len(_corpus(evidence)))
    failures = []
    if len(names) < needed:
        failures.append(Failure(what="too few strata", value=len(names), limit=f"≥ {needed}"))
    if planned and sum(planned.quotas.values()) != planned.target:
        total = sum(planned.quotas.values())
        failures.append(Failure(what="the quotas do not sum to the target", value=total, limit=f"= {planned.target}"))
    failures += _counts(evidence)
    return Checked(value=len(names), failures=tuple(failures))


def _corpus(evidence: Evidence) -> frozenset[str]:
    """All documents; of a set that says its language, and was made from documents in it alone, those."""
    language, known = evidence.version.get("language"), evidence.grounds.documents
    inside = evidence.grounds.documents_in(language) if isinstance(language, str) else known
    return inside if inside and _documents(evidence) <= inside else known


def _documents(evidence: Evidence) -> set[str]:
    """Of the chunks that questions were made from; of a question that names none, the document it names."""
    found = {chunk.source for question in evidence.questions if (chunk := evidence.chunk(question))}
    named = (evidence.grounds.index.documents.find(name) for q in evidence.chunkless for name in q.provenance.docs)
    return found | {name for name in named if name}


def _counts(evidence: Evidence) -> list[Failure]:
    """A file that counts its questions must count right."""
    counted = {"question_count": len(evidence.questions), "unanswerable_count": len(evidence.impossible)}
    return [
        Failure(what=f"version.{name} is wrong", value=evidence.version[name], limit=f"= {count}")
        for name, count in counted.items()
        if isinstance(evidence.version.get(name), int) and evidence.version[name] != count
    ]


@gate("G0-2", "warning", "≥ {at_least} of the documents have a question", at_least=0.80)
def documents(evidence: Evidence, limits: Limits) -> Checked:
    known = _corpus(evidence)
    share = len(_documents(evidence) & known) / len(known) if known else None
    missing = sorted(known - _documents(evidence))
    what = f"documents without a question: {', '.join(missing[:5])}{' …' if len(missing) > 5 else ''}"
    return within(what, share, limits, "the chunks name no document")
