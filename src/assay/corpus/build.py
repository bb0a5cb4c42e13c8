"""Documents into an index: what changed is read, cut, embedded and written; the rest stays as it is."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from msgspec import Struct

from assay import __version__
from assay.config import Chunking
from assay.corpus.plan import Plan, plan, settings_of
from assay.corpus.scan import Problem, Sources, lane_of, name_of, safe_name, scan
from assay.corpus.store import FileRow, State, locked, read_state, replacing
from assay.corpus.writer import Making, Writer
from assay.embedders import Embedder
from assay.errors import AssayError
from assay.files import dump_json
from assay.records import Lane, Progress, Step

NOTES = "notes"
"""Where an index keeps what is to be told of its files."""


class BuildOptions(Struct, frozen=True, kw_only=True):
    chunking: Chunking = Chunking()
    language: str = "auto"
    embedder: Embedder | None = None
    """None: an index for bm25 alone."""
    document_prefix: str = ""
    """What the embedder puts before each chunk; another one means other vectors."""
    rebuild: bool = False
    progress: Progress = lambda _: None


class LaneTotal(Struct, frozen=True):
    """What an index holds of one lane."""

    files: int
    chunks: int
    languages: dict[str, int]


class Summary(Struct, frozen=True, kw_only=True):
    """What the index holds now, and what was done to get there."""

    index: str
    documents: int
    pages: int
    chunks: int
    added: int
    """Files, as the next three; a file of ready-made chunks may hold many documents."""
    changed: int
    unchanged: int
    removed: int
    failed: tuple[Problem, ...]
    warnings: tuple[Problem, ...]
    skipped: dict[str, int]
    """Suffixes no reader is for → number of files."""
    left_out: tuple[Problem, ...]
    """Source files and folders that look vendored, built, generated or minified, and why."""
    languages: dict[str, int]
    lanes: dict[Lane, LaneTotal]
    """By what the files were given as."""
    model_id: str | None
    embedding_dim: int | None
    fingerprint: str
    is_current: bool
    """Nothing had to be done, and nothing was written."""
    seconds: float


class Outcome(Struct, frozen=True):
    """The index as it stands after the work."""

    files: Sequence[FileRow]
    metadata: dict[str, str]
    failed: Sequence[Problem] = ()

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """Of the files read now and of those read before: what was to be told of one still is."""
        return tuple(Problem(name_of(key), note) for key, notes in _notes(self.metadata).items() for note in notes)


def build(paths: Sequence[Path] | Sources, out: Path, options: BuildOptions) -> Summary:
    """Make or update the index at `out` so that it holds exactly what is at `paths` now; plain paths are documents."""
    sources = paths if isinstance(paths, Sources) else Sources(documents=tuple(paths))
    return _Build(sources, out, options).run()


class _Build:
    def __init__(self, sources: Sources, out: Path, options: BuildOptions) -> None:
        self.sources, self.paths, self.out, self.options = sources, sources.paths, out, options
        self.target = Path(os.path.realpath(out))
        self.began, self.scanned_ns = time.perf_counter(), time.time_ns()
        self.found = scan(sources, self.target)
        embedder = options.embedder
        self.language = options.language.strip().lower()
        self.settings = settings_of(options.chunking, self.language)
        self.embedding = {
            "embedder": embedder.model_id if embedder else "",
            "document_prefix": options.document_prefix if embedder else "",
        }

    def run(self) -> Summary:
        if not self.found.files:
            raise self._nothing([])
        state = read_state(self.target)
        work = self._plan(state)
        if state is None or not work.is_nothing:
            with locked(self.target):
                # Another process may have done the same work just now.
                state = read_state(self.target, with_ids=True)
                work = self._plan(state)
                if state is None or not work.is_nothing:
                    return self._summary(state, work, self._write(state, work))
        return self._summary(state, work, Outcome(list(state.files.values()), state.metadata))

    def _plan(self, state: State | None) -> Plan:
        return plan(self.found, state, self.settings, self.embedding, rebuild=self.options.rebuild)

    def _write(self, state: State | None, work: Plan) -> Outcome:
        old = state.files if state and not work.from_scratch else {}
        making = Making(
            chunking=self.options.chunking,
            language=self.language,
            embedder=self.options.embedder,
            progress=self.options.progress,
        )
        with replacing(self.target, keep_old=not work.from_scratch) as store:
            for name in (*work.gone, *(file.key for file in work.read)):
                if name in old:
                    store.remove(old[name])
            writer = Writer(store, making, [old[name] for name in work.kept])
            if work.embed_again:
                writer.embed_again()
            for number, file in enumerate(work.read, 1):
                writer.add(file)
                self.options.progress(Step("documents", number, len(work.read)))
            writer.flush()
            files = store.files()
            if not any(row.chunks for row in files):
                raise self._nothing([*writer.failed, *_problems(files)])
            metadata = self._metadata(files, writer) | {"lanes": " ".join(store.lanes())}
            old_notes = _notes(state.metadata) if state else {}
            notes = {name: old_notes[name] for name in work.kept if name in old_notes} | writer.notes
            metadata[NOTES] = dump_json({name: told for name, told in sorted(notes.items()) if told})
            metadata["fingerprint"] = store.finish(metadata)
        return Outcome(files, metadata, writer.failed)

    def _metadata(self, files: Sequence[FileRow], writer: Writer) -> dict[str, str]:
        model_id, dim = writer.common_model(files)
        values = {
            **self.settings,
            **self.embedding,
            "model_id": model_id,
            "embedding_dim": str(dim) if dim else None,
            "languages": msgspec.json.encode(_languages(files)).decode(),
            "roots": msgspec.json.encode([safe_name(path.absolute().name) for path in self.paths]).decode(),
            "scanned_ns": str(self.scanned_ns),
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            "assay_version": __version__,
        }
        return {key: value for key, value in values.items() if value is not None}

    def _summary(self, before: State | None, work: Plan, outcome: Outcome) -> Summary:
        good = {row.path: row for row in outcome.files if row.problem is None}
        known = before.files if before else {}
        read = [file.key for file in work.read if file.key in good]
        dim = outcome.metadata.get("embedding_dim")
        return Summary(
            index=str(self.out),
            documents=sum(sum(row.languages.values()) for row in good.values()),
            pages=sum(row.pages for row in good.values()),
            chunks=sum(row.chunks for row in good.values()),
            added=sum(name not in known for name in read),
            changed=sum(name in known for name in read),
            unchanged=sum(name in good for name in work.kept),
            removed=sum(name not in good for name, row in known.items() if row.problem is None),
            failed=tuple(sorted((*self.found.problems, *outcome.failed, *_problems(outcome.files)), key=_file)),
            warnings=outcome.warnings,
            skipped=dict(sorted(self.found.skipped.items())),
            left_out=tuple(self.found.left_out),
            languages=_languages(outcome.files),
            lanes=_lanes(good.values()),
            model_id=outcome.metadata.get("model_id"),
            embedding_dim=int(dim) if dim else None,
            fingerprint=outcome.metadata["fingerprint"],
            is_current=work.is_nothing,
            seconds=round(time.perf_counter() - self.began, 3),
        )

    def _nothing(self, problems: Sequence[Problem]) -> AssayError:
        where = ", ".join(str(path) for path in self.paths)
        faults = sorted((*self.found.problems, *problems), key=_file)
        if faults:
            listed = "; ".join(f"{fault.file}: {fault.reason}" for fault in faults[:3])
            more = f" (and {len(faults) - 3} more)" if len(faults) > 3 else ""
            return AssayError(f"no document could be read: {listed}{more}", where=where)
        skipped = sum(self.found.skipped.values())
        what = f"no documents, only {skipped} files of other kinds" if skipped else "no documents"
        expected = "pdf, html, md, txt, docx, or chunks as json or jsonl"
        if self.sources.code and self.paths == self.sources.code:
            what, expected = "no source code", "py, rs, ts, js, go, java, c or cpp that .gitignore does not leave out"
            if self.found.left_out:
                first, others = self.found.left_out[0], len(self.found.left_out) - 1
                what += f" but {first.file} ({first.reason}{f'; and {others} more' if others else ''})"
                expected = "code that somebody wrote, or a file that is named itself"
        return AssayError(what, where=where, expected=expected)


def _notes(metadata: Mapping[str, str]) -> dict[str, list[str]]:
    notes: dict[str, list[str]] = msgspec.json.decode(metadata.get(NOTES, "{}"))
    return notes


def _file(problem: Problem) -> str:
    return problem.file


def _problems(files: Sequence[FileRow]) -> list[Problem]:
    return [Problem(name_of(row.path), row.problem) for row in files if row.problem is not None]


def _lanes(files: Iterable[FileRow]) -> dict[Lane, LaneTotal]:
    by_lane: dict[Lane, list[FileRow]] = {}
    for row in files:
        by_lane.setdefault(lane_of(row.path), []).append(row)
    return {
        lane: LaneTotal(len(rows), sum(row.chunks for row in rows), _languages(rows))
        for lane, rows in sorted(by_lane.items())
    }


def _languages(files: Sequence[FileRow]) -> dict[str, int]:
    """Documents by language."""
    total = Counter[str]()
    for row in files:
        total.update(row.languages)
    return dict(sorted(total.items()))
