"""The data behind a list: each text once, all of it within a budget, nothing that could leave its element."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_samples import HOSTILE

from assay.report.blocks import Facts, Field, Item, Items, Passage, Ranking
from assay.report.cutting import LONG, MARK, cut, held, limit_of
from assay.report.island import BUDGET, LEAST, LONGEST, packed
from assay.report.text import visible


@pytest.mark.parametrize(
    ("lengths", "budget", "limit"),
    [
        ([], 1000, LONG),
        ([100, 100], 10, LONG),  # short texts are not cut
        ([300, 500], 1000, 500),  # all have room
        ([300, 500, 900], 1000, 350 - MARK),  # 300 whole, the others share 700
        ([1000, 1000], 500, 250 - MARK),
        ([1000] * 100, 500, LONG),  # no text becomes nothing
    ],
)
def test_the_longest_are_cut_first(lengths: list[int], budget: int, limit: int) -> None:
    assert limit_of(lengths, budget) == limit


def test_a_passage_may_be_cut_further() -> None:
    assert limit_of([1000] * 100, 500, LEAST) == LEAST


@given(st.text(), st.integers(0, 200))
def test_a_cut_text_keeps_its_beginning_and_says_how_much_is_missing(text: str, limit: int) -> None:
    shown = cut(text, limit)
    if shown != text:
        kept, _, more = shown.rpartition(" […")
        assert text.startswith(kept)
        assert len(kept.encode("utf-8", "surrogatepass")) <= limit
        assert int(more.partition(" ")[0].replace(",", "")) == len(text) - len(kept)


@given(st.text(min_size=100), st.integers(1, 90), st.integers(1, 90))
def test_a_text_that_was_cut_before_says_what_is_missing_of_the_whole(text: str, first: int, then: int) -> None:
    """However often: the second cut counts what the first one took, and not its mark."""
    assert cut(cut(text, max(first, then)), min(first, then)) == cut(text, min(first, then))
    assert cut(cut(text, first), first) == cut(text, first)


def test_what_is_held_of_many_texts_is_bounded_and_the_longest_are_cut() -> None:
    long = {f"l{n}": f"{n} " + "word " * 400 for n in range(50)}
    short = {f"s{n}": f"short {n}" for n in range(50)}
    found = held((long | short).items(), 20_000)
    assert found.keys() == long.keys() | short.keys()
    assert {key: found[key] for key in short} == short
    assert sum(map(len, found.values())) <= 20_000
    for key, text in long.items():
        kept, _, more = found[key].rpartition(" […")
        assert text.startswith(kept)
        assert int(more.partition(" ")[0].replace(",", "")) == len(text) - len(kept)
    assert held(long.items(), 10**6) == long


def test_of_a_great_many_texts_at_least_their_beginning_is_held() -> None:
    found = held(((str(n), "x" * 500) for n in range(100)), 1000)
    assert set(found.values()) == {"x" * LONG + f" […{500 - LONG} characters more]"}


def test_a_page_is_the_same_whether_its_texts_were_all_held_or_not() -> None:
    texts = {str(n): f"{n} " + "word " * (n % 700) for n in range(9000)}

    def page(known: dict[str, str]) -> str:
        passages = tuple(Passage(key, text) for key, text in known.items())
        return packed(Items((Item("q", "t", {}, (), rankings=(Ranking("r", passages),)),)), {})

    few = held(texts.items(), 5 * BUDGET)
    assert sum(map(len, few.values())) < sum(map(len, texts.values())) / 1.5
    assert page(few) == page(texts)


def test_characters_of_several_bytes_are_not_torn() -> None:
    assert cut("日本語", 7) == "日本 […1 characters more]"
    assert cut("日本語", 9) == "日本語"


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_cannot_leave_its_element_and_is_shown_whole(text: str) -> None:
    passages = (Passage(text, text, text, 0.5, 1, expected=True),)
    item = Item(text, text, {text: text}, (Field(text, text),), "bad", (Facts(text, ((text, text),)),), ())
    data = packed(Items((item, Item("b", "", {}, (), rankings=(Ranking(text, passages, text, text),)))), {})
    assert not set("<>&\u2028\u2029\x00") & set(data)
    assert visible(text) in json.loads(data)["texts"]


def test_ten_megabytes_of_text_are_cut_with_a_mark() -> None:
    data = packed(Items((Item("q", "t", {}, (Field("Answer", "ab" * 5_000_000),)),)), {})
    assert len(data) < LONGEST + 500
    assert "[…9,980,000 characters more]" in data


def test_a_great_many_texts_keep_the_budget() -> None:
    passages = [tuple(Passage(f"{i}.{j}", f"{i}.{j} " + "word " * 200) for j in range(25)) for i in range(300)]
    items = tuple(Item(str(i), "t", {}, (), rankings=(Ranking("r", each),)) for i, each in enumerate(passages))
    assert len(packed(Items(items), {}).encode()) <= BUDGET


def test_ranks_are_told_only_where_they_are_not_the_order() -> None:
    plain = (Passage("a", rank=1, score=2.0), Passage("b", rank=2, score=1.0, expected=True))
    jumping = (Passage("a", rank=1, seen=True), Passage("c", rank=40, expected=True))
    rankings = (Ranking("x", plain, "bm25"), Ranking("y", jumping))
    [item] = json.loads(packed(Items((Item("q", "t", {}, (), rankings=rankings),)), {}))["items"]
    first, second = item[7]
    assert first[3:] == [[0, 1], ["2.000", "1.000"], 0, [1], []]
    assert second[3:] == [[0, 2], 0, [1, 40], [1], [0]]
