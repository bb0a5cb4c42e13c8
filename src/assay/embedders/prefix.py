"""What some models want before each text."""

from __future__ import annotations

from collections.abc import Sequence

from assay.config import EmbedderOptions
from assay.embedders.protocol import Kind


def prefix_of(options: EmbedderOptions, kind: Kind) -> str:
    return options.query_prefix if kind == "query" else options.document_prefix


def prefixed(texts: Sequence[str], options: EmbedderOptions, kind: Kind) -> list[str]:
    """The texts as the model sees them. An empty text stays empty: a prefix alone says nothing."""
    prefix = prefix_of(options, kind)
    return [prefix + text if text else "" for text in texts] if prefix else list(texts)
