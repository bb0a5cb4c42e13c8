"""The texts that generators saw, each once: enough to judge a run again without its index or its service."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Container, Iterator, Sequence
from functools import cached_property
from pathlib import Path

from assay.errors import AssayError, IncompleteRun
from assay.files import append_line, dump_json
from assay.systems.secrets import struck_out

FILE_NAME = "passages.jsonl"
_KEY = re.compile("[0-9a-f]{16}")


class PassageStore:
    """Text by hash. A text is on disk before any result refers to it."""

    def __init__(self, folder: Path, secrets: Sequence[str] = ()) -> None:
        self._secrets = secrets
        self.path = folder / FILE_NAME

    @cached_property
    def _known(self) -> set[int]:
        """Keys as numbers, which are half as large. Who only reads does not need them."""
        return {int(key, 16) for key, _ in self._entries() if _KEY.fullmatch(key)}

    def keep(self, text: str) -> str:
        """The key of the text. Secrets are struck out of it first."""
        text = struck_out(text, self._secrets)
        key = hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:16]
        if (number := int(key, 16)) not in self._known:
            self._append(dump_json({"key": key, "text": text}))
            self._known.add(number)
        return key

    def _append(self, line: str) -> None:
        """A full disk ends the run with what is finished kept, as it does for the results."""
        try:
            append_line(self.path, line)
        except AssayError as fault:
            hint = f"What was finished is kept; go on with: --resume {self.path.parent.name}"
            raise IncompleteRun(fault.what, where=fault.where, hint=hint) from None

    def read(self) -> dict[str, str]:
        """All texts."""
        return dict(self._entries())

    def some(self, wanted: Container[str]) -> Iterator[tuple[str, str]]:
        """Those of some keys, one after the other: a report shows a few of very many."""
        return ((key, text) for key, text in self._entries() if key in wanted)

    def _entries(self) -> Iterator[tuple[str, str]]:
        """Keys and texts. A line that a crash has torn, or a disk has spoiled, is skipped: its text is kept again."""
        if not self.path.exists():
            return
        with self.path.open("rb") as file:
            for line in file:
                if (entry := _entry(line)) is not None:
                    yield entry


def _entry(line: bytes) -> tuple[str, str] | None:
    """Key and text. What `keep` has written with half a surrogate pair only `json` reads."""
    try:
        data = json.loads(line)
        key, text = data["key"], data["text"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return (key, text) if isinstance(key, str) and isinstance(text, str) else None
