"""Baselines: summaries of runs that were promoted, versioned, one series for each client."""

from __future__ import annotations

import re
import time
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any

from msgspec import Struct

from assay.errors import AssayError
from assay.files import read_json, unwritable, write_json
from assay.runs.column import plain
from assay.runs.folder import RunFolder
from assay.runs.naming import BaselineName
from assay.runs.scored import of_run

STALE = 60.0
"""Seconds after which a reservation was left behind by a crash."""


class Baseline(Struct, frozen=True):
    """A baseline file and the parts of its name."""

    path: Path
    name: BaselineName

    @property
    def data(self) -> dict[str, Any]:
        value: dict[str, Any] = read_json(self.path)
        return value

    def listing(self) -> dict[str, Any]:
        """The line that stands for it in a list."""
        data = self.data
        return {
            "version": self.name.version,
            "client": self.name.client,
            "kind": data["kind"],
            "corpus": data["corpus"]["name"],
            "date": self.name.date,
            "best": best_of(data),
            "questions": self.name.count,
            "file": self.path.name,
            "metrics": means_of(data),
        }


def best_of(summary: dict[str, Any]) -> str | None:
    """What the headline numbers are those of: the best variant, or the system."""
    found: str | None = summary["decision"]["variant"] if "decision" in summary else summary.get("system")
    return found


def means_of(summary: dict[str, Any]) -> dict[str, float | None]:
    """The headline means."""
    intervals = summary["intervals"] if "intervals" in summary else summary["metrics"].get(best_of(summary), {})
    return {name: interval["mean"] for name, interval in intervals.items()}


def all_baselines(root: Path, client: str | None = None) -> list[Baseline]:
    """Oldest version first, by number: v10 stands behind v2."""
    named = [(path, BaselineName.parse(path)) for path in root.glob("baseline_*.json")]
    found = [Baseline(path, name) for path, name in named if name and client in (None, name.client)]
    return sorted(found, key=lambda baseline: (baseline.name.client, baseline.name.version, baseline.path.name))


def corpus_key(name: str) -> str:
    """`QA_{CLIENT}_gold_v1-0__q358.json` and `..._v1-1__q360.json` are one corpus in two versions."""
    return re.sub(r"_v\d+-\d+__q\d+(?=\.json$)", "", name)


def latest(root: Path, client: str, kind: str, gold_name: str) -> Baseline | None:
    """The highest version of that client for that kind of evaluation and that corpus."""
    for baseline in reversed(all_baselines(root, client)):
        data = baseline.data
        if data.get("kind") == kind and corpus_key(data.get("corpus", {}).get("name", "")) == corpus_key(gold_name):
            return baseline
    return None


def promote(run: RunFolder, root: Path, *, today: date, force: bool = False) -> Baseline:
    """Make a run the next version. A partial one is refused unless forced."""
    summary = run.summary
    if summary.get("partial") and not force:
        why = summary["partial"]
        raise AssayError(f"a partial run is no baseline: {why}", where=str(run.path), hint="Promote it with --force")
    client = summary["client"]
    scored = of_run(run)
    while True:
        version = max((baseline.name.version for baseline in all_baselines(root, client)), default=0) + 1
        name = BaselineName(client, version, today.isoformat(), summary["corpus"]["tested"])
        if _reserve(root, client, version):
            break
    data = {"baseline_version": version, **{key: value for key, value in summary.items() if key != "run_id"}}
    scores = {
        variant: {measure: plain(values) for measure, values in by_measure.items()}
        for variant, by_measure in scored.scores.items()
    }
    data |= {"promoted_from": run.name, "scores": scores, "tags": scored.tags, "wordings": scored.wordings}
    baseline = Baseline(root / str(name), name)
    try:
        write_json(baseline.path, data)
    finally:
        _reservation(root, client, version).unlink(missing_ok=True)
    return baseline


def _reservation(root: Path, client: str, version: int) -> Path:
    return root / f".baseline_{client}_v{version}.reserved"


def _reserve(root: Path, client: str, version: int) -> bool:
    """Whether the version is ours: of two who promote at once, the second takes the next number."""
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise unwritable(root, fault) from None
    try:
        _reservation(root, client, version).touch(exist_ok=False)
    except FileExistsError:
        reservation = _reservation(root, client, version)
        with suppress(FileNotFoundError):
            if time.time() - reservation.stat().st_mtime > STALE:
                reservation.unlink()
        time.sleep(0.01)
        return False
    except OSError as fault:
        raise unwritable(root, fault) from None
    taken = any(baseline.name.version == version for baseline in all_baselines(root, client))
    if taken:
        _reservation(root, client, version).unlink(missing_ok=True)
    return not taken
