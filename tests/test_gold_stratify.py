"""Phase 0: strata, quotas that sum exactly, chunks that carry no question."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_index import write_index

from assay.config import Balance, GoldGate, GoldOptions
from assay.errors import AssayError
from assay.gold.stratify import Strata, apportion, stratify, stratum_of, why_unfit
from assay.records import Chunk

SENTENCE = "The skipper files the plan and the duty officer reads it before the boat may leave the quay. "


def chunk(id_: str, source: str, text: str = SENTENCE * 4, tokens: int = 80) -> Chunk:
    return Chunk(id=id_, text=text, source=source, page=1, tokens=tokens)


def strata_of(tmp_path: Path, chunks: list[Chunk], **options: object) -> Strata:
    with write_index(tmp_path / "corpus.db", chunks) as index:
        return stratify(index, GoldOptions(**options), 0, "x")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("total", "weights", "floor", "limits", "expected"),
    [
        # 10 × 8/10, 1/10, 1/10 = 8, 1, 1; the floor of 2 takes 4, the rest is 6
        (10, {"a": 8, "b": 1, "c": 1}, 2, None, {"a": 6, "b": 2, "c": 2}),
        # 7 / 3 = 2.33 each: the one left over goes to the first by name
        (7, {"a": 1, "b": 1, "c": 1}, 0, None, {"a": 3, "b": 2, "c": 2}),
        # a may give 4 at most; the other 6 are shared 3 : 3
        (10, {"a": 8, "b": 1, "c": 1}, 0, {"a": 4, "b": 9, "c": 9}, {"a": 4, "b": 3, "c": 3}),
        # the floor cannot be kept for all: 2 for three
        (2, {"a": 5, "b": 1, "c": 1}, 3, None, {"a": 1, "b": 1, "c": 0}),
        # the limit is below the floor
        (5, {"a": 1, "b": 9}, 3, {"a": 1, "b": 9}, {"a": 1, "b": 4}),
        (0, {"a": 1, "b": 9}, 3, None, {"a": 0, "b": 0}),
        # nothing to give: no floor
        (4, {"a": 0, "b": 9}, 3, {"a": 0, "b": 9}, {"a": 0, "b": 4}),
    ],
)
def test_shares(
    total: int, weights: dict[str, float], floor: int, limits: dict[str, int] | None, expected: dict[str, int]
) -> None:
    assert apportion(total, weights, floor=floor, limits=limits) == expected


PARTS = st.dictionaries(st.sampled_from("abcdefgh"), st.tuples(st.integers(1, 500), st.integers(0, 80)), min_size=1)


@given(PARTS, st.integers(0, 20), st.floats(0, 1))
def test_quotas_sum_exactly_and_keep_their_limits(parts: dict[str, tuple[int, int]], floor: int, part: float) -> None:
    limits = {name: limit for name, (_, limit) in parts.items()}
    weights = {name: weight if limits[name] else 0 for name, (weight, _) in parts.items()}
    total = round(part * sum(limits.values()))
    quotas = apportion(total, weights, floor=floor, limits=limits)
    assert sum(quotas.values()) == total
    assert all(0 <= quotas[name] <= limits[name] for name in parts)
    if total >= sum(min(floor, limit) for limit in limits.values()):
        assert all(quotas[name] >= min(floor, limits[name]) for name in parts)


def test_more_than_the_limits_allow_is_refused() -> None:
    with pytest.raises(ValueError, match="the limits allow 3"):
        apportion(4, {"a": 1, "b": 1}, limits={"a": 1, "b": 2})


@settings(max_examples=30)
@given(st.integers(1, 400), st.lists(st.integers(1, 30), min_size=1, max_size=6), st.integers(0, 5))
def test_the_quotas_of_a_corpus_sum_to_its_target(target: int, sizes: list[int], floor: int) -> None:
    import tempfile

    chunks = [chunk(f"{d}-{n:02d}", f"doc{d}.md") for d, size in enumerate(sizes) for n in range(size)]
    with tempfile.TemporaryDirectory() as folder:
        found = strata_of(Path(folder), chunks, target=target, floor=floor)
    assert found.target == min(target, found.capacity) == sum(each.quota for each in found.strata)
    assert all(each.answerable + each.unanswerable == each.quota for each in found.strata)
    assert all(each.unanswerable <= each.fit and each.answerable <= 3 * each.fit for each in found.strata)
    share = sum(each.unanswerable for each in found.strata) / found.target
    assert share == pytest.approx(0.30, abs=0.5 / found.target + 1e-9) or found.target < 4
    assert bool(found.remarks) == (target > found.capacity)


def test_by_document_or_by_patterns(tmp_path: Path) -> None:
    chunks = [chunk(f"{name}-{n}", name) for name in ("Rules-2024.txt", "rules-2026.pdf", "fees.md") for n in range(4)]
    assert [each.name for each in strata_of(tmp_path, chunks).strata] == ["Rules-2024.txt", "fees.md", "rules-2026.pdf"]
    found = strata_of(tmp_path, chunks, strata={"rules": "rules*"})
    assert [(each.name, each.fit) for each in found.strata] == [("others", 4), ("rules", 8)]
    assert stratum_of("a/fees.md", {"money": "*fees*, *price*"}) == "money"


def test_a_pattern_that_fits_nothing_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="the stratum 'fees' has no document: no source is like"):
        strata_of(tmp_path, [chunk("1", "rules.md")], strata={"fees": "*fees*"})


CONTENTS = "Contents\n1 Scope ......... 3\n2 Wind ........ 7\n3 Crew .......... 11\n" + SENTENCE


@pytest.mark.parametrize(
    ("text", "tokens", "reason"),
    [
        (SENTENCE * 4, 50, None),
        (SENTENCE * 4, 49, "shorter than 50 tokens"),
        (CONTENTS, 80, "a table of contents"),
        ("Sommaire\nPorts 3\nTarifs 12\nSilence 14\n", 80, "a table of contents"),
        ("THE HANDBOOK\nPART ONE\nTHE FLEET\n" * 9, 80, "headings without a sentence"),
        ("Locker Fee\nSmall 26\nLarge 48\n" * 9, 80, None),
        *((text, 80, "headings without a sentence") for text in ("a b " * 50_000, ". " * 50_000, "x" * 200_000)),
    ],
)
def test_unfit_chunks_in_linear_time(text: str, tokens: int, reason: str | None) -> None:
    assert why_unfit(chunk("1", "a.md", text, tokens), 50) == reason


def test_unfit_chunks_are_kept_with_their_reason(tmp_path: Path) -> None:
    found = strata_of(tmp_path, [chunk("1", "a.md"), chunk("2", "a.md", tokens=12)], target=1)
    assert [(each.chunk_id, each.reason) for each in found.unfit] == [("2", "shorter than 50 tokens")]
    assert all("2" not in each.chosen for each in found.strata)
    assert found.remarks == ("1 chunk gets no question: 1 shorter than 50 tokens",)


def test_chunks_of_another_language_get_no_question_unless_the_gate_is_off(tmp_path: Path) -> None:
    """Gate G3-3 would refuse every question on them, when they are paid for."""
    both = [
        Chunk(id=code, text=SENTENCE * 4, source=f"{code}.md", tokens=80, metadata={"language": code})
        for code in ("en", "fr")
    ]
    found = strata_of(tmp_path, both, language="fr")
    assert [(each.chunk_id, each.reason) for each in found.unfit] == [("en", "not in the language asked for (fr)")]
    assert {stratum.name: stratum.fit for stratum in found.strata} == {"en.md": 0, "fr.md": 1}
    assert strata_of(tmp_path, both).unfit == ()
    assert strata_of(tmp_path, both, language="fr", gates={"G3-3": GoldGate(severity="off")}).unfit == ()


def test_a_corpus_without_a_fit_chunk_says_so(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="none of its 1 chunks can carry a question"):
        strata_of(tmp_path, [chunk("1", "a.md", tokens=3)])


def test_what_the_corpus_can_give_is_told(tmp_path: Path) -> None:
    found = strata_of(tmp_path, [chunk(str(n), "a.md") for n in range(6)], target=600)
    # 30 % without an answer, one a chunk at most: 6 / 0.3 = 20
    assert found.target == found.capacity == 20
    assert found.remarks == ("600 questions were asked for; with 6 fit chunks this corpus can give 20",)


def test_the_choice_of_chunks_depends_on_the_seed_alone(tmp_path: Path) -> None:
    chunks = [chunk(f"{n:02d}", "a.md") for n in range(40)]
    with write_index(tmp_path / "corpus.db", chunks) as index:
        options = GoldOptions(target=10)
        first, again, other = (stratify(index, options, seed, "x") for seed in (0, 0, 1))
    assert first == again
    assert first.strata[0].chosen != other.strata[0].chosen
    # the two kinds are taken from the two ends of one order
    assert not set(first.strata[0].chosen) & set(first.strata[0].chosen_unanswerable)


def test_bands_in_the_wrong_order_are_refused() -> None:
    with pytest.raises(AssayError, match="summary must be"):
        Balance(summary=(0.3, 0.2, 0.4))
