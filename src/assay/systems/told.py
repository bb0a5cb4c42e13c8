"""What systems that are not ours tell, in whatever words: dictionaries, LangChain's and LlamaIndex's objects, JSON.

Nothing is guessed: what is not told stays None, and what cannot be read is a `BadAnswer` that says why. The accepted
words are the tables here, in `passages.py` and in `expense.py`; docs/systems.md lists them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from assay.metrics.answers.citations import citations
from assay.records import Fault
from assay.retrievers.answers import BadAnswer
from assay.systems.expense import read_metadata, read_timing, read_usage
from assay.systems.fields import described, lookup, well_formed
from assay.systems.passages import Strings, read_passages
from assay.systems.protocol import Output, Passage

ANSWER = ("answer", "response", "result", "output", "output_text", "content", "text")
CONTEXT = ("context", "contexts", "passages", "source_documents", "source_nodes", "retrieved_contexts", "sources")
CANDIDATES = ("retrieved", "candidates", "results", "retrieved_documents", "retrieved_ids")
PHASES = ("retrieval", "rerank", "generation")
EXPECTED = "expected a text, or an object with 'answer'"

LONGEST_ANSWER = 1_000_000
LONGEST_CONTEXT = 5_000_000
"""Characters. More is not an answer but an accident, and would fill the run folder."""

_DEPTH = 4


def read_output(told: Any) -> Output:
    """An answer with whatever else is told. Candidates that are not told apart are those of the context."""
    if isinstance(told, str):
        return with_answer(Output(), told)
    if isinstance(told, tuple) and len(told) == 2 and isinstance(told[0], str):
        told = {"answer": told[0], "context": told[1]}
    if told is None or isinstance(told, bool | int | float | bytes | list | tuple | set):
        raise BadAnswer(f"gave {described(told)}; {EXPECTED}")
    candidates, context = _passages(told, CANDIDATES), _passages(told, CONTEXT)
    output = Output(
        candidates=context if candidates is None else candidates,
        context=context,
        timing=read_timing(told),
        usage=read_usage(told),
        metadata=read_metadata(told),
    )
    answer = answer_of(told)
    if answer is None:
        return replace(output, fault=fault_of(told))
    return with_answer(output, answer)


def read_candidates(told: Any) -> tuple[Passage, ...]:
    """What a retrieval gave: the passages, or an object that holds them."""
    if isinstance(told, list | tuple):
        return read_passages(told, "id")
    found = _passages(told, (*CANDIDATES, *CONTEXT)) if told is not None else None
    if found is None:
        raise BadAnswer(f"gave {described(told)}; expected a list of passages, or an object with 'results'")
    return found


def with_answer(output: Output, answer: str) -> Output:
    """With the answer, if it is one that can be kept."""
    if len(answer) > LONGEST_ANSWER:
        raise BadAnswer(f"an answer of {len(answer):,} characters; at most {LONGEST_ANSWER:,} are taken")
    cites = output.metadata.has_citations
    has_citations = bool(citations(answer)) if cites is None else cites
    return replace(output, answer=well_formed(answer), metadata=replace(output.metadata, has_citations=has_citations))


def fault_of(told: Any) -> Fault:
    """Of something without an answer: what it says went wrong, or that nothing came."""
    error = lookup(told, ("error",))
    if error is None:
        if isinstance(told, Mapping) and any(name in told for name in ANSWER):
            return Fault("generation", "gave no answer (null)")
        raise BadAnswer(f"gave {described(told)}; {EXPECTED}")
    phase = lookup(error, ("phase",))
    message = lookup(error, ("message", "detail"))
    text = message if isinstance(message, str) else str(error)
    said = well_formed(" ".join(text.split())[:500])
    return Fault(phase if phase in PHASES else "unknown", said or "an error without a message")


def answer_of(told: Any) -> str | None:
    """The text of an answer: itself, or what stands under one of the known names, also inside a chat message."""
    return _text(told, _DEPTH)


def _text(told: Any, depth: int) -> str | None:
    if isinstance(told, str):
        return str(told)
    if not depth or told is None:
        return None
    if isinstance(told, list):
        parts = [_text(part, depth - 1) for part in told]
        return "".join(part for part in parts if part is not None) if any(part is not None for part in parts) else None
    found = _text(lookup(told, ANSWER), depth - 1)
    messages = lookup(told, ("messages",)) if found is None else None
    return _text(messages[-1], depth - 1) if isinstance(messages, list) and messages else found


def _passages(told: Any, names: tuple[str, ...]) -> tuple[Passage, ...] | None:
    """Those under the first of the names that is there."""
    for name in names:
        found = lookup(told, (name,))
        if found is not None:
            passages = read_passages(found, _strings(name))
            size = sum(len(passage.text or "") for passage in passages)
            if size > LONGEST_CONTEXT:
                raise BadAnswer(f"passages of {size:,} characters; at most {LONGEST_CONTEXT:,} are taken")
            return passages
    return None


def _strings(name: str) -> Strings:
    """What a passage that is only a string stands for."""
    return "id" if name in CANDIDATES else "source" if name == "sources" else "text"
