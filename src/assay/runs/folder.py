"""A run's folder: everything of one evaluation, enough to score it again without a single call."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgspec import Struct

from assay.errors import AssayError, IncompleteRun, Unwritable
from assay.files import dump_json, read_json, write_atomic, write_json
from assay.runs.naming import folder_name
from assay.runs.results import ResultsFile
from assay.validation import shown

MANIFEST, SUMMARY, RESULTS = "manifest.json", "run_summary.json", "results.jsonl"
FAILURES, COMPARISON, REPORT_HTML, REPORT_MARKDOWN = "failures.jsonl", "comparison.md", "report.html", "report.md"
LABELS = "labels.jsonl"
"""What people said of its answers, as the viewer writes it."""

SCHEMA = 1
"""Of manifest and summary."""
AGAIN = "Evaluate again, or read it with the version that wrote it"
COMMANDS = {"rag": "run", "extraction": "extract"}
"""By kind of run, where the command is called differently."""


class RunFolder(Struct, frozen=True):
    """The files of a run by name."""

    path: Path

    @classmethod
    def create(cls, root: Path, manifest: dict[str, Any], model: str, k: int | None) -> RunFolder:
        run = cls(root / folder_name(manifest["run_id"], model, k))
        try:
            run.path.mkdir(parents=True)
            write_json(run.path / MANIFEST, manifest)
        except OSError as fault:
            hint = "Choose another place with paths.runs in assay.yaml"
            raise AssayError(f"cannot write the run: {fault.strerror}", where=str(run.path), hint=hint) from None
        return run

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def results(self) -> ResultsFile:
        return ResultsFile(self.path / RESULTS)

    @property
    def manifest(self) -> dict[str, Any]:
        return _object(self.path / MANIFEST)

    @property
    def finished(self) -> bool:
        return (self.path / SUMMARY).exists()

    @property
    def is_current(self) -> bool:
        """Finished, and no result is newer, as one is after a resume that was cut off."""
        return self.finished and _time(self.path / RESULTS) <= _time(self.path / SUMMARY)

    @property
    def summary(self) -> dict[str, Any]:
        if not self.finished:
            hint = f"Go on with: {self.resume_command}"
            raise AssayError("the run is not finished", where=str(self.path), hint=hint)
        path = self.path / SUMMARY
        data = _Summary(path, _object(path))
        version = data.get("schema_version", SCHEMA)
        if version != SCHEMA:
            told = f"its schema_version is {shown(version)}, this one reads {SCHEMA}"
            raise AssayError(f"written by another version of Assay: {told}", where=str(path), hint=AGAIN)
        return data

    @property
    def resume_command(self) -> str:
        """What goes on with this run. To judge another one again is simply repeated: its replies are in the cache."""
        data = self.manifest
        if data.get("source"):
            return f"assay score {data['source']}"
        command = COMMANDS.get(data["kind"], data["kind"])
        return f"assay {command} --resume {self.name}"

    def resumable(self, fault: IncompleteRun | Unwritable) -> IncompleteRun:
        """The fault with the command that goes on; without room for its last files a run is incomplete, too."""
        if isinstance(fault, Unwritable):
            fault = IncompleteRun(fault.what, where=fault.where)
        hint = (fault.hint or "What was finished is kept").replace(f"; go on with: --resume {self.name}", "")
        fault.hint = f"{hint.rstrip('.')}. Go on with: {self.resume_command}"
        return fault

    def write(self, name: str, text: str) -> None:
        """A file that concludes the run. Where there is no room for it the run is not finished, but can be."""
        try:
            write_atomic(self.path / name, text)
        except AssayError as fault:
            hint = f"What was finished is kept; go on with: --resume {self.name}"
            raise IncompleteRun(fault.what, where=fault.where, hint=hint) from None

    def write_summary(self, data: dict[str, Any]) -> None:
        """Last of all: it says that the run is finished."""
        self.write(SUMMARY, dump_json(data, indent=2) + "\n")

    def require_same(self, fingerprint: dict[str, Any]) -> None:
        """Refuse to go on with other inputs, naming what differs."""
        old: dict[str, Any] = self.manifest["fingerprint"]
        differ = sorted(key for key in old.keys() | fingerprint.keys() if old.get(key) != fingerprint.get(key))
        if differ:
            hint = "Start a new run, or go back to what it was started with"
            raise AssayError(f"cannot resume: {', '.join(differ)} changed since", where=str(self.path), hint=hint)


def all_runs(root: Path) -> list[RunFolder]:
    """Every run below the folder, oldest first."""
    return sorted(_folders(root), key=lambda run: (run.manifest["created"], run.name))


def _folders(root: Path) -> list[RunFolder]:
    return [RunFolder(path.parent) for path in root.glob(f"*/{MANIFEST}")]


def find_run(root: Path, name: str, kind: str | None = None, *, finished: bool = False) -> RunFolder:
    """A run by path, folder name, run id, its last eight characters, or `last`: of that kind, perhaps finished."""
    if (Path(name) / MANIFEST).exists():
        return RunFolder(Path(name))
    if name == "last":
        for run in reversed(all_runs(root)):
            if (run.finished or not finished) and kind in (None, run.manifest["kind"]):
                return run
    found = [run for run in _folders(root) if run.name == name or (len(name) >= 8 and run.name.endswith(name[-8:]))]
    if len(found) == 1:
        return found[0]
    known = ", ".join(run.name for run in all_runs(root)[-3:]) or "none yet"
    what = f"{len(found)} runs are called '{name}'" if found else f"no run '{name}'"
    raise AssayError(what, where=str(root), hint=f"Newest: {known}")


class _Summary(dict[str, Any]):
    """A summary as another version may have written it: what it lacks is told in one line, whoever looks for it."""

    def __init__(self, path: Path, data: dict[str, Any]) -> None:
        super().__init__(data)
        self._path = path

    def __missing__(self, key: str) -> Any:
        raise older(self._path, key)


def older(path: Path, key: object) -> AssayError:
    """The fault of a run that was written before there was such a key."""
    return AssayError(f"has no '{key}': written by another version of Assay", where=str(path), hint=AGAIN)


def _time(path: Path) -> int:
    return path.stat().st_mtime_ns


def _object(path: Path) -> dict[str, Any]:
    value = read_json(path)
    if not isinstance(value, dict):
        raise AssayError("not an object", where=str(path))
    return value
