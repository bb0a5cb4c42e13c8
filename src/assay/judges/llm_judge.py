"""A language model as judge: one call a question, everything it replies read strictly."""

from __future__ import annotations

from hashlib import sha256
from typing import Literal

import msgspec
from msgspec import Struct

from assay.judges.judgment import DIMENSIONS, Answer, Judged, Judgment
from assay.judges.prompt import Limits, messages, prompt_hash
from assay.judges.reply import SCHEMA, read_reply
from assay.judges.rubric import Rubric
from assay.judges.verdict import VerdictRule, verdict_of
from assay.llm.faults import LlmError
from assay.llm.protocol import ChatReply, ChatRequest, Llm
from assay.llm.structured import Unparsed


class LlmJudgeOptions(Struct, frozen=True, kw_only=True):
    """What makes a judge the one it is."""

    name: str
    """As the user spells the model, such as `openai/gpt-5-mini`."""
    parameters: ChatRequest
    """A request without messages: model, temperature (0), seed, ..."""
    rubric: Rubric
    limits: Limits = Limits()


class LlmJudge:
    """Grades with a model. Trying again is the business of the `llm` it is given (`assay.llm.retry`)."""

    def __init__(self, llm: Llm, options: LlmJudgeOptions, rule: VerdictRule) -> None:
        self._llm, self._options, self._rule = llm, options, rule
        self.name = options.name
        self._rule_id = rule.fingerprint
        self.fingerprint = fingerprint_of(options)

    def request(self, answer: Answer, repeat: int = 0) -> ChatRequest:
        """What is asked: also for estimates and batch files."""
        return msgspec.structs.replace(
            self._options.parameters,
            messages=messages(answer, self._options.rubric, self._options.limits),
            json_schema=SCHEMA,
            repeat=repeat,
            label=f"judge {answer.case_id}",
        )

    async def judge(self, answer: Answer, repeat: int = 0) -> Judged:
        """A fault of this one question becomes a judgment of status `error`; one of all questions is raised."""
        try:
            reply = await self._llm.complete(self.request(answer, repeat))
        except LlmError as fault:
            return Judged(judgment=self._without_grades(fault.what, "error"), retry=fault.retry)
        return Judged(judgment=self.judgment(answer, reply), reply=reply, retry=reply.retry)

    def judgment(self, answer: Answer, reply: ChatReply) -> Judgment:
        """From a reply, wherever it comes from; `unparsed` if it cannot be read: never a middle grade."""
        opinion = read_reply(reply.text)
        if isinstance(opinion, Unparsed):
            return self._without_grades(f"unreadable reply: {opinion.reason}", "unparsed")
        grades = opinion.grades
        return Judgment(
            **{name: getattr(grades, name) for name in (*DIMENSIONS, "overall_score")},
            verdict=verdict_of(answer, grades, opinion.behaviour, self._rule),
            reason=opinion.reason,
            behaviour=opinion.behaviour,
            judge=self.name,
            fingerprint=self.fingerprint,
            rule=self._rule_id,
        )

    def _without_grades(self, reason: str, status: Literal["unparsed", "error"]) -> Judgment:
        return Judgment(
            reason=reason,
            status=status,
            judge=self.name,
            fingerprint=self.fingerprint,
            rule=self._rule_id,
        )


def fingerprint_of(options: LlmJudgeOptions) -> str:
    """SHA-256 over model, prompt, rubric and parameters. The verdict rule has its own: it needs no call."""
    parameters = msgspec.structs.replace(options.parameters, messages=(), json_schema=None, repeat=0, label="")
    parts = (options.name, parameters, prompt_hash(options.rubric.language), options.rubric.sha256, options.limits)
    return sha256(msgspec.json.encode(parts, order="deterministic")).hexdigest()
