"""What is searched of a memory: its tags, said before its text."""

from __future__ import annotations

from assay.corpus.index import Index


def with_tags(index: Index, texts: list[str]) -> list[str]:
    """The texts of all rows, those of memories with their tags."""
    memories = {
        id_: row for row, (id_, lane) in enumerate(zip(index.ids, index.lanes, strict=True)) if lane == "memory"
    }
    for id_, chunk in index.chunks(memories).items():
        tags = chunk.metadata.get("tags")
        if isinstance(tags, list) and tags:
            texts[memories[id_]] = f"{' '.join(map(str, tags))}\n{texts[memories[id_]]}"
    return texts
