"""The text of a sample, if its file is still there and still the one that was read."""

from __future__ import annotations

from pathlib import Path

from assay.errors import AssayError
from assay.extraction.samples import TEXT
from assay.extraction.scoring import text_sha256
from assay.files import read_text
from assay.runs.folder import RunFolder
from assay.runs.results import Row
from assay.viewer.visit import Visit

LONGEST = 1_000_000
"""Bytes; a longer file is not read."""


def sample_text(visit: Visit, run: RunFolder, row: Row) -> str | None:
    """None: not known, gone, changed, too long, or outside of the samples' folder, or that outside of the project."""
    wanted, folder = row.get("text_sha256"), _folder(visit, run)
    if not wanted or folder is None:
        return None
    try:
        path = (folder / f"{row['case_id']}{TEXT}").resolve()
        if not path.is_relative_to(folder) or not path.is_file() or path.stat().st_size > LONGEST:
            return None
        text = read_text(path)
    except (AssayError, OSError, ValueError):  # a name that no file can have
        return None
    return text if text_sha256(text) == wanted else None


def _folder(visit: Visit, run: RunFolder) -> Path | None:
    """A manifest may come from anywhere: it cannot lead out of the project."""
    order = run.manifest.get("order")
    name = order.get("samples") if isinstance(order, dict) else None
    if not isinstance(name, str) or "\0" in name:
        return None
    root = Path(visit.desk.places.config.root).resolve()
    folder = (root / name).resolve()
    return folder if folder.is_relative_to(root) else None
