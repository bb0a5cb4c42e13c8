"""The checking commands end to end: verify, stats, relocate; and phase 3 on candidates."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from example_corpus import example_folder
from gold_sets import CORPUS, chunks, clean, gold_file, index, raw_question, verified
from msgspec.structs import replace
from small_index import write_index
from test_gold_defects import answer, asks, each, put

from assay.cli.main import main
from assay.config import Config, EmbedderOptions
from assay.corpus.index import Index
from assay.embedders import create
from assay.gold.candidate import Candidate, key_of
from assay.gold.gold_file import read_gold_file
from assay.gold.grounds import Grounds
from assay.gold.relocate import relocate_gold
from assay.gold.schema import Question
from assay.gold.stats import describe
from assay.gold.support import Claim, examine
from assay.gold.validate import validate
from assay.gold.verify import verify
from assay.records import Chunk
from assay.report.blocks import Note
from assay.report.gold_stats import stats_report

GROUNDS = Grounds(index(), Config())


# --- verify -------------------------------------------------------------------------------------------------------


def test_a_set_without_chunks_is_told_what_it_lacks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is measured against a chunk that nobody names; documents are those that the questions name."""
    raws = clean()
    before = {each.gate: each for each in verified(raws, tmp_path).outcomes}
    for raw in raws:
        raw["provenance"]["chunk_id"] = None
    found = {each.gate: each for each in verified(raws, tmp_path).outcomes}
    assert (found["G1-2"].status, found["G1-2"].note) == ("undefined", "no answerable question has a chunk")
    assert {failure.what for failure in found["G1-1"].failures} == {"names no chunk"}
    assert {failure.what for failure in found["G3-1"].failures} == {"names no chunk"}
    assert (found["G0-1"].value, found["G0-2"].value) == (before["G0-1"].value, before["G0-2"].value)
    assert main(["gold", "verify", str(tmp_path / "gold.json"), "--index", str(index().path)]) == 1
    shown = " ".join(capsys.readouterr().out.split())
    assert (
        f"{len(raws)} questions name no chunk. Those whose answer is quoted find theirs with: assay gold relocate"
        in shown
    )


def test_one_chunk_that_is_missing_does_not_count_as_quoted(tmp_path: Path) -> None:
    """Of G1-2: the share of those that have a chunk, all of them quoted."""
    raws = clean()
    raws[0]["provenance"]["chunk_id"] = "gone"
    found = {each.gate: each for each in verified(raws, tmp_path).outcomes}
    assert (found["G1-2"].value, found["G1-2"].status) == (1.0, "passed")
    assert [failure.what for failure in found["G3-1"].failures] == ["the chunk 'gone' is not in the index"]


