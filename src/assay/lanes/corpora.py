"""The corpora that lanes make themselves: the built-in one, and the sources of a commit."""

from __future__ import annotations

import hashlib
import os
import shutil
from functools import partial
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec.structs import replace

from assay.config import Config, IndexOptions
from assay.corpus.build import BuildOptions, build
from assay.corpus.index import Index
from assay.corpus.scan import Sources
from assay.embedders import Embedder
from assay.embedders.cache import cached
from assay.lanes.cases import Placed, read_cases
from assay.retrievers.lexical import prepare

BUILTIN = "builtin"


def code_index(folder: Path, out: Path, config: Config) -> None:
    """An index of the source files of a folder, with embeddings by the settings' embedder."""
    _build(Sources(code=(folder,)), out, config, cached(config.embedder, config.path("cache")))


def builtin_cases(config: Config) -> tuple[Placed, ...]:
    """The smoke cases and the index of their corpus, made once and kept in the cache. Needs the extra `code`."""
    with resources.as_file(_builtin()) as folder:
        index = config.path("cache") / f"lanes-{_key(folder, config)}.db"
        if not index.exists():
            _index_builtin(folder, index, config)
        return tuple(
            Placed(case=placed.case, source="builtin", place=partial(_place, placed), index=index)
            for placed in read_cases(folder / "cases.json", "builtin")
        )


def _builtin() -> Traversable:
    return resources.files("assay.lanes") / BUILTIN


def _place(placed: Placed) -> str:
    name = placed.place().replace("\\", "/").rpartition("/")[2]
    return f"built-in {name}"


def _index_builtin(folder: Path, out: Path, config: Config) -> None:
    """From a copy: what a repository around the installed package ignores must not matter.

    Under a name of its own until it is whole, so that two processes may do the same at once.
    """
    out.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="assay-") as name:
        copy = Path(name) / BUILTIN
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("__pycache__"))
        sources = Sources(documents=(copy / "documents",), code=(copy / "code",), memories=(copy / "memories.jsonl",))
        whole = out.with_name(f"{out.stem}.{os.getpid()}.db")
        embedder = cached(config.embedder, config.path("cache")) if _needs_vectors(config) else None
        # Whatever the settings say about chunks: the ids of the cases are those of the defaults.
        _build(sources, whole, replace(config, index=IndexOptions()), embedder)
        whole.replace(out)


def _build(sources: Sources, out: Path, config: Config, embedder: Embedder | None) -> None:
    options = BuildOptions(
        chunking=config.index.chunking,
        language=config.index.language,
        embedder=embedder,
        document_prefix=config.embedder.document_prefix,
    )
    build(sources, out, options)
    with Index.open(out) as index:
        prepare(index)


def _needs_vectors(config: Config) -> bool:
    """The smoke test asks no embedding service for what its retrievers do not use."""
    return any(not variant.startswith("bm25") for variant in config.lanes.variants)


def _key(folder: Path, config: Config) -> str:
    """Another one whenever the corpus, the way it is cut, or its embedder is another."""
    from msgspec.json import encode

    embedder = config.embedder if _needs_vectors(config) else None
    total = hashlib.sha256(encode(embedder))
    package = Path(__file__).parent.parent
    files = [*(package / "corpus").rglob("*.py"), *(path for path in folder.rglob("*") if path.is_file())]
    for path in sorted(path for path in files if "__pycache__" not in path.parts):
        total.update(path.read_bytes())
    return total.hexdigest()[:16]
