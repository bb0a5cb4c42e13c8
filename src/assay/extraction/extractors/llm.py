"""A language model as extractor: one call a sample, and its reply read strictly, all of it or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assay.errors import AssayError
from assay.extraction.prompt import load_prompt
from assay.extraction.protocol import EXTRACTORS, Context, Output, Sample
from assay.extraction.told import read_output
from assay.llm.faults import LlmError
from assay.llm.protocol import ChatReply, ChatRequest, RetryInfo, Usage
from assay.llm.structured import Unparsed, parse_json_reply
from assay.records import Fault

PHASE = "extract"


@EXTRACTORS.register("llm")
class LlmExtractor:
    """Asks `extraction.model`, or the model named behind `llm:`. Trying again is the business of the model's layer,
    and so is the delay: what is in the cache needs no pause."""

    tells_seconds = True
    paces_itself = True

    def __init__(self, context: Context) -> None:
        options = context.config.extraction
        name = context.argument or options.model
        if not name:
            raise AssayError("the extractor 'llm' needs a model", hint="Name one with --model PROVIDER/MODEL")
        path = Path(context.config.root) / options.prompt if options.prompt else None
        self.name = name
        self._model = context.models.model(name)
        self._model.limiter.apart = options.delay
        self._prompt = load_prompt(path, context.record)

    @property
    def inputs(self) -> dict[str, str]:
        """For the manifest: other words are another extractor."""
        return {"prompt": self._prompt.sha256}

    def request(self, sample: Sample) -> ChatRequest:
        """What the model is asked: also for estimates and batch files."""
        messages = self._prompt.messages(sample)
        return self._model.request(messages, json_schema=self._prompt.schema, label=f"extract {sample.id}")

    async def extract(self, sample: Sample) -> Output:
        """A fault of this one sample becomes an output with a fault; one of all samples is raised."""
        try:
            reply = await self._model.complete(self.request(sample))
        except LlmError as fault:
            return Output(fault=Fault(PHASE, str(fault)), usage=_paid(fault.retry), attempts=fault.retry.attempts)
        return self.read(reply)

    def read(self, reply: ChatReply) -> Output:
        """From a reply, wherever it comes from. One that breaks the schema has no records, not even its good ones."""
        data: Any = parse_json_reply(reply.text, self._prompt.schema.schema)
        unread = isinstance(data, Unparsed)
        fault = Fault(PHASE, f"unreadable reply: {data.reason}") if unread else None
        told = Output() if unread else read_output(data[self._prompt.schema.name])
        return Output(
            records=told.records,
            confidences=told.confidences,
            usage=reply.usage + reply.retry.discarded if reply.usage else None,
            seconds=reply.latency,
            model=reply.model,
            attempts=reply.retry.attempts,
            fault=fault,
        )

    async def close(self) -> None:
        """The models belong to whoever opened them."""


def _paid(retry: RetryInfo) -> Usage | None:
    """Replies that could not be read were paid for, too."""
    return retry.discarded if retry.discarded.total else None
