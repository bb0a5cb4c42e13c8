"""The settings of `assay gold`."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, field

from assay.config.settings import Positive, Settings, Share, require

Band = tuple[Share, Share, Share]
"""Lowest share allowed, the share asked for, highest share allowed."""


class Balance(Settings, frozen=True):
    """How a gold set is mixed, as [lowest, asked for, highest]: by choosing questions, never by relabelling one."""

    unanswerable: Annotated[Band, Meta(description="share of the set without an answer in the corpus")] = (
        0.25,
        0.30,
        0.33,
    )
    fact_single: Annotated[Band, Meta(description="share of the answerable that ask for one fact")] = (0.40, 0.46, 0.50)
    summary: Annotated[Band, Meta(description="share of the answerable that ask to sum up")] = (0.15, 0.22, 0.25)
    reasoning: Annotated[Band, Meta(description="share of the answerable that ask to reason")] = (0.10, 0.18, 0.20)
    fact_single_limit: Annotated[
        Share, Meta(description="fact_single stays below this share even where its band cannot be reached")
    ] = 0.60
    hard: Annotated[
        Share, Meta(description="least share of hard questions (difficulty 0.7 or more), of all and of the answerable")
    ] = 0.10
    keep: Annotated[
        Share, Meta(description="a band is given up, and told, if it would leave less than this share of the questions")
    ] = 0.5

    def __post_init__(self) -> None:
        for name in ("unanswerable", "fact_single", "summary", "reasoning"):
            low, aim, high = getattr(self, name)
            require(low <= aim <= high, f"{name} must be [lowest, asked for, highest] in this order")


class GoldGate(Settings, frozen=True):
    """What differs from a gate's own severity and limits."""

    severity: Annotated[
        Literal["blocking", "warning", "off"] | None, Meta(description="blocking sets the exit code; null: its own")
    ] = None
    limits: Annotated[
        dict[str, float], Meta(description="by the names that `assay gold verify --gates` shows, as {similarity: 0.95}")
    ] = field(default_factory=dict)


class GoldOptions(Settings, frozen=True):
    """`assay gold`: questions made from chunks, checked, chosen, and gated."""

    target: Annotated[Positive, Meta(description="questions wanted")] = 600
    model: Annotated[
        str | None, Meta(description="that writes the questions, provider/model; null: file exchange alone")
    ] = None
    language: Annotated[str, Meta(description="of the questions: auto (as their chunk), en or fr")] = "auto"
    strata: Annotated[
        dict[str, str],
        Meta(description="name: pattern on the source's name, as {rules: '*rules*'}; empty: by document"),
    ] = field(default_factory=dict)
    floor: Annotated[int, Meta(ge=0, description="questions each stratum gets at least, where it can give them")] = 3
    minimum_tokens: Annotated[int, Meta(ge=0, description="a shorter chunk gets no question")] = 50
    batch_size: Annotated[int, Meta(ge=1, le=30, description="chunks in one prompt")] = 25
    per_chunk: Annotated[int, Meta(ge=1, le=3, description="answerable questions of one chunk, at most")] = 3
    oversample: Annotated[
        float, Meta(ge=1, le=5, description="candidates asked for, as a multiple of what is wanted: some are refused")
    ] = 1.4
    ask_again: Annotated[bool, Meta(description="ask once more for what is missing when too few questions pass")] = True
    balance: Balance = Balance()
    gates: Annotated[
        dict[str, GoldGate], Meta(description="changes to the gates by id, as {G5-2: {severity: warning}}")
    ] = field(default_factory=dict)
