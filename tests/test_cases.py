"""Which questions are tested, what becomes of the others, and what a broken file is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.errors import AssayError
from assay.gold.cases import band, load_cases
from assay.gold.schema import read_gold
from assay.records import PageRef


def question(id_: str, **groups: Any) -> dict[str, Any]:
    content = {"question": f"What is {id_}?", "expected_answer": "It is gold.", "is_impossible": False}
    provenance = {"chunk_id": f"chunk-{id_}", "docs": ["guide.pdf"], "pages": [4]}
    return {"id": id_, "content": content, "provenance": provenance} | groups


def write(path: Path, questions: list[Any]) -> Path:
    path.write_text(json.dumps({"version": {"schema": "GS_SCHEMA_V2"}, "questions": questions}, indent=1))
    return path


def test_every_question_left_out_is_counted_by_reason(tmp_path: Path) -> None:
    questions = [
        question("b"),
        question("a"),
        question("no", content={"question": "Who?", "is_impossible": True}),
        question("none", provenance={"chunk_id": None, "docs": [], "pages": []}),
        question("ctx", audit={"history": ["requires_context"]}),
        question("ctx2", audit={"history": [{"action": "mark", "requires_context": True}]}),
        question("fine", audit={"history": {"requires_context": False}}),
        question("null", audit={"history": None}),
    ]
    found = load_cases(write(tmp_path / "gold.json", questions))
    assert [case.id for case in found.cases] == ["a", "b", "fine", "null"]
    assert found.reasons == {"no chunk id": 1, "requires context": 2, "unanswerable": 1}
    assert found.total == len(questions)


def test_by_page_needs_pages_and_no_chunk(tmp_path: Path) -> None:
    questions = [
        question("paged", provenance={"chunk_id": None, "docs": ["a.pdf"], "pages": [2]}),
        question("chunked", provenance={"chunk_id": "c", "docs": [], "pages": []}),
    ]
    found = load_cases(write(tmp_path / "gold.json", questions), "pages")
    assert [(case.id, case.pages, dict(case.expected)) for case in found.cases] == [
        ("paged", (PageRef("a.pdf", 2),), {})
    ]
    assert found.reasons == {"no page": 1}


@pytest.mark.parametrize("exam", [None, {}, {"session": "2025"}, {"session": 2025}, "absent"])
def test_an_exam_source_may_be_null_missing_or_an_object(tmp_path: Path, exam: Any) -> None:
    item = question("q")
    if exam != "absent":
        item["provenance"]["annales_source"] = exam
    (case,) = load_cases(write(tmp_path / "gold.json", [item])).cases
    assert case.tags["session"] == ("2025" if exam and exam != "absent" else "unknown")


def test_tags_are_what_segments_are_made_of(tmp_path: Path) -> None:
    kind = {"reasoning_class": "summary", "difficulty": "HARD", "question_type": None}
    (case,) = load_cases(write(tmp_path / "gold.json", [question("q", classification=kind)])).cases
    assert case.tags == {
        "reasoning_class": "summary",
        "difficulty": "hard",
        "session": "unknown",
        "source": "guide.pdf",
        "question_type": "unknown",
    }


@pytest.mark.parametrize(
    ("value", "name"),
    [(0.0, "easy"), (0.329, "easy"), (0.33, "medium"), (0.66, "medium"), (0.661, "hard"), (1.0, "hard"), (None, None)],
)
def test_difficulty_bands(value: float | None, name: str | None) -> None:
    assert band(value) == name


@pytest.mark.parametrize(
    ("docs", "pages", "expected"),
    [
        (["a"], [1, 2, 2], [("a", 1), ("a", 2)]),
        (["a", "b"], [1, 9], [("a", 1), ("b", 9)]),
        (["a", "b"], [1, 2, 3], [("a", 1), ("a", 2), ("a", 3)]),
        ([], [1], []),
        (["a"], [], []),
    ],
)
def test_pages_belong_to_documents(tmp_path: Path, docs: list[str], pages: list[int], expected: list[Any]) -> None:
    item = question("q", provenance={"chunk_id": "c", "docs": docs, "pages": pages})
    (case,) = load_cases(write(tmp_path / "gold.json", [item])).cases
    assert [(page.document, page.page) for page in case.pages] == expected


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"version":{},"questions":[\n{"id":"a"}]}', "gold.json:2: it has no 'content'"),
        ('{"version":{},"questions":[\n{"id":"a","content":{}}]}', "gold.json:2: content has no 'question'"),
        (
            '{"version":{},"questions":[\n{"id":"a","content":{"question":"x?"},\n"classification":{"difficulty":"hardish"}}]}',
            "gold.json:3: difficulty is 'hardish'; expected a number from 0 to 1 or easy|medium|hard",
        ),
        (
            '{"version":{},"questions":[{"id":"a","content":{"question":"x?"},"classification":{"difficulty":1.5}}]}',
            "gold.json:1: difficulty is 1.5; expected a number from 0 to 1 or easy|medium|hard",
        ),
        (
            '{"version":{},"questions":[{"id":"a","content":{"question":"x?"},\n"provenance":{"pages":["one"]}}]}',
            "gold.json:2: provenance.pages[0] is 'one'; expected a whole number",
        ),
        (
            '{"version":{},"questions":[{"id":"a","content":{"question":"x?"}},\n{"id":"a","content":{"question":"y?"}}]}',
            "gold.json:2: id 'a' occurs twice, first in line 1",
        ),
        ('{"version":{"schema":"V1"},"questions":[]}', "gold.json:1: schema is 'V1'; expected GS_SCHEMA_V2"),
        ('{"version":{},"questions":{}}', "gold.json: questions is not a list"),
        ('{"version":{},"questions":[]}', "gold.json: holds no question at all"),
        ('{"x":\nNaN}', "gold.json:2: NaN is not JSON; expected a finite number or null"),
        ("[1,\n2", "gold.json:2: not JSON: Expecting ',' delimiter (column 2)"),
        ('"text"', "gold.json: neither questions nor cases; expected a schema-v2 gold set"),
        ('[{"id":"a","question":"q"},\n{"id":"a","question":"q"}]', "gold.json:2: id 'a' occurs twice, first at"),
        (
            '[{"id":"a","question":"q","expectd_ids":[]}]',
            "gold.json:1: unknown key 'expectd_ids'. Did you mean expected_ids?",
        ),
    ],
)
def test_a_broken_file_is_told_with_its_line(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "gold.json"
    path.write_text(text)
    with pytest.raises(AssayError) as fault:
        load_cases(path)
    assert str(fault.value).removeprefix(f"{tmp_path}/").startswith(told)
    assert "\n" not in str(fault.value)


def test_byte_order_mark_and_crlf_do_not_matter(tmp_path: Path) -> None:
    path = write(tmp_path / "gold.json", [question("q")])
    plain = load_cases(path)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert load_cases(path) == plain


def test_a_line_of_ten_megabytes(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps({"id": "long", "question": "x" * 10_000_000, "expected_ids": ["a"]}) + "\n")
    (case,) = load_cases(path).cases
    assert len(case.question) == 10_000_000


def test_flat_cases(tmp_path: Path) -> None:
    path = tmp_path / "cases.json"
    flat = {
        "id": 7,
        "question": "Which?",
        "expected_ids": ["a", "b"],
        "grades": {"b": 3, "c": 0},
        "pages": [{"document": "x.pdf", "page": 2}],
        "tags": {"team": "red", "year": 2026, "none": None},
    }
    path.write_text(json.dumps({"cases": [flat]}))
    (case,) = load_cases(path).cases
    assert (case.id, case.expected, case.expected_ids) == ("7", {"a": 1, "b": 3, "c": 0}, ("a", "b"))
    assert case.tags == {"team": "red", "year": "2026", "none": "unknown", "source": "x.pdf"}


def test_the_documents_of_pages_are_the_sources_where_no_others_are_named(tmp_path: Path) -> None:
    pages = [{"document": "x.pdf", "page": 2}, {"document": "x.pdf", "page": 3}, {"document": "y.pdf", "page": 1}]
    path = tmp_path / "cases.json"
    path.write_text(
        json.dumps([{"id": "a", "question": "q", "pages": pages}, {"id": "b", "question": "q", "sources": ["z"]}])
    )
    assert [case.sources for case in load_cases(path).cases] == [("x.pdf", "y.pdf"), ("z",)]


def test_what_can_be_converted_is_taken_as_it_is(tmp_path: Path) -> None:
    lines = tmp_path / "gold.jsonl"
    hopeless = question("b", content={"question": "When?", "is_impossible": True})
    lines.write_text("\n".join(json.dumps(item) for item in (question("a"), hopeless)))
    found = load_cases(lines)
    assert (found.format, [case.expected_ids for case in found.cases]) == ("jsonl", [("chunk-a",)])
    assert found.reasons == {"unanswerable": 1}
    table = tmp_path / "gold.csv"
    table.write_text("id,question,answer,chunk_id\nq1,Who?,Ana,c1\n")
    assert [(case.id, case.answer, case.expected_ids) for case in load_cases(table).cases] == [("q1", "Ana", ("c1",))]
    squad = tmp_path / "squad.json"
    asked = {"id": "s", "question": "Who?", "answers": [{"text": "Ana", "answer_start": 0}]}
    squad.write_text(json.dumps({"data": [{"paragraphs": [{"context": "Ana did.", "qas": [asked]}]}]}))
    (case,) = load_cases(squad).cases
    assert (case.answer, len(case.expected_ids)) == ("Ana", 1)
    table.write_text("id,question,chunk_id,difficulty\nq1,Who?,c1,harsh\n")
    with pytest.raises(AssayError, match=r"gold\.csv:2: difficulty is 'harsh'"):
        load_cases(table)


def test_a_fault_in_json_lines_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text('{"id": "a", "question": "q"}\n\n{"id": "b"}\n')
    with pytest.raises(AssayError, match=r"cases\.jsonl:3: .*has no 'question'"):
        load_cases(path)


def test_a_beir_folder(tmp_path: Path) -> None:
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\n")
    (tmp_path / "qrels" / "dev.tsv").write_text("query-id\tcorpus-id\tscore\nq2\td1\t1\n")
    (tmp_path / "queries.jsonl").write_text('{"_id":"q1","text":"one"}\n{"_id":"q2","text":"two"}\n')
    found = load_cases(tmp_path)
    assert [(case.id, case.expected, case.expected_ids) for case in found.cases] == [
        ("q1", {"d1": 2, "d2": 0}, ("d1",))
    ]
    assert found.reasons == {"not in test.tsv": 1}
    (tmp_path / "queries.jsonl").write_text('{"_id":"q1"}\n')
    with pytest.raises(AssayError, match=r"queries\.jsonl:1: not a query"):
        load_cases(tmp_path)
    (tmp_path / "queries.jsonl").unlink()
    with pytest.raises(AssayError, match="not a BEIR folder"):
        load_cases(tmp_path)


def test_read_gold_keeps_every_group(tmp_path: Path) -> None:
    mcq = {"choices": {"A": "one", "B": "two"}, "mcq_answer": "B", "correct_answer": "two"}
    (found,) = read_gold(write(tmp_path / "gold.json", [question("q", mcq=mcq, processing={"chunk_match_score": 100})]))
    assert found.mcq is not None
    assert found.mcq.choices == {"A": "one", "B": "two"}
    assert found.processing.chunk_match_score == 100


def qa(**changes: Any) -> dict[str, Any]:
    return {"question_id": "q1", "question": "Who?", "question_type": "single_hop", "difficulty": "easy"} | changes


def write_qa(path: Path, questions: list[Any], count: int = 1) -> Path:
    path.write_text(
        json.dumps({"metadata": {"client": "acme", "question_count": count}, "questions": questions}, indent=1)
    )
    return path


def test_a_rag_run_corpus(tmp_path: Path) -> None:
    many = {"ground_truth_answer": "Ines", "source_filenames": ["a.pdf", "b.pdf"], "expected_chunks": ["c1"]}
    questions = [qa(**many), qa(question_id="q2", source_filename="c.pdf")]
    found = load_cases(write_qa(tmp_path / "QA_acme_gold_v1-0__q2.json", questions, 2), "answers")
    first, second = found.cases
    assert (first.answer, first.sources, first.expected_ids) == ("Ines", ("a.pdf", "b.pdf"), ("c1",))
    assert (second.sources, second.tags["source"], second.answerable) == (("c.pdf",), "c.pdf", True)


@pytest.mark.parametrize(
    ("name", "count", "told"),
    [
        ("QA_acme_gold_v1-0__q3.json", 1, "holds 1 questions, its name says 3"),
        ("QA_acme_gold_v1-0__q1.json", 9, "holds 1 questions, its metadata says 9"),
    ],
)
def test_a_count_that_disagrees_is_an_error(tmp_path: Path, name: str, count: int, told: str) -> None:
    with pytest.raises(AssayError, match=told):
        load_cases(write_qa(tmp_path / name, [qa()], count), "answers")


def test_a_wrong_kind_of_question_is_told_with_its_line(tmp_path: Path) -> None:
    path = write_qa(tmp_path / "qa.json", [qa(difficulty="hardish")])
    with pytest.raises(AssayError, match=r"qa\.json:11: difficulty is 'hardish'; expected easy or medium or hard|easy"):
        load_cases(path, "answers")


def test_answers_are_asked_of_unanswerable_questions_too(tmp_path: Path) -> None:
    kind = {"hard_type": "FALSE_PREMISE", "answer_type": "unanswerable"}
    impossible = question("no", content={"question": "Why green?", "is_impossible": True}, classification=kind)
    impossible["provenance"]["answer_explanation"] = "The boats are red."
    empty = question("empty", content={"question": "What?", "expected_answer": ""})
    found = load_cases(write(tmp_path / "gold.json", [question("yes"), impossible, empty]), "answers")
    assert [(c.id, c.answerable, c.category, c.truth, c.expected_ids) for c in found.cases] == [
        ("no", False, "FALSE_PREMISE", "The boats are red.", ()),
        ("yes", True, None, None, ("chunk-yes",)),
    ]
    assert found.reasons == {"no expected answer": 1}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"id": ""}, "id is ''; expected text of length >= 1"),
        ({"question": ""}, "question is ''; expected text of length >= 1"),
        ({"expected_ids": ["a", ""]}, "expected_ids[1] is ''; expected text of length >= 1"),
        ({"grades": {"a": 1001}}, "grades.a is 1001; expected a whole number <= 1000"),
        ({"grades": {"a": -1001}}, "grades.a is -1001; expected a whole number >= -1000"),
        ({"grades": {"a": 10**30}}, "grades.a is 1000000000000000000000000000000; expected"),
    ],
)
def test_a_case_that_says_nothing_is_refused_with_its_line(tmp_path: Path, change: dict[str, Any], told: str) -> None:
    path = tmp_path / "cases.jsonl"
    fine = {"id": "a", "question": "Who?", "expected_ids": ["x"]}
    path.write_text(f"{json.dumps(fine)}\n\n{json.dumps(fine | {'id': 'b'} | change)}\n")
    with pytest.raises(AssayError) as fault:
        load_cases(path)
    assert str(fault.value).startswith(f"{path}:3: {told}")


def test_lines_of_schema_v2_may_have_keys_of_cases_beside(tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_text(json.dumps(question("a", sources=["a.pdf"], truth="x")))
    found = load_cases(path)
    assert (found.format, [case.expected_ids for case in found.cases]) == ("jsonl", [("chunk-a",)])


def test_lines_that_are_not_utf8_are_told(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_bytes(b'{"id": "a", "question": "b", "expected_ids": ["c"]}\n{"id": "\xff"}')
    with pytest.raises(AssayError, match=r"cases\.jsonl:2: not UTF-8 at byte 60\."):
        load_cases(path)
