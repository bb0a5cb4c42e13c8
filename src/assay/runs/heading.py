"""What the summaries of all kinds of runs have in common: who, when, from what, and the line of history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.config import Gate
from assay.corpus.index import Index
from assay.records import Interval
from assay.runs.folder import RunFolder


def heading(run: RunFolder, identity: Sequence[str]) -> dict[str, Any]:
    """From the manifest; `identity` names the parts of the fingerprint that must agree for a fair comparison."""
    data = run.manifest
    return {
        "schema_version": 1,
        "kind": data["kind"],
        "run_id": data["run_id"],
        "client": data["client"],
        "created_date": data["created"],
        "identity": {key: data["fingerprint"][key] for key in identity},
        "environment": data["environment"],
        "config": data["config"],
        "seed": data["seed"],
    }


def index_block(index: Index | None) -> dict[str, Any] | None:
    if index is None:
        return None
    return {
        "name": index.path.name,
        "fingerprint": index.fingerprint,
        "chunks": len(index),
        "documents": index.document_count,
        "model_id": index.metadata.get("model_id"),
        "embedding_dim": index.metadata.get("embedding_dim"),
        "language": index.metadata.get("language"),
    }


def skipped_block(reasons: Mapping[str, str]) -> dict[str, Any]:
    """From case id → why it was left out."""
    counts: dict[str, int] = {}
    for reason in reasons.values():
        counts[reason] = counts.get(reason, 0) + 1
    return {"count": len(reasons), "reasons": dict(sorted(counts.items())), "ids": dict(reasons)}


def gate_result(gate: Gate, interval: Interval | None, variant: str | None = None) -> dict[str, Any]:
    """A rule on a mean, decided on rounded numbers. Undefined does not pass."""
    mean = interval.mean if interval else None
    return {
        "measure": gate.measure,
        "at_least": gate.at_least,
        "severity": gate.severity,
        "variant": variant,
        "value": mean,
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
        "passed": mean is not None and round(mean, 9) >= round(gate.at_least, 9),
    }


def history_entry(run: RunFolder, data: Mapping[str, Any], best: str | None, cost: float | None) -> dict[str, Any]:
    """The line that stands for a finished run; `best` is what its headline means are those of."""
    intervals = data["intervals"] if "intervals" in data else data["metrics"].get(best, {})
    return {
        "timestamp": data["execution"]["timestamp"],
        "kind": data["kind"],
        "run": run.name,
        "client": data["client"],
        "corpus": data["corpus"]["name"],
        "questions": data["corpus"]["tested"],
        "partial": data["partial"],
        "best": best,
        "metrics": {name: interval["mean"] for name, interval in intervals.items()},
        "passed": all(gate["passed"] for gate in data["gates"] if gate["severity"] == "blocking"),
        "duration": data["execution"]["duration"],
        "cost_usd": cost,
    }
