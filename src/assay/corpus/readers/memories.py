"""Memories: notes with `{id, text, tags?, date?, priority?}`, as JSON lines, a JSON list, or Markdown.

In Markdown a note begins with its head between two lines of `---`, and a file may hold many:

    ---
    id: deploy-window
    tags: [deploy, rule]
    date: 2026-03-01
    priority: high
    ---
    Nothing is deployed on a Friday.

A file without a head is one note, called by the file's name.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from assay.corpus.chunking import count_tokens
from assay.corpus.content import clean
from assay.corpus.readers.chunks import read_lines, read_list
from assay.corpus.readers.protocol import MEMORY_READERS, Ready
from assay.corpus.readers.text import decode
from assay.errors import AssayError
from assay.records import Chunk

PRIORITIES = {"low": 0.0, "medium": 0.5, "high": 1.0}
_HEAD = re.compile(r"^---[ \t]*\n((?:[A-Za-z_][\w-]*:.*\n|[ \t]+.*\n|-[ \t].*\n)+)---[ \t]*(?:\n|\Z)", re.MULTILINE)


@MEMORY_READERS.register(".jsonl", ".ndjson")
def read_json_lines(path: Path) -> Ready:
    return _remembered(read_lines(path))


@MEMORY_READERS.register(".json")
def read_json(path: Path) -> Ready:
    return _remembered(read_list(path))


@MEMORY_READERS.register(".md", ".markdown")
def read_markdown(path: Path) -> Ready:
    text = clean(decode(path.read_bytes())[0])
    heads = [head for head in _HEAD.finditer(text) if head.start() == 0 or re.search(r"^id:", head[1], re.MULTILINE)]
    if not heads or text[: heads[0].start()].strip():
        chunk = Chunk(id=path.stem, text=text.strip(), source=path.name, tokens=count_tokens(text), lane="memory")
        return Ready(chunks=[chunk] if chunk.text else [], place=lambda _: str(path))
    ends = [*(head.start() for head in heads[1:]), len(text)]
    lines = [text.count("\n", 0, head.start()) + 1 for head in heads]
    chunks = [
        _note(path, head[1], text[head.end() : end].strip(), line)
        for head, end, line in zip(heads, ends, lines, strict=True)
    ]
    ready = Ready(chunks=chunks, place=lambda n: f"{path}:{lines[n]}")
    return _remembered(ready, lambda n, key: f"{path}:{lines[n] + _line_in(heads[n][1], key)}")


def _line_in(head: str, key: str) -> int:
    """Lines from the opening `---` down to the key."""
    lines = head.split("\n")
    return next((number for number, line in enumerate(lines, 1) if line.partition(":")[0].strip() == key), 0)


def _note(path: Path, head: str, text: str, line: int) -> Chunk:
    from assay.yaml_source import Source

    # As many lines down as the head stands in the file, so that a fault names the right one.
    values = Source("\n" * line + head, str(path)).data
    if not isinstance(values, dict):
        raise AssayError("the head of a note is not made of keys", where=f"{path}:{line}", expected="id: …")
    id_ = str(values.pop("id", "") or path.stem)
    return Chunk(id=id_, text=text, source=path.name, tokens=count_tokens(text), lane="memory", metadata=values)


def _remembered(ready: Ready, place_of: Callable[[int, str], str] | None = None) -> Ready:
    """`place_of` tells where a key of the n-th note stands, where that is not the place of the note."""
    chunks = []
    for number, chunk in enumerate(ready.chunks):
        place = partial(place_of, number) if place_of else partial(_whole, ready, number)
        if not chunk.text.strip():
            raise AssayError("text is empty", where=ready.place(number), expected="what is to be remembered")
        chunks.append(replace(chunk, lane="memory", metadata=_checked(chunk.metadata, place)))
    return replace(ready, chunks=chunks)


def _whole(ready: Ready, number: int, key: str) -> str:  # noqa: ARG001 (a record is one place)
    return ready.place(number)


def _checked(given: dict[str, Any], place: Callable[[str], str]) -> dict[str, Any]:
    """What ranking and filtering rely on, in one form: tags a list, the date ISO, the priority a number."""
    readers = {"tags": _tags, "date": _date, "priority": _priority}
    found = dict(given)
    for key, read in readers.items():
        if given.get(key) is None:
            found.pop(key, None)
            continue
        try:
            found[key] = read(given[key])
        except (ValueError, TypeError):
            what = f"{key} is {str(given[key])[:40]!r}"
            raise AssayError(what, where=place(key), expected=_EXPECTED[key]) from None
    return found


_EXPECTED = {
    "tags": "a list of words",
    "date": "a date such as 2026-01-31 or 2026-01-31T12:00:00Z",
    "priority": "a number from 0 on, or low, medium, high",
}


def _tags(value: Any) -> list[str]:
    tags = value.split(",") if isinstance(value, str) else value
    if not isinstance(tags, list) or not all(isinstance(tag, str | int) for tag in tags):
        raise ValueError
    return [str(tag).strip() for tag in tags if str(tag).strip()]


def _date(value: Any) -> str:
    datetime.fromisoformat(value)
    return str(value)


def _priority(value: Any) -> float:
    number = PRIORITIES.get(str(value).lower()) if isinstance(value, str) else value
    if isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number < float("inf"):
        raise ValueError
    return float(number)
