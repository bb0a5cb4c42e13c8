"""The settings of `assay extract`."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from assay.config.settings import Gate, NotNegative, Positive, Settings, Share


class ExtractionOptions(Settings, frozen=True):
    """`assay extract`: are the right records pulled out of a text, all of them and nothing else?"""

    samples: Annotated[str, Meta(description="folder of name.txt beside name.expected.json")] = "samples"
    system: Annotated[
        str | None,
        Meta(
            description="llm, rules, recorded, recorded:FILE, python:module:function, a URL; "
            "null: llm if there is a model, else rules"
        ),
    ] = None
    model: Annotated[str | None, Meta(description="that extracts, provider/model; null: no model is called")] = None
    prompt: Annotated[str | None, Meta(description="a prompt file of your own for llm; null: the one shipped")] = None
    record: Annotated[str | None, Meta(description="record type, a YAML file; null: calendar events")] = None
    level: Annotated[
        str | None, Meta(description="strict, moderate or relaxed for every sample; null: as each sample says")
    ] = None
    fields: Annotated[
        tuple[str, ...], Meta(description="fields that must be right beside those of the record type, as location")
    ] = ()
    workers: Annotated[Positive, Meta(description="samples at once")] = 4
    delay: Annotated[NotNegative, Meta(description="seconds from one call to the next, for free tiers")] = 0.0
    timeout: Annotated[float, Meta(gt=0, description="seconds for one call of a Python or HTTP extractor")] = 120.0
    tries: Annotated[int, Meta(ge=1, le=10, description="of one HTTP call, for faults that may pass")] = 5
    first_wait: Annotated[float, Meta(ge=0, description="seconds before the second try, then doubled")] = 2.0
    token_env: Annotated[str | None, Meta(description="environment variable with a bearer token for HTTP")] = None
    bins: Annotated[Positive, Meta(description="of the reliability curve, where confidence is a number")] = 10
    minimum: Annotated[
        Positive, Meta(description="records below which the accuracy of a level of confidence is not judged")
    ] = 10
    summary: Annotated[bool, Meta(description="let the model write what goes wrong, where there is a model")] = True
    summary_model: Annotated[str | None, Meta(description="that writes the summary; null: the one that extracts")] = (
        None
    )
    reports: Annotated[str, Meta(description="folder of the Markdown reports, benchmark_DATE.md")] = "reports"
    error_limit: Annotated[
        Share, Meta(description="share of failed samples above which the run is partial and no baseline")
    ] = 0.05
    gates: Annotated[tuple[Gate, ...], Meta(description="rules on precision, recall, f1, micro_f1, ...")] = ()