def test_verify_writes_its_report_in_every_form(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    raws = clean()
    answer(3, "It never exceeds 8 pounds for one book")(raws)
    gold_file(raws, tmp_path)
    outs = [tmp_path / f"report.{ending}" for ending in ("json", "md", "html")]
    words = [word for out in outs for word in ("--out", str(out))]
    assert main(["gold", "verify", str(tmp_path / "gold.json"), "--index", str(index().path), *words]) == 1
    shown = capsys.readouterr().out
    assert "Refused" in shown
    assert "G3-1" in shown
    data = json.loads(outs[0].read_text("utf-8"))
    failed = {o["gate"]: o for o in data["outcomes"] if o["status"] == "failed"}
    assert {"G1-1", "G3-1", "G3-2"} <= failed.keys()
    assert failed["G3-1"]["failures"][0] == {
        "question": "q03",
        "what": "numbers not in the chunk: 8",
        "value": pytest.approx(1.0),
        "limit": "verbatim, coverage ≥ 0.8 or similarity ≥ 0.9",
    }
    for out in outs[1:]:
        assert "numbers not in the chunk: 8" in out.read_text("utf-8")


def test_verify_of_a_clean_set(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold_file(clean(), tmp_path)
    given = ["gold", "verify", str(tmp_path / "gold.json"), "--index", str(index().path)]
    assert main([*given, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["counts"] == {"passed": 24, "blocking": 0, "warning": 0}
    assert main([*given, "--gates"]) == 0
    assert "G5-8" in capsys.readouterr().out
    assert main([*given, "--out", str(tmp_path / "report.pdf")]) == 2


def test_verify_without_embeddings_in_the_index(tmp_path: Path) -> None:
    from assay.gold.verify import verify

    bare = write_index(tmp_path / "bare.db", chunks())
    raws = clean()
    assert verify(gold_file(raws, tmp_path), bare, Config()).exit_code == 0
    asks(9, "Is it so: the archive keeps the parish registers from 1584 to 1901, registers are in the vault?")(raws)
    found = verify(gold_file(raws, tmp_path), bare, Config())
    assert [outcome.gate for outcome in found.blocked] == ["G5-2"]


def test_hostile_text_stays_text(tmp_path: Path) -> None:
    raws = clean()
    asks(3, "<script>alert(1)</script> [x](javascript:1)")(raws)
    gold_file(raws, tmp_path)
    out = tmp_path / "report.html"
    main(["gold", "verify", str(tmp_path / "gold.json"), "--index", str(index().path), "--out", str(out)])
    assert "<script>alert" not in out.read_text("utf-8")


@pytest.mark.parametrize(("page", "fits"), [(1, False), (2, True), (3, True), (4, True), (5, False)])
def test_a_chunk_is_on_every_page_from_its_first_to_its_last(page: int, fits: bool, tmp_path: Path) -> None:
    text = CORPUS["lending.pdf"][0][1]
    pages = {"a": (1, [1, 1]), "lending.pdf-3": (3, [2, 4]), "b": (5, [5, 5])}
    long = [
        Chunk(id=id_, text=text, source="lending.pdf", page=at, tokens=40, metadata={"pages": span})
        for id_, (at, span) in pages.items()
    ]
    asked = raw_question(
        0, "lending.pdf-3", "How many books may adults borrow?", "Adult readers may borrow twelve books"
    )
    asked["provenance"]["pages"] = [page]
    vectors = create(EmbedderOptions()).embed([text] * 3, kind="document")
    with write_index(tmp_path / "long.db", long, vectors=vectors) as small:
        found = verify(gold_file([asked], tmp_path), small, Config())
    [outcome] = [outcome for outcome in found.outcomes if outcome.gate == "G1-1"]
    told = [failure.what for failure in outcome.failures]
    assert told == ([] if fits else [f"the chunk is on page 2–4, not on {page}"])


def test_the_share_of_supported_answers_is_measured(tmp_path: Path) -> None:
    raws = clean()
    answer(0, "Nobody may borrow anything")(raws)
    outcomes = {outcome.gate: outcome for outcome in verified(raws, tmp_path).outcomes}
    assert outcomes["G3-1"].value == pytest.approx(13 / 14)


# --- stats --------------------------------------------------------------------------------------------------------


def test_stats_of_a_small_set(tmp_path: Path) -> None:
    raws = clean()
    each("classification.difficulty", lambda row: (0.0, 0.3, 0.7, 1.0)[row % 4])(raws)
    found = describe(gold_file(raws, tmp_path), GROUNDS)
    assert (found.questions, found.answerable) == (20, 14)
    assert found.difficulty == (5, 0, 0, 5, 0, 0, 0, 5, 0, 5)
    assert found.hard == 0.5
    assert found.hard_answerable == 6 / 14  # rows 2, 3, 6, 7, 10, 11
    assert found.distributions["hard_type"]["ANSWERABLE"] == 14
    assert found.answerable_distributions["answer_type"] == {"extractive": 14}
    assert found.coverage is not None
    assert (found.coverage.documents, found.coverage.documents_asked) == (5, 5)
    assert (found.coverage.chunks, found.coverage.chunks_asked) == (10, 10)
    assert found.leaves is not None
    assert found.leaves.low == found.leaves.high == 46
    first = GROUNDS.by_words([raw["content"]["question"] for raw in raws[:14]], 1)
    hits = sum(ids == (raw["provenance"]["chunk_id"],) for ids, raw in zip(first, raws, strict=False))
    assert found.trivial == hits / 14


def test_what_a_sparse_set_does_not_say_is_not_counted_as_zero(tmp_path: Path) -> None:
    raws = clean()
    each("classification.difficulty", lambda row: None)(raws)
    raws[0]["provenance"]["chunk_id"] = None
    raws[1]["provenance"]["chunk_id"] = raws[2]["provenance"]["chunk_id"] = "gone"
    found = describe(gold_file(raws, tmp_path), GROUNDS)
    assert (found.hard, found.hard_answerable) == (None, None)
    assert found.coverage is not None
    assert (found.coverage.without_chunk, found.coverage.unknown_chunks) == (1, 2)
    [_, gone, none] = stats_report(found).sections[0].blocks
    assert gone == Note("2 questions are of chunks that are not in the index.", "bad")
    assert none == Note("1 question without a chunk.", "warn")


def test_a_set_of_copied_questions_is_trivial(tmp_path: Path) -> None:
    texts = [(f"{source}-{page}", text) for source, pages in CORPUS.items() for page, text in pages]
    raws = [raw_question(n, id_, f"{text.split('.')[0]}?", "x") for n, (id_, text) in enumerate(texts)]
    assert describe(gold_file(raws, tmp_path), GROUNDS).trivial == 1.0


def test_stats_without_an_index_leave_out_what_needs_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold_file(clean(), tmp_path)
    config = tmp_path / "assay.yaml"
    config.write_text("client: x\n", encoding="utf-8")
    given = ["gold", "stats", str(tmp_path / "gold.json"), "--config", str(config)]
    assert main([*given, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["trivial"], data["coverage"]) == (None, None)
    out = tmp_path / "stats.html"
    assert main([*given, "--index", str(index().path), "--out", str(out)]) == 0
    assert "Trivial" in capsys.readouterr().out
    assert out.read_text("utf-8").count("<svg") >= 8


# --- relocate -----------------------------------------------------------------------------------------------------


def cut_again(folder: Path) -> Grounds:
    """Every sentence is a chunk, numbered through: the old ids come again with other texts."""
    made = []
    for source, pages in CORPUS.items():
        for page, text in pages:
            parts = text.replace("Mr Osric", "Mr_Osric").split(". ")
            made += [(source, page, part.replace("_", " ")) for part in parts]
    new = [
        Chunk(id=f"{source}-{n}", text=text, source=source, page=page) for n, (source, page, text) in enumerate(made)
    ]
    return Grounds(write_index(folder / "new.db", new), Config())


def test_answers_are_followed_to_their_new_chunks(tmp_path: Path) -> None:
    grounds = cut_again(tmp_path)
    gold = gold_file(clean(), tmp_path)
    found = relocate_gold(gold, grounds, index())
    by_id = {question.id: question for question in gold.questions}
    texts = grounds.chunks(found.moved.values())
    for id_, chunk_id in found.moved.items():
        if not by_id[id_].content.is_impossible:
            assert (by_id[id_].content.expected_answer or "").rstrip(".") in texts[chunk_id].text
    assert set(found.moved) >= {f"q{n:02d}" for n in range(14)}
    assert {raw["id"]: raw["provenance"]["chunk_id"] for raw in found.raws}["q03"] == found.moved["q03"]


def test_an_id_that_came_again_with_another_text_is_not_in_place(tmp_path: Path) -> None:
    """`lending.pdf-2` is a chunk of both indexes; in the new one it is the third sentence of page 1."""
    grounds = cut_again(tmp_path)
    assert "lending.pdf-2" in grounds.index.ids
    found = relocate_gold(gold_file(clean(), tmp_path), grounds)
    assert "q02" not in found.present
    assert found.moved["q02"] != "lending.pdf-2"


@pytest.mark.parametrize(
    ("source", "page", "stays"), [("lending.pdf", 2, True), ("lending.pdf", 1, False), ("x.md", 2, False)]
)
def test_an_unanswerable_question_stays_only_where_it_was_written(
    tmp_path: Path, source: str, page: int, stays: bool
) -> None:
    """It has no answer to look for, so an id that came again is believed only in the same document and on its page."""
    raw = next(raw for raw in clean() if raw["content"]["is_impossible"] and "contradiction" not in raw["provenance"])
    raw["provenance"] |= {"chunk_id": "c-2", "docs": ["lending.pdf"], "pages": [2], "answer_explanation": "Nothing."}
    chunk = Chunk(id="c-2", text="Books are lent for a fortnight.", source=source, page=page)
    found = relocate_gold(gold_file([raw], tmp_path), Grounds(write_index(tmp_path / "new.db", [chunk]), Config()))
    assert found.present == ((raw["id"],) if stays else ())
    assert found.lost == (() if stays else (raw["id"],))


def test_the_same_words_on_another_page_are_another_place(tmp_path: Path) -> None:
    """The sentence stands on pages 1 and 6 (more text around it on 1); the question is about page 6."""
    sentence = "The fine for a late book is 20 pence a day."
    texts = {
        1: f"Readers are many here and all of them know it well. {sentence} Nobody ever liked it in the least.",
        6: sentence,
    }
    chunks = [Chunk(id=f"new-{page}", text=text, source="fines.pdf", page=page) for page, text in texts.items()]
    raws = clean()[3:4]
    answer(0, sentence)(raws)
    put(0, "provenance.chunk_id", "old")(raws)
    put(0, "provenance.pages", [6])(raws)
    grounds = Grounds(write_index(tmp_path / "new.db", chunks), Config())
    found = relocate_gold(gold_file(raws, tmp_path), grounds)
    assert found.moved == {raws[0]["id"]: "new-6"}
    assert found.raws[0]["provenance"]["pages"] == [6]


def test_pages_follow_an_answer_that_moved_to_another_page(tmp_path: Path) -> None:
    sentence = "The fine for a late book is 20 pence a day."
    raws = clean()[3:4]
    answer(0, sentence)(raws)
    put(0, "provenance.chunk_id", "old")(raws)
    put(0, "provenance.pages", [6])(raws)
    new = [Chunk(id="new", text=sentence, source="fines.pdf", page=2)]
    grounds = Grounds(write_index(tmp_path / "new.db", new), Config())
    assert relocate_gold(gold_file(raws, tmp_path), grounds).raws[0]["provenance"]["pages"] == [2]


def test_a_false_premise_follows_the_quote_that_contradicts_it(tmp_path: Path) -> None:
    """Its old id is there again with another text: it is not in place, and no old index is needed to see that."""
    quote = "Fines are paid in cash or by card at the desk, never by cheque."
    texts = {
        "fines.pdf-3": "The account is opened again on the day after payment.",
        "fines.pdf-4": f"{quote} So it is.",
    }
    new = [Chunk(id=id_, text=text, source="fines.pdf", page=3) for id_, text in texts.items()]
    raws = [raw for raw in clean() if raw["classification"]["hard_type"] == "FALSE_PREMISE"][:1]
    put(0, "provenance.chunk_id", "fines.pdf-3")(raws)
    grounds = Grounds(write_index(tmp_path / "new.db", new), Config())
    assert relocate_gold(gold_file(raws, tmp_path), grounds).present == (raws[0]["id"],)
    put(0, "provenance.contradiction", quote)(raws)
    assert relocate_gold(gold_file(raws, tmp_path), grounds).moved == {raws[0]["id"]: "fines.pdf-4"}


def test_a_question_moves_with_its_document_to_another_name(tmp_path: Path) -> None:
    """Page 1 of the old name and page 1 of the new one are not the same page; here they are 1 and 1 to 2."""
    sentence = "The fine for a late book is 20 pence a day."
    raws = clean()[3:4]
    answer(0, sentence)(raws)
    put(0, "provenance.chunk_id", "old")(raws)
    put(0, "provenance.docs", ["fines.pdf", "lending.pdf", "charges.pdf"])(raws)
    new = [Chunk(id="new", text=sentence, source="charges.pdf", page=1, metadata={"pages": [1, 2]})]
    grounds = Grounds(write_index(tmp_path / "new.db", new), Config())
    found = relocate_gold(gold_file(raws, tmp_path), grounds)
    assert found.how == {"q03": "same answer in another document"}
    assert found.raws[0]["provenance"]["docs"] == ["charges.pdf", "lending.pdf"]
    assert found.raws[0]["provenance"]["pages"] == [1, 2]


def test_a_set_written_by_hand_finds_its_chunks_by_the_answers(tmp_path: Path) -> None:
    """It names no chunk: one question knows its document, one nothing, one has no answer, one is unanswerable."""
    sentence = "The fine for a late book is 20 pence a day."
    chunks = [
        Chunk(id="new-1", text=sentence, source="fines.pdf", page=2),
        Chunk(id="new-2", text="The reading room closes at nine.", source="rooms.pdf", page=7),
    ]
    raws = [*clean()[3:6], *[raw for raw in clean() if raw["content"]["is_impossible"]][:1]]
    for at, said in enumerate([sentence, "The reading room closes at nine.", "", ""]):
        put(at, "content.expected_answer", said)(raws)
        put(at, "provenance.chunk_id", None)(raws)
        put(at, "provenance.docs", ["fines.pdf"] if at == 0 else [])(raws)
        put(at, "provenance.pages", [])(raws)
    found = relocate_gold(gold_file(raws, tmp_path), Grounds(write_index(tmp_path / "new.db", chunks), Config()))
    ids = [raw["id"] for raw in raws]
    assert found.moved == {ids[0]: "new-1", ids[1]: "new-2"}
    assert (found.lost, found.present) == ((ids[2],), (ids[3],))
    assert found.how[ids[2]] == "it names no chunk and has no answer"
    places = [raw["provenance"] for raw in found.raws]
    assert [(place["chunk_id"], place["docs"], place["pages"]) for place in places] == [
        ("new-1", ["fines.pdf"], []),
        ("new-2", ["rooms.pdf"], [7]),
        (None, [], []),
        (None, [], []),
    ]


def test_what_is_lost_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    raws = clean()
    answer(0, "Nothing that anybody wrote")(raws)
    put(0, "provenance.chunk_id", "gone")(raws)
    gold_file(raws, tmp_path)
    out = tmp_path / "moved.json"
    given = ["gold", "relocate", str(tmp_path / "gold.json"), "--index", str(index().path), "--out", str(out)]
    assert main(given) == 1
    told = capsys.readouterr().out
    assert "the answer is nowhere" in told
    assert "--old-index" in told
    main([*given, "--old-index", str(index().path)])
    assert "--old-index" not in capsys.readouterr().out
    assert read_gold_file(out).questions[0].provenance.chunk_id == "gone"
    assert main([*given, "--json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert data["lost"] == ["q00"]
    assert len(data["present"]) == 19


def test_an_unanswerable_question_that_is_lost_is_not_said_to_miss_an_answer(tmp_path: Path) -> None:
    raws = clean()
    put(15, "provenance.chunk_id", "gone")(raws)
    put(15, "provenance.answer_explanation", "Of this the corpus says nothing at all")(raws)
    found = relocate_gold(gold_file(raws, tmp_path), Grounds(index(), Config()))
    assert {id_: found.how[id_] for id_ in found.lost} == {"q15": "the chunk it was written from is nowhere"}


# --- phase 3 ------------------------------------------------------------------------------------------------------


def candidate(question: str, answer_: str, chunk_id: str, **given: Any) -> Candidate:
    own: dict[str, Any] = {
        "difficulty": 0.5,
        "question_type": "factual",
        "cognitive_level": "Remember",
        "reasoning_type": "single-hop",
        "reasoning_class": "fact_single",
        "answer_type": "extractive",
        "stratum": "s",
        "batch": "b",
        "prompt": "p",
        "model": "m",
    } | given
    return Candidate(key=key_of(chunk_id, question), chunk_id=chunk_id, question=question, answer=answer_, **own)


GOOD = candidate("What does somebody pay whose card has gone missing?", "replaced for 4 pounds", "lending.pdf-2")
ABSENT = candidate("What is the weight of the vellum sheet?", "", "archive.txt-2", hard_type="INSUFFICIENT_INFO")
PREMISE = candidate(
    "To whom is the cheque for overdue charges made out?",
    "",
    "fines.pdf-3",
    hard_type="FALSE_PREMISE",
    corpus_truth="Cheques are not taken.",
    contradiction="Fines are paid in cash or by card at the desk, never by cheque.",
)


@pytest.mark.parametrize(
    ("given", "gate", "method"),
    [
        (GOOD, None, "verbatim"),
        (replace(GOOD, answer="replaced for 5 pounds"), "G1-1", None),
        (replace(GOOD, answer="4 pounds for a lost card"), "G1-2", "coverage"),
        (replace(GOOD, question="What does it cost?"), "G1-5", "verbatim"),
        (replace(GOOD, question="What does somebody pay"), "G1-4", "verbatim"),
        (replace(GOOD, chunk_id="nowhere"), "G1-1", None),
        (ABSENT, None, "absent_by_rule"),
        (replace(ABSENT, question="When was the map of the river by Edwin Sallow drawn?"), "G2-4", "absent_by_rule"),
        (PREMISE, None, "absent_by_rule"),
        (replace(PREMISE, contradiction="Cheques were robbed in 1977."), "G2-4", "absent_by_rule"),
        (replace(PREMISE, contradiction=None, corpus_truth=None), "G2-4", "absent_by_rule"),
    ],
)
def test_a_candidate_is_put_to_the_gates(given: Candidate, gate: str | None, method: str | None) -> None:
    (verdict,) = validate([given], GROUNDS, Config())
    assert (verdict.accepted, verdict.gate, verdict.method) == (gate is None, gate, method)
    assert (verdict.reason is None) == (gate is None)


def test_vectors_of_the_index_are_not_computed_again(tmp_path: Path) -> None:
    """A set is checked with the vectors that are searched."""
    other = write_index(tmp_path / "flat.db", chunks(), vectors=np.eye(10, 256, dtype=np.float32))
    rows = Grounds(other, Config()).chunk_vectors(chunks()[:2])
    assert rows.shape == (2, 256)
    assert sorted(rows.sum(axis=1).tolist()) == [1.0, 1.0]


# --- the shipped example ------------------------------------------------------------------------------------------


def test_the_shipped_set_is_accepted_and_its_flaws_are_known(capsys: pytest.CaptureFixture[str]) -> None:
    """Abstracts that are no quotes; a question that needs the one before it; questions across languages."""
    folder = example_folder()
    capsys.readouterr()
    words = ["gold", "verify", str(folder / "gold.json"), "--index", str(folder / "corpus.db")]
    assert main([*words, "--config", str(folder / "assay.yaml"), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    failed = {o["gate"]: o["failures"] for o in data["outcomes"] if o["status"] == "failed"}
    assert failed.keys() == {"G1-2", "G1-5", "G3-3"}
    questions = {question.id: question for question in read_gold_file(folder / "gold.json").questions}
    assert {questions[f["question"]].classification.answer_type for f in failed["G1-2"]} <= {
        *("abstractive", "list", "yes_no")
    }
    assert all(questions[f["question"]].requires_context for f in failed["G1-5"])


def test_numbers_and_documents_that_are_swapped_in_the_shipped_set_are_seen() -> None:
    """Not every one can be: the next number may be true of the next sentence."""
    folder = example_folder()
    grounds = Grounds(Index.open(folder / "corpus.db"), Config())
    gold = [q for q in read_gold_file(folder / "gold.json").questions if not q.content.is_impossible]
    chunks_ = grounds.chunks(q.provenance.chunk_id or "" for q in gold)

    def refused(question: Question, text: str) -> bool:
        chunk = chunks_[question.provenance.chunk_id or ""]
        return examine(Claim(answer=text), chunk.text, grounds.language(chunk)).method() is None

    with_number = [q for q in gold if re.search(r"\d", q.content.expected_answer or "")]
    shifted = [
        re.sub(r"\d+", lambda m: str(int(m[0]) + 1), q.content.expected_answer or "", count=1) for q in with_number
    ]
    caught = sum(refused(q, text) for q, text in zip(with_number, shifted, strict=True))
    assert caught >= 0.9 * len(with_number)
    pairs = [
        (q, other) for q, other in zip(gold, reversed(gold), strict=True) if q.provenance.docs != other.provenance.docs
    ]
    foreign = sum(refused(q, other.content.expected_answer or "") for q, other in pairs)
    assert foreign >= 0.97 * len(pairs)


# --- relocate: sets that name pages ---------------------------------------------------------------------------------

PAGED = [
    Chunk(id="a-1", text="Boats are inspected every spring by the surveyor.", source="a.pdf", page=1),
    Chunk(id="a-2", text="Members pay 25 pounds before the first of May.", source="a.pdf", page=2),
    Chunk(id="a-3", text="Late members pay 40 pounds at the office.", source="a.pdf", page=3),
    Chunk(id="a-7", text="Members pay 25 pounds before the first of May, as on page two.", source="a.pdf", page=7),
    Chunk(id="b-1", text="Moorings are let by the week.", source="b.pdf", page=1),
    Chunk(id="b-2", text="Moorings are let by the month too.", source="b.pdf", page=1),
]


@pytest.mark.parametrize(
    ("docs", "pages", "said", "found", "how", "now"),
    [
        (["a.pdf"], [2], "Before the first of May members pay 25 pounds", "a-2", "same words", [2]),
        # The answer runs over onto the next page; what a person cited stays.
        (["a.pdf"], [2], "At the office late members pay 40 pounds", "a-3", "same words on another page", [2, 3]),
        # Five pages off, the same words are another place: the page that was cited is all that is known.
        (["a.pdf"], [1], "Late members pay 40 pounds to the office", "a-1", "the only chunk of its page", [1]),
        (["a.pdf"], [1], "Once a year", "a-1", "the only chunk of its page", [1]),
        (["a.pdf"], [3], "", "a-3", "the only chunk of its page", [3]),
        (["b.pdf"], [1], "Once a year, or so", None, "the answer is nowhere", [1]),  # two chunks stand there
        (["a.pdf"], [1, 2], "Once a year, or so", None, "the answer is nowhere", [1, 2]),
        (["a.pdf"], [9], "Once a year, or so", None, "the answer is nowhere", [9]),
        (["c.pdf"], [1], "Once a year, or so", None, "the answer is nowhere", [1]),
    ],
)
def test_a_page_leads_to_its_chunk(
    docs: list[str], pages: list[int], said: str, found: str | None, how: str, now: list[int], tmp_path: Path
) -> None:
    raws = clean()[:1]
    put(0, "provenance.chunk_id", None)(raws)
    put(0, "provenance.docs", docs)(raws)
    put(0, "provenance.pages", pages)(raws)
    put(0, "content.expected_answer", said)(raws)
    grounds = Grounds(write_index(tmp_path / "paged.db", PAGED), Config())
    done = relocate_gold(gold_file(raws, tmp_path), grounds)
    (raw,) = done.raws
    assert (done.moved.get(raw["id"]), done.how[raw["id"]]) == (found, how)
    assert (raw["provenance"]["chunk_id"], raw["provenance"]["pages"]) == (found, now)


def test_a_chunk_that_was_known_is_not_guessed_from_its_page(tmp_path: Path) -> None:
    raws = clean()[:1]
    put(0, "provenance.chunk_id", "old")(raws)
    put(0, "provenance.docs", ["a.pdf"])(raws)
    put(0, "provenance.pages", [1])(raws)
    put(0, "content.expected_answer", "Once a year, or so")(raws)
    grounds = Grounds(write_index(tmp_path / "paged.db", PAGED), Config())
    assert relocate_gold(gold_file(raws, tmp_path), grounds).lost == (raws[0]["id"],)


def test_of_many_documents_the_first_are_named(tmp_path: Path) -> None:
    """31 with a question and 40 without: 30 of each are named."""
    chunks = [Chunk(id=f"c{n:02d}", text=f"Boat {n} is moored here.", source=f"d{n:02d}.pdf") for n in range(71)]
    raws = [{**clean()[0], "id": f"q{n:02d}"} for n in range(31)]
    for n, raw in enumerate(raws):
        raw["provenance"] = {**raw["provenance"], "chunk_id": f"c{n:02d}", "docs": [f"d{n:02d}.pdf"], "pages": []}
    index = write_index(tmp_path / "many.db", chunks)
    report = stats_report(describe(gold_file(raws, tmp_path), Grounds(index, Config())))
    blocks = next(section for section in report.sections if section.title == "Coverage of the corpus").blocks
    notes = [block.text for block in blocks if isinstance(block, Note)]
    assert notes[0] == "… and 1 document more; --json has all."
    assert notes[1].startswith("Without a question: d31.pdf, d32.pdf, ")
    assert notes[1].endswith("d60.pdf … and 10 more")
