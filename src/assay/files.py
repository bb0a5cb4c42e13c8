"""Files that are never torn: atomic replacement, appended lines, JSON without NaN, faults with file and line."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from typing import Any

from assay.errors import AssayError, Unwritable


def write_atomic(path: Path, data: bytes | str | Iterable[bytes], *, durable: bool = True) -> None:
    """Write beside the target, flush to disk, then rename: readers see the old file or the new one.

    What is not durable is not waited for: it outlives the process, but perhaps not a power cut.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as file:
            file.writelines((_encode(data),) if isinstance(data, str) else (data,) if isinstance(data, bytes) else data)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as fault:
        raise unwritable(path, fault) from None
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def _encode(text: str) -> bytes:
    """UTF-8. Half a surrogate pair, which UTF-8 cannot hold, becomes its escape: in JSON that is the same string."""
    return text.encode("utf-8", "backslashreplace")


def unwritable(path: Path, fault: OSError) -> Unwritable:
    return Unwritable(f"cannot be written: {fault.strerror}", where=str(path))


_COMPACT = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def dump_json(value: Any, *, indent: int | None = None) -> str:
    """JSON text; NaN and infinities are refused, because readers of JSON refuse them too."""
    if indent is None:
        return _COMPACT(value)
    quick = _quick(value)
    if quick is None:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    from msgspec.json import format as indented

    return indented(quick, indent=indent).decode()


def dump_lines(values: Sequence[Any]) -> bytes:
    """Each as a line of JSON, in UTF-8. A value gives the same bytes, whatever stands beside it."""
    together = _quick(values, lines=True)
    if together is not None:
        return together
    return b"".join((_quick(value) or _encode(_COMPACT(value))) + b"\n" for value in values)


_NOT_FINITE = re.compile(rb"\xcb[\x7f\xff][\xf0-\xff]")
"""How MessagePack begins NaN and the infinities. No text holds it; another number may, by chance."""


def _quick(value: Any, *, lines: bool = False) -> bytes | None:
    """What msgspec writes, ten times quicker than json's own encoder; None where it may not be trusted with it: it
    writes NaN as null, and takes neither half a surrogate pair nor an integer of more than 64 bits."""
    from msgspec.json import Encoder
    from msgspec.msgpack import encode

    try:
        text = Encoder().encode_lines(value) if lines else Encoder().encode(value)
        return None if b"null" in text and _NOT_FINITE.search(encode(value)) else text
    except (UnicodeEncodeError, OverflowError, TypeError):
        return None


def write_json(path: Path, value: Any) -> None:
    write_atomic(path, dump_json(value, indent=2) + "\n")


def append_line(path: Path, line: str) -> None:
    """Append one whole line or nothing, under a lock, so that two writers never tear each other's.

    A last line without its end (its writer was killed) is ended first, so that it spoils no line but itself.
    """
    import fcntl

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab+", buffering=0) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            size = file.seek(0, os.SEEK_END)
            data = _encode(line) + b"\n"
            if size and os.pread(file.fileno(), 1, size - 1) != b"\n":
                data = b"\n" + data
            _write_whole(file, data, size)
    except OSError as fault:
        raise unwritable(path, fault) from None


def _write_whole(file: FileIO, data: bytes, size: int) -> None:
    """On a full disk the part that fitted is taken back."""
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[file.write(rest) :]
    except OSError:
        file.truncate(size)
        raise


def read_text(path: Path) -> str:
    """The file as UTF-8 with any byte order mark and CRLF removed; a fault is one line with the file's name."""
    with _told(path):
        data = path.read_bytes()
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as fault:
        raise _not_utf8(path, fault, data) from None


def text_lines(path: Path) -> Iterator[str]:
    """`read_text` line by line, each with its end."""
    start = 0
    with _told(path), path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                yield line.decode("utf-8" if start else "utf-8-sig").replace("\r\n", "\n")
            except UnicodeDecodeError as fault:
                raise _not_utf8(path, fault, line, start, number) from None
            start += len(line)


def text_sha256(path: Path) -> str:
    """Of what `read_text` gives."""
    from hashlib import sha256

    digest = sha256()
    for line in text_lines(path):
        digest.update(line.encode())
    return digest.hexdigest()


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise AssayError("no such file", where=str(path)) from None
    except OSError as fault:
        raise AssayError(f"cannot be read: {fault.strerror}", where=str(path)) from None


