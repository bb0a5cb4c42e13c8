"""What stands on disk behind a variant and is not ours: run files, and the source files of Python functions.

A checkpoint made with one version of them must not be gone on with under another.
"""

from __future__ import annotations

import hashlib
import inspect
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from assay.config import Config
from assay.retrievers.loading import load_object
from assay.retrievers.run_file import run_path
from assay.retrievers.variants import parse_variant


def origins(variants: Iterable[str], config: Config) -> dict[str, str]:
    """Variant or reranker → hash of the files behind it; those of Assay itself have none."""
    found: dict[str, str] = {}
    for text in dict.fromkeys(variants):
        variant = parse_variant(text)
        names = [(variant.name, variant.argument)]
        if variant.rerank:
            kind, _, argument = config.retrieval.rerank.name.partition(":")
            names.append((kind, argument))
        for kind, argument in names:
            if kind in {"run", "python"}:
                found[f"{kind}:{argument}"] = _hash(_files(kind, argument, config))
    return found


def _files(kind: str, argument: str, config: Config) -> Iterator[Path]:
    if kind == "run":
        yield run_path(argument, config)
    else:
        yield from source_files(load_object(argument, kind), argument.partition(":")[0])


def source_files(target: Any, module: str) -> list[Path]:
    """Where the object is written, and the module that it is asked of."""
    inner = inspect.unwrap(target) if callable(target) else target
    homes = {module, getattr(inner, "__module__", None), type(inner).__module__}
    files = {getattr(sys.modules.get(home or ""), "__file__", None) for home in homes}
    return sorted(Path(file) for file in files if file and Path(file).is_file())


def _hash(files: Iterable[Path]) -> str:
    total = hashlib.sha256()
    for file in files:
        with file.open("rb") as opened:
            total.update(hashlib.file_digest(opened, "sha256").digest())
    return total.hexdigest()[:16]
