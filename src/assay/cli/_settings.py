"""Values from the command line are held to the same limits as those of assay.yaml."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from assay.config import Config
from assay.errors import AssayError
from assay.validation import Keys, convert, name_of


def checked(config: Config, options: Mapping[str, str]) -> Config:
    """The same settings; `options` tells by which option a setting (`retrieval.k`) was changed."""

    def place(keys: Keys) -> str:
        names = [name_of(keys[:length]) for length in range(len(keys), 0, -1)]
        return next((options[name] for name in names if name in options), "the settings")

    return convert(msgspec.to_builtins(config), Config, place)


def positive(value: int | None, option: str) -> int | None:
    if value is not None and value < 1:
        raise AssayError(f"{option} is {value}", expected="a whole number from 1 on")
    return value
