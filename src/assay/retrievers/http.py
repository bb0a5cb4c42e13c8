"""A service under test: POST {"query": ..., "k": ...} to a URL gives {"results": [{"id": ..., "score": ...}, ...]}.

With a filter the request also holds "sources", in a search of one lane "lane". Settings: `retrieval.http`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.errors import AssayError
from assay.records import Fault, Ranking
from assay.retrievers.answers import PHASE, Cut, cut_of, to_ranking
from assay.retrievers.protocol import RETRIEVERS, Context, Query, Request


@RETRIEVERS.register("http", "https")
class Http:
    """An answer that stays broken is its query's Fault; a refused key, a wrong address, nobody there end all."""

    scale = "score"
    local = False

    def __init__(self, context: Context) -> None:
        self.name = self._url = context.argument
        if "@" in self._url.partition("://")[2].partition("/")[0]:
            hint = "Name an environment variable with a bearer token in retrieval.http.token_env instead."
            raise AssayError("a URL with a user or password would be written to every run", hint=hint)
        self._index = context.index
        self._options = context.config.retrieval.http
        self.batch_size = 2 * self._options.workers

    def search(self, queries: Sequence[Query], request: Request) -> list[Ranking | Fault]:
        from assay.http import Unreachable, post_each

        cut = cut_of(self._index, request, self.scale)
        filters: dict[str, Any] = {"sources": list(request.sources)} if request.sources else {}
        filters |= {"lane": request.lane} if request.lane else {}
        payloads = [{"query": _encodable(query.text), "k": request.k, **filters} for query in queries]
        replies = post_each(self._url, payloads, self._options)
        if replies and all(isinstance(reply, Unreachable) for reply in replies):
            raise replies[0]
        return [_ranking(reply, cut) for reply in replies]


def _ranking(reply: Any, cut: Cut) -> Ranking | Fault:
    if isinstance(reply, AssayError):
        return Fault(PHASE, str(reply))
    if not isinstance(reply, dict) or "results" not in reply:
        given = f"the keys {', '.join(map(str, reply))[:80]}" if isinstance(reply, dict) else type(reply).__name__
        return Fault(PHASE, f"the reply has {given}; expected an object with 'results'")
    return to_ranking(reply["results"], cut)


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
