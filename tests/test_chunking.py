"""Chunks cover the document, keep to their limits, and know where they stand."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.config import Chunking
from assay.corpus.chunking import chunk_document, count_tokens, id_part
from assay.corpus.readers import Page
from assay.errors import AssayError
from assay.records import Chunk

SMALL = Chunking(parent_tokens=20, parent_overlap=5, child_tokens=10, child_overlap=3, minimum_tokens=2)


def chunks_of(*pages: str, chunking: Chunking = SMALL, name: str = "a.md") -> list[Chunk]:
    return chunk_document(name, [Page(number, text) for number, text in enumerate(pages, 1)], chunking)


def words(first: int, last: int) -> str:
    return " ".join(f"w{n}" for n in range(first, last + 1))


def test_windows_by_hand() -> None:
    """28 words. Parents of 20 with 5 shared: 1-20, 16-28. Children of 10 with 3 shared:
    in the first 1-10, 8-17, 15-20 (rest); in the second 16-25, 23-28."""
    found = chunks_of(words(1, 28))
    assert [(chunk.text, chunk.tokens) for chunk in found] == [
        (words(1, 10), 10),
        (words(8, 17), 10),
        (words(15, 20), 6),
        (words(16, 25), 10),
        (words(23, 28), 6),
    ]
    assert [chunk.id for chunk in found] == [
        "a.md-p001-parent001-child01",
        "a.md-p001-parent001-child02",
        "a.md-p001-parent001-child03",
        "a.md-p001-parent002-child01",
        "a.md-p001-parent002-child02",
    ]
    assert found[3].metadata["parent"] == "a.md-p001-parent002"


def test_a_short_rest_is_joined() -> None:
    """11 words: one is left over behind the first ten, fewer than two, so it joins them. With 12 there are two."""
    assert [chunk.text for chunk in chunks_of(words(1, 11))] == [words(1, 11)]
    assert [chunk.text for chunk in chunks_of(words(1, 12))] == [words(1, 10), words(8, 12)]


@pytest.mark.parametrize("pages", [[], [""], ["  \n\t "], ["", "", ""]])
def test_an_empty_document_has_no_chunks(pages: list[str]) -> None:
    assert chunks_of(*pages) == []


def test_a_chunk_stands_on_the_page_where_it_begins_and_names_those_it_covers() -> None:
    found = chunks_of(words(1, 6), "", words(7, 14), words(15, 18))
    assert [(chunk.text.split()[0], chunk.page, chunk.metadata["pages"]) for chunk in found] == [
        ("w1", 1, [1, 3]),  # 1-10
        ("w8", 3, [3, 4]),  # 8-18, one word joined
    ]


def test_offsets_are_of_the_pages_joined_by_newlines() -> None:
    pages = ["One two.", "  Three\tfour  ", "five"]
    document = "\n".join(pages)
    for chunk in chunks_of(*pages):
        assert document[chunk.metadata["start"] : chunk.metadata["end"]] == chunk.text


def test_a_window_ends_with_a_paragraph_or_sentence_if_one_ends_near_its_limit() -> None:
    window = Chunking(parent_tokens=40, parent_overlap=0, child_tokens=20, child_overlap=0, minimum_tokens=0)
    # 15 % of 20 tokens: the last three may be given up. The sentence ends behind token 19, the paragraph behind 18.
    sentence = f"{words(1, 18)}. {words(20, 40)}"
    assert [chunk.tokens for chunk in chunks_of(sentence, chunking=window)] == [19, 20, 1]
    paragraph = f"{words(1, 17)}:\n\n{words(19, 19)}. {words(21, 40)}"
    assert chunks_of(paragraph, chunking=window)[0].tokens == 18
    too_early = f"{words(1, 15)}. {words(17, 40)}"
    assert chunks_of(too_early, chunking=window)[0].tokens == 20


def test_the_language_is_kept_only_where_it_is_known() -> None:
    page = [Page(1, "bonjour")]
    assert chunk_document("a", page, SMALL, "fr")[0].metadata["language"] == "fr"
    assert "language" not in chunk_document("a", page, SMALL)[0].metadata


def test_a_line_without_spaces_is_cut_too() -> None:
    found = chunks_of("x" * 10_000)
    assert max(len(chunk.text) for chunk in found) <= 11 * 50
    assert count_tokens("x" * 10_000) == 200


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("docs/a.md", "docs/a.md"),
        ("Règlement intérieur.pdf", "Règlement%20intérieur.pdf"),
        ("50%.txt", "50%25.txt"),
        ("a\nb\tc.txt", "a%0Ab%09c.txt"),
        ("no\u00a0break", "no%C2%A0break"),
    ],
)
def test_ids_hold_no_white_space(name: str, part: str) -> None:
    assert id_part(name) == part
    assert chunks_of("x", name=name)[0].id == f"{part}-p001-parent001-child01"
    assert chunks_of("x", name=name)[0].source == name


@pytest.mark.parametrize(
    "sizes",
    [
        {"parent_overlap": 1024},
        {"child_overlap": 450},
        {"child_tokens": 2000},
    ],
)
def test_sizes_that_contradict_each_other_are_refused(sizes: dict[str, int]) -> None:
    with pytest.raises(AssayError, match="must"):
        Chunking(**sizes)


sizes = st.tuples(st.integers(2, 30), st.integers(0, 29), st.integers(1, 30), st.integers(0, 29), st.integers(0, 8))
texts = st.lists(st.text(st.sampled_from("ab1é. \n\t!?’—日"), max_size=120), max_size=4)


def chunking_of(numbers: tuple[int, int, int, int, int]) -> Chunking:
    parent, parent_overlap, child, child_overlap, minimum = numbers
    child = min(child, parent)
    return Chunking(
        parent_tokens=parent,
        parent_overlap=parent_overlap % parent,
        child_tokens=child,
        child_overlap=child_overlap % child,
        minimum_tokens=minimum,
    )


@given(texts, sizes)
def test_laws_of_chunking(pages: list[str], numbers: tuple[int, int, int, int, int]) -> None:
    chunking = chunking_of(numbers)
    document = "\n".join(pages)
    found = chunks_of(*pages, chunking=chunking)
    covered = {n for chunk in found for n in range(chunk.metadata["start"], chunk.metadata["end"])}
    assert {n for n, character in enumerate(document) if not character.isspace()} <= covered
    assert len({chunk.id for chunk in found}) == len(found)
    assert all(not re.search(r"\s", chunk.id) for chunk in found)
    for chunk in found:
        assert chunk.text == document[chunk.metadata["start"] : chunk.metadata["end"]]
        assert chunk.text == chunk.text.strip() != ""
        assert chunk.tokens == count_tokens(chunk.text) <= chunking.child_tokens + max(0, chunking.minimum_tokens - 1)
        first, last = chunk.metadata["pages"]
        assert chunk.page == first <= last <= len(pages)
    assert found == chunks_of(*pages, chunking=chunking)
