"""What is searched and where it is kept: paths, chunks, vectors."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from assay.config.settings import Positive, Settings, require


class Paths(Settings, frozen=True):
    """Where things are kept, relative to assay.yaml."""

    index: Annotated[str, Meta(description="the index, one SQLite file")] = "corpus.db"
    gold: Annotated[str, Meta(description="the gold set")] = "gold.json"
    runs: Annotated[str, Meta(description="one folder for each run")] = "runs"
    baselines: Annotated[str, Meta(description="promoted summaries, versioned")] = "baselines"
    cache: Annotated[str, Meta(description="embeddings and replies already paid for; may be deleted")] = ".assay/cache"


class Chunking(Settings, frozen=True):
    """How documents are cut: parents for context, children for search. Sizes are in words and punctuation marks."""

    parent_tokens: Annotated[Positive, Meta(description="size of a parent")] = 1024
    parent_overlap: Annotated[int, Meta(ge=0, description="shared by two neighbouring parents")] = 154
    child_tokens: Annotated[Positive, Meta(description="size of a child, the unit that is searched")] = 450
    child_overlap: Annotated[int, Meta(ge=0, description="shared by two neighbouring children")] = 68
    minimum_tokens: Annotated[int, Meta(ge=0, description="a shorter rest is joined to its neighbour")] = 30

    def __post_init__(self) -> None:
        require(self.parent_overlap < self.parent_tokens, "parent_overlap must be less than parent_tokens")
        require(self.child_overlap < self.child_tokens, "child_overlap must be less than child_tokens")
        require(self.child_tokens <= self.parent_tokens, "child_tokens must not be more than parent_tokens")


class EmbedderOptions(Settings, frozen=True):
    """What turns text into vectors."""

    name: Annotated[str, Meta(description="wordllama (offline, in the install), openai or sentence-transformers")] = (
        "wordllama"
    )
    model: Annotated[str | None, Meta(description="model name, where the embedder has several")] = None
    endpoint: Annotated[str | None, Meta(description="base URL of an OpenAI-compatible service, for openai")] = None
    api_key_env: Annotated[str, Meta(description="environment variable that holds the key")] = "OPENAI_API_KEY"
    query_prefix: Annotated[str, Meta(description="put before each query, as some models want")] = ""
    document_prefix: Annotated[str, Meta(description="put before each chunk")] = ""
    batch_size: Annotated[Positive, Meta(description="texts in one call")] = 64


class IndexOptions(Settings, frozen=True):
    """How a corpus is made searchable."""

    language: Annotated[
        str, Meta(description="auto (each document by its own words) or a code for stemming: en, fr, de, ...")
    ] = "auto"
    chunking: Chunking = Chunking()


class Corpus(Settings, frozen=True):
    """One of several corpora that are checked in one call."""

    index: Annotated[str, Meta(description="its index")]
    gold: Annotated[str, Meta(description="its questions")]
