"""Records and progress as plain lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from assay.files import dump_json
from assay.report.text import one_line


def progress_line(done: int, total: int, row: Mapping[str, Any]) -> str:
    """`[3/40] crud/simple_lunch  P=1.00 R=0.50  2.3s`; a failure says why, a sample without truth what it gave."""
    head = f"[{done}/{total}] {one_line(row['case_id'])}"
    seconds = f"  {row['seconds']:.1f}s" if row["seconds"] is not None else ""
    if row["error"]:
        return f"{head}  failed: {one_line(row['error']['message'])}{seconds}"
    if not row["scored"]:
        return f"{head}  {len(row['actual'])} records, not scored{seconds}"
    return f"{head}  P={row['scores']['precision']:.2f} R={row['scores']['recall']:.2f}{seconds}"


def with_confidence(records: Sequence[Mapping[str, Any]], confidences: Sequence[Any]) -> list[dict[str, Any]]:
    """Each record with what the extractor said of its own certainty, if anything."""
    told = confidences or [None] * len(records)
    return [
        dict(record) if sure is None else {**record, "confidence": sure}
        for record, sure in zip(records, told, strict=True)
    ]


def record_lines(records: Sequence[Mapping[str, Any]], confidences: Sequence[Any]) -> Iterator[str]:
    """A block for each record."""
    if not records:
        yield "no records"
    for number, record in enumerate(records, 1):
        sure = confidences[number - 1] if confidences else None
        yield f"{number}." + ("" if sure is None else f" (confidence {one_line(str(sure))})")
        for name, value in record.items():
            if value is not None and value not in ("", []):
                yield f"   {one_line(name)}: {one_line(value if isinstance(value, str) else dump_json(value))}"
