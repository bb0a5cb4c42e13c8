"""A JSON file that is read item by item says what the whole file says, and what is wrong with it in the same words."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay import long_json
from assay.errors import AssayError
from assay.files import line_of, read_json, read_text, text_sha256
from assay.gold.case_store import CaseStore
from assay.gold.cases import Purpose, load_cases
from assay.long_json import LongList, is_list, open_json

GOLD = Path(__file__).parents[1] / "examples/orrin/gold.json"
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
JSON = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)


def whole(data: Any) -> Any:
    """With plain lists."""
    if isinstance(data, LongList):
        return list(data)
    return {key: whole(value) for key, value in data.items()} if isinstance(data, dict) else data


@pytest.fixture(autouse=True)
def every_file_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_json, "LONG", 0)


@pytest.mark.parametrize("block", [1, 7, 1 << 16])
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=JSON, indent=st.sampled_from([None, 1]), ascii_=st.booleans())
def test_any_json_is_read_as_it_stands(
    tmp_path_factory: pytest.TempPathFactory, block: int, data: Any, indent: int | None, ascii_: bool
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.json"
    text = json.dumps(data, indent=indent, ensure_ascii=ascii_)
    path.write_bytes(text.encode("utf-8", "backslashreplace"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(long_json, "_BLOCK", block)
        found = open_json(path)
        assert whole(found.data) == read_json(path)
        assert found.sha256 == text_sha256(path) == hashlib.sha256(read_text(path).encode()).hexdigest()
        if isinstance(data, list):
            assert (len(found.data), list(found.data)) == (len(data), list(found.data)), "as often as one likes"


def test_top_lists_are_long_and_what_stands_inside_is_not(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"a": [1, [2, 3], {"b": [4]}], "c": {"d": [5]}, "a": [6], "e": []}')
    found = open_json(path).data
    assert [key for key, value in found.items() if isinstance(value, LongList)] == ["a", "e"]
    assert (list(found["a"]), list(found["e"]), found["c"]) == ([6], [], {"d": [5]}), "the last of equal keys counts"
    assert (is_list(found["a"]), is_list([]), is_list(found["c"]), is_list("a")) == (True, True, False, False)


@pytest.mark.parametrize("block", [1, 2, 3, 64])
def test_byte_order_mark_and_crlf_are_no_part_of_the_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    monkeypatch.setattr(long_json, "_BLOCK", block)
    plain, dressed = tmp_path / "plain.json", tmp_path / "dressed.json"
    plain.write_bytes('[\n"é\\r\\n",\n 12\n]\n'.encode())
    dressed.write_bytes(b"\xef\xbb\xbf" + plain.read_bytes().replace(b"\n", b"\r\n"))
    assert open_json(dressed).sha256 == open_json(plain).sha256
    assert list(open_json(dressed).data) == ["é\r\n", 12]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[1, 2",
        "[1, 2,]",
        "[1 2]",
        '{"a": [1], "b" 2}',
        '{"a": [1],}',
        '{1: "a"}',
        '{"a": 1} x',
        "[1] [2]",
        "[1, NaN]",
        "[-Infinity]",
        '{"a": 1e999}',
        '["a',
        "[" * 100_000,
        f"[{'9' * 5000}]",
    ],
)
def test_what_is_wrong_is_told_as_of_a_file_that_is_read_whole(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(AssayError) as expected:
        read_json(path)
    with pytest.raises(AssayError) as told:
        open_json(path)
    assert str(told.value) == str(expected.value)


def test_a_file_that_is_not_there_or_not_utf8_is_told(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="no such file"):
        open_json(tmp_path / "none.json")
    (tmp_path / "a.json").write_bytes(b'["a",\n"\xff"]')
    with pytest.raises(AssayError, match=r"a\.json:2: not UTF-8 at byte 7"):
        open_json(tmp_path / "a.json")


def test_lines_are_those_of_the_text(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"a": [\n{"b": 1},\n{"b": 2}]}')
    assert open_json(path).line_of(("a", 1, "b")) == line_of(path.read_text(), ("a", 1, "b")) == 3


def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=('[1,\n{"b": 2}]',))
    writer.start()
    found = open_json(path)
    writer.join()
    assert (list(found.data), list(found.data), found.line_of((1, "b"))) == ([1, {"b": 2}],) * 2 + (2,)


@pytest.mark.parametrize("later", ['{"a": [1]}', '{"a": [1, 2', '{"b": 1}'])
def test_a_file_that_changed_meanwhile_is_told(tmp_path: Path, later: str) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"a": [1, 2]}')
    found = open_json(path).data
    path.write_text(later)
    with pytest.raises(AssayError, match=r"a\.json: changed while it was read"):
        list(found["a"])


def test_a_short_file_is_read_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"a": [1, 2]}')
    monkeypatch.setattr(long_json, "LONG", path.stat().st_size + 1)
    assert open_json(path).data == {"a": [1, 2]}
    monkeypatch.setattr(long_json, "LONG", path.stat().st_size)
    assert isinstance(open_json(path).data["a"], LongList)


@pytest.mark.parametrize("purpose", ["chunks", "pages", "answers"])
def test_long_or_short_the_cases_are_the_same(monkeypatch: pytest.MonkeyPatch, purpose: Purpose) -> None:
    long = load_cases(GOLD, purpose)
    monkeypatch.setattr(long_json, "LONG", 1 << 30)
    short = load_cases(GOLD, purpose)
    assert (list(long.cases), long.excluded, long.sha256) == (list(short.cases), short.excluded, short.sha256)
    assert (type(long.cases), type(short.cases)) == (CaseStore, list)
