"""Finds samples: `name.txt` beside `name.expected.json`, or lines of a gold file."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from assay.errors import AssayError
from assay.extraction.protocol import Sample
from assay.extraction.record_type import RecordType
from assay.extraction.sidecar import GoldLine, Sidecar, check_content, read_sidecar
from assay.files import dump_json, read_jsonl, read_text
from assay.on_disk import OnDisk
from assay.validation import convert

TEXT, SIDECAR = ".txt", ".expected.json"
UNCATEGORIZED = "uncategorized"
_LINE = '{"id": ..., "records": [...]}'


class Broken(Struct, frozen=True):
    """A sample that cannot be used, and why, with file and line."""

    id: str
    message: str


class SampleSet(Struct, frozen=True, kw_only=True):
    """All samples of a folder or a file. They stand on disk and are read when it is their turn."""

    name: str
    samples: Sequence[Sample]
    broken: tuple[Broken, ...] = ()
    warnings: tuple[str, ...] = ()
    sha256: str

    @property
    def scored(self) -> Iterator[Sample]:
        return (sample for sample in self.samples if sample.expected is not None)

    @property
    def recorded_sha256(self) -> str:
        """Of all answers that the samples bring with them."""
        digest = hashlib.sha256(b"[")
        for number, sample in enumerate(self.samples):
            digest.update((b"," if number else b"") + _bytes([sample.id, sample.recorded]))
        digest.update(b"]")
        return digest.hexdigest()


def read_folder(root: Path, record: RecordType) -> SampleSet:
    """Every text below the folder, by path. A broken one is told, and the others go on."""
    texts, sidecars = _files(root)
    known = {path.with_suffix(TEXT) for path in texts}
    broken = [
        Broken(_text_of(p).relative_to(root).with_suffix("").as_posix(), f"{p}: no {_text_of(p).name} beside it")
        for p in sidecars
        if _text_of(p) not in known
    ]
    if not texts and not broken:
        raise AssayError(f"no sample: there is no *{TEXT}", where=str(root))
    return _set(root.resolve().name, _read_texts(root, texts, record, broken), broken)


def _read_texts(root: Path, texts: Sequence[Path], record: RecordType, broken: list[Broken]) -> Iterator[Sample]:
    """Those that can be used; the others are told as broken."""
    seen: dict[str, Path] = {}  # a.txt and a.TXT would be one sample
    for path in texts:
        id_ = path.relative_to(root).with_suffix("").as_posix()
        try:
            if id_ in seen:
                raise AssayError(f"another text has this name: {seen[id_]}", where=str(path))
            seen[id_] = path
            yield read_sample(path, id_, record)
        except AssayError as fault:
            broken.append(Broken(id_, str(fault)))


def _files(root: Path) -> tuple[list[Path], list[Path]]:
    """Texts and sidecars; nothing in hidden folders (.git, .venv), nothing that is hidden itself."""
    shown = [
        path
        for path in sorted(root.rglob("*"))
        if not any(part.startswith(".") for part in path.relative_to(root).parts) and path.is_file()
    ]
    texts = [path for path in shown if path.suffix.lower() == TEXT]
    return texts, [path for path in shown if path.name.endswith(SIDECAR)]


def read_sample(path: Path, id_: str, record: RecordType) -> Sample:
    """The text with what its sidecar says, if there is one."""
    text = read_text(path)
    beside = path.with_name(path.stem + SIDECAR)
    folder = id_.split("/")[0] if "/" in id_ else UNCATEGORIZED
    if not beside.exists():
        return Sample(id=id_, text=text, category=folder, where=str(path))
    return _with_sidecar(Sample(id=id_, text=text, category=folder, where=str(path)), read_sidecar(beside, record))


def _with_sidecar(sample: Sample, sidecar: Sidecar) -> Sample:
    return Sample(
        id=sample.id,
        text=sample.text,
        category=sidecar.category or sample.category,
        description=sidecar.description,
        level=sidecar.tolerance,
        owner=sidecar.owner,
        reference_datetime=sidecar.reference_datetime,
        timezone=sidecar.timezone,
        calendar=sidecar.calendar_context,
        expected=sidecar.expected(),
        recorded=sidecar.mock_llm_response,
        notes=sidecar.notes,
        where=sample.where,
    )


def _text_of(sidecar: Path) -> Path:
    return sidecar.with_name(sidecar.name.removesuffix(SIDECAR) + TEXT)


def read_gold(path: Path, record: RecordType) -> SampleSet:
    """A line for each sample: `{"id": ..., "records": [...]}`, perhaps with text, category, tolerance, timezone."""
    found = _set(path.name, _gold_lines(path, record), [])
    if not found.samples:
        raise AssayError("there is no sample", where=str(path), expected='lines of {"id": ..., "records": [...]}')
    return found


def _gold_lines(path: Path, record: RecordType) -> Iterator[Sample]:
    seen: dict[str, int] = {}
    for number, line in read_jsonl(path):
        sample = _gold_line(line, f"{path}:{number}", record)
        if sample.id in seen:
            what = f"'{sample.id}' is given twice, first at {path}:{seen[sample.id]}"
            raise AssayError(what, where=f"{path}:{number}")
        seen[sample.id] = number
        yield sample


def _gold_line(line: Any, where: str, record: RecordType) -> Sample:
    """As a sidecar, so that the same keys mean the same."""

    def place(_keys: Any) -> str:
        return where

    if not isinstance(line, dict) or "id" not in line:
        raise AssayError("the line has no 'id'", where=where, expected=_LINE)
    given = convert(line, GoldLine, place)
    if len(given.keys) > 1:
        raise AssayError(f"the line has both '{given.keys[0]}' and '{given.keys[1]}'", where=where, expected=_LINE)
    if not given.keys:
        raise AssayError("the line has no list 'records'", where=where, expected=_LINE)
    if given.expected_events is not None and not record.is_event:
        raise AssayError(f"expected_events in a file of '{record.name}'", where=where, expected=_LINE)
    check_content(given, given.keys[0], record, place)
    bare = Sample(id=str(given.id), text=given.text, category=UNCATEGORIZED, where=where)
    return _with_sidecar(bare, given)


def _set(name: str, samples: Iterable[Sample], broken: list[Broken]) -> SampleSet:
    """The digest is of all that can change a result; not of the recorded answers, which are one extractor's."""
    digest, warnings = hashlib.sha256(b"["), list[str]()
    kept = OnDisk(Sample, _digested(samples, digest, warnings), "the samples")
    broken = sorted(broken, key=lambda each: each.id)
    digest.update(_bytes([each.id for each in broken]) + b"]")
    return SampleSet(name=name, samples=kept, broken=tuple(broken), warnings=tuple(warnings), sha256=digest.hexdigest())


def _digested(samples: Iterable[Sample], digest: hashlib._Hash, warnings: list[str]) -> Iterator[Sample]:
    """As they pass by: what of them counts, as a list in JSON, and what is to be said of them."""
    before = b"["
    for sample in samples:
        counts = [
            *(sample.id, sample.text, sample.level, sample.category, sample.expected),
            *(sample.reference_datetime, sample.timezone, sample.owner, msgspec.to_builtins(sample.calendar)),
        ]
        digest.update(before + _bytes(counts))
        before = b","
        warnings += _warnings(sample)
        yield sample
    digest.update(b"]," if before == b"," else b"[],")


def _bytes(value: Any) -> bytes:
    return dump_json(value).encode("utf-8", "backslashreplace")


def _warnings(sample: Sample) -> Iterator[str]:
    if sample.expected is None:
        yield f"{sample.where} has no {SIDECAR} beside it: extracted, and left out of the scores"
    elif not sample.text.strip() and sample.where.lower().endswith(TEXT):
        yield f"{sample.where} is empty"
