"""A RAG system and its judge as one thing under test: retrieve, rerank, generate, judge."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter

from msgspec import Struct
from msgspec.structs import replace

from assay.evaluate import Ended
from assay.judges import Answer, Judge, Judgment
from assay.judges import Judged as Judgement
from assay.llm import FatalLlmError, RetryInfo
from assay.rag.again import Lost, Unjudged
from assay.rag.vectors import Vectors
from assay.records import Case
from assay.systems.protocol import Output, Passage, RagSystem

NOTHING_LOST = Lost()


class Judged(Struct, frozen=True):
    """An output and what the judge says of it; not judged is an answer that never came."""

    output: Output
    judgement: Judgement | None
    judge_seconds: float | None
    lost: Lost = NOTHING_LOST
    """What the judge's earlier, failed tries at this answer took."""


class Subject:
    """What the engine runs, one question at a time."""

    batch_size = 1

    def __init__(
        self,
        system: RagSystem,
        judge: Judge,
        unjudged: Unjudged | None = None,
        vectors: Vectors | None = None,
        *,
        keep: bool = True,
    ) -> None:
        """Keep: an answer that the judge will never be able to judge is kept, for it may have been paid for."""
        self._keep = keep
        self.system, self.judge, self._unjudged, self._vectors = system, judge, unjudged, vectors
        self.name = system.name

    async def answer(self, cases: Sequence[Case]) -> Sequence[Judged]:
        return [await self._one(case) for case in cases]

    async def _one(self, case: Case) -> Judged:
        kept = self._unjudged.get(case.id) if self._unjudged else None
        if kept is not None:
            return await self._judged(case, kept.output, kept.lost)
        output = await self.system.run(case)
        if output.fault is not None or output.answer is None:
            return Judged(output, None, None)
        return await self._judged(case, output)

    async def _judged(self, case: Case, output: Output, lost: Lost = NOTHING_LOST) -> Judged:
        if self._vectors is not None:
            await self._vectors.ready(answer_of(case, output))
        try:
            return replace(await judged(case, output, self.judge), lost=lost)
        except FatalLlmError as fault:
            if not self._keep:
                raise
            raise Ended([Judged(output, self._without_grades(fault.what), None, lost)], fault) from None

    def _without_grades(self, why: str) -> Judgement:
        judge = self.judge
        said = Judgment(reason=why, status="error", judge=judge.name, fingerprint=judge.fingerprint, rule="")
        return Judgement(judgment=said, retry=RetryInfo(1, recovered=False, error=why))


async def judged(case: Case, output: Output, judge: Judge) -> Judged:
    """The judge's part alone, for outputs that are there already."""
    start = perf_counter()
    judgement = await judge.judge(answer_of(case, output))
    measured = perf_counter() - start
    # Of a reply that came by a batch the time is not known: to find it in the cache is not to judge.
    return Judged(output, judgement, judgement.reply.latency if judgement.reply else measured)


def answer_of(case: Case, output: Output) -> Answer:
    """What the judge is shown."""
    return Answer(
        case_id=case.id,
        question=case.question,
        text=output.answer or "",
        references=case.references,
        context=context_text(output.context),
        answerable=case.answerable,
        category=case.category,
    )


def context_text(passages: Sequence[Passage] | None) -> str | None:
    """The passages as the generator saw them; None where the system does not tell.

    Without the numbers they may have had there: a number in an answer must not be grounded in one of these.
    """
    return None if passages is None else "\n\n".join(passage.text or "" for passage in passages)
