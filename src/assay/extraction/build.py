"""What an extractor's spelling means."""

from __future__ import annotations

from msgspec.structs import replace

from assay.errors import AssayError
from assay.extraction.protocol import EXTRACTORS, Context, Extractor

_URL = ("http://", "https://")


def spelling_of(system: str | None, model: str | None) -> str:
    """What was asked for; else the model that is configured, else the rules that need none."""
    if system:
        return system.strip()
    return "llm" if model else "rules"


def build(spelling: str, context: Context) -> Extractor:
    """`llm`, `rules`, `recorded`, `recorded:FILE`, `python:module:function`, `module:function`, a URL, a plugin's."""
    text = spelling.strip()
    if not text:
        raise AssayError("the system has no name", expected=f"one of {', '.join(EXTRACTORS.names())}")
    name, colon, argument = text.partition(":")
    if text.startswith(_URL):
        return EXTRACTORS.get(name)(replace(context, argument=text))
    if colon and name not in EXTRACTORS:
        return EXTRACTORS.get("python")(replace(context, argument=text))
    return EXTRACTORS.get(name)(replace(context, argument=argument))
