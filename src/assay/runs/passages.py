"""The texts that generators saw, each once: enough to judge a run again without its index or its service."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Container, Iterator, Sequence
from functools import cached_property
from pathlib import Path

from assay.errors import AssayError, IncompleteRun
from assay.files import append_line, dump_json
from assay.systems.secrets import struck_out

FILE_NAME = "passages.jsonl"


class PassageStore:
    """Text by hash. A text is on disk before any result refers to it."""

    def __init__(self, folder: Path, secrets: Sequence[str] = ()) -> None:
        self._secrets = secrets
        self.path = folder / FILE_NAME

    @cached_property
    def _known(self) -> set[str]:
        """Who only reads does not need it."""
        return {key for key, _ in self._entries()}

    def keep(self, text: str) -> str:
        """The key of the text. Secrets are struck out of it first."""
        text = struck_out(text, self._secrets)
        key = hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:16]
        if key not in self._known:
            self._append(dump_json({"key": key, "text": text}))
            self._known.add(key)
        return key

    def _append(self, line: str) -> None:
        """A full disk ends the run with what is finished kept, as it does for the results."""
        try:
            append_line(self.path, line)
        except AssayError as fault:
            hint = f"What was finished is kept; go on with: --resume {self.path.parent.name}"
            raise IncompleteRun(fault.what, where=fault.where, hint=hint) from None

    def read(self, wanted: Container[str] | None = None) -> dict[str, str]:
        """All texts, or those of some keys: a report shows a few of very many."""
        return {key: text for key, text in self._entries() if wanted is None or key in wanted}

    def _entries(self) -> Iterator[tuple[str, str]]:
        """A line that a crash has torn, or a disk has spoiled, is skipped: its text is kept again."""
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
