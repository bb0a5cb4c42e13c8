"""Language models: how they are called, and what they cost."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, field

from assay.config.settings import NotNegative, Positive, Settings


class Prices(Settings, frozen=True):
    """US dollars for a million tokens."""

    input: Annotated[float, Meta(ge=0, description="prompt tokens")]
    output: Annotated[float, Meta(ge=0, description="completion tokens")]
    thinking: Annotated[NotNegative | None, Meta(description="thinking tokens; null: as output")] = None
    cached: Annotated[NotNegative | None, Meta(description="cached prompt tokens; null: as input")] = None


class ModelOptions(Settings, frozen=True):
    """How one language model is called."""

    model: Annotated[str | None, Meta(description="provider/model, where the entry has a name of its own")] = None
    base_url: Annotated[str | None, Meta(description="of the service; null: the provider's own")] = None
    api_key_env: Annotated[
        str | None, Meta(description="variable with the key; null: the provider's usual one, for its own URL alone")
    ] = None
    timeout: Annotated[float, Meta(gt=0, description="seconds for one call")] = 60.0
    workers: Annotated[
        Positive | None, Meta(description="calls at once, at most; null: as many as questions or samples at once")
    ] = None
    adaptive: Annotated[bool, Meta(description="fewer at once when the service says 429, then more again")] = True
    requests_per_minute: Annotated[Positive | None, Meta(description="limit of the account; null: none")] = None
    tokens_per_minute: Annotated[Positive | None, Meta(description="limit of the account; null: none")] = None
    tries: Annotated[int, Meta(ge=1, le=10, description="of one request, for faults that may pass")] = 5
    first_wait: Annotated[float, Meta(ge=0, description="seconds before the second try, then doubled")] = 2.0
    temperature: Annotated[NotNegative | None, Meta(description="null: not sent, for models that refuse it")] = 0.0
    max_tokens: Annotated[Positive | None, Meta(description="longest reply; null: the service decides")] = None
    seed: Annotated[int | None, Meta(description="sent to the model, where it takes one")] = None
    reasoning_effort: Annotated[str | None, Meta(description="minimal, low, medium, high, where known")] = None
    extra: Annotated[dict[str, Any], Meta(description="further parameters, sent as they are")] = field(
        default_factory=dict
    )


class LlmOptions(Settings, frozen=True):
    """Language models, written provider/model: openai/gpt-5-mini, gemini/…, anthropic/…, local/…, scripted/FILE."""

    cache: Annotated[
        Literal["record", "replay", "off"],
        Meta(description="record: a known request is not sent again; replay: nothing is sent at all; off"),
    ] = "record"
    recording: Annotated[
        str | None, Meta(description="replies kept in a file that can be committed, relative to assay.yaml")
    ] = None
    models: Annotated[
        dict[str, ModelOptions], Meta(description="settings by provider/model, or by a name of your own with `model`")
    ] = field(default_factory=dict)
    prices: Annotated[
        dict[str, Prices], Meta(description="by model, before the price library: {input, output, thinking, cached}")
    ] = field(default_factory=dict)
    max_cost: Annotated[NotNegative | None, Meta(description="US dollars after which a run stops; null: none")] = None
    max_seconds: Annotated[NotNegative | None, Meta(description="after which a run stops; null: none")] = None
