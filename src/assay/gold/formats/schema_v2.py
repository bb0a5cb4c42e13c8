"""Schema v2 itself, as one JSON file."""

from __future__ import annotations

from pathlib import Path

from assay.files import dump_json
from assay.gold.formats.protocol import FORMATS, Bundle, Format, Order, Written
from assay.gold.gold_file import read_gold_file
from assay.gold.schema import SCHEMA

PASSAGES = "passages"
"""Texts of chunks that come from no index."""


def read(path: Path, order: Order) -> Bundle:  # noqa: ARG001
    gold = read_gold_file(path)
    beside = {key: value for key, value in gold.beside.items() if key != PASSAGES}
    return Bundle(raws=gold.raws, version=gold.version, passages=gold.beside.get(PASSAGES, {}), beside=beside)


def write(bundle: Bundle, order: Order) -> Written:  # noqa: ARG001
    impossible = sum(bool(raw["content"].get("is_impossible")) for raw in bundle.raws)
    counts = {"question_count": len(bundle.raws), "unanswerable_count": impossible}
    given = bundle.version if "schema" in bundle.version else bundle.version | counts
    version = {"schema": SCHEMA, **given, **{name: count for name, count in counts.items() if name in given}}
    data = {"version": version, **bundle.beside, "questions": list(bundle.raws)}
    if bundle.passages:
        data[PASSAGES] = dict(bundle.passages)
    return Written({"": dump_json(data, indent=1) + "\n"})


FORMATS.register("schema-v2")(Format(name="schema-v2", read=read, write=write))
