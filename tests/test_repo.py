"""What holds for every file of the repository."""

from __future__ import annotations

import ast
import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LIMIT = 1_000_000
CODE = ("src", "tests", "benchmarks", "docs", "examples")
SOURCES = sorted((ROOT / "src").rglob("*.py"))
OFFICE = (
    r"cla" + r"ude(?![-\w])|sub" + r"agent|/wo" + r"rk/|/fa" + r"rm/|\.libr" + r"ary\b|\.\./sha" + r"red|/ro" + r"ot/"
)
"""Written in halves, so that this file does not find itself. A model's name (with a hyphen) is no such word."""
UNFINISHED = r"\b(TO" + r"DO|FIX" + r"ME|X" + r"XX|HA" + r"CK)\b"
VAGUE = {"utils", "util", "common", "helpers", "helper", "manager", "misc", "base"}


@cache
def files() -> list[Path]:
    """What is or would be committed; everything but build products where there is no git."""
    command = ["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()
    except OSError:
        listed = []
    found = [path for folder in CODE for path in (ROOT / folder).rglob("*") if "__pycache__" not in path.parts]
    paths = [ROOT / name for name in listed] or found
    return [path for path in paths if path.is_file()]


def texts() -> list[tuple[str, str]]:
    contents = [(str(path.relative_to(ROOT)), path.read_bytes()) for path in files()]
    return [(name, data.decode("utf-8", "replace")) for name, data in contents if b"\0" not in data]


def test_there_is_something_to_look_at() -> None:
    assert len(files()) > 30
    assert len(SOURCES) > 10


@pytest.mark.parametrize("pattern", [OFFICE, UNFINISHED], ids=["words of the workplace", "marks of unfinished work"])
def test_words_that_do_not_belong(pattern: str) -> None:
    word = re.compile(pattern, re.IGNORECASE if pattern is OFFICE else 0)
    hits = [
        f"{name}:{text.count(chr(10), 0, found.start()) + 1}: {found[0]}"
        for name, text in texts()
        for found in word.finditer(text)
    ]
    assert hits == []


def test_no_file_is_large() -> None:
    assert [str(path) for path in files() if path.stat().st_size > LIMIT] == []


def test_no_file_has_a_vague_name() -> None:
    assert [str(path) for path in SOURCES if path.stem in VAGUE] == []


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT / "src/assay")))
def test_a_source_file_says_what_it_is_and_prints_only_where_people_read(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    assert ast.get_docstring(tree), "no docstring"
    prints = [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    ]
    may_print = "cli" in path.parts or path.match("report/console.py")
    assert may_print or prints == []


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT / "src/assay")))
def test_json_is_never_written_with_nan(path: Path) -> None:
    writers = {"json.dump", "json.dumps"}
    calls = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call)]
    careless = [
        call.lineno
        for call in calls
        if ast.unparse(call.func) in writers
        and not any(word.arg == "allow_nan" and ast.unparse(word.value) == "False" for word in call.keywords)
    ]
    assert careless == [], "use assay.files.dump_json"
