"""A JSON file whose lists are read item by item: memory does not grow with their length."""

from __future__ import annotations

import codecs
import hashlib
import json
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import Struct

from assay.errors import AssayError
from assay.files import finite_decoder, line_of, parse_json, read_text

LONG = 1 << 20
"""Bytes from which on a file is not held in memory: below, going through it once is quicker than twice."""
_BLOCK = 1 << 16
_SPACE = re.compile(r"[ \t\n\r]*")


class LongJson(Struct, frozen=True):
    """What stands in a file. Lists of a long one, if it is a list or an object of lists, are `LongList`s."""

    data: Any
    sha256: str
    """Of the text without byte order mark and CRLF."""
    text: str | None
    """Where it was read whole: a pipe gives it only once."""
    path: Path

    def line_of(self, keys: tuple[str | int, ...]) -> int:
        """Where something is wrong, the text is needed after all."""
        return line_of(self.text or read_text(self.path), keys)


class LongList:
    """A list within a file, read from there each time it is gone through."""

    def __init__(self, path: Path, member: int | None, length: int) -> None:
        self._path, self._member, self._length = path, member, length

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Any]:
        count = 0
        try:
            for value in _items(_Window(_pieces(self._path)), self._member):
                count += 1
                yield value
        except (OSError, ValueError, RecursionError):
            count = -1
        if count != self._length:
            raise AssayError("changed while it was read", where=str(self._path), hint="Start again")


def is_list(value: Any) -> bool:
    return isinstance(value, list | LongList)


def is_long(path: Path) -> bool:
    """A pipe tells no size, and a folder's is not that of its files."""
    return path.is_file() and path.stat().st_size >= LONG


def open_json(path: Path) -> LongJson:
    """Strict JSON, as `files.parse_json` has it. What is wrong with a file is told by who reads it whole."""
    if is_long(path):
        try:
            return _scan(path)
        except (OSError, ValueError, RecursionError):
            pass
    text = read_text(path)
    return LongJson(parse_json(text, str(path)), hashlib.sha256(text.encode()).hexdigest(), text, path)


def _scan(path: Path) -> LongJson:
    """Everything but the items of lists, which are only counted."""
    digest = hashlib.sha256()

    def hashed() -> Iterator[str]:
        for piece in _pieces(path):
            digest.update(piece.encode())
            yield piece

    window = _Window(hashed())
    if window.peek() == "[":
        data: Any = LongList(path, None, sum(1 for _ in window.items()))
    elif window.peek() == "{":
        data = {
            key: LongList(path, number, sum(1 for _ in window.items())) if window.peek() == "[" else window.value()
            for number, key in enumerate(window.keys())
        }
    else:
        data = window.value()
    if window.peek():
        raise ValueError("something stands behind the end")
    return LongJson(data, digest.hexdigest(), None, path)


def _items(window: _Window, member: int | None) -> Iterator[Any]:
    """Of the list that the file is, or that its object has as its member of that number."""
    if member is None:
        yield from window.items()
        return
    for number, _ in enumerate(window.keys()):
        if number == member:
            yield from window.items()
            return
        if window.peek() == "[":
            for _ in window.items():
                pass
        else:
            window.value()


def _pieces(path: Path) -> Iterator[str]:
    """The text as `files.read_text` has it, a part at a time."""
    decode = codecs.getincrementaldecoder("utf-8-sig")().decode
    with path.open("rb") as file:
        for block in iter(partial(file.read, _BLOCK), b""):
            while block.endswith(b"\r") and (more := file.read(1)):
                block += more  # CRLF is not cut in two
            yield decode(block).replace("\r\n", "\n")
        decode(b"", final=True)


class _Window:
    """As much of a text as the value needs that is read next."""

    def __init__(self, pieces: Iterator[str]) -> None:
        self._pieces = pieces
        self._text, self._at = "", 0
        self._decode = finite_decoder().raw_decode

    def peek(self) -> str:
        """The next character that is no white space; "" at the end."""
        while True:
            found = _SPACE.match(self._text, self._at)
            self._at = found.end() if found else self._at
            if self._at < len(self._text) or not self._more():
                return self._text[self._at : self._at + 1]

    def value(self) -> Any:
        """What ends with the window may go on behind it."""
        self.peek()
        while True:
            try:
                value, end = self._decode(self._text, self._at)
            except json.JSONDecodeError:
                if not self._more():
                    raise
                continue
            if end < len(self._text) or not self._more():
                self._at = end
                return value

    def keys(self) -> Iterator[str]:
        """Of an object; its value is to be taken before the next key is."""
        for _ in self._members("{", "}"):
            key = self.value()
            if not isinstance(key, str):
                raise ValueError("a key is not text")
            self._take(":")
            yield key

    def items(self) -> Iterator[Any]:
        for _ in self._members("[", "]"):
            yield self.value()

    def _members(self, opening: str, closing: str) -> Iterator[None]:
        self._take(opening)
        if self.peek() != closing:
            yield
            while self.peek() == ",":
                self._take(",")
                yield
        self._take(closing)

    def _take(self, character: str) -> None:
        if self.peek() != character:
            raise ValueError(f"expected {character}")
        self._at += 1

    def _more(self) -> bool:
        """At least as much again, so that a long value is not tried too often."""
        rest = [self._text[self._at :]]
        wanted = len(rest[0])
        for piece in self._pieces:
            rest.append(piece)
            wanted -= len(piece)
            if wanted <= 0:
                break
        self._text, self._at = "".join(rest), 0
        return len(rest) > 1
