"""Names of runs and baselines, and how they are read back: v10 is newer than v2."""

from __future__ import annotations

import os
import re
from datetime import datetime
from pathlib import Path

from msgspec import Struct

_BASELINE = re.compile(r"baseline_(?P<client>.+)_v(?P<version>\d+)__(?P<date>[\d-]+)__q(?P<count>\d+)\.json")


def new_run_id(now: datetime) -> str:
    return f"run_{now:%Y%m%d}_{now:%H%M%S}_{os.urandom(4).hex()}"


def folder_name(run_id: str, model: str, k: int | None) -> str:
    """`{DATE}__{MODEL}__p{K}__{last 8 of the id}`; what no file name may hold becomes `_`. None: there is no k."""
    day = run_id.split("_")[1]
    safe = re.sub(r"[^\w.+@-]", "_", model)[:80] or "_"
    cut = "" if k is None else f"p{k}__"
    return f"{day[:4]}-{day[4:6]}-{day[6:]}__{safe}__{cut}{run_id[-8:]}"


def model_in(folder: str) -> str:
    """The model as the folder's name has it; of a folder that was renamed, its name."""
    found = _FOLDER.fullmatch(folder)
    return found[1] if found else folder


_FOLDER = re.compile(r"\d{4}-\d\d-\d\d__(.+?)(?:__p\d+)?__.{8}")


class BaselineName(Struct, frozen=True):
    """The parts of a baseline's file name."""

    client: str
    version: int
    date: str
    count: int

    def __str__(self) -> str:
        return f"baseline_{self.client}_v{self.version}__{self.date}__q{self.count}.json"

    @classmethod
    def parse(cls, path: Path) -> BaselineName | None:
        found = _BASELINE.fullmatch(path.name)
        if not found:
            return None
        return cls(found["client"], int(found["version"]), found["date"], int(found["count"]))
