"""BM25: the formula by hand, equality with bm25s, ties, filters, lanes, and the structure kept in the index."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from small_index import chunks_of, write_foreign_index, write_index

from assay.config import Config
from assay.corpus.index import Index
from assay.errors import AssayError
from assay.records import Chunk, Ranking
from assay.retrievers import counting, lexical
from assay.retrievers.analysis import analyzer
from assay.retrievers.bm25 import Bm25
from assay.retrievers.counting import count_terms
from assay.retrievers.postings import Postings
from assay.retrievers.protocol import Context, Query, Request

ODD_QUERIES = [
    "",
    "?!",
    "\x00",
    "\ud800 float",
    "😀",
    'AND OR NOT "float NEAR(plan',
    "float* -plan ^plan {float plan}: (",
    "שלום עולם",
    "\u202eplan",
    "plan " * 2_000,
    "x" * 10_000,
    "'; DROP TABLE chunks; --",
]


def search(index: Index, *queries: str, request: Request | None = None) -> list[Ranking]:
    retriever = Bm25(Context(config=Config(), index=index))
    found = retriever.search([Query(str(n), text) for n, text in enumerate(queries)], request or Request(k=10))
    assert all(isinstance(ranking, Ranking) for ranking in found)
    return [ranking for ranking in found if isinstance(ranking, Ranking)]


def ids(index: Index, query: str, request: Request | None = None) -> tuple[str, ...]:
    return search(index, query, request=request)[0].ids


def test_the_score_by_hand(tmp_path: Path) -> None:
    """Three chunks of 3, 2 and 1 words, 2 on average; `plan` stands in two of them."""
    index = write_index(tmp_path / "i.db", chunks_of({"a": "float plan plan", "b": "plan boat", "c": "oar"}))
    idf = math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    a = idf * 2 / (2 + 1.5 * (0.25 + 0.75 * 3 / 2))
    b = idf * 1 / (1 + 1.5 * (0.25 + 0.75 * 2 / 2))
    [ranking] = search(index, "plans")
    assert ranking.ids == ("a", "b")
    assert ranking.scores == pytest.approx((a, b), abs=1e-6)
    assert ranking.scale == "bm25"


def test_equal_to_bm25s_on_the_same_tokens() -> None:
    import bm25s

    random = np.random.default_rng(7)
    vocabulary = [f"w{n}" for n in range(300)]
    weights = 1 / np.arange(1, 301)
    texts = [
        " ".join(random.choice(vocabulary, size=random.integers(0, 60), p=weights / weights.sum())) for _ in range(400)
    ]
    queries = [list(random.choice(vocabulary, size=random.integers(1, 12))) for _ in range(50)]
    ours = Postings.build(count_terms(texts, ["xx"] * 400), np.ones(400, dtype=bool))
    theirs = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
    theirs.index([text.split() for text in texts], show_progress=False)
    for query in queries:
        expected = theirs.get_scores([word for word in query if word in theirs.vocab_dict])
        [hits] = ours.search([{word: query.count(word) for word in query}], 400)
        found = np.zeros(400)
        found[hits.rows] = hits.scores
        assert np.abs(found - expected).max() < 1e-4


def test_words_in_most_chunks_score_like_all_others(tmp_path: Path) -> None:
    """A full column and scattered values must add up alike: the contributions of one row tell."""
    texts = {f"{n:03d}": f"common {'rare' if n % 50 == 0 else 'other'} {'pad ' * (n % 7)}" for n in range(200)}
    index = write_index(tmp_path / "i.db", chunks_of(texts))
    structure = lexical.load(index)
    [hits] = structure.postings.search([{"common": 2, "rare": 1}], 200)
    assert len(hits.rows) == 200
    for row, score in zip(hits.rows.tolist(), hits.scores.tolist(), strict=True):
        parts = structure.postings.contributions({"common": 2, "rare": 1, "nowhere": 1}, row)
        assert set(parts) <= {"common", "rare"}
        assert score == pytest.approx(sum(parts.values()), abs=1e-6)


def test_texts_are_counted_alike_in_slabs_of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"word{n % 5} common e-mail {'plan ' * (n % 3)}" for n in range(50)] + ["", "common"]
    languages = ["en" if n % 2 else "fr" for n in range(52)]
    expected: Counter[tuple[str, int]] = Counter()
    for row, (text, language) in enumerate(zip(texts, languages, strict=True)):
        expected.update((t.text, row) for piece in text.split() for t in analyzer(language).terms(piece))
    for size in (1, 7, 8192):
        monkeypatch.setattr(counting, "_SLAB", size)
        counts = count_terms(texts, languages)
        keys = list(zip(counts.terms.tolist(), counts.rows.tolist(), strict=True))
        assert keys == sorted(keys)
        found = {
            (counts.vocabulary[term], row): int(n) for (term, row), n in zip(keys, counts.frequencies, strict=True)
        }
        assert found == expected


def test_ties_stand_by_id_descending_also_at_the_cut(tmp_path: Path) -> None:
    texts = {f"c{n:04d}": "the very same text" for n in range(3000)}
    index = write_index(tmp_path / "i.db", chunks_of(texts))
    assert ids(index, "same text", Request(k=3)) == ("c2999", "c2998", "c2997")
    assert ids(index, "same text", Request(k=9000)) == tuple(sorted(texts, reverse=True))


def test_the_order_of_insertion_never_shows(tmp_path: Path) -> None:
    texts = {f"c{n}": f"word{n % 3} shared" for n in range(30)}
    one = write_index(tmp_path / "1.db", chunks_of(texts))
    two = write_index(tmp_path / "2.db", list(reversed(chunks_of(texts))))
    assert search(one, "shared word1") == search(two, "shared word1")


def test_french_is_found_without_and_with_its_apostrophes(tmp_path: Path) -> None:
    texts = {"1": "La décision de l’arbitre est sans appel.", "2": "Les arbitres se réunissent.", "3": "Le port ferme."}
    index = write_index(tmp_path / "i.db", chunks_of(texts), language="fr")
    for query in ("arbitre", "l'arbitre", "L’ARBITRE", "qu’un arbitre", "d´arbitres"):
        assert set(ids(index, query)) == {"1", "2"}, query
    assert ids(index, "decision reunion") == ("1",), "accents may be left out"


def test_each_document_is_stemmed_in_its_own_language(tmp_path: Path) -> None:
    english = "The members of the club are meeting at the harbour and they will be sailing with the others."
    french = "Les membres du club se réunissent dans le port et ils sont avec les autres pour une navigation."
    chunks = [
        Chunk(id="en", text=english, source="rules.txt"),
        Chunk(id="fr", text=french, source="regles.txt"),
        Chunk(id="told", text="Generalities", source="x.txt", metadata={"language": "fr"}),
    ]
    index = write_index(tmp_path / "i.db", chunks, language="auto")
    assert lexical.row_languages(index) == ["en", "fr", "fr"]
    assert ids(index, "sail") == ("en",)
    assert ids(index, "naviguer navigations") == ("fr",)
    assert set(ids(index, "membres member")) == {"en", "fr"}


def test_unknown_languages_fall_back_to_english(tmp_path: Path) -> None:
    index = write_index(tmp_path / "i.db", chunks_of(["42", "signs"]), language="auto")
    assert lexical.row_languages(index) == ["en", "en"]
    assert ids(index, "signing") == ("d1",)


@pytest.mark.parametrize("query", ODD_QUERIES)
def test_any_query_survives(tmp_path: Path, query: str) -> None:
    index = write_index(tmp_path / "i.db", chunks_of(["the float plan", "an oar"]))
    assert ids(index, query) == (("d0",) if "float" in query or "plan" in query else ())


def test_an_empty_index_finds_nothing(tmp_path: Path) -> None:
    assert ids(write_index(tmp_path / "i.db", []), "anything") == ()
    assert ids(write_index(tmp_path / "j.db", chunks_of(["", "!"])), "anything") == ()


def test_only_the_named_documents_are_searched(tmp_path: Path) -> None:
    chunks = [Chunk(id=name, text="float plan", source=f"docs/{name}.md") for name in ("a", "b", "c")]
    index = write_index(tmp_path / "i.db", chunks)
    everything = search(index, "plan")[0]
    filtered = search(index, "plan", request=Request(k=1, sources=("docs\\B.md", "a.md")))[0]
    assert filtered.ids == ("b",)
    assert filtered.scores[0] == everything.scores[1], "the statistics are still those of the whole index"
    with pytest.raises(AssayError, match=r"no chunk comes from 'd\.md'"):
        search(index, "plan", request=Request(k=1, sources=("d.md",)))


def test_a_name_that_fits_two_documents_is_an_error(tmp_path: Path) -> None:
    chunks = [Chunk(id=name, text="float plan", source=f"{name}/readme.md") for name in ("a", "b")]
    index = write_index(tmp_path / "i.db", chunks)
    with pytest.raises(AssayError, match=r"several documents could be 'readme.md'.*a/readme.md, b/readme.md"):
        search(index, "plan", request=Request(k=1, sources=("readme.md",)))


def test_a_lane_is_searched_with_its_own_statistics(tmp_path: Path) -> None:
    code = [Chunk(id=f"c{n}", text="def plan", source="a.py", lane="code") for n in range(9)]
    documents = [Chunk(id="d1", text="plan boat", source="a.md"), Chunk(id="d2", text="oar", source="a.md")]
    mixed = write_index(tmp_path / "mixed.db", [*code, *documents])
    alone = write_index(tmp_path / "alone.db", documents)
    assert search(mixed, "plan", request=Request(k=5, lane="document")) == search(alone, "plan")
    assert ids(mixed, "plan", Request(k=50, lane="memory")) == ()
    assert len(ids(mixed, "plan", Request(k=50))) == 10
    assert search(alone, "plan", request=Request(k=5, lane="document")) == search(alone, "plan")


def test_the_structure_is_kept_and_read_back(tmp_path: Path) -> None:
    chunks = [Chunk(id="1", text="a float plan", source="a"), Chunk(id="2", text="plan", source="a", lane="code")]
    index = write_index(tmp_path / "i.db", chunks)
    assert index.read_blob("bm25/about") is None
    lexical.prepare(index)
    before = {name: index.read_blob(f"bm25/{name}") for name in ("about", "all", "document", "code")}
    assert all(before.values())
    again = Index.open(tmp_path / "i.db")
    lexical.prepare(again)
    assert {name: again.read_blob(f"bm25/{name}") for name in before} == before
    built, read = lexical._build(index).structures["all"], lexical.load(again)
    assert read.languages == built.languages
    assert read.postings.vocabulary == built.postings.vocabulary
    for name in ("starts", "rows", "impacts"):
        assert np.array_equal(getattr(read.postings, name), getattr(built.postings, name))
    assert read.postings.members == 2
    assert lexical.load(again, "code").postings.members == 1


def test_a_stale_or_broken_structure_is_built_again(tmp_path: Path) -> None:
    path = tmp_path / "i.db"
    with write_index(path, chunks_of(["float plan"])) as index:
        lexical.prepare(index)
        stale = {key: index.read_blob(key) for key in ("bm25/about", "bm25/all")}
    with write_index(path, chunks_of(["oar", "oar plan"])) as index:
        for key, value in stale.items():
            index.write_blob(key, value or b"")
        assert ids(index, "oar") == ("d0", "d1")
        index.write_blob("bm25/all", b"torn")
    with Index.open(path) as index:
        assert ids(index, "oar") == ("d0", "d1")


def test_a_foreign_or_read_only_index_is_searched_and_left_alone(tmp_path: Path) -> None:
    foreign = write_foreign_index(tmp_path / "f.db", chunks_of(["the float plan", "oars"]))
    own = write_index(tmp_path / "o.db", chunks_of(["the float plan", "oars"]))
    (tmp_path / "o.db").chmod(0o444)
    for index in (foreign, own):
        before = index.path.read_bytes()
        assert ids(index, "plans") == ("d0",)
        lexical.prepare(index)
        if index is foreign:
            assert index.path.read_bytes() == before


def test_an_index_is_needed() -> None:
    with pytest.raises(AssayError, match="bm25 needs an index"):
        Bm25(Context(config=Config(), index=None))
