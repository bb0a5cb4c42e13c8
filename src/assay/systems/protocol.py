"""The one thing every RAG pipeline under test is: a question in, an answer out, with what it was made from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Protocol, runtime_checkable

from msgspec import Struct

from assay.config import Config
from assay.corpus.index import Index
from assay.llm import Connections
from assay.llm.protocol import Usage
from assay.records import Case, Fault
from assay.registry import Registry


class Passage(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A retrieved chunk as the system told it. What it did not tell is None."""

    id: str | None = None
    source: str | None = None
    page: int | None = None
    score: float | None = None
    text: str | None = None


class Timing(Struct, frozen=True, kw_only=True):
    """Seconds of each phase. None: the system cannot tell, or has no such phase. Never 0 for what was not measured."""

    retrieval: float | None = None
    rerank: float | None = None
    generation: float | None = None
    total: float | None = None


class Metadata(Struct, frozen=True, kw_only=True):
    """What is known of the call that wrote the answer."""

    model: str | None = None
    model_version: str | None = None
    finish_reason: str | None = None
    reasoning_effort: str | None = None
    used_fallback: bool | None = None
    avg_logprobs: float | None = None
    response_id: str | None = None
    temperature: float | None = None
    has_citations: bool | None = None


class Retry(Struct, frozen=True, kw_only=True):
    """Tries over all phases: 1 if everything went at once."""

    attempts: int = 1
    recovered: bool = False
    error: str | None = None


class Output(Struct, frozen=True, kw_only=True):
    """What the system gave for a case."""

    answer: str | None = None
    candidates: tuple[Passage, ...] | None = None
    """Everything retrieved, best first, before reranking (at most `recall_k`). None: the system does not tell."""
    context: tuple[Passage, ...] | None = None
    """What the generator saw, in its order, with texts. None: the system does not tell."""
    scale: str | None = None
    """What the scores of the candidates measure: cosine, rrf, ... None: not told."""
    context_scale: str | None = None
    """The same of the context, which a reranker has scored on a scale of its own. None: as `scale`."""
    timing: Timing = Timing()
    usage: Usage | None = None
    metadata: Metadata = Metadata()
    retry: Retry = Retry()
    fault: Fault | None = None
    """What went wrong and in which phase (retrieval, rerank, generation). What came before it is kept."""


class RagSystem(Protocol):
    """Called for many cases at once. A case's fault is an Output with a fault; a fault of all cases is raised."""

    @property
    def name(self) -> str:
        """As reports and folder names call it: the model, or what the user called the pipeline."""
        ...

    async def run(self, case: Case) -> Output: ...

    async def close(self) -> None: ...


@runtime_checkable
class Fingerprinted(Protocol):
    """A system that is made from files: the SHA-256 of each, by what it is (prompt, module, recorded)."""

    @property
    def inputs(self) -> Mapping[str, str]: ...


@runtime_checkable
class Expecting(Protocol):
    """A system that makes use of knowing which cases will be asked, in about which order."""

    def expect(self, cases: Iterable[Case]) -> None: ...


def inputs_of(system: RagSystem) -> dict[str, str]:
    """For the manifest of a run: another prompt or another recording is another system."""
    return dict(system.inputs) if isinstance(system, Fingerprinted) else {}


class Context(Struct, frozen=True, kw_only=True):
    """What a system is made from."""

    config: Config
    index: Index | None
    models: Connections
    argument: str = ""
    """What stands behind the colon: `python:module:name` gives `module:name`."""


SYSTEMS: Registry[Callable[[Context], RagSystem]] = Registry("system", "assay.systems")
