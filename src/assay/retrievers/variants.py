"""What a variant's name means: `bm25`, `hybrid+rerank`, `python:module:function`, `https://host/search`, `run:FILE`."""

from __future__ import annotations

from msgspec import Struct

from assay.config import Config
from assay.corpus.index import Index
from assay.errors import AssayError, unknown_name
from assay.retrievers.protocol import RETRIEVERS, Context, Retriever
from assay.retrievers.remembered import Remembered
from assay.retrievers.rerank import Reranked

RERANK = "+rerank"


class Variant(Struct, frozen=True):
    """A retriever's name, what stands behind it, and whether a second stage follows."""

    name: str
    argument: str = ""
    rerank: bool = False


def parse_variant(text: str) -> Variant:
    """Names are looked up when the retriever is built, so that plugins need not be loaded to read them."""
    first, rerank = text.strip().removesuffix(RERANK), text.strip().endswith(RERANK)
    if first.startswith(("http://", "https://")):
        return Variant(first.partition(":")[0], first, rerank)
    name, _, argument = first.partition(":")
    if not name:
        raise AssayError(f"'{text}' names no retriever", expected="a variant such as bm25, vector or hybrid+rerank")
    return Variant(name, argument, rerank)


def build(variant: str, config: Config, index: Index | None) -> Retriever:
    """The retriever of that name, which it keeps as its own."""
    parsed = parse_variant(variant)
    if "+" in parsed.name:
        raise unknown_name("variant", variant, [name + end for name in RETRIEVERS.names() for end in ("", RERANK)])
    context = Context(config=config, index=index, argument=parsed.argument)
    first = RETRIEVERS.get(parsed.name)(context)
    found = Reranked(first, context) if parsed.rerank else first
    weights = config.retrieval.memory
    return Remembered(found, context) if weights.recency or weights.priority else found
