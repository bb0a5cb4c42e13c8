"""The pipeline that comes with the package: index, retriever, and a model or, without one, quoted sentences.

**Times.** Retrieval: the question's share of the search it was part of. Rerank: its own. Generation: the call that gave
the reply, without waiting for a place or between tries; a reply from the cache keeps the time of the call that was paid
for, so that a run repeated from the cache says the same. Total: the sum of these.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from time import perf_counter

from msgspec import Struct
from msgspec.structs import replace

from assay.errors import AssayError
from assay.llm.connect import Model
from assay.llm.faults import LlmError
from assay.llm.protocol import ChatReply, ChatRequest, RetryInfo, Usage
from assay.metrics.answers.citations import citations
from assay.records import Case, Fault
from assay.systems.ahead import Ahead
from assay.systems.batching import Batched
from assay.systems.extractive import NAME, Extractive
from assay.systems.finding import Finder, Found
from assay.systems.prompt import load_prompt
from assay.systems.protocol import SYSTEMS, Context, Metadata, Output, Retry, Timing


class _Quoted(Struct, frozen=True):
    """What was found for a case, and the sentences quoted from it where there is no model."""

    found: Found
    answer: str | None = None
    seconds: float | None = None


@SYSTEMS.register("embedded")
class Embedded:
    """Retrieve, rerank if the retriever's name ends in `+rerank`, answer."""

    def __init__(self, context: Context) -> None:
        pipeline = context.config.run.pipeline
        if context.index is None:
            raise AssayError("the embedded pipeline needs an index", hint="Name one with --index FILE.")
        self._finder = Finder(context, context.index)
        self._model: Model | None = context.models.model(pipeline.model) if pipeline.model else None
        self._extractive = None if self._model else Extractive(context.index)
        self._prompt = load_prompt(Path(context.config.root) / pipeline.prompt if pipeline.prompt else None)
        self._ahead: Ahead[Case, _Quoted] = Ahead(Batched(self._find_all))
        self.name = pipeline.model or NAME

    @property
    def inputs(self) -> dict[str, str]:
        """The prompt, where one is used."""
        return {"prompt": self._prompt.sha256} if self._model else {}

    def expect(self, cases: Iterable[Case]) -> None:
        """Searched for while the model answers those before them."""
        self._ahead.expect(cases)

    async def run(self, case: Case) -> Output:
        quoted = await self._ahead.ask(case)
        output = _output(quoted.found)
        if output.fault is not None:
            return output
        if self._model is None:
            return _answered(output, quoted)
        return await self._generate(self._model, case, output)

    async def request(self, case: Case) -> ChatRequest | None:
        """What the model would be asked: retrieval is done, nothing is sent."""
        found = (await self._ahead.ask(case)).found
        if self._model is None or found.context is None:
            return None
        return self._request(self._model, case, _output(found))

    async def close(self) -> None:
        """Index and models belong to whoever opened them."""
        await self._ahead.close()

    def _find_all(self, cases: Sequence[Case]) -> list[_Quoted]:
        found = self._finder.find(cases)
        if self._extractive is None:
            return list(map(_Quoted, found))
        return [_quote(self._extractive, case, each) for case, each in zip(cases, found, strict=True)]

    def _request(self, model: Model, case: Case, output: Output) -> ChatRequest:
        messages = self._prompt.messages(case.question, output.context or ())
        return model.request(messages, label=f"answer {case.id}")

    async def _generate(self, model: Model, case: Case, output: Output) -> Output:
        request = self._request(model, case, output)
        try:
            reply = await model.complete(request)
        except LlmError as fault:
            lost = fault.retry.discarded
            return replace(
                output,
                fault=Fault("generation", str(fault)),
                retry=_retry(fault.retry),
                usage=lost if lost.total else None,
            )
        return replace(
            output,
            answer=reply.text,
            usage=_usage(reply),
            timing=_with_generation(output.timing, reply.latency),
            metadata=_metadata(request, reply),
            retry=_retry(reply.retry),
        )


def _quote(extractive: Extractive, case: Case, found: Found) -> _Quoted:
    if found.fault is not None:
        return _Quoted(found)
    start = perf_counter()
    answer = extractive.answer(case.question, found.chunks)
    return _Quoted(found, answer, perf_counter() - start)


def _output(found: Found) -> Output:
    phases = [seconds for seconds in (found.retrieval, found.rerank) if seconds is not None]
    return Output(
        candidates=found.candidates,
        context=found.context,
        scale=found.scale,
        context_scale=found.context_scale,
        timing=Timing(retrieval=found.retrieval, rerank=found.rerank, total=sum(phases) if phases else None),
        fault=found.fault,
    )


def _answered(output: Output, quoted: _Quoted) -> Output:
    answer = quoted.answer or ""
    return replace(
        output,
        answer=answer,
        timing=_with_generation(output.timing, quoted.seconds),
        metadata=Metadata(model=NAME, has_citations=bool(citations(answer))),
    )


def _with_generation(timing: Timing, seconds: float | None) -> Timing:
    """A generation whose time is not known leaves the total unknown, too."""
    total = None if seconds is None or timing.total is None else timing.total + seconds
    return replace(timing, generation=seconds, total=total)


def _usage(reply: ChatReply) -> Usage | None:
    """With what was paid for replies that could not be read."""
    return None if reply.usage is None else reply.usage + reply.retry.discarded


def _retry(info: RetryInfo) -> Retry:
    return Retry(attempts=info.attempts, recovered=info.recovered, error=info.error)


def _metadata(request: ChatRequest, reply: ChatReply) -> Metadata:
    return Metadata(
        model=reply.model,
        model_version=reply.model_version,
        finish_reason=reply.finish_reason,
        reasoning_effort=request.reasoning_effort,
        avg_logprobs=reply.avg_logprobs,
        response_id=reply.response_id,
        temperature=request.temperature,
        has_citations=bool(citations(reply.text)),
    )
