"""The texts that generators saw, each once: enough to judge a run again without its index or its service."""

from __future__ import annotations

import hashlib
from pathlib import Path

from assay.errors import AssayError, IncompleteRun
from assay.files import append_line, dump_json, parse_json

FILE_NAME = "passages.jsonl"


class PassageStore:
    """Text by hash. A text is on disk before any result refers to it."""

    def __init__(self, folder: Path):
        self.path = folder / FILE_NAME
        self._known = set(self.read())

    def keep(self, text: str) -> str:
        """The key of the text."""
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

    def read(self) -> dict[str, str]:
        """All texts. A line torn by a crash is followed by a whole one, and is skipped."""
        if not self.path.exists():
            return {}
        texts: dict[str, str] = {}
        for number, line in enumerate(self.path.read_bytes().split(b"\n"), 1):
            if line.endswith(b"}") and line.startswith(b"{"):
                entry = parse_json(line.decode(), str(self.path), number)
                texts[entry["key"]] = entry["text"]
        return texts