def _not_utf8(path: Path, fault: UnicodeDecodeError, data: bytes, start: int = 0, line: int = 1) -> AssayError:
    """In data that begins at that byte and in that line. The fault's own place does not count a byte order mark."""
    place = len(data) - len(fault.object) + fault.start
    line += data.count(b"\n", 0, place)
    return AssayError(f"not UTF-8 at byte {start + place}", where=f"{path}:{line}", hint="Save it as UTF-8")


def read_json(path: Path) -> Any:
    return parse_json(read_text(path), str(path))


def parse_json(text: str, where: str, first_line: int = 1) -> Any:
    """Strict JSON: NaN, infinities and numbers too large to be finite are faults, named with their line."""
    from msgspec import MsgspecError
    from msgspec.json import decode

    try:
        return decode(text)
    except (MsgspecError, ValueError, RecursionError):  # told by the slower one, which knows the place
        return _parse_slowly(text, where, first_line)


def _parse_slowly(text: str, where: str, first_line: int) -> Any:
    """It takes half a surrogate pair, too."""
    try:
        return finite_decoder().decode(text)
    except json.JSONDecodeError as fault:
        line = first_line + fault.lineno - 1
        raise AssayError(f"not JSON: {fault.msg} (column {fault.colno})", where=f"{where}:{line}") from None
    except _NotFinite as fault:
        line = first_line + text.count("\n", 0, _position(text, fault.literal))
        raise AssayError(
            f"{fault.literal} is not JSON", where=f"{where}:{line}", expected="a finite number or null"
        ) from None
    except RecursionError:
        raise AssayError("nested too deeply", where=where) from None
    except ValueError as fault:  # an integer with thousands of digits
        raise AssayError(f"not JSON: {fault}", where=where) from None


def finite_decoder() -> json.JSONDecoder:
    """Refuses NaN, infinities and numbers too large to be finite."""
    return json.JSONDecoder(parse_constant=_refuse, parse_float=_finite)


class _NotFinite(ValueError):
    def __init__(self, literal: str) -> None:
        self.literal = literal


def _refuse(literal: str) -> Any:
    raise _NotFinite(literal)


def _finite(literal: str) -> float:
    value = float(literal)
    if value - value != 0:
        raise _NotFinite(literal)
    return value


def _position(text: str, literal: str) -> int:
    """Where the literal first stands outside a string."""
    tokens = re.finditer(rf'"(?:[^"\\]|\\.)*"|({re.escape(literal)})', text)
    return next(token.start() for token in tokens if token[1])


def read_jsonl(path: Path) -> Iterator[tuple[int, Any]]:
    """(line number, value) of each line that is not blank, one after the other."""
    for number, line in enumerate(text_lines(path), 1):
        if line.strip():
            yield number, parse_json(line.removesuffix("\n"), str(path), number)


def line_of(text: str, keys: tuple[str | int, ...]) -> int:
    """The line where the value at that path of a JSON text stands; of its deepest existing ancestor if it is absent."""
    decoder = json.JSONDecoder()
    position = _skip(text, 0)
    for key in keys:
        found = _child(text, position, key, decoder)
        if found is None:
            break
        position = found
    return text.count("\n", 0, position) + 1


def list_lines(text: str, keys: tuple[str | int, ...] = ()) -> Iterator[tuple[int, Any]]:
    """(line, item) of the list that stands at that path of a JSON text known to be sound, one after the other."""
    decoder = json.JSONDecoder()
    position = _skip(text, 0)
    for key in keys:
        position = _child(text, position, key, decoder) or 0
    line, counted = 1, 0
    position = _skip(text, position + 1)
    while text[position] != "]":
        line, counted = line + text.count("\n", counted, position), position
        item, position = decoder.raw_decode(text, position)
        yield line, item
        position = _skip(text, position)


def _skip(text: str, position: int) -> int:
    while position < len(text) and text[position] in " \t\r\n,:":
        position += 1
    return position


def _child(text: str, position: int, key: str | int, decoder: json.JSONDecoder) -> int | None:
    """Where the child value of an object or array begins."""
    is_object = text[position] == "{"
    if not is_object and text[position] != "[":
        return None
    position, index = _skip(text, position + 1), 0
    while text[position] not in "]}":
        name: str | int = index
        if is_object:
            name, position = decoder.raw_decode(text, position)
            position = _skip(text, position)
        if name == key:
            return position
        _, position = decoder.raw_decode(text, position)
        position, index = _skip(text, position), index + 1
    return None
