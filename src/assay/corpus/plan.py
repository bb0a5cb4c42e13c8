"""What has to be done to bring an index up to date: decided from file sizes, times and hashes, before any is read."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec
from msgspec import Struct

from assay import __version__
from assay.corpus.chunking import VERSION
from assay.corpus.code.unit import VERSION as UNITS_VERSION
from assay.corpus.scan import Found, Scan
from assay.corpus.store import SCHEMA_VERSION, State

UNITS = "code_units"
_SAME_TICK_NS = 2_000_000_000
"""A file changed this shortly before it was read may have changed again within one tick of the clock: see its hash."""


class Plan(Struct, frozen=True):
    kept: list[str]
    read: list[Found]
    gone: list[str]
    from_scratch: bool
    """Nothing of the old index can be used: there is none, documents would be cut differently, or somebody else changed
    its chunks."""
    embed_again: bool
    """The texts stay, their vectors do not."""

    @property
    def is_nothing(self) -> bool:
        return not (self.read or self.gone or self.from_scratch or self.embed_again)


def plan(
    scan: Scan, state: State | None, settings: dict[str, str], embedding: dict[str, str], *, rebuild: bool = False
) -> Plan:
    """`settings` decide the chunks, `embedding` the vectors; both as they are kept in the metadata."""
    wanted = {**settings, "schema_version": SCHEMA_VERSION}
    if rebuild or state is None or not _agree(state, wanted) or "fingerprint" not in state.metadata:
        return Plan([], list(scan.files), [], from_scratch=True, embed_again=False)
    embed_again = not _agree(state, embedding)
    kept: list[Found] = []
    read: list[Found] = []
    for found in scan.files:
        # Ready-made chunks may bring vectors along, which only their file still has.
        must_read = (embed_again and found.is_ready) or _is_new(found, state)
        (read if must_read else kept).append(found)
    names = {found.key for found in scan.files}
    gone = [name for name in state.files if name not in names]
    return Plan([found.key for found in kept], read, gone, from_scratch=False, embed_again=embed_again)


def settings_of(chunking: Struct, language: str) -> dict[str, str]:
    described = msgspec.json.encode(chunking, order="sorted").decode()
    return {"chunking": described, "language": language, "chunker": str(VERSION), UNITS: str(UNITS_VERSION)}


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _agree(state: State, wanted: dict[str, str]) -> bool:
    """An index made before there was code in any holds no units that could be old."""
    return all(state.metadata.get(key, value if key == UNITS else "") == value for key, value in wanted.items())


def _is_new(found: Found, state: State) -> bool:
    """Never read, or changed since, or not readable by the version that tried."""
    row = state.files.get(found.key)
    if row is None or found.size != row.size:
        return True
    if row.problem is not None and (state.metadata.get("assay_version") != __version__ or _is_installed(row.needs)):
        return True
    scanned_ns = int(state.metadata.get("scanned_ns", 0))
    if found.mtime_ns == row.mtime_ns and found.mtime_ns < scanned_ns - _SAME_TICK_NS:
        return False
    return sha256_of(found.path) != row.sha256


def _is_installed(package: str | None) -> bool:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return package is not None and bool(version(package))
    except PackageNotFoundError:
        return False
