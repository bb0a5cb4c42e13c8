"""A search within a run."""

from __future__ import annotations

from collections.abc import Sequence

from assay.errors import IncompleteRun
from assay.http import Unreachable
from assay.records import Fault, Ranking
from assay.retrievers.protocol import Query, Request, Retriever


def ask(retriever: Retriever, queries: Sequence[Query], request: Request) -> list[Ranking | Fault]:
    """A service that is gone ends the run, which can go on when it is back: thousands of cases would fail alike."""
    try:
        return retriever.search(queries, request)
    except Unreachable as fault:
        hint = f"{fault.hint} What was finished is kept"
        raise IncompleteRun(fault.what, where=fault.where, hint=hint) from None
