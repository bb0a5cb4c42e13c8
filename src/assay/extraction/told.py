"""What an extractor answered, brought into the shape of an output.

A list of records, or an object with them under `records` or `events` and perhaps `usage`, `timing` and `model`; also
as JSON text. A record is an object, a dataclass, a pydantic model or a msgspec Struct. Its `confidence` (a word or a
number) is taken out. Anything else is an error that says what came instead.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any

import msgspec

from assay.errors import AssayError
from assay.extraction.protocol import Output
from assay.files import parse_json
from assay.retrievers.answers import BadAnswer
from assay.systems.expense import read_metadata, read_timing, read_usage
from assay.systems.fields import described, lookup

RECORDS = ("records", "events")
CONFIDENCE = "confidence"
_DEEPEST = 20


def read_output(given: Any) -> Output:
    """Raises `BadAnswer`."""
    if isinstance(given, Output):
        return _split(given.records, given)
    if isinstance(given, str):
        given = _parsed(given)
    if isinstance(given, list | tuple):
        return _split(given, Output())
    found = lookup(given, RECORDS)
    if not isinstance(found, list | tuple):
        raise BadAnswer(f"there are no records in {described(given)}; expected a list of records")
    timing, metadata = read_timing(given), read_metadata(given)
    told = Output(usage=read_usage(given), seconds=timing.total, model=metadata.model)
    return _split(found, told)


def _parsed(text: str) -> Any:
    try:
        return parse_json(text, "the answer")
    except AssayError as fault:
        raise BadAnswer(str(fault)) from None


def _split(found: list[Any] | tuple[Any, ...], told: Output) -> Output:
    records, confidences = [], []
    for number, each in enumerate(found):
        record = plain(each)
        if not isinstance(record, dict):
            raise BadAnswer(f"record {number + 1} is {described(each)}; expected an object")
        confidences.append(_confidence(record.pop(CONFIDENCE, None), number))
        records.append(record)
    kept = told.confidences or (tuple(confidences) if any(each is not None for each in confidences) else ())
    if kept and len(kept) != len(records):
        raise BadAnswer(f"{len(kept)} confidences for {len(records)} records")
    return msgspec.structs.replace(told, records=tuple(records), confidences=kept)


def _confidence(value: Any, number: int) -> str | float | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadAnswer(f"the confidence of record {number + 1} is {described(value)}; expected a word or a number")
    return value


def plain(value: Any, depth: int = 0) -> Any:
    """As JSON holds it. What it cannot hold is a `BadAnswer`."""
    if value is None or (isinstance(value, bool | str | int) and not isinstance(value, Enum)):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise BadAnswer(f"a value is {value}; expected a finite number or null")
        return value
    if depth > _DEEPEST:
        raise BadAnswer("the records are nested too deeply")
    if isinstance(value, Mapping):
        return {str(key): plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        items = sorted(value, key=repr) if isinstance(value, set | frozenset) else value
        return [plain(item, depth + 1) for item in items]
    return _other(value, depth)


def _other(value: Any, depth: int) -> Any:
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return plain(float(value))
    if isinstance(value, Enum):
        return plain(value.value, depth + 1)
    if isinstance(value, msgspec.Struct):
        return plain(msgspec.structs.asdict(value), depth + 1)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return plain({each.name: getattr(value, each.name) for each in dataclasses.fields(value)}, depth + 1)
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return plain(dump(), depth + 1)
    raise BadAnswer(f"a value is {described(value)}; expected what JSON can hold")
