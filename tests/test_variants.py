"""The names of variants."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_index import chunks_of, write_index

from assay.config import Config
from assay.errors import AssayError
from assay.retrievers.variants import Variant, build, parse_variant


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("bm25", Variant("bm25")),
        (" hybrid+rerank ", Variant("hybrid", "", True)),
        ("python:my.module:f", Variant("python", "my.module:f")),
        ("python:my.module:f+rerank", Variant("python", "my.module:f", True)),
        ("run:results/a+b.txt", Variant("run", "results/a+b.txt")),
        ("http://localhost:8000/s?x=a+b", Variant("http", "http://localhost:8000/s?x=a+b")),
        ("https://host/search+rerank", Variant("https", "https://host/search", True)),
    ],
)
def test_names_are_read(text: str, expected: Variant) -> None:
    assert parse_variant(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bm52", "unknown retriever 'bm52'. Did you mean bm25"),
        ("hybird+rerank", "unknown retriever 'hybird'. Did you mean hybrid"),
        ("hybrid+rerrank", r"unknown variant 'hybrid\+rerrank'. Did you mean hybrid\+rerank"),
        ("", "names no retriever"),
        ("+rerank", "names no retriever"),
        ("protocol", "unknown retriever 'protocol'"),
    ],
)
def test_unknown_names_offer_the_nearest(text: str, message: str) -> None:
    with pytest.raises(AssayError, match=message):
        build(text, Config(), None)


def test_a_retriever_knows_its_name(tmp_path: Path) -> None:
    index = write_index(tmp_path / "i.db", chunks_of(["x"]))
    assert [build(name, Config(), index).name for name in ("bm25", "bm25+rerank")] == ["bm25", "bm25+rerank"]
