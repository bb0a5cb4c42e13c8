"""What to do next, in words that fit the retriever that came out best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.retrievers.variants import Variant, parse_variant

EMBEDDING = frozenset({"vector", "hybrid"})
MISSING = "missing_from_index"


def tuning(best: str, variants: Sequence[str]) -> str:
    """What can be turned without training anything."""
    variant, kinds = parse_variant(best), _kinds(variants)
    if not _is_ours(variant):
        return "Tune the retriever under test: how it chunks, weighs and reranks."
    hybrid = "hybrid weights" if "hybrid" in kinds else f"hybrid instead of {variant.name} alone"
    return f"Tune retrieval: chunking, {hybrid}, {'another' if variant.rerank else 'a'} reranker."


def rebuilding(best: str, variants: Sequence[str]) -> str:
    """Where turning will not do: embeddings, if there are any."""
    variant = parse_variant(best)
    if variant.name in EMBEDDING:
        return "Fine-tune the embeddings."
    if not _is_ours(variant):
        return "Fine-tune the embeddings of the retriever under test, if it has any."
    if EMBEDDING & _kinds(variants):
        return "Take another embedder, or fine-tune it: bm25 alone is ahead of its vectors."
    return "Measure vector and hybrid too: bm25 finds by words alone."


def ingesting(diagnosis: Mapping[str, int]) -> str | None:
    """Where most failures are none of the retriever's, if so: no tuning finds what was never indexed."""
    failed, missing = sum(diagnosis.values()), diagnosis.get(MISSING, 0)
    if not missing or missing * 2 < failed:
        return None
    return f"Index what is missing first: {missing} of {failed} failures expect chunks that are not in the index."


def _is_ours(variant: Variant) -> bool:
    return variant.name == "bm25" or variant.name in EMBEDDING


def _kinds(variants: Sequence[str]) -> set[str]:
    return {parse_variant(each).name for each in variants}
