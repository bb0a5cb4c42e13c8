"""Text of unknown origin loses what acts on a terminal, a page or a reader's eye, and nothing else."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.report.text import clip, clip_middle, one_line, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, ünïcode, 日本語, مرحبا, 👩‍👧", "plain, ünïcode, 日本語, مرحبا, 👩‍👧"),
        ("\x1b[31mred", "␛[31mred"),
        ("a\x00b\x07\x7f", "a␀b␇␡"),
        ("\x9b2J", "⟨U+009B⟩2J"),
        ("\u202egnp.exe", "⟨U+202E⟩gnp.exe"),
        ("\ud800", "⟨U+D800⟩"),
        ("a\r\nb\rc\u2028d\u2029e\nf\tg", "a\nb\nc\nd\ne\nf\tg"),
    ],
)
def test_what_acts_becomes_visible(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_only_what_acts_is_changed() -> None:
    acting = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029\ufffe\uffff"
    for character in map(chr, range(0x11000)):
        acts = character in acting or (unicodedata.category(character) in {"Cc", "Cs"} and character not in "\n\t")
        assert (visible(character) != character) == acts, hex(ord(character))


@given(st.text())
def test_nothing_is_left_that_acts(text: str) -> None:
    left = visible(text)
    assert {character for character in left if unicodedata.category(character) in {"Cc", "Cs"}} <= {"\n", "\t"}
    assert not set(left) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029")
    assert left.encode("utf-8").decode("utf-8") == left
    assert visible(left) == left


def test_one_line_folds_white_space() -> None:
    assert one_line("  a\n\n b\t c\r\n") == "a b c"


@pytest.mark.parametrize(("limit", "text"), [(5, "abcde"), (4, "abc…"), (1, "…"), (0, "…")])
def test_what_is_cut_is_marked(limit: int, text: str) -> None:
    assert clip("abcde", limit) == text


def test_the_middle_is_cut_where_both_ends_matter() -> None:
    name = "race-rules-of-the-estuary-2026.pdf"
    assert clip_middle(name, 20) == "race-rules…-2026.pdf"
    assert len(clip_middle(name, 20)) == 20
    assert clip_middle(name, 100) == name
