"""The settings of `assay run`."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from assay.config.settings import Gate, Positive, Settings, Share


class Pipeline(Settings, frozen=True):
    """What `assay run` puts under test."""

    system: Annotated[
        str, Meta(description="embedded (index + retriever + model), python:module:name, a URL, recorded:FILE")
    ] = "embedded"
    retriever: Annotated[str, Meta(description="of the embedded pipeline; +rerank adds the second stage")] = "hybrid"
    model: Annotated[
        str | None, Meta(description="that writes the answers, provider/model; null: sentences are quoted, no model")
    ] = None
    prompt: Annotated[str | None, Meta(description="a prompt file of your own for the embedded pipeline")] = None
    recall_k: Annotated[Positive, Meta(description="candidates before reranking; recall and mrr are over these")] = 100
    precision_k: Annotated[Positive, Meta(description="passages the generator sees")] = 25
    timeout: Annotated[float, Meta(gt=0, description="seconds for one call of a Python or HTTP system")] = 120.0
    tries: Annotated[int, Meta(ge=1, le=10, description="of one call of an HTTP system, for faults that may pass")] = 5
    first_wait: Annotated[float, Meta(ge=0, description="seconds before the second try, then doubled")] = 2.0
    token_env: Annotated[str | None, Meta(description="environment variable with a bearer token for HTTP")] = None
    token_command: Annotated[
        tuple[str, ...], Meta(description="program that prints a fresh token, run once after a 401; empty: none")
    ] = ()


class Judging(Settings, frozen=True):
    """What grades the answers."""

    judge: Annotated[str, Meta(description="reference (formulas, no model) or provider/model")] = "reference"
    rubric: Annotated[str | None, Meta(description="a rubric file of your own; null: the one shipped")] = None
    language: Annotated[str, Meta(description="of the rubric: en or fr")] = "en"
    context_limit: Annotated[
        Positive | None, Meta(description="characters of context shown to the judge, cut with a mark; null: all")
    ] = None
    pass_at: Annotated[float, Meta(ge=1, le=5, description="overall score from which on an answer passes")] = 4.0
    partial_at: Annotated[float, Meta(ge=1, le=5, description="overall score from which on it is partial")] = 3.0
    never_pass_at: Annotated[
        float, Meta(ge=0, le=5, description="no pass with a correctness of this or less; 0: no such rule")
    ] = 2.0
    archetypes: Annotated[
        str, Meta(description="rules, or provider/model: also asked what kind a failure is that no rule decides")
    ] = "rules"
    labels: Annotated[
        str | None, Meta(description="people's labels (JSONL): the run then says how far its judge can be trusted")
    ] = None
    minimum_kappa: Annotated[
        float, Meta(ge=-1, le=1, description="agreement with them below which the judge may warn but not gate")
    ] = 0.6


class RunOptions(Settings, frozen=True):
    """`assay run`: the whole pipeline, judged, timed, costed, against a baseline."""

    workers: Annotated[Positive, Meta(description="questions at once")] = 8
    pipeline: Pipeline = Pipeline()
    judging: Judging = Judging()
    gates: Annotated[tuple[Gate, ...], Meta(description="rules on the run's metrics, such as pass_rate")] = ()
    good: Annotated[Share, Meta(description="pass rate from which on the status is good")] = 0.85
    fair: Annotated[Share, Meta(description="pass rate from which on it is fair; below: poor")] = 0.70
    error_limit: Annotated[
        Share, Meta(description="share of failed questions above which the run is partial and no baseline")
    ] = 0.05
