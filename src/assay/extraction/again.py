"""A finished run scored again, by another record type, tolerance or level: from its stored outputs, without a call."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import perf_counter

import msgspec
from msgspec.structs import replace

from assay.config import Config, ModelOptions
from assay.errors import AssayError
from assay.extraction.bench import Bench, Order, check_gates, record_type_of
from assay.extraction.evaluation import KIND, execute
from assay.extraction.protocol import CalendarEvent, Output, Sample
from assay.extraction.record_type import RecordType
from assay.extraction.samples import Broken, SampleSet
from assay.extraction.sidecar import check_record
from assay.llm import connect
from assay.llm.protocol import Usage
from assay.on_disk import OnDisk
from assay.records import Fault, Progress
from assay.runs.folder import RunFolder
from assay.runs.results import Row

BATCH = 512


def score_again(run: RunFolder, config: Config, record: Path | None, progress: Progress) -> RunFolder:
    """A run of its own. What it was extracted with stays; how it is scored is what the settings say now."""
    if run.summary["kind"] != KIND:
        raise AssayError(f"a {run.summary['kind']} run has no records", where=str(run.path))
    return asyncio.run(_again(run, config, record, progress))


async def _again(run: RunFolder, config: Config, record: Path | None, progress: Progress) -> RunFolder:
    started, summary = perf_counter(), run.summary
    order = Order(
        config=_settings(config, run),
        samples=Path(summary["corpus"]["name"]),
        record=record,
        command=("score", run.name),
    )
    kind = record_type_of(order)
    check_gates(order.config, kind)
    stored = Stored(run)
    samples = SampleSet(
        name=summary["corpus"]["name"],
        samples=OnDisk(Sample, stored.samples(kind), "the samples"),
        broken=tuple(Broken(**each) for each in summary["errors"]["broken"]),
        sha256=summary["corpus"]["sha256"],
    )
    async with connect(order.config) as models:
        bench = Bench(order=order, record=kind, samples=samples, models=models, extractor=stored, source=run.name)
        return await execute(bench, stored, progress, started)


def _settings(config: Config, run: RunFolder) -> Config:
    """Who extracted, at what price, and what a record is, is as it was. Nothing is spent: no limit can be reached."""
    summary = run.summary
    was = summary["config"]
    options = replace(
        config.extraction,
        system=was["extraction"]["system"] if summary["model"] else summary["system"],
        model=was["extraction"]["model"],
        record=_record_of(run, config),
    )
    known = msgspec.convert(was["llm"]["models"], dict[str, ModelOptions])
    llm = replace(config.llm, models=known | config.llm.models, max_cost=None)
    return replace(config, client=summary["client"], extraction=options, llm=llm)


def _record_of(run: RunFolder, config: Config) -> str | None:
    """The file of the record type that the run was scored by; None: calendar events."""
    found: str | None = run.manifest["order"]["record"] if "order" in run.manifest else config.extraction.record
    return found


class Stored:
    """A finished run as a system: it gives what it gave. Rows are read when their sample comes."""

    batch_size = BATCH

    def __init__(self, run: RunFolder) -> None:
        self.name: str = run.summary["system"]
        self._results, self._where = run.results, str(run.path)
        self._places = self._results.places(lambda _: True)

    def samples(self, kind: RecordType) -> Iterator[Sample]:
        return (self._sample(row, kind) for row in self._results.rows())

    def _sample(self, row: Row, kind: RecordType) -> Sample:
        where = f"{self._where}, sample {row['case_id']}"
        if "context" not in row:
            hint = "Run assay extract again; what a model said is in the cache"
            raise AssayError("the run was made before runs could be scored again", where=self._where, hint=hint)
        for each in row["expected"]:
            check_record(each, kind, lambda _keys: where)
        kind.level(row["context"]["level"])
        return stored_sample(row)

    async def answer(self, cases: Sequence[Sample]) -> list[Output]:
        return [stored_output(self._results.row_at(self._places[sample.id])) for sample in cases]

    async def extract(self, sample: Sample) -> Output:
        return (await self.answer([sample]))[0]

    async def close(self) -> None:
        """Nothing is open."""


def stored_sample(row: Row) -> Sample:
    """All of it that scoring needs; the text is not."""
    context = row["context"]
    return Sample(
        id=row["case_id"],
        text="",
        category=row["tags"]["category"],
        description=row["description"],
        level=context["level"],
        reference_datetime=context["reference_datetime"],
        timezone=context["timezone"],
        calendar=tuple(CalendarEvent(**event) for event in context["calendar"]),
        expected=tuple(row["expected"]) if row["scored"] else None,
        text_sha256=row.get("text_sha256"),
    )


def stored_output(row: Row) -> Output:
    """What the extractor gave."""
    tokens, error = row["tokens"], row["error"]
    return Output(
        records=tuple(row["actual"]),
        confidences=tuple(row["confidences"]),
        usage=Usage(**{kind: n for kind, n in tokens.items() if kind != "total"}) if tokens else None,
        seconds=row["seconds"],
        model=row["model"],
        attempts=row["attempts"],
        fault=Fault(**error) if error else None,
    )
