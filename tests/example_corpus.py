"""The example with its index, for tests that build gold sets over it."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from assay.cli.main import main

EXAMPLE = Path(__file__).parent.parent / "examples" / "orrin"
FILES = ("corpus.db", "recording.jsonl", "gold-build.yaml")


@cache
def example_folder() -> Path:
    """A copy of the whole example, indexed once. Not to be changed."""
    folder = Path(mkdtemp()) / "orrin"
    made = shutil.ignore_patterns("runs", "baselines", "corpus.db*", "gold-demo*", ".assay")
    shutil.copytree(EXAMPLE, folder, ignore=made)
    words = ["index", str(folder / "documents"), "--out", str(folder / "corpus.db"), "--quiet"]
    assert main([*words, "--config", str(folder / "assay.yaml")]) == 0
    return folder


def copy_example(folder: Path) -> Path:
    """What a build of the demo needs."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        shutil.copy(example_folder() / name, folder / name)
    return folder
