"""The corpus a gold set is checked against: its chunks, their languages, their vectors, and a search of all of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from assay.config import Config
from assay.corpus.index import Index
from assay.corpus.language import detect
from assay.embedders import Embedder
from assay.embedders.cache import cached
from assay.records import Chunk, Ranking
from assay.retrievers import lexical, vector
from assay.retrievers.analysis import language_code
from assay.retrievers.protocol import Query, Request
from assay.retrievers.variants import build

CANDIDATES = 10
"""Chunks that each search gives for a question."""
FALLBACK = "en"


class Grounds:
    """An open index and the embedder of the settings. Texts are read when they are needed, vectors once."""

    def __init__(self, index: Index, config: Config) -> None:
        self.index, self._config = index, config

    @cached_property
    def documents(self) -> frozenset[str]:
        """Questions are made from documents; code and memories beside them need none."""
        pairs = zip(self.index.sources, self.index.lanes, strict=True)
        found = frozenset(source for source, lane in pairs if source and lane == "document")
        return found or frozenset(source for source in self.index.sources if source)

    def documents_in(self, language: str) -> frozenset[str]:
        """Those whose first chunk is in that language."""
        first = {source: id_ for id_, source in reversed([*zip(self.index.ids, self.index.sources, strict=True)])}
        chunks = self.chunks(first[source] for source in sorted(self.documents))
        return frozenset(chunk.source for chunk in chunks.values() if self.language(chunk) == language)

    @cached_property
    def _pages(self) -> dict[str, tuple[int, int]]:
        """First and last page of each document that has pages; a document that is counted from 1 begins there."""
        found: dict[str, tuple[int, int]] = {}
        for source, span in zip(self.index.sources, self.index.page_spans, strict=True):
            if span is not None:
                first, last = found.get(source, (1, 1))
                found[source] = min(first, span[0]), max(last, span[1])
        return found

    def pages(self, docs: Iterable[str]) -> range | None:
        """From the first to the last page of these documents; None where one is not in the index or has no pages."""
        spans = [self._pages.get(self.index.documents.find(name) or "") for name in docs]
        known = [span for span in spans if span is not None]
        if not known or len(known) < len(spans):
            return None
        return range(min(first for first, _ in known), max(last for _, last in known) + 1)

    @cached_property
    def _by_page(self) -> dict[tuple[str, int], list[str]]:
        """The chunks that each page of a document has a part of."""
        found: dict[tuple[str, int], list[str]] = {}
        for id_, source, span in zip(self.index.ids, self.index.sources, self.index.page_spans, strict=True):
            for page in range(span[0], span[1] + 1) if span else ():
                found.setdefault((source, page), []).append(id_)
        return found

    def on_pages(self, document: str, pages: Iterable[int]) -> set[str]:
        """The ids of the chunks that stand there."""
        source = self.index.documents.find(document) or ""
        return {id_ for page in pages for id_ in self._by_page.get((source, page), ())}

    @cached_property
    def embedder(self) -> Embedder:
        embedder = cached(self._config.embedder, self._config.path("cache"))
        if self.index.has_embeddings:
            self.index.check_embedder(embedder)
        return embedder

    def language(self, chunk: Chunk) -> str:
        """As told when the corpus was indexed; else by its own words."""
        setting = language_code(self.index.metadata.get("language", "auto"))
        if setting != "auto":
            return setting
        told = chunk.metadata.get("language")
        return language_code(told if isinstance(told, str) else detect(chunk.text) or FALLBACK)

    def embed_questions(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return vector.encode(self.embedder, texts)

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.embedder.embed([text.encode("utf-8", "replace").decode() for text in texts], kind="document")

    def chunk_vectors(self, chunks: Sequence[Chunk]) -> NDArray[np.float32]:
        """From the index, which must have been made by the same model; else embedded now."""
        if not self.index.has_embeddings:
            return self.embed_passages([chunk.text for chunk in chunks])
        self.index.check_embedder(self.embedder)
        rows = vector.load(self.index).rows
        return rows[[self.index.rows[chunk.id] for chunk in chunks]]

    def search(self, questions: Sequence[str], k: int = CANDIDATES) -> list[tuple[str, ...]]:
        """The ids of the chunks nearest to each question in the whole corpus, by words and by meaning."""
        names = ("bm25", "vector") if self.index.has_embeddings else ("bm25",)
        found = [self._found(name, questions, k) for name in names]
        return [tuple(dict.fromkeys(id_ for ids in lists for id_ in ids)) for lists in zip(*found, strict=True)]

    def _found(self, name: str, questions: Sequence[str], k: int) -> list[tuple[str, ...]]:
        asked = [Query(str(number), text) for number, text in enumerate(questions)]
        found = build(name, self._config, self.index).search(asked, Request(k=k))
        return [each.ids if isinstance(each, Ranking) else () for each in found]

    def by_words(self, questions: Sequence[str], k: int) -> list[tuple[str, ...]]:
        """The chunks that bm25 alone finds for each question, best first."""
        return self._found("bm25", questions, k)

    def weight(self, word: str) -> float:
        """How rare a word is in the corpus (idf)."""
        return lexical.load(self.index).postings.idf(word)

    def holds(self, chunk: Chunk, words: Iterable[str]) -> set[str]:
        """Which of these words, as searched, stand in the chunk."""
        asked = dict.fromkeys(words, 1)
        return set(lexical.load(self.index).postings.contributions(asked, self.index.rows[chunk.id]))

    def chunks(self, ids: Iterable[str]) -> dict[str, Chunk]:
        return self.index.chunks(ids)
