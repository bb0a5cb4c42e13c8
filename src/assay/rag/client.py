"""Whose corpus a run is over."""

from __future__ import annotations

import msgspec

from assay.config import Config
from assay.errors import AssayError
from assay.gold.cases import CaseSet
from assay.validation import convert


def with_client(config: Config, gold: CaseSet) -> Config:
    """The corpus says whose it is; settings that say another are a mistake, the default says nothing."""
    if gold.client is None or gold.client.casefold() == config.client.casefold():
        return config
    if config.client != Config().client:
        what = f"the corpus is of the client '{gold.client}', the settings are of '{config.client}'"
        raise AssayError(what, where=gold.name, hint=f"Set client: {gold.client} in assay.yaml")
    return convert(msgspec.to_builtins(config) | {"client": gold.client}, Config, lambda _: gold.name)
