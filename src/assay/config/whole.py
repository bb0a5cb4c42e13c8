"""`assay.yaml` as a whole: read, checked, and where its paths lead."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, field

from assay.config.comparison import Comparison, Statistics
from assay.config.corpus import Corpus, EmbedderOptions, IndexOptions, Paths
from assay.config.extraction import ExtractionOptions
from assay.config.gold import GoldOptions
from assay.config.llm import LlmOptions
from assay.config.rag import RunOptions
from assay.config.retrieval import LanesOptions, RetrievalOptions
from assay.config.settings import Settings
from assay.files import read_text


class Config(Settings, frozen=True):
    """Everything."""

    client: Annotated[str, Meta(pattern=r"^[A-Za-z0-9_.-]+$", description="whose corpus; part of file names")] = (
        "default"
    )
    seed: Annotated[int, Meta(ge=0, description="of everything random")] = 0
    paths: Paths = Paths()
    index: IndexOptions = IndexOptions()
    embedder: EmbedderOptions = EmbedderOptions()
    retrieval: RetrievalOptions = RetrievalOptions()
    lanes: LanesOptions = LanesOptions()
    run: RunOptions = RunOptions()
    extraction: ExtractionOptions = ExtractionOptions()
    gold: GoldOptions = GoldOptions()
    llm: LlmOptions = LlmOptions()
    comparison: Comparison = Comparison()
    statistics: Statistics = Statistics()
    corpora: Annotated[
        dict[str, Corpus], Meta(description="several corpora for `assay retrieval --corpora`, each {index, gold}")
    ] = field(default_factory=dict)
    root: Annotated[str, Meta(description="folder of assay.yaml; not written by hand")] = field(default=".")

    def path(self, name: str) -> Path:
        """A path of the `paths` block, from the folder of assay.yaml."""
        value: str = getattr(self.paths, name)
        return Path(self.root) / value


FILE_NAME = "assay.yaml"


def load(path: Path | None = None) -> Config:
    """The given file, or `assay.yaml` here, or the defaults."""
    if path is None:
        path = Path(FILE_NAME)
        if not path.exists():
            return Config()
    return msgspec.structs.replace(parse(read_text(path), str(path)), root=str(path.parent))


def parse(text: str, where: str) -> Config:
    """Validated settings; a fault names file and line, and the nearest key."""
    from assay.validation import convert
    from assay.yaml_source import Source

    source = Source(text, where)
    data = _without_empty_blocks(source.data, Config())
    return convert(data, Config, source.place, hidden=frozenset({"root"}))


def _without_empty_blocks(data: Any, defaults: Settings) -> Any:
    """A block whose settings are all deleted or commented out is null in YAML: its defaults hold."""
    if data is None:
        return {}
    if not isinstance(data, dict):
        return data
    blocks = {name: value for name, value in msgspec.structs.asdict(defaults).items() if isinstance(value, Settings)}
    return {key: _without_empty_blocks(value, blocks[key]) if key in blocks else value for key, value in data.items()}
