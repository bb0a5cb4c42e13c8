"""A fault is one line: where, what, what was expected, what to do next."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import AssayError, IncompleteRun, MissingExtra, nearest, offer, unknown_name


@pytest.mark.parametrize(
    ("fault", "line"),
    [
        (AssayError("it is broken"), "it is broken"),
        (AssayError("it is broken", where="a.json:3"), "a.json:3: it is broken"),
        (AssayError("k is 0", where="a.yaml:3", expected="1 or more"), "a.yaml:3: k is 0; expected 1 or more"),
        (AssayError("it is broken.", hint="Mend it"), "it is broken. Mend it"),
        (AssayError("two\nlines\r\nand a\ttab"), "two lines and a tab"),
        (AssayError("red \x1b[31m and \x9b"), r"red \x1b[31m and \x9b"),
        (MissingExtra("x", "y", "reading"), "reading needs the package 'x'. Install it with: pip install 'assay[y]'"),
        (unknown_name("retriever", "bm52", ["vector", "bm25"]), "unknown retriever 'bm52'. Did you mean bm25?"),
        (unknown_name("retriever", "xyz", ["vector", "bm25"]), "unknown retriever 'xyz'. Known: bm25, vector"),
        (unknown_name("retriever", "xyz", []), "unknown retriever 'xyz'. None is known"),
    ],
)  # fmt: skip
def test_a_fault_is_one_line(fault: AssayError, line: str) -> None:
    assert str(fault) == line


@given(st.text(), st.text())
def test_whatever_a_file_holds_stays_on_one_line_and_moves_no_cursor(what: str, where: str) -> None:
    line = str(AssayError(what, where=where))
    assert len(line.splitlines()) <= 1
    assert not any(ord(character) < 32 or 127 <= ord(character) < 160 for character in line)


def test_exit_codes() -> None:
    assert AssayError("usage").exit_code == 2
    assert MissingExtra("docx", "docx", "reading .docx").exit_code == 2
    assert IncompleteRun("stopped at case 3 of 9").exit_code == 3


def test_the_nearest_names_keep_their_own_spelling() -> None:
    assert nearest("NDGC@10", ["nDCG@10", "map"]) == ["nDCG@10"]
    assert len(nearest("aaaa", ["aaab", "aaac", "aaad", "aaae"])) == 3
    assert nearest("", ["a"]) == []
    assert nearest("--outt", ["--out", "--quiet"]) == ["--out"]
    assert nearest("--from-csv", ["--max-cost", "--quiet"]) == []
    assert nearest("recal", ["recall", "page_recall"]) == ["recall"], "0.91 and 0.62 alike"


def test_of_thousands_of_names_some_are_listed() -> None:
    names = [f"file{number:04d}.py" for number in range(5000)]
    hint = offer("zzz", names)
    assert hint.startswith("Known: file0000.py, file0001.py, ")
    assert hint.endswith("file0039.py, ... and 4960 more")
    assert offer("zzz", names[:40]) == f"Known: {', '.join(names[:40])}"
    assert offer("zzz", []) == "None is known"
