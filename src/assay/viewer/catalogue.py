"""All runs with what a list says of each, and how far those that go on have come."""

from __future__ import annotations

import time
from datetime import datetime
from typing import Any, Literal

import msgspec
from msgspec import Struct

from assay.errors import AssayError
from assay.files import read_json
from assay.report.listing import MEASURES
from assay.report.verdict import quality_gates
from assay.runs.baselines import best_of, means_of
from assay.runs.folder import MANIFEST, RESULTS, SUMMARY, RunFolder
from assay.runs.naming import model_in
from assay.runs.writing import is_being_written
from assay.viewer.lines import Lines
from assay.viewer.memory import Memory
from assay.viewer.outcome import Reasons, told_reasons
from assay.viewer.places import Places

RECENT = 30.0
"""Seconds over which the rate of a run is taken."""

Status = Literal["complete", "running", "incomplete"]


class Listing(Struct, frozen=True, kw_only=True):
    """What a list says of a run; `measures` are its headline means."""

    name: str
    kind: str
    status: Status
    created: str
    client: str
    system: str | None = None
    corpus: str | None = None
    questions: int | None = None
    verdict: str | None = None
    """passed, warned, failed (a blocking gate), errors (questions without a result) or no gate; None: not finished."""
    partial: str | None = None
    measures: dict[str, float | None] = {}

    def as_data(self) -> dict[str, Any]:
        data: dict[str, Any] = msgspec.to_builtins(self)
        return data


class Progress(Struct, frozen=True, kw_only=True):
    """How far a run is."""

    name: str
    status: Status
    done: int
    expected: int | None = None
    """Rows there will be; None: the run does not say."""
    per_second: float | None = None
    """Over the last half minute that was watched."""
    seconds_left: float | None = None


class Catalogue:
    """Reads what has changed and remembers the rest."""

    def __init__(self, places: Places) -> None:
        self.places = places
        self._listings = Memory(10_000)
        self._lines = Memory(8)
        self._reasons = Memory(8)
        self._seen: dict[str, list[tuple[float, int]]] = {}

    def listings(self) -> list[Listing]:
        """Newest first. A folder that cannot be read as a run is left out: the others can still be seen."""
        found = []
        for run in self.places.all_runs():
            try:
                found.append(self.listing(run))
            except (AssayError, OSError):
                continue
        return sorted(found, key=lambda listing: (listing.created, listing.name), reverse=True)

    def listing(self, run: RunFolder) -> Listing:
        files = (run.path / MANIFEST, run.path / SUMMARY)
        kept: Listing = self._listings.get(run.name, files, lambda: _read(run))
        if kept.status == "complete":
            return kept
        return msgspec.structs.replace(kept, status="running" if is_being_written(run) else "incomplete")

    def lines(self, run: RunFolder) -> Lines:
        """The rows of the run. They are the same object as long as the folder is the same one."""
        files = (run.path / MANIFEST,)
        return self._lines.get(run.name, files, lambda: Lines(run.path / RESULTS, run.manifest["kind"]))

    def reasons(self, run: RunFolder) -> Reasons:
        """Why questions failed, as the finished run says."""
        return self._reasons.get(run.name, (run.path / SUMMARY,), lambda: told_reasons(run))

    def progress(self, run: RunFolder) -> Progress:
        """Cheap: of the results only what is new is read."""
        listing = self.listing(run)
        done = len(self.lines(run).entries())
        expected = run.manifest.get("rows") if listing.status != "complete" else done
        rate = self._rate(run.name, done) if listing.status == "running" else None
        left = (expected - done) / rate if rate and expected is not None and expected >= done else None
        return Progress(
            name=run.name,
            status=listing.status,
            done=done,
            expected=expected,
            per_second=rate,
            seconds_left=left,
        )

    def _rate(self, name: str, done: int) -> float | None:
        now = time.monotonic()
        seen = [(at, count) for at, count in self._seen.get(name, ()) if now - at <= RECENT and count <= done]
        self._seen[name] = [*seen, (now, done)]
        if not seen or now - seen[0][0] < 1:
            return None
        return (done - seen[0][1]) / (now - seen[0][0])


def _read(run: RunFolder) -> Listing:
    try:
        return _listing(run)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise AssayError("cannot be read as a run", where=str(run.path)) from None


def _listing(run: RunFolder) -> Listing:
    data = run.manifest
    created = str(data["created"])
    datetime.fromisoformat(created)
    base = Listing(
        name=run.name,
        kind=str(data["kind"]),
        status="incomplete",
        created=created,
        client=str(data["client"]),
        system=model_in(run.name),
    )
    return _finished(base, run) if run.finished else base


def _finished(base: Listing, run: RunFolder) -> Listing:
    summary = read_json(run.path / SUMMARY)
    means = means_of(summary)
    return msgspec.structs.replace(
        base,
        status="complete",
        system=best_of(summary) or base.system,
        corpus=summary["corpus"]["name"],
        questions=summary["corpus"]["tested"],
        verdict=verdict_of(summary),
        partial=summary.get("partial"),
        measures={name: means[name] for name in MEASURES if name in means},
    )


def verdict_of(summary: dict[str, Any]) -> str:
    if summary["errors"]["total"]:
        return "errors"
    failed = {gate["severity"] for gate in summary["gates"] if not gate["passed"]}
    if failed:
        return "failed" if "blocking" in failed else "warned"
    return "passed" if quality_gates(summary) else "no gate"
