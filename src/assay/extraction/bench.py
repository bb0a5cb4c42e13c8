"""What an extraction run is made from, read and checked before the first sample."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.config import Config
from assay.errors import AssayError, unknown_name
from assay.extraction.build import build, spelling_of
from assay.extraction.protocol import Context, Extractor
from assay.extraction.record_type import RecordType, load_record_type
from assay.extraction.samples import SIDECAR, SampleSet, read_folder, read_gold
from assay.extraction.scoring import measures

if TYPE_CHECKING:
    from assay.llm import Connections, Price


class Order(Struct, frozen=True, kw_only=True):
    """What to run: the texts of a folder, or the lines of a gold file."""

    config: Config
    samples: Path
    gold: Path | None = None
    """Outputs are there already, in `samples`; the truth is here."""
    record: Path | None = None
    resume: str | None = None
    command: tuple[str, ...] = ()


class Bench(Struct, frozen=True, kw_only=True):
    """Everything that is made from an order before the first sample."""

    order: Order
    record: RecordType
    samples: SampleSet
    models: Connections
    extractor: Extractor
    source: str | None = None
    """The run whose outputs are scored again."""

    @property
    def config(self) -> Config:
        return self.order.config

    @property
    def model(self) -> str | None:
        """That is called, if any."""
        options = self.config.extraction
        name, _, argument = spelling_of(options.system, options.model).partition(":")
        asked = name == "llm" and self.order.gold is None
        return (argument or options.model) if asked else None

    @property
    def price(self) -> Price | None:
        """A user's own extractor may name its model in the settings."""
        named = self.config.extraction.model
        if self.model:
            return self.models.model(self.model).price
        from assay.llm import price_of

        return price_of(named, self.config.llm.prices) if named else None


def prepare(order: Order, models: Connections) -> Bench:
    """Read and check everything, so that a mistake is told before anything is spent."""
    record = record_type_of(order)
    samples = read_samples(order, record)
    options = order.config.extraction
    spelling = f"recorded:{order.samples}" if order.gold is not None else spelling_of(options.system, options.model)
    check_gates(order.config, record)
    extractor = build(spelling, Context(config=order.config, models=models, record=record))
    return Bench(order=order, record=record, samples=samples, models=models, extractor=extractor)


def read_samples(order: Order, record: RecordType) -> SampleSet:
    """A folder of texts, a gold file, or one text."""
    if order.gold is not None:
        return read_gold(order.gold, record)
    if order.samples.is_dir():
        return read_folder(order.samples, record)
    if not order.samples.exists():
        raise AssayError("no such folder", where=str(order.samples), expected="samples: name.txt beside name" + SIDECAR)
    raise AssayError("not a folder of samples", where=str(order.samples), hint="Name the truth with --gold FILE")


def record_path(order: Order) -> Path | None:
    """None: calendar events."""
    named = order.config.extraction.record
    return order.record or (Path(order.config.root) / named if named else None)


def record_type_of(order: Order) -> RecordType:
    options = order.config.extraction
    record = load_record_type(record_path(order)).also_scored(options.fields)
    if options.level is not None:
        record.level(options.level)
    return record


def check_gates(config: Config, record: RecordType) -> None:
    known: list[Any] = measures(record.scheme.names)
    for gate in config.extraction.gates:
        if gate.measure not in known:
            raise unknown_name("measure", gate.measure, known, where="extraction.gates")
