"""Tokens, seconds and the model, as others tell them. None is not told; a value that makes no sense is an error."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from assay.llm.protocol import Usage
from assay.retrievers.answers import BadAnswer
from assay.systems.fields import described, lookup, well_formed, whole_number
from assay.systems.protocol import Metadata, Timing

USAGE = ("usage", "token_usage", "tokens", "usage_metadata")
PROMPT = ("prompt_tokens", "input_tokens", "prompt", "input")
COMPLETION = ("completion_tokens", "output_tokens", "completion", "output")
THINKING = ("thinking_tokens", "thinking")
REASONING = ("reasoning_tokens", "reasoning")
"""Inside the completion where OpenAI and LangChain tell it, so it is taken out of it."""
CACHED = ("cached_tokens", "cached", "cache_read", "cache_read_input_tokens")
PROMPT_DETAILS = ("prompt_tokens_details", "input_token_details", "input_tokens_details")
COMPLETION_DETAILS = ("completion_tokens_details", "output_token_details", "output_tokens_details")

TIMING = ("timing", "timings", "latency", "time")
PHASES = {
    "retrieval": ("retrieval", "retrieve", "search"),
    "rerank": ("rerank", "reranking"),
    "generation": ("generation", "generate", "llm"),
    "total": ("total",),
}
UNITS = {"": 1.0, "_s": 1.0, "_seconds": 1.0, "_ms": 0.001}

METADATA = ("llm_metadata", "response_metadata", "metadata")
MODEL = {
    "model": ("model", "model_name"),
    "model_version": ("model_version",),
    "finish_reason": ("finish_reason", "stop_reason"),
    "reasoning_effort": ("reasoning_effort",),
    "response_id": ("response_id",),
}


def read_usage(told: Any) -> Usage | None:
    """Beside the answer, or inside it where the answer is a chat message."""
    places = (told, lookup(told, METADATA), lookup(told, ("answer", "output", "raw")))
    found = next((usage for place in places if (usage := lookup(place, USAGE)) is not None), None)
    if found is None:
        return None
    prompt, completion = _count(found, PROMPT), _count(found, COMPLETION)
    if prompt is None and completion is None:
        if isinstance(found, Mapping) and not found:
            return None
        raise BadAnswer(f"the usage is {described(found)}; expected prompt_tokens and completion_tokens")
    details = lookup(found, COMPLETION_DETAILS)
    inside = min(_count(details, REASONING) or 0, completion or 0)
    cached = _count(found, CACHED)
    if cached is None:
        cached = _count(lookup(found, PROMPT_DETAILS), CACHED)
    return Usage(
        prompt=prompt or 0,
        completion=(completion or 0) - inside,
        thinking=inside + (_count(found, THINKING) or 0),
        cached=cached or 0,
    )


def _count(place: Any, names: tuple[str, ...]) -> int | None:
    found = lookup(place, names)
    return None if found is None else whole_number(found, f"the number of {names[0].replace('_', ' ')}")


def read_timing(told: Any) -> Timing:
    """Seconds, or milliseconds where the name ends in `_ms`. A lone number is the total."""
    found = lookup(told, TIMING)
    if isinstance(found, int | float):
        return Timing(total=_seconds(found, "time"))
    phases = {phase: _phase(found, names) for phase, names in PHASES.items()}
    return Timing(**phases)


def _phase(place: Any, names: tuple[str, ...]) -> float | None:
    for name in names:
        for unit, factor in UNITS.items():
            found = lookup(place, (name + unit,))
            if found is not None:
                return _seconds(found, name + unit) * factor
    return None


def _seconds(value: Any, name: str) -> float:
    sound = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value >= 0
    if not sound:
        raise BadAnswer(f"the time '{name}' is {value!r:.80}; expected a number of seconds")
    return float(value)


def read_metadata(told: Any) -> Metadata:
    """What is known of the call; a value of another kind is not taken for one."""
    places = [told, lookup(told, METADATA), lookup(lookup(told, ("answer", "output")), METADATA)]
    words = {field: _of(str, places, names) for field, names in MODEL.items()}
    return Metadata(
        **words,
        used_fallback=_of(bool, places, ("used_fallback",)),
        has_citations=_of(bool, places, ("has_citations",)),
        avg_logprobs=_number(places, "avg_logprobs"),
        temperature=_number(places, "temperature"),
    )


def _of(kind: type, places: list[Any], names: tuple[str, ...]) -> Any:
    for place in places:
        for name in names:
            found = lookup(place, (name,))
            if isinstance(found, kind):
                return well_formed(found) if isinstance(found, str) else found
    return None


def _number(places: list[Any], name: str) -> float | None:
    found = _of(float, places, (name,))
    found = _of(int, places, (name,)) if found is None else found
    return float(found) if found is not None and not isinstance(found, bool) and math.isfinite(found) else None
