"""Triplets for training: a question, its chunk, and chunks that look right and are not."""

from __future__ import annotations

from assay.corpus.quotes import fold, stands_in
from assay.errors import AssayError
from assay.files import dump_json
from assay.gold.formats.protocol import FORMATS, Bundle, Format, Order, Raw, Written
from assay.gold.grounds import Grounds

SPARE = 10
"""Candidates beside those wanted: some hold the answer too and are no negatives."""


def write(bundle: Bundle, order: Order) -> Written:
    """Hard negatives are what bm25 finds first, without the chunk itself and every chunk that quotes the answer."""
    grounds = order.grounds
    if grounds is None:
        raise AssayError("triplets need the texts of the corpus", hint="Name the index with --index FILE.")
    lost, ready = dict[str, str](), []
    known = grounds.chunks(raw["provenance"].get("chunk_id") or "" for raw in bundle.raws)
    for raw in bundle.raws:
        if raw["content"].get("is_impossible"):
            lost[raw["id"]] = "unanswerable: it has no positive chunk"
        elif raw["provenance"].get("chunk_id") not in known:
            lost[raw["id"]] = "its chunk is not in the index"
        else:
            ready.append(raw)
    found = grounds.by_words([raw["content"]["question"] for raw in ready], order.negatives + SPARE)
    lines = [_line(raw, ids, grounds, order.negatives) for raw, ids in zip(ready, found, strict=True)]
    return Written({"": "".join(dump_json(line) + "\n" for line in lines)}, lost)


def _line(raw: Raw, ids: tuple[str, ...], grounds: Grounds, wanted: int) -> Raw:
    own = raw["provenance"]["chunk_id"]
    chunks = grounds.chunks((own, *ids))
    answer = fold(raw["content"].get("expected_answer") or "").strip(" .")
    texts = {chunk.text for chunk in (chunks[own],)}
    negatives = [
        chunk
        for chunk in chunks.values()
        if chunk.id != own and chunk.text not in texts and not stands_in(answer, fold(chunk.text))
    ][:wanted]
    return {
        "id": raw["id"],
        "query": raw["content"]["question"],
        "positive": chunks[own].text,
        "negatives": [chunk.text for chunk in negatives],
        "positive_id": own,
        "negative_ids": [chunk.id for chunk in negatives],
    }


FORMATS.register("triplets")(Format(name="triplets", write=write))
