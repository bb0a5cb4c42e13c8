"""What goes wrong, in words: by a model, from the aggregates and the worst samples. Its failure harms nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from msgspec import Struct

from assay.errors import AssayError
from assay.files import dump_json
from assay.llm import Connections, LlmError, Message
from assay.llm.prices import Cost, cost
from assay.llm.protocol import ChatReply, Usage
from assay.runs.results import Row

WORST = 5
MOST_WORDS = 499
_LONGEST_TEXT = 2000
PROMPT = "summary.md"


class Narrative(Struct, frozen=True, kw_only=True):
    """The text, or why there is none."""

    text: str | None = None
    reason: str | None = None
    model: str | None = None
    usage: Usage | None = None
    cost: Cost | None = Cost()
    """None: tokens were used whose price nobody knows."""

    def as_data(self) -> dict[str, Any]:
        return {"text": self.text, "reason": self.reason, "model": self.model}

    @property
    def tokens(self) -> dict[str, int] | None:
        used = self.usage
        if used is None:
            return None
        kinds = {kind: getattr(used, kind) for kind in ("prompt", "completion", "thinking", "cached")}
        return kinds | {"total": used.total}


async def write_summary(
    models: Connections, name: str, figures: Mapping[str, Any], worst: Sequence[Row], texts: Mapping[str, str]
) -> Narrative:
    """One call. Whatever goes wrong with it is a reason, not an error: the report stands without it."""
    try:
        model = models.model(name)
        request = model.request(messages(figures, worst, texts), label="summary")
        reply = await model.complete(request)
    except (LlmError, AssayError) as fault:
        return Narrative(reason=str(fault), model=name)
    used = Cost() if reply.usage is None else cost(reply.usage, model.price) if model.price else None
    return _read(reply, name, used)


def _read(reply: ChatReply, name: str, used: Cost | None) -> Narrative:
    text = shortened(reply.text.strip())
    reason = None if text else "the reply is empty"
    return Narrative(text=text or None, reason=reason, model=name, usage=reply.usage, cost=used)


def shortened(text: str) -> str:
    """Less than 500 words; what is cut off leaves a mark."""
    words = text.split()
    if len(words) <= MOST_WORDS:
        return text
    position = 0
    for word in words[: MOST_WORDS - 1]:
        position = text.index(word, position) + len(word)
    return f"{text[:position]} […]"


def messages(figures: Mapping[str, Any], worst: Sequence[Row], texts: Mapping[str, str]) -> tuple[Message, ...]:
    """The task, and the data between fences that no text can forge."""
    from assay.judges.fence import Section, cut, fenced, mark_of

    sections = [Section("figures", dump_json(dict(figures)))]
    for number, row in enumerate(worst[:WORST], 1):
        text, note = cut(texts.get(row["case_id"], ""), _LONGEST_TEXT)
        sections.append(Section(f"sample {number}", dump_json(_told(row))))
        sections.append(Section(f"text {number}", text, note))
    task = files("assay.extraction").joinpath("prompts", PROMPT).read_text("utf-8")
    return (Message("system", task), Message("user", fenced(sections, mark_of(sections))))


def _told(row: Row) -> dict[str, Any]:
    return {
        "id": row["case_id"],
        "category": row["tags"]["category"],
        "level": row["tags"]["level"],
        "scores": {name: row["scores"][name] for name in ("precision", "recall", "f1")},
        "expected": row["expected"],
        "actual": row["actual"],
        "wrong": [failure for pair in row["pairs"] for failure in pair["failures"]],
        "error": row["error"],
    }
