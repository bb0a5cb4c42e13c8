"""What a system told, brought into the shape of an output: at most `recall_k` candidates, chunks filled in from the
index, and a context only if its texts are known."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from assay.corpus.index import Index
from assay.records import Chunk
from assay.systems.protocol import Output, Passage


def finished(told: Output, index: Index | None, recall_k: int) -> Output:
    """A context of which a text is not known is none: a judge would take what it sees for all there was."""
    candidates = None if told.candidates is None else told.candidates[:recall_k]
    context = None if told.context is None else _filled(told.context, index, texts=True)
    if context is not None and any(passage.text is None for passage in context):
        context = None
    return replace(
        told, candidates=None if candidates is None else _filled(candidates, index, texts=False), context=context
    )


def _filled(passages: Sequence[Passage], index: Index | None, *, texts: bool) -> tuple[Passage, ...]:
    """A passage with the id of a chunk is that chunk: its source, page and text are known."""
    wanted = [p.id for p in passages if p.id is not None and (p.source is None or (texts and p.text is None))]
    chunks = index.chunks(wanted) if index is not None and wanted else {}
    return tuple([_completed(p, chunks.get(p.id or ""), texts) for p in passages])


def _completed(passage: Passage, chunk: Chunk | None, texts: bool) -> Passage:
    if chunk is None:
        return passage
    if passage.source is None:
        page = chunk.page if passage.page is None else passage.page
        passage = replace(passage, source=chunk.source or None, page=page)
    return replace(passage, text=chunk.text) if texts and passage.text is None else passage
