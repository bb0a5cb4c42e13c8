"""A Python function under test: `python:module:function`.

`function(query, k)` gives for one query a list of ids, of (id, score) or of {"id": ..., "score": ...}; it may be async.
A function with a parameter called `queries` gets all queries at once and gives one such list for each. If it has a
parameter `sources`, it is told the documents to search in; if it has a parameter `lane`, the lane (None: all).
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Coroutine, Sequence
from typing import Any

from assay.errors import AssayError
from assay.records import Fault, Ranking
from assay.retrievers.answers import PHASE, Cut, cut_of, raised, to_ranking
from assay.retrievers.loading import load_function
from assay.retrievers.protocol import RETRIEVERS, Context, Query, Request

ALL = 64
"""Queries in one call of a function that takes many."""


@RETRIEVERS.register("python")
class Python:
    """What the function raises for one query is that query's Fault; the others go on."""

    scale = "score"
    local = False

    def __init__(self, context: Context) -> None:
        self.name = f"python:{context.argument}"
        self._index = context.index
        self._workers = context.config.retrieval.http.workers
        self._function = load_function(context.argument, "python")
        self._names = _parameters(self._function, self.name)
        self._takes_all = "queries" in self._names or hasattr(self._function, "queries")
        # One after another is saved one by one: after a crash nothing that was answered is asked again.
        self.batch_size = ALL if self._takes_all else self._workers if self._is_async else 1

    @property
    def _is_async(self) -> bool:
        function = self._function
        return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__)

    def search(self, queries: Sequence[Query], request: Request) -> list[Ranking | Fault]:
        cut = cut_of(self._index, request, self.scale)
        texts = [query.text for query in queries]
        if self._takes_all:
            return self._rankings_of_all(texts, request, cut)
        if self._is_async:
            answers = _run(self._ask_each(texts, request))
        else:
            answers = [self._ask(text, request) for text in texts]
        return [_ranking(answer, cut) for answer in answers]

    def _rankings_of_all(self, texts: list[str], request: Request, cut: Cut) -> list[Ranking | Fault]:
        answers = self._ask(texts, request)
        if not isinstance(answers, Fault) and (not isinstance(answers, (list, tuple)) or len(answers) != len(texts)):
            given = f"{len(answers)} results" if isinstance(answers, (list, tuple)) else type(answers).__name__
            answers = Fault(PHASE, f"gave {given} for {len(texts)} queries; expected a list with one for each")
        return [_ranking(answers if isinstance(answers, Fault) else answers[n], cut) for n in range(len(texts))]

    def _ask(self, query: str | list[str], request: Request) -> Any:
        try:
            answer = self._call(query, request)
            return _run(_wait(answer)) if inspect.isawaitable(answer) else answer
        except (Exception, SystemExit) as fault:  # noqa: BLE001 (the user's code: its fault is this query's record)
            return raised(fault)

    async def _ask_each(self, texts: Sequence[str], request: Request) -> list[Any]:
        import asyncio

        gate = asyncio.Semaphore(self._workers)

        async def one(text: str) -> Any:
            async with gate:
                try:
                    return await self._call(text, request)
                except (Exception, SystemExit) as fault:  # noqa: BLE001 (the user's code: its fault is this query's record)
                    return raised(fault)

        return await asyncio.gather(*map(one, texts))

    def _call(self, query: str | list[str], request: Request) -> Any:
        """What comes first is the query or the queries; k goes by its name where it has that name."""
        told: dict[str, Any] = {"sources": list(request.sources), "lane": request.lane}
        named = {name: value for name, value in told.items() if name in self._names}
        if "k" in self._names:
            return self._function(query, k=request.k, **named)
        return self._function(query, request.k, **named)


def _parameters(function: Any, name: str) -> frozenset[str]:
    """The names by which arguments can be given; a function that cannot be called as promised is an error now."""
    try:
        signature = inspect.signature(function)
    except (ValueError, TypeError):
        return frozenset()
    found = signature.parameters.values()
    names = frozenset(p.name for p in found if p.kind in {p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY})
    try:
        signature.bind("", *(() if "k" in names else (1,)), **dict.fromkeys(names & {"k", "sources", "lane"}))
    except TypeError as fault:
        raise AssayError(
            f"'{name}{signature}' cannot be called: {fault}", expected="(query, k) or (queries, k)"
        ) from None
    return names


def _ranking(answer: Any, cut: Cut) -> Ranking | Fault:
    return answer if isinstance(answer, Fault) else to_ranking(answer, cut)


async def _wait(answer: Awaitable[Any]) -> Any:
    return await answer


def _run(work: Coroutine[Any, Any, Any]) -> Any:
    """Also where a loop already runs, as in a notebook: then in a thread of its own."""
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()
