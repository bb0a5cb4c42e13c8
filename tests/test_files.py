"""Files are never torn, whatever happens while they are written; JSON is strict both ways."""

from __future__ import annotations

import errno
import hashlib
import json
import multiprocessing
import os
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import AssayError
from assay.files import (
    append_line,
    dump_json,
    dump_lines,
    line_of,
    parse_json,
    read_json,
    read_jsonl,
    read_text,
    text_sha256,
    write_atomic,
    write_json,
)

LOOKS_INFINITE = struct.unpack(">d", bytes.fromhex("40cb7ff000000000"))[0]
"""A number whose bytes, 40 cb 7f f0 …, hold those that begin an infinity in MessagePack: cb 7f f0."""

FULL_DISK = """
import resource, signal, sys
from pathlib import Path
from assay.errors import AssayError
from assay.files import append_line, write_atomic

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
before = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, before[1]))
path, how = Path(sys.argv[1]), sys.argv[2]
try:
    write_atomic(path, b"x" * 50_000) if how == "write" else append_line(path, "x" * 50_000)
except AssayError as fault:
    print(fault)
    sys.exit(fault.exit_code)
finally:
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
"""


def run_full_disk(path: Path, how: str) -> subprocess.CompletedProcess[str]:
    """The limit on the size of a file makes the write fail half way, as a full disk does."""
    return subprocess.run([sys.executable, "-c", FULL_DISK, str(path), how], capture_output=True, text=True)


def test_a_new_file_replaces_the_old_one_whole(tmp_path: Path) -> None:
    path = tmp_path / "a/b/file.txt"
    write_atomic(path, "one")
    write_atomic(path, b"tw\xc3\xb6")
    assert path.read_text("utf-8") == "twö"
    assert list(path.parent.iterdir()) == [path]


def test_a_full_disk_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.write_text("old")
    done = run_full_disk(path, "write")
    assert (done.returncode, done.stdout) == (2, f"{path}: cannot be written: {os.strerror(errno.EFBIG)}\n")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk_takes_back_the_line_that_did_not_fit(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_text("1\n2\n")
    done = run_full_disk(path, "append")
    assert (done.returncode, done.stdout) == (2, f"{path}: cannot be written: {os.strerror(errno.EFBIG)}\n")
    assert path.read_text() == "1\n2\n"


@pytest.mark.parametrize("write", [write_atomic, append_line])
def test_what_cannot_be_written_is_one_line(write: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(AssayError, match=r"file/below/x: cannot be written: "):
        write(tmp_path / "file/below/x", "text")
    with pytest.raises(AssayError, match=r"cannot be written: Is a directory"):
        write(tmp_path, "text")
    assert sorted(tmp_path.iterdir()) == [tmp_path / "file"]


def test_a_broken_surrogate_is_the_same_string_after_a_round_trip(tmp_path: Path) -> None:
    """JSON can hold half a pair, UTF-8 cannot; corpora hold such text."""
    text = "broken \ud83d here, whole 😀 there"
    write_json(tmp_path / "a.json", {"text": text})
    assert read_json(tmp_path / "a.json") == {"text": text}
    append_line(tmp_path / "a.jsonl", dump_json(text))
    assert list(read_jsonl(tmp_path / "a.jsonl")) == [(1, text)]


def test_readers_never_see_half_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    values = ["a" * 200_000, "b" * 300_000]
    write_json(path, values[0])
    stop = threading.Event()

    def write() -> None:
        while not stop.is_set():
            for value in values:
                write_json(path, value)

    writers = [threading.Thread(target=write) for _ in range(2)]
    for writer in writers:
        writer.start()
    seen = {read_json(path)[0] for _ in range(50)}
    stop.set()
    for writer in writers:
        writer.join()
    assert seen <= {"a", "b"}
    assert list(tmp_path.iterdir()) == [path]


def append_many(path: Path, letter: str, count: int) -> None:
    for number in range(count):
        append_line(path, dump_json({"who": letter, "n": number, "pad": letter * 5000}))


def test_two_processes_append_without_tearing(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=append_many, args=(path, letter, 200)) for letter in "ab"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    lines = [value for _, value in read_jsonl(path)]
    for letter in "ab":
        own = [line for line in lines if line["who"] == letter]
        assert [line["n"] for line in own] == list(range(200))
        assert all(line["pad"] == letter * 5000 for line in own)
    assert len(lines) == 400


def test_a_torn_last_line_spoils_no_other(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_text('{"n": 1}\n{"n": 2, "te')
    append_line(path, '{"n":3}')
    assert path.read_text() == '{"n": 1}\n{"n": 2, "te\n{"n":3}\n'


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_what_is_not_finite_is_never_written(value: float, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="Out of range float"):
        write_json(tmp_path / "a.json", {"mean": [value]})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"a": "NaN",\n"b": NaN}', "f.json:2: NaN is not JSON; expected a finite number or null"),
        ('["Infinity \\" ",\n\nInfinity]', "f.json:3: Infinity is not JSON"),
        ("[1,\n-Infinity]", "f.json:2: -Infinity is not JSON"),
        ('["1e999",\n1.5,\n1e999]', "f.json:3: 1e999 is not JSON"),
        ("[\n-1.0e400]", "f.json:2: -1.0e400 is not JSON"),
        ("", "f.json:1: not JSON: Expecting value (column 1)"),
        ('{"a": 1,\n}', "f.json:"),
        ("{'a': 1}", "f.json:1: not JSON: Expecting property name enclosed in double quotes (column 2)"),
        ("[1] [2]", "f.json:1: not JSON: Extra data (column 5)"),
        ("[" * 100_000, "f.json: nested too deeply"),
        ("9" * 5000, "f.json: not JSON: Exceeds the limit"),
        ('"a\x01b"', "f.json:1: not JSON: Invalid control character at (column 3)"),
    ],
)
def test_what_is_not_json_is_told_with_its_line(text: str, told: str) -> None:
    with pytest.raises(AssayError) as raised:
        parse_json(text, "f.json")
    assert str(raised.value).startswith(told)


