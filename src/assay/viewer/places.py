"""The folders that are shown. A name from an address becomes a path here, and nowhere else."""

from __future__ import annotations

from pathlib import Path
from stat import S_ISLNK, S_ISREG

from msgspec import Struct

from assay.config import Config
from assay.runs.folder import FAILURES, LABELS, MANIFEST, RESULTS, SUMMARY, RunFolder
from assay.runs.passages import FILE_NAME as PASSAGES
from assay.viewer.refusal import not_found

FILES = (MANIFEST, SUMMARY, RESULTS, FAILURES, PASSAGES, LABELS)
"""Of a run, those that are read; none of them may lead out of the runs folder."""


class Places(Struct, frozen=True, kw_only=True):
    """Where everything is."""

    runs: Path
    baselines: Path
    gold: Path
    index: Path
    config: Config

    @classmethod
    def of(cls, config: Config, runs: Path | None = None, gold: Path | None = None) -> Places:
        return cls(
            runs=(runs or config.path("runs")).resolve(),
            baselines=config.path("baselines").resolve(),
            gold=gold or config.path("gold"),
            index=config.path("index"),
            config=config,
        )

    def run(self, name: str) -> RunFolder:
        """The run of that folder name. Anything that is not a folder of ours, directly below, is not there."""
        path = self.runs / name if is_name(name) else None
        if path is None or not self._is_run(path):
            raise not_found(f"there is no run '{name}'")
        return RunFolder(path)

    def all_runs(self) -> list[RunFolder]:
        """Every folder that is a run; in no order. One that vanishes meanwhile is left out."""
        found = self.runs.iterdir() if self.runs.is_dir() else ()
        return [RunFolder(path) for path in found if self._is_run(path)]

    def _is_run(self, path: Path) -> bool:
        if path.resolve().parent != self.runs or not (path / MANIFEST).is_file():
            return False
        return all(self._is_fit(path / name) for name in FILES)

    def _is_fit(self, path: Path) -> bool:
        """Absent, a file, or a link to one in here. Whoever opens a pipe waits for ever."""
        try:
            mode = path.lstat().st_mode
        except OSError:
            return True
        if S_ISLNK(mode):
            return path.resolve().is_relative_to(self.runs) and (path.is_file() or not path.exists())
        return S_ISREG(mode)


def is_name(name: str) -> bool:
    """Whether it can be the name of one folder: no separator of any system, no way up, no NUL."""
    return bool(name) and name not in {".", ".."} and not set(name) & {"/", "\\", "\0"} and len(name) < 256
