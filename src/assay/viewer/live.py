"""How far runs are: small answers, to be asked for again and again."""

from __future__ import annotations

from hashlib import sha256

import msgspec

from assay.viewer.visit import Data, Visit


def run_progress(visit: Visit) -> Data:
    """Of one run. `stamp` changes when its pages would show something else."""
    progress = visit.desk.catalogue.progress(visit.run)
    return {"view": "progress", **msgspec.to_builtins(progress), "stamp": f"{progress.status}-{progress.done}"}


def all_progress(visit: Visit) -> Data:
    """Of those that go on."""
    catalogue = visit.desk.catalogue
    listings = catalogue.listings()
    running = [catalogue.progress(visit.desk.places.run(each.name)) for each in listings if each.status == "running"]
    known = "\n".join(f"{each.name} {each.status} {each.verdict}" for each in listings)
    done = "\n".join(f"{each.name} {each.done}" for each in running)
    stamp = sha256(f"{known}\n{done}".encode("utf-8", "replace")).hexdigest()[:16]
    return {"view": "progress", "running": [msgspec.to_builtins(each) for each in running], "stamp": stamp}
