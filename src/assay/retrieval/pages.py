"""At which rank the expected pages of a question were found."""

from __future__ import annotations

from collections.abc import Sequence

from assay.config import RetrievalOptions
from assay.corpus.index import Index
from assay.metrics import page_ranks
from assay.records import Case, PageRef

Place = tuple[str, int | None, int | None]
"""Document, first and last page of a chunk."""


class Pages:
    """Those of an index; read only if a page is expected."""

    def __init__(self, index: Index, options: RetrievalOptions) -> None:
        self._index = index
        self._tolerance, self._same_document = options.tolerance, options.page_match == "document"
        self._names: dict[str, str] = {}

    def ranks(self, case: Case, ids: Sequence[str]) -> list[int | None]:
        """Of each page that the case expects; places are looked up only until all pages are found. None of an index
        that tells no pages: what cannot be found there is not missed."""
        if not case.pages or not self.known:
            return []
        return page_ranks(
            map(self._place, ids),
            map(self._known, case.pages),
            tolerance=self._tolerance,
            same_document=self._same_document,
        )

    @property
    def known(self) -> bool:
        return self._index.has_pages

    def _place(self, id_: str) -> Place:
        row = self._index.rows.get(id_)
        if row is None:
            return "", None, None
        first, last = self._index.page_span(row) or (None, None)
        return self._index.sources[row], first, last

    def _known(self, page: PageRef) -> PageRef:
        """The page under the name its document has in the index."""
        name = self._names.get(page.document)
        if name is None:
            name = self._names[page.document] = self._index.documents.find(page.document) or page.document
        return page if name == page.document else PageRef(name, page.page)
