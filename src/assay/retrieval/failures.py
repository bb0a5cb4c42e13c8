"""The failed questions of a run with what is needed to understand each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assay.config import Config
from assay.corpus.index import Index
from assay.records import Case, Chunk
from assay.retrieval.diagnosis import CUT, MEANING, Evidence, is_failure, record
from assay.retrieval.summary import rank_histogram
from assay.retrieval.system import Variant
from assay.retrievers.analysis import content_words
from assay.retrievers.vector import similarities
from assay.runs.results import Row


def collect(
    variants: Sequence[Variant], cases: Sequence[Case], rows: Iterable[Row], index: Index | None, config: Config
) -> list[dict[str, Any]]:
    """One record for each variant and question whose expected chunk is not in the first five."""
    if index is None:
        return []
    by_id = {case.id: case for case in cases}
    failed: dict[str, list[Row]] = {variant.name: [] for variant in variants}
    for row in rows:
        if row["status"] == "ok" and is_failure(row["scores"]):
            failed[row["variant"]].append(row)
    chunks = _chunks(failed, by_id, index)
    close = _similarity(
        [by_id[case_id] for case_id in sorted({r["case_id"] for f in failed.values() for r in f})], index, config
    )
    result = []
    for variant in variants:
        misses = failed[variant.name]
        deep = _deep_ranks(variant, [by_id[row["case_id"]] for row in misses], config.retrieval.depth)
        for row, rank in zip(misses, deep, strict=True):
            evidence = _evidence(by_id[row["case_id"]], row, rank, chunks, close)
            result.append(record(evidence, variant.name, row["retrieved"]["scores"], row["retrieved"]["scale"]))
    return result


def _chunks(failed: Mapping[str, Sequence[Row]], cases: Mapping[str, Case], index: Index) -> dict[str, Chunk]:
    wanted: set[str] = set()
    for rows in failed.values():
        for row in rows:
            wanted.update(row["retrieved"]["ids"][:CUT], cases[row["case_id"]].expected_ids)
    return index.chunks(sorted(wanted))


def _deep_ranks(variant: Variant, cases: Sequence[Case], depth: int) -> list[int | None]:
    """Ranks in a deep search, where searching costs nothing; a service under test is not asked again."""
    if not cases or not variant.retriever.local:
        return [None] * len(cases)
    return variant.ranks(cases, depth)


def _similarity(cases: Sequence[Case], index: Index, config: Config) -> dict[str, float]:
    """Case → highest cosine of the question with an expected chunk; empty for an index without embeddings."""
    if not cases or not index.metadata.get("model_id"):
        return {}
    pairs = [(case, id_) for case in cases for id_ in case.expected_ids]
    values = similarities([(case.question, id_) for case, id_ in pairs], index, config.embedder)
    best: dict[str, float] = {}
    for (case, _), value in zip(pairs, values, strict=True):
        if value is not None:
            best[case.id] = max(value, best.get(case.id, value))
    return best


def _evidence(
    case: Case, row: Row, rank: int | None, chunks: Mapping[str, Chunk], close: Mapping[str, float]
) -> Evidence:
    expected = [chunks[id_] for id_ in case.expected_ids if id_ in chunks]
    shared: set[str] = set()
    for chunk in expected:
        language = str(chunk.metadata.get("language", "en"))
        shared |= content_words(case.question, language) & content_words(chunk.text, language)
    return Evidence(
        case=case,
        retrieved_ids=row["retrieved"]["ids"][:CUT],
        retrieved=[chunks[id_] for id_ in row["retrieved"]["ids"][:CUT] if id_ in chunks],
        expected=expected,
        rank=rank,
        shared_words=frozenset(shared),
        similarity=close.get(case.id),
    )


def unknown_results(rows: Iterable[Row], index: Index | None) -> dict[str, Any] | None:
    """How many of the retrieved ids no chunk of the index has, which of them for example; None without an index."""
    if index is None:
        return None
    given = [id_ for row in rows if row["status"] == "ok" for id_ in row["retrieved"]["ids"]]
    unknown = [id_ for id_ in given if id_ not in index.rows]
    return {"count": len(unknown), "of": len(given), "example": min(unknown, default=None)}


def counts(variants: Sequence[str], failed: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    """Variant → diagnosis → number."""
    tally = Counter((entry["variant"], entry["diagnosis"]) for entry in failed)
    return {variant: {name: tally[variant, name] for name in MEANING} for variant in variants}


def ranks(
    variants: Sequence[str], rows: Sequence[Row], failed: Iterable[Mapping[str, Any]]
) -> dict[str, dict[str, int]]:
    """Variant → histogram of the first expected rank; the deep search tells those beyond the results."""
    deep = {(entry["variant"], entry["case_id"]): entry["rank"] for entry in failed}
    return {
        variant: rank_histogram(
            row["rank"] or deep.get((variant, row["case_id"]))
            for row in rows
            if row["variant"] == variant and row["status"] == "ok" and row["expected_ids"]
        )
        for variant in variants
    }
