"""Finds samples: `name.txt` beside `name.expected.json`, or lines of a gold file."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from assay.errors import AssayError
from assay.extraction.protocol import Sample
from assay.extraction.record_type import RecordType
from assay.extraction.sidecar import Sidecar, check_clock, check_record, read_sidecar
from assay.files import dump_json, read_jsonl, read_text

TEXT, SIDECAR = ".txt", ".expected.json"
UNCATEGORIZED = "uncategorized"


class Broken(Struct, frozen=True):
    """A sample that cannot be used, and why, with file and line."""

    id: str
    message: str


class SampleSet(Struct, frozen=True, kw_only=True):
    """All samples of a folder or a file."""

    name: str
    samples: tuple[Sample, ...]
    broken: tuple[Broken, ...] = ()
    warnings: tuple[str, ...] = ()
    sha256: str

    @property
    def scored(self) -> tuple[Sample, ...]:
        return tuple(sample for sample in self.samples if sample.expected is not None)


def read_folder(root: Path, record: RecordType) -> SampleSet:
    """Every text below the folder, by path. A broken one is told, and the others go on."""
    samples: list[Sample] = []
    broken: list[Broken] = []
    for path in sorted(root.rglob(f"*{TEXT}")):
        id_ = path.relative_to(root).with_suffix("").as_posix()
        try:
            samples.append(read_sample(path, id_, record))
        except AssayError as fault:
            broken.append(Broken(id_, str(fault)))
    alone = [path for path in sorted(root.rglob(f"*{SIDECAR}")) if not _text_of(path).exists()]
    broken += [
        Broken(_text_of(p).relative_to(root).with_suffix("").as_posix(), f"{p}: no {_text_of(p).name} beside it")
        for p in alone
    ]
    if not samples and not broken:
        raise AssayError(f"no sample: there is no *{TEXT}", where=str(root))
    return _set(root.resolve().name, samples, tuple(sorted(broken, key=lambda each: each.id)))


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
    samples: dict[str, Sample] = {}
    for number, line in read_jsonl(path):
        sample = _gold_line(line, f"{path}:{number}", record)
        if sample.id in samples:
            raise AssayError(
                f"'{sample.id}' is given twice, first at {samples[sample.id].where}", where=f"{path}:{number}"
            )
        samples[sample.id] = sample
    if not samples:
        raise AssayError("there is no sample", where=str(path), expected='lines of {"id": ..., "records": [...]}')
    return _set(path.name, list(samples.values()), ())


def _gold_line(line: Any, where: str, record: RecordType) -> Sample:
    id_, records = id_and_records(line, where)
    for each in records:
        check_record(each, record, lambda _keys: where)
    check_clock(line.get("reference_datetime"), line.get("timezone"), lambda _keys: where)
    level = line.get("tolerance", "moderate")
    if not isinstance(level, str) or level not in record.levels:
        raise AssayError(f"tolerance is {level!r}", where=where, expected=" or ".join(record.levels))
    return Sample(
        id=id_,
        text=str(line.get("text", "")),
        category=str(line.get("category") or UNCATEGORIZED),
        level=level,
        reference_datetime=line.get("reference_datetime"),
        timezone=line.get("timezone"),
        expected=records,
        where=where,
    )


def id_and_records(line: Any, where: str) -> tuple[str, tuple[dict[str, Any], ...]]:
    """Of a line of gold or of outputs. One record may stand alone under `record`."""
    if not isinstance(line, dict) or not isinstance(line.get("id"), str | int):
        raise AssayError("the line has no 'id'", where=where, expected='{"id": ..., "records": [...]}')
    found = next(
        (line[key] for key in ("records", "expected_records", "expected_events", "events") if key in line), None
    )
    if found is None and "record" in line:
        found = [] if line["record"] is None else [line["record"]]
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise AssayError("the line has no list 'records'", where=where, expected='{"id": ..., "records": [...]}')
    return str(line["id"]), tuple(found)


def _set(name: str, samples: list[Sample], broken: tuple[Broken, ...]) -> SampleSet:
    warnings = tuple(_warnings(samples))
    parts = [
        [sample.id, sample.text, sample.level, sample.category, sample.expected, sample.reference_datetime]
        for sample in samples
    ]
    digest = hashlib.sha256(dump_json([parts, [each.id for each in broken]]).encode("utf-8", "backslashreplace"))
    return SampleSet(name=name, samples=tuple(samples), broken=broken, warnings=warnings, sha256=digest.hexdigest())


def _warnings(samples: list[Sample]) -> Iterator[str]:
    for sample in samples:
        if sample.expected is None:
            yield f"{sample.where} has no {SIDECAR} beside it: extracted, and left out of the scores"
        elif not sample.text.strip() and sample.where.endswith(TEXT):
            yield f"{sample.where} is empty"
