"""A service under test ("cloud mode"): `POST {endpoint}/retrieve` and `POST {endpoint}/query`, both with {question, k}.

    /retrieve → {"results": [{"id", "source" or "filename", "page", "score", "text"}, ...]}
    /query    → {"answer", "contexts" or "sources", "usage", "timing", "model", ...}

Any of the spellings of `told.py` will do. A service without /retrieve (404) is asked by /query alone; its candidates
are then the passages the answer comes with, or unknown.

**Tries.** Only what failed is tried again: a /retrieve that went well is not repeated because /query failed. 408, 425,
429, 5xx, timeouts, cut connections and replies that are not JSON: `pipeline.tries` (5) at most, after 2, 4, 8, 16 s
± 20 % or what `Retry-After` asks for. A 401 refreshes the token once; a second one ends the run, as 403 does, and as an
address does where nobody ever answered.

**Times.** Retrieval is what the service tells, else the time of the /retrieve call. The total is what it tells, else
the time of both calls. Generation is only what it tells.
"""

from __future__ import annotations

from msgspec.structs import replace

from assay.config import Pipeline
from assay.errors import AssayError
from assay.records import Case, Fault
from assay.retrievers.answers import BadAnswer
from assay.systems.finished import finished
from assay.systems.posting import Failed, NoSuchPath, Poster, Reply
from assay.systems.protocol import SYSTEMS, Context, Output, Retry, Timing
from assay.systems.told import read_candidates, read_output


@SYSTEMS.register("http", "https")
class Http:
    """A service, spoken to over one session for the whole run."""

    def __init__(self, context: Context) -> None:
        options: Pipeline = context.config.run.pipeline
        self._poster = Poster(context.argument, options, context.config.seed)
        self.name = self._poster.where.partition("://")[2]
        self._index = context.index
        self._recall_k, self._precision_k = options.recall_k, options.precision_k
        self.calls_per_question = 2
        self._retrieves: bool | None = None
        """Whether there is a /retrieve; None: not known yet."""

    async def run(self, case: Case) -> Output:
        retrieved = await self._retrieve(case.question)
        if retrieved is not None and retrieved.fault is not None:
            return retrieved
        phase = "unknown" if retrieved is None else "generation"
        before = retrieved or Output()
        try:
            reply = await self._poster.post("query", _payload(case.question, self._precision_k))
            return self._joined(before, reply)
        except NoSuchPath as fault:
            raise AssayError(str(fault), where=self._poster.where, hint="The service needs POST /query") from None
        except Failed as fault:
            return replace(before, fault=Fault(phase, str(fault)), retry=_tried(before.retry, fault.retry, done=False))
        except BadAnswer as fault:
            return replace(before, fault=Fault(phase, f"/query {fault}"))

    async def close(self) -> None:
        await self._poster.close()

    async def _retrieve(self, question: str) -> Output | None:
        """None: the service has no /retrieve."""
        if self._retrieves is False:
            return None
        try:
            reply = await self._poster.post("retrieve", _payload(question, self._recall_k))
            found = Output(candidates=read_candidates(reply.body))
        except NoSuchPath as fault:
            if self._retrieves:
                return Output(fault=Fault("retrieval", str(fault)))
            self._retrieves = False
            return None
        except Failed as fault:
            return Output(fault=Fault("retrieval", str(fault)), retry=fault.retry)
        except BadAnswer as fault:
            return Output(fault=Fault("retrieval", f"/retrieve {fault}"))
        self._retrieves = True
        return replace(self._finished(found), timing=Timing(retrieval=reply.seconds), retry=reply.retry)

    def _joined(self, before: Output, reply: Reply) -> Output:
        output = self._finished(read_output(reply.body))
        told, measured = output.timing, reply.seconds + (before.timing.retrieval or 0.0)
        return replace(
            output,
            candidates=output.candidates if before.candidates is None else before.candidates,
            timing=replace(
                told,
                retrieval=before.timing.retrieval if told.retrieval is None else told.retrieval,
                total=measured if told.total is None else told.total,
            ),
            retry=_tried(before.retry, reply.retry, done=output.fault is None),
        )

    def _finished(self, told: Output) -> Output:
        return finished(told, self._index, self._recall_k)


def _payload(question: str, k: int) -> dict[str, object]:
    return {"question": question.encode("utf-8", "replace").decode(), "k": k}


def _tried(first: Retry, second: Retry, *, done: bool) -> Retry:
    """Over both calls."""
    attempts = first.attempts + second.attempts - 1
    return Retry(attempts=attempts, recovered=done and attempts > 1, error=second.error or first.error)
