"""What other people's code says when it fails may hold their keys. What is written to disk must not."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import Any

from assay.config import Config

_NAME = re.compile(r"(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)(?:_|$)", re.IGNORECASE)
_SHORTEST = 8
"""Characters. Shorter values stand in a message by chance."""
_NO_WORD = 16
"""Characters from which on letters alone are no word, unless the settings name the variable: then they never are."""


def without_secrets(text: str, *more: str) -> str:
    """A message with the given values struck out, and those of environment variables that are called key, token, ..."""
    return struck_out(text, [*environment_secrets(), *more])


def environment_secrets(*names: str | None) -> list[str]:
    """Values of the named environment variables and of those called key, token, ...; the longest first."""
    named = {value.strip() for name, value in os.environ.items() if name in names}
    called = {value.strip() for name, value in os.environ.items() if looks_secret(name)}
    return _long_first(named | {value for value in called if not value.isalpha() or len(value) >= _NO_WORD})


def secrets_of(config: Config) -> list[str]:
    """Also of the variables in which the settings say that there is a key."""
    models = config.llm.models.values()
    return environment_secrets(
        config.run.pipeline.token_env, config.embedder.api_key_env, *(model.api_key_env for model in models)
    )


def looks_secret(name: str) -> bool:
    """Whether what is called so is a key, a token, a password."""
    return bool(_NAME.search(name.replace("-", "_")))


def struck_out(text: str, values: Iterable[str]) -> str:
    for value in _long_first(values):
        text = text.replace(value, "***")
    return text


def struck_everywhere(value: Any, secrets: list[str]) -> Any:
    """Plain data with the secrets struck out of every string in it, names of fields excepted."""
    if isinstance(value, str):
        return struck_out(value, secrets) if any(secret in value for secret in secrets) else value
    if isinstance(value, dict):
        return {key: struck_everywhere(item, secrets) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [struck_everywhere(item, secrets) for item in value]
    return value


def _long_first(values: Iterable[str]) -> list[str]:
    return sorted({value for value in values if len(value) >= _SHORTEST}, key=len, reverse=True)