def test_lines_of_a_jsonl_file_are_counted_with_the_blank_ones(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'\xef\xbb\xbf1\r\n\r\n  \n"a\xe2\x80\xa8b"\n{]\n')
    lines = read_jsonl(path)
    assert next(lines) == (1, 1)
    assert next(lines) == (4, "a\u2028b")
    with pytest.raises(AssayError, match=r"a\.jsonl:5: not JSON"):
        next(lines)


def test_text_is_read_as_any_editor_wrote_it(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbfone\r\ntwo\n")
    assert read_text(path) == "one\ntwo\n"


def test_what_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    with pytest.raises(AssayError, match=r"a\.txt: no such file$"):
        read_text(path)
    with pytest.raises(AssayError, match=r"cannot be read: Is a directory$"):
        read_text(tmp_path)
    path.write_bytes(b"one\ntw\xff")
    with pytest.raises(AssayError, match=r"a\.txt:2: not UTF-8 at byte 6\. Save it as UTF-8$"):
        read_text(path)


@pytest.mark.parametrize("read", [read_text, text_sha256])
def test_a_byte_order_mark_is_counted_in_the_place_of_a_fault(tmp_path: Path, read: Callable[[Path], str]) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbfone\n\xff")
    with pytest.raises(AssayError, match=r"a\.txt:2: not UTF-8 at byte 7\."):
        read(path)
    path.write_bytes(b"\xef\xbb\xbfa\xff")
    with pytest.raises(AssayError, match=r"a\.txt:1: not UTF-8 at byte 4\."):
        read(path)


def test_the_hash_of_a_text_is_that_of_what_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\r\n\xc3\xa9")
    assert text_sha256(path) == hashlib.sha256("one\ntwo\r\né".encode()).hexdigest()


DOCUMENT = """{
  "version": {"schema": "x", "note": "a \\" quote, a } brace\\n"},
  "quests\\u0069ons": [
    {"id": "q1", "größe": 1},
    [1, 2,
      {"deep": null}], "é",
    {"id": "q2",
     "empty": {}, "none": [],
     "last": true}
  ]
}"""


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        ((), 1),
        (("version",), 2),
        (("version", "note"), 2),
        (("questsions",), 3),
        (("questsions", 0, "größe"), 4),
        (("questsions", 1, 2, "deep"), 6),
        (("questsions", 2), 6),
        (("questsions", 3, "id"), 7),
        (("questsions", 3, "last"), 9),
        # what is absent has the line of what should hold it
        (("absent",), 1),
        (("questsions", 9), 3),
        (("questsions", 3, "empty", "x"), 8),
        (("questsions", 3, "none", 0), 8),
        (("questsions", 3, "last", "x"), 9),
        (("questsions", "id"), 3),
    ],
)
def test_the_line_of_a_value(keys: tuple[str | int, ...], line: int) -> None:
    assert line_of(DOCUMENT, keys) == line


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def leaves(value: Any, keys: tuple[str | int, ...] = ()) -> list[tuple[tuple[str | int, ...], Any]]:
    pairs: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    if not pairs:
        return [(keys, value)]
    return [leaf for key, child in pairs for leaf in leaves(child, (*keys, key))]


@given(JSON)
def test_the_line_found_holds_the_value(value: Any) -> None:
    """Written one leaf to a line, the line found is the line of that leaf."""
    text = json.dumps(value, indent=1, ensure_ascii=False)
    for keys, leaf in leaves(value):
        line = text.split("\n")[line_of(text, keys) - 1]
        assert line.rstrip(",").endswith(json.dumps(leaf, ensure_ascii=False))


@given(JSON)
def test_what_is_written_is_read_back(value: Any) -> None:
    assert parse_json(dump_json(value), "x") == value
    assert parse_json(dump_json(value, indent=2), "x") == value
    assert parse_json(dump_lines([value]).decode(), "x") == value


@given(st.lists(JSON, max_size=5))
def test_a_line_is_the_same_whatever_stands_beside_it(values: list[Any]) -> None:
    beside = [*values, "half a pair \ud83d", 2**70, {None: 1}, LOOKS_INFINITE, *values]
    written = dump_lines(beside)
    assert written == b"".join(dump_lines([value]) for value in beside)
    read = [parse_json(line, "x") for line in written.decode().split("\n")[:-1]]
    assert read == [*values, "half a pair \ud83d", 2**70, {"null": 1}, LOOKS_INFINITE, *values]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("around", [lambda bad: bad, lambda bad: {"a": [0.5, {"b": (1, bad)}]}])
def test_no_line_holds_what_is_not_finite(value: float, around: Callable[[float], Any]) -> None:
    with pytest.raises(ValueError, match="Out of range float"):
        dump_lines([0.5, around(value), "more"])
