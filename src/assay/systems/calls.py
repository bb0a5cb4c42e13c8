"""How a Python pipeline is called: a function, or an object with methods as LangChain's and LlamaIndex's have.

Recognised by what they offer, in this order; none of these packages is imported:

| has | is called as |
|---|---|
| `retrieve` and `query`, and no `synthesize` | `retrieve(question)`, then `query(question)` |
| `invoke` | `invoke(question)`, or `invoke({"input": question})` where its input schema asks for an object |
| `query` | `query(question)` |
| `__call__` | `function(question)` |

A class is made into an object first, a function without parameters is called once for what it returns. Methods and
functions may be async. A parameter called `k` or `top_k` is given the number of passages, and one called `passages`,
`contexts` or `documents` of `query` is given what `retrieve` returned.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from typing import Any

from msgspec import Struct

from assay.errors import AssayError

K = ("k", "top_k")
PASSAGES = ("passages", "contexts", "documents")
INPUT = ("input", "question", "query")


class Call(Struct, frozen=True, kw_only=True):
    """One thing to call."""

    function: Callable[..., Any]
    names: frozenset[str]
    key: str | None = None
    """The question is sent in an object, under this name."""

    @property
    def is_async(self) -> bool:
        return inspect.iscoroutinefunction(self.function) or inspect.iscoroutinefunction(
            getattr(self.function, "__call__", None)  # noqa: B004 (the method itself is looked at)
        )

    @property
    def takes_passages(self) -> bool:
        return bool(self.names & set(PASSAGES))

    def __call__(self, question: str, k: int, passages: Any = None) -> Any:
        named = {name: k for name in K if name in self.names}
        named |= {name: passages for name in PASSAGES if name in self.names}
        return self.function({self.key: question} if self.key else question, **named)

    def to_end(self, question: str, k: int, passages: Any = None) -> Any:
        """In a thread: also where a plain function returns something to be awaited."""
        given = self(question, k, passages)
        return asyncio.run(_awaited(given)) if inspect.isawaitable(given) else given


class Calls(Struct, frozen=True):
    """The one or two calls that answer a question."""

    answer: Call
    retrieve: Call | None = None


def calls_of(target: Any, name: str) -> Calls:
    """How this object answers; one that cannot is an error that says what is expected."""
    target = _made(target, name)
    retrieve, query, invoke = (_method(target, each) for each in ("retrieve", "query", "invoke"))
    if retrieve and query and not hasattr(target, "synthesize"):
        return Calls(_call(query, name), _call(retrieve, name))
    if invoke:
        # What a Runnable takes beside its input is configuration; no `k` is among it.
        return Calls(Call(function=invoke, names=frozenset(), key=_input_key(target)))
    if query:
        return Calls(_call(query, name))
    if callable(target):
        return Calls(_call(target, name))
    raise AssayError(f"'{name}' is {type(target).__name__}", expected="a function, or an object with invoke or query")


def _made(target: Any, name: str) -> Any:
    """The pipeline itself, of a class or of a function that makes one."""
    makes = inspect.isclass(target) or (inspect.isfunction(target) and not inspect.signature(target).parameters)
    if not makes:
        return target
    try:
        return target()
    except Exception as fault:  # the user's code; its fault is told, not passed on
        raise AssayError(f"'{name}' cannot be made: {type(fault).__name__}: {fault}") from fault


def _method(target: Any, name: str) -> Callable[..., Any] | None:
    found = getattr(target, name, None)
    return found if callable(found) else None


def _call(function: Callable[..., Any], name: str) -> Call:
    """A function that cannot be called with a question is an error now, not a fault of every case."""
    try:
        signature = inspect.signature(function)
    except (ValueError, TypeError):
        return Call(function=function, names=frozenset())
    known = {*K, *PASSAGES}
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    # The first parameter is the question, whatever it is called.
    named = list(signature.parameters.values())[1:]
    names = frozenset(parameter.name for parameter in named if parameter.kind in kinds and parameter.name in known)
    try:
        signature.bind("", **dict.fromkeys(names))
    except TypeError as fault:
        raise AssayError(
            f"'{name}{signature}' cannot be called: {fault}", expected="(question) or (question, k)"
        ) from None
    return Call(function=function, names=names)


def _input_key(target: Any) -> str | None:
    """The name under which a Runnable wants its question; None: as it is."""
    describe = _method(target, "get_input_jsonschema")
    if describe is None:
        return None
    try:
        schema = describe()
    except Exception:  # noqa: BLE001 (somebody else's code: without its help the question goes as it is)
        return None
    properties = schema.get("properties") if isinstance(schema, dict) and schema.get("type") == "object" else None
    if not isinstance(properties, dict) or not properties:
        return None
    known = [name for name in INPUT if name in properties]
    return known[0] if known else str(next(iter(properties)))


async def _awaited(given: Any) -> Any:
    return await given
