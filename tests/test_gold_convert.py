"""Round trips: nothing is lost, nothing is invented."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from gold_sets import clean, gold_file, index
from test_gold_defects import mcq

from assay.cli.main import main
from assay.config import Config
from assay.errors import AssayError
from assay.files import read_json
from assay.gold.cases import load_cases
from assay.gold.convert import Job, convert, detect, read, renamed, save, write
from assay.gold.formats import Bundle
from assay.gold.formats.protocol import Order
from assay.gold.grounds import Grounds
from assay.gold.leaves import PUBLISHED, UNANSWERABLE, faults, present

SQUAD = {
    "version": "v2.0",
    "licence": "kept",
    "data": [
        {
            "title": "Ferries",
            "topic": "kept",
            "paragraphs": [
                {
                    "context": "The ferry leaves at 8.15. It carries 120 people.",
                    "lines": 2,
                    "qas": [
                        {
                            "id": "a",
                            "question": "When does the ferry leave?",
                            "answers": [
                                {"text": "8.15", "answer_start": 20},
                                {"text": "at 8.15", "answer_start": 17, "by": "kept"},
                            ],
                            "is_impossible": False,
                        },
                        {
                            "id": "b",
                            "question": "Who steers the ferry?",
                            "answers": [],
                            "plausible_answers": [{"text": "120 people", "answer_start": 37}],
                            "is_impossible": True,
                        },
                    ],
                },
                {
                    "context": "Bicycles cost 3 pounds.",
                    "qas": [{"id": "c", "question": "What is 3 pounds?", "answers": []}],
                },
            ],
        }
    ],
}
QA = {
    "metadata": {"version": "1.2", "client": "x", "question_count": 2, "mood": "kept"},
    "remarks": "kept",
    "questions": [
        {
            "question_id": "1",
            "question": "When does it leave?",
            "question_type": "multi_hop",
            "difficulty": "hard",
            "ground_truth_answer": "At 8.15.",
            "source_filenames": ["a.pdf", "b.pdf"],
            "expected_chunks": ["c1", "c2"],
            "weight": 3,
        },
        {"question_id": "2", "question": "Who steers?", "source_filename": "a.pdf"},
    ],
}


def put(path: Path, data: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return path


def through(bundle: Bundle, form: str, folder: Path, order: Order | None = None) -> Bundle:
    """Written in a format and read again."""
    endings = {"jsonl": ".jsonl", "csv": ".csv", "beir": ""}
    target = folder / f"way-{form}{endings.get(form, '.json')}"
    save(write(bundle, form, order or Order()), target)
    return read(target, Order())


def test_squad_there_and_back(tmp_path: Path) -> None:
    bundle = read(put(tmp_path / "squad.json", SQUAD), Order())
    assert [raw["content"]["expected_answer"] for raw in bundle.raws] == ["8.15", "", ""]
    assert [raw["content"]["is_impossible"] for raw in bundle.raws] == [False, True, False]
    again = through(bundle, "schema-v2", tmp_path)
    written = write(again, "squad", Order())
    assert json.loads(written.files[""]) == SQUAD
    assert written.lost == {}


def test_an_answer_that_was_edited_gets_its_new_place(tmp_path: Path) -> None:
    bundle = read(put(tmp_path / "squad.json", SQUAD), Order())
    bundle.raws[0]["content"]["expected_answer"] = "carries\n120 PEOPLE"
    item = json.loads(write(bundle, "squad", Order()).files[""])["data"][0]["paragraphs"][0]["qas"][0]
    assert item["answers"] == [
        {"text": "carries 120 people", "answer_start": 29},
        {"text": "at 8.15", "answer_start": 17},
    ]
    bundle.raws[0]["content"]["expected_answer"] = "Nobody knows"
    assert write(bundle, "squad", Order()).lost == {"a": "its answer is not a quote of its chunk"}


def test_beir_there_and_back(tmp_path: Path) -> None:
    files = {
        "queries.jsonl": '{"_id": "q1", "text": "When?", "metadata": {"k": 1}}\n{"_id": "q2", "text": "Who?"}\n',
        "corpus.jsonl": '{"_id": "d1", "title": "T", "text": "One", "metadata": {}}\n{"_id": "d2", "text": "Two"}\n',
        "qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t1\n",
        "qrels/dev.tsv": "query-id\tcorpus-id\tscore\nq2\td2\t1\n",
    }
    for name, text in files.items():
        put(tmp_path / "beir" / name, text)
    bundle = read(tmp_path / "beir", Order())
    assert [raw["provenance"]["chunk_id"] for raw in bundle.raws] == ["d1", "d2"]
    written = write(through(bundle, "schema-v2", tmp_path), "beir", Order())
    assert written.files.keys() == files.keys()
    for name, text in files.items():
        if name.endswith(".jsonl"):
            assert [json.loads(line) for line in written.files[name].splitlines()] == [
                json.loads(line) for line in text.splitlines()
            ]
        else:
            assert written.files[name] == text


def test_rag_run_corpora_there_and_back(tmp_path: Path) -> None:
    bundle = read(put(tmp_path / "qa.json", QA), Order())
    first = bundle.raws[0]
    assert (first["classification"]["difficulty"], first["classification"]["reasoning_type"]) == (0.8, "multi-hop")
    assert first["provenance"]["docs"] == ["a.pdf", "b.pdf"]
    assert json.loads(write(through(bundle, "schema-v2", tmp_path), "qa", Order()).files[""]) == QA


@pytest.mark.parametrize("form", ["jsonl", "csv", "qa", "beir", "squad"])
def test_schema_v2_there_and_back(form: str, tmp_path: Path) -> None:
    """Every leaf, keys nobody knows, and an exam question with its session."""
    raws = clean()
    mcq("Both rooms are booked with Ms Petra Quill")(raws)
    raws[3] |= {"own_field": {"a": [1, None]}, "another": "text"}
    raws[4]["legacy_id"] = ""
    raws[16]["provenance"]["contradiction"] = "Fines are paid in cash or by card at the desk, never by cheque."
    raws[5]["legacy_id"] = "12"
    raws[7]["content"]["question"] = 'Which "space", if any;\nsuits fifty?'
    gold_file(raws, tmp_path)
    bundle = read(tmp_path / "gold.json", Order())
    order = Order(grounds=Grounds(index(), Config()))
    again = through(bundle, form, tmp_path, order)
    assert sorted(again.raws, key=lambda raw: raw["id"]) == raws
    assert load_cases(save(write(again, "schema-v2", Order()), tmp_path / "v2.json")[0]).total == 20


def test_csv_with_the_columns_of_the_user(tmp_path: Path) -> None:
    path = put(
        tmp_path / "theirs.csv",
        'Frage;Antwort;Stelle;Stichworte;Farbe\nWann fährt das Boot?;Um 8.15;c1;Boot;blau\nWer?;Ida;;"a; b";\n',
    )
    order = Order(columns={"question": "Frage", "answer": "Antwort", "chunk_id": "Stelle", "keywords": "Stichworte"})
    first, second = read(path, order).raws
    assert first["content"]["question"] == "Wann fährt das Boot?"
    assert first["provenance"]["chunk_id"] == "c1"
    assert first["classification"]["keywords"] == ["Boot"]
    assert first["Farbe"] == "blau"
    assert (first["id"], second["id"]) == ("q0001", "q0002")
    assert present(first) < 46, "what nobody said is not there"


def test_an_exam_sheet_with_a_column_for_each_choice(tmp_path: Path) -> None:
    """The letter names the right choice; a choice that is a number is still a text; an empty cell is no choice."""
    path = put(
        tmp_path / "exam.csv",
        "question,choices.A,mcq.choices.B,Third,mcq_answer,answer,session,uv,question_num,success_rate\n"
        "How many rooms are there?,12,2,,B,There are two rooms,2025-06,3,7,41.5\n",
    )
    order = Order(columns={"choices.C": "Third"})
    (raw,) = read(path, order).raws
    assert raw["mcq"]["choices"] == {"A": "12", "B": "2"}
    assert (raw["mcq"]["mcq_answer"], raw["mcq"]["correct_answer"]) == ("B", "2")
    exam = {"session": "2025-06", "uv": 3, "question_num": 7, "success_rate": 41.5}
    assert raw["provenance"]["annales_source"] == exam
    assert not [fault for fault in faults(raw) if fault.path.startswith(("mcq", "provenance.annales"))]
    save(write(read(path, order), "csv", Order()), tmp_path / "b.csv")
    assert read(tmp_path / "b.csv", Order()).raws == (raw,)
    save(write(read(path, order), "schema-v2", Order()), tmp_path / "b.json")
    assert load_cases(tmp_path / "b.json", purpose="answers").cases[0].tags["session"] == "2025-06"
    unknown = read(put(tmp_path / "c.csv", "question,choices.A,mcq_answer\nWhich?,one,D\n"), Order()).raws[0]
    assert unknown["mcq"]["correct_answer"] is None


def test_cells_of_text_stand_in_a_table_without_quotes(tmp_path: Path) -> None:
    table = put(tmp_path / "a.csv", "question,session,Remark\nWho is it?,2025-06,kept\n")
    text = write(read(table, Order()), "csv", Order()).files[""]
    assert text.endswith(",kept\n")
    assert ",2025-06," in text


def test_published_names_of_categories_there_and_back() -> None:
    raws = [raw for raw in clean() if raw["content"]["is_impossible"]]
    bundle = Bundle(raws=tuple(raws))
    published = renamed(bundle, "published")
    assert {raw["classification"]["hard_type"] for raw in published.raws} <= set(PUBLISHED)
    assert renamed(published, "own").raws == bundle.raws
    for name in PUBLISHED:
        raws[0]["classification"]["hard_type"] = name
        theirs = Bundle(raws=(raws[0],))
        own = renamed(theirs, "own")
        assert own.raws[0]["classification"]["hard_type"] in UNANSWERABLE
        assert renamed(own, "published").raws == theirs.raws


def test_triplets_have_negatives_without_the_answer(tmp_path: Path) -> None:
    gold_file(clean(), tmp_path)
    order = Order(grounds=Grounds(index(), Config()), negatives=3)
    written = write(read(tmp_path / "gold.json", order), "triplets", order)
    lines = [json.loads(line) for line in written.files[""].splitlines()]
    assert len(lines) == 14
    assert len(written.lost) == 6
    for line in lines:
        assert line["positive_id"] not in line["negative_ids"]
        assert len(line["negative_ids"]) <= 3
        assert line["positive"] not in line["negatives"]
    with pytest.raises(AssayError, match="--index"):
        write(read(tmp_path / "gold.json", order), "triplets", Order())


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_squad_there_and_back_through_rows(form: str, tmp_path: Path) -> None:
    """Rows bring the texts with them, even one that is longer than a cell usually may be."""
    whole: dict[str, Any] = json.loads(json.dumps(SQUAD))
    whole["data"][0]["paragraphs"][1]["context"] += " More of it." * 20_000
    bundle = read(put(tmp_path / "squad.json", whole), Order())
    save(write(bundle, form, Order()), tmp_path / "rows")
    back = read(tmp_path / "rows", Order(), form)
    assert (back.version, back.passages) == (bundle.version, bundle.passages)
    assert json.loads(write(back, "squad", Order()).files[""]) == whole


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_rows_may_be_moved_and_a_field_of_our_name_is_the_users(form: str, tmp_path: Path) -> None:
    version = {"schema": "GS_SCHEMA_V2", "target": 3}
    raws = clean()[:3]
    raws[2]["assay"] = {"mine": 1}
    save(write(Bundle(raws=tuple(raws), version=version), form, Order()), tmp_path / "rows")
    head, *lines = (tmp_path / "rows").read_text("utf-8").splitlines(keepends=True)
    moved = [head, *reversed(lines)] if form == "csv" else [*reversed(lines), head]
    (tmp_path / "rows").write_text("".join(moved), "utf-8")
    back = read(tmp_path / "rows", Order(), form)
    assert back.version == version
    assert list(back.raws) == raws[::-1]


def test_cells_of_unknown_columns_come_back_as_they_stood(tmp_path: Path) -> None:
    """A table does not say what is a number: 007 and 1.50 are no other numbers, and NaN is none."""
    cells = {"a": "007", "b": "1.50", "c": "1e5", "d": "NaN", "e": "3", "f": "[1]"}
    table = put(
        tmp_path / "a.csv", f"question,legacy_id,{','.join(cells)}\nWho is it?,007,{','.join(cells.values())}\n"
    )
    raw = read(table, Order()).raws[0]
    assert {name: raw[name] for name in cells} == cells | {"e": 3, "f": [1]}
    assert raw["legacy_id"] == "007"
    save(write(read(table, Order()), "csv", Order()), tmp_path / "b.csv")
    assert read(tmp_path / "b.csv", Order()).raws == (raw,)


@pytest.mark.parametrize("form", ["squad", "beir", "qa", "jsonl", "csv"])
def test_what_a_file_says_of_itself_comes_back(form: str, tmp_path: Path) -> None:
    version = {"schema": "GS_SCHEMA_V2", "target": 20, "mine": {"kept": True}}
    path = put(tmp_path / "a.json", {"version": version, "notes": [1, None], "questions": clean()})
    save(write(read(path, Order()), form, Order(grounds=Grounds(index(), Config()))), tmp_path / "out")
    back = read(tmp_path / "out", Order(), form)
    assert (back.version, back.beside) == (version, {"notes": [1, None]})


@pytest.mark.parametrize("form", ["squad", "beir", "qa", "triplets", "csv", "jsonl"])
def test_a_sparse_question_goes_into_every_format(form: str, tmp_path: Path) -> None:
    bundle = read(put(tmp_path / "a.json", {"questions": [{"id": "x", "content": {"question": "Why?"}}]}), Order())
    written = write(bundle, form, Order(grounds=Grounds(index(), Config())))
    assert written.files


def test_formats_are_told_by_what_is_there(tmp_path: Path) -> None:
    gold_file(clean(), tmp_path)
    assert detect(tmp_path / "gold.json") == "schema-v2"
    assert detect(put(tmp_path / "s.json", SQUAD)) == "squad"
    assert detect(put(tmp_path / "q.json", QA)) == "qa"
    assert detect(put(tmp_path / "c.json", [{"id": "1", "question": "Who?"}])) == "cases"
    assert detect(put(tmp_path / "d.json", {"cases": [{"id": "1", "question": "Who?"}]})) == "cases"
    assert detect(put(tmp_path / "c.jsonl", '{"id": "1", "question": "Who?", "answerable": false}\n')) == "cases"
    paged = '{"id": "1", "question": "Who?", "pages": [{"document": "a.pdf", "page": 2}]}\n'
    assert detect(put(tmp_path / "p.jsonl", paged)) == "cases"
    late = '{"id": "0", "question": "Why?", "answer": "So."}\n' + paged
    assert detect(put(tmp_path / "l.jsonl", late)) == "cases", "the first line alone does not tell"
    assert detect(put(tmp_path / "n.jsonl", '{"id": "1", "question": "Who?", "pages": [2]}\n')) == "jsonl"
    assert detect(put(tmp_path / "e.jsonl", '{"id": "1", "question": "Who?"}\n')) == "jsonl"
    assert detect(put(tmp_path / "f.jsonl", '{"content": {"question": "Who?"}, "sources": ["x.pdf"]}\n')) == "jsonl"
    with pytest.raises(AssayError, match="not known"):
        detect(put(tmp_path / "x.json", {"a": 1}))


CASES = [
    {"id": "a", "question": "Who?", "answer": "Ana", "grades": {"c1": 2, "c2": 0}, "tags": {"team": "red"}},
    {"id": "b", "question": "Where?", "pages": [{"document": "x.pdf", "page": 3}, {"document": "y.pdf", "page": 1}]},
    {"id": "c", "question": "When?", "answerable": False, "category": "OUT_OF_SCOPE", "truth": "It says nothing."},
    {"id": "d", "question": "Why?", "sources": ["x.pdf"]},
]


def test_cases_become_questions(tmp_path: Path) -> None:
    raws = read(put(tmp_path / "c.json", CASES), Order()).raws
    assert [raw["content"]["expected_answer"] for raw in raws] == ["Ana", "", "", ""]
    assert [raw["content"]["is_impossible"] for raw in raws] == [False, False, True, False]
    assert [raw["provenance"]["chunk_id"] for raw in raws] == ["c1", None, None, None]
    assert [raw["provenance"]["docs"] for raw in raws] == [[], ["x.pdf", "y.pdf"], [], ["x.pdf"]]
    assert [raw["provenance"]["pages"] for raw in raws] == [[], [3, 1], [], []]
    assert [raw["classification"]["hard_type"] for raw in raws] == ["ANSWERABLE"] * 2 + ["OUT_OF_SCOPE", "ANSWERABLE"]
    assert raws[2]["provenance"]["answer_explanation"] == "It says nothing."
    assert raws[0]["cases"] == {"grades": {"c1": 2, "c2": 0}, "tags": {"team": "red"}}
    with pytest.raises(AssayError, match="cases can only be read"):
        write(Bundle(raws=raws), "cases", Order())


def test_the_users_own_columns_go_before_the_keys_of_cases(tmp_path: Path) -> None:
    lines = put(tmp_path / "c.jsonl", '{"Frage": "Wer?", "sources": ["x.pdf"]}\n')
    (raw,) = read(lines, Order(columns={"question": "Frage", "docs": "sources"})).raws
    assert (raw["content"]["question"], raw["provenance"]["docs"]) == ("Wer?", ["x.pdf"])


@pytest.mark.parametrize(
    ("name", "text", "docs", "pages"),
    [
        ("a.jsonl", '{"question": "Who?", "source": "x.pdf", "page": 3}', ["x.pdf"], [3]),
        ("a.jsonl", '{"question": "Who?", "source": ["x.pdf"], "page": null}', ["x.pdf"], []),
        ("a.csv", "question,source,page\nWho?,x.pdf,3", ["x.pdf"], [3]),
        ("a.csv", "question,source,page\nWho?,x.pdf;y.pdf,3;14", ["x.pdf", "y.pdf"], [3, 14]),
        ("a.csv", "question,source,page\nWho?,,", [], []),
        ("a.csv", "question,source,page\nWho?,x.pdf,3,\n,,,\n", ["x.pdf"], [3]),
    ],
)
def test_one_document_or_page_is_a_list_of_one(
    name: str, text: str, docs: list[str], pages: list[Any], tmp_path: Path
) -> None:
    (raw,) = read(put(tmp_path / name, text), Order(columns={"docs": "source", "pages": "page"})).raws
    assert (raw["provenance"]["docs"], raw["provenance"]["pages"]) == (docs, pages)


OTHERS = (
    '{"question": "Who?", "gold": [{"doc": "x.pdf", "page": 7}, {"doc": "y.pdf", "page": 2}], "answer": "He"}',
    '{"question": "Why?", "gold": [{"doc": "x.pdf", "page": 1}], "answerable": true, "answer": "So"}',
    '{"question": "When?", "gold": [], "answerable": false, "answer": null}',
)


def test_a_file_with_keys_of_its_own_is_led_to_the_way_to_read_it(tmp_path: Path) -> None:
    """The page and document inside others by `--map`; `answerable: false` is not lost."""
    path = put(tmp_path / "a.jsonl", "\n".join(reversed(OTHERS)))
    with pytest.raises(
        AssayError, match=r"a\.jsonl:1: unknown key 'gold'\. Known: .*gold convert FILE --to schema-v2 --map"
    ):
        read(path, Order())
    last, why, who = read(path, Order(columns={"docs": "gold.doc", "pages": "gold.page"})).raws
    assert (who["provenance"]["docs"], who["provenance"]["pages"]) == (["x.pdf", "y.pdf"], [7, 2])
    assert (why["provenance"]["docs"], why["provenance"]["pages"]) == (["x.pdf"], [1])
    assert (last["provenance"]["docs"], last["provenance"]["pages"]) == ([], [])
    assert [each["content"]["is_impossible"] for each in (who, why, last)] == [False, False, True]
    assert (last["content"]["expected_answer"], last["classification"]["hard_type"]) == ("", None)
    assert who["gold"] == [{"doc": "x.pdf", "page": 7}, {"doc": "y.pdf", "page": 2}]


@pytest.mark.parametrize(
    ("name", "text", "columns", "told"),
    [
        (
            "a.jsonl",
            OTHERS[0],
            {"answer": "anser"},
            "a.jsonl: --map names 'anser', which no row has. Did you mean answer",
        ),
        ("a.jsonl", OTHERS[0], {"docs": "gold.file.name"}, "--map names 'gold.file.name', which no row has"),
        (
            "a.csv",
            "question,answr\nWho?,He\n",
            {"answer": "answer"},
            "--map names 'answer', which no row has. Did you mean",
        ),
        (
            "a.jsonl",
            OTHERS[0],
            {"question": "qestion"},
            "--map names 'qestion', which no row has. Did you mean question?",
        ),
        (
            "a.jsonl",
            '{"input": "Who?"}',
            {"question": "inptu"},
            "a.jsonl:1: has no question; expected a column 'inptu'",
        ),
    ],
)
def test_a_column_that_no_row_has_is_a_slip(
    name: str, text: str, columns: dict[str, str], told: str, tmp_path: Path
) -> None:
    with pytest.raises(AssayError) as caught:
        read(put(tmp_path / name, text), Order(columns=columns))
    assert told in str(caught.value)


def test_a_decimal_comma_in_a_column_of_numbers(tmp_path: Path) -> None:
    text = "question;success_rate;difficulty;note\nWho?;0,83;0.4;0,83\n"
    (raw,) = read(put(tmp_path / "a.csv", text), Order()).raws
    assert raw["provenance"]["annales_source"]["success_rate"] == 0.83
    assert (raw["classification"]["difficulty"], raw["note"]) == (0.4, "0,83")


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("a.jsonl", '{"id": "1"}\n', "a.jsonl:1: has no question"),
        ("a.jsonl", '{"question": "Who?", "id": 1}\n{"question": "Who?", "id": 1}\n', "id '1' occurs twice"),
        ("a.csv", "question\nWho?,really\n", "a.csv:2: has more cells"),
        ("a.json", '{"data": [\n{"title": "x"}]}', "a.json:2: data[0] has no 'paragraphs'"),
        ("a.json", '{"data": [{"paragraphs": [{"context": 5,\n"qas": []}]}]}', "context is 5; expected text"),
        ("a.jsonl", '{"id": [1], "content": {"question": "Who?"}}\n', "a.jsonl:1: id is [1]"),
        ("a.jsonl", '{"id": "1", "content": {}}\n', "a.jsonl:1: has no question"),
        ("a.csv", 'id,question\n1,"Who\nis it?"\n1,Who?\n', "a.csv:4: id '1' occurs twice, first in"),
        ("a.csv", "id,note\n1,2\n", "a.csv:2: has no question"),
        ("a.jsonl", "", "no question at all"),
        ("a.csv", "question,pages\nWho?,3\nWhy?,iv\n", "a.csv:3: provenance.pages[0] is 'iv'; expected a whole number"),
        ("a.csv", "question,success_rate\nWho?,high\n", "a.csv:2: provenance.annales_source.success_rate is 'high'"),
        ("a.jsonl", '{"question": "Who?", "difficulty": "0,7"}\n', "a.jsonl:1: difficulty is '0,7'; expected a number"),
        ("a.csv", 'question,answer\nWho?,"The\nWhy?,x\n', "a.csv:2: is not CSV: unexpected end of data"),
        ("a.csv", "question,question\nWho?,x\n", "a.csv:1: two columns are named 'question'"),
    ],
)
def test_faults_are_told_with_their_place(name: str, text: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(AssayError) as caught:
        read(put(tmp_path / name, text), Order())
    assert told in str(caught.value)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold_file(clean(), tmp_path)
    gold, target = str(tmp_path / "gold.json"), tmp_path / "out.squad.json"
    assert main(["gold", "convert", gold, "--to", "squad", "--index", str(index().path), "--out", str(target)]) == 0
    assert "20 questions written" in capsys.readouterr().out
    assert main(["gold", "convert", str(target), "--to", "schema-v2", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["lost"] == {}
    assert read_json(Path(told["out"]))["version"]["question_count"] == 20
    assert main(["gold", "convert", gold, "--to", "csv", "--map", "question"]) == 2
    assert "expected LEAF=COLUMN" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "text", "to", "told"),
    [
        (
            "a.csv",
            "question,answer\nWho?,Ana\nWhy?,So\n",
            "squad",
            (
                "a.csv: no question can be written as squad: 2 × the text of its chunk is not known; name the index "
                "with --index. Nothing was written; schema-v2, jsonl, csv take every question"
            ),
        ),
        ("a.csv", "question,answer\nWho?,Ana\n", "beir", "no question can be written as beir: 1 × no text is known"),
        ("a.json", {"data": []}, "jsonl", "a.json: holds no question at all"),
        ("a.json", [], "jsonl", "a.json: holds no question at all"),
        ("a.json", {"cases": []}, "jsonl", "a.json: holds no question at all"),
        ("a.json", {"data": [{"paragraphs": []}]}, "schema-v2", "a.json: holds no question at all"),
    ],
)
def test_a_conversion_that_writes_no_question_is_a_fault(
    name: str, text: Any, to: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = put(tmp_path / name, text)
    assert main(["gold", "convert", str(source), "--to", to]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert told in line
    assert list(tmp_path.iterdir()) == [source]


ROWS = [
    {"Frage": "Wer?", "Antwort": "Ana", "wo": [{"seite": 3, "datei": "x.pdf"}]},
    {"Frage": "Wo?", "Antwort": "Hier"},
]
GERMAN = {"question": "Frage", "answer": "Antwort", "docs": "wo.datei", "pages": "wo.seite"}


@pytest.mark.parametrize(
    "data", [ROWS, {"name": "mine", "data": ROWS}, {"questions": ROWS, "tags": ["a"]}, {"cases": ROWS, "none": []}]
)
def test_a_list_of_rows_is_read_by_a_map(data: Any, tmp_path: Path) -> None:
    """As it stands, or as the one list of objects in a file that looks like another format at first."""
    source = put(tmp_path / "a.json", data)
    first, second = read(source, Order(columns=GERMAN)).raws
    assert (first["id"], first["content"]["question"], first["content"]["expected_answer"]) == ("q0001", "Wer?", "Ana")
    assert (first["provenance"]["docs"], first["provenance"]["pages"]) == (["x.pdf"], [3])
    assert (second["id"], second["content"]["expected_answer"], second["provenance"]["docs"]) == ("q0002", "Hier", [])


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ('[\n{"Frage": "Wer?"},\n\n{"Frage": ""}\n]', "a.json:4: has no question"),
        ('{"a": [\n{"Frage": "Wer?", "id": 1},\n{"Frage": "Wo?", "id": 1}]}', "a.json:3: id '1' occurs twice"),
        ('[{"Frage": "Wer?"}, 5]', "a.json: no list of rows; expected a list of objects"),
        ('{"a": [{"Frage": "Wer?"}], "b": [{"Frage": "Wo?"}]}', "a.json: no list of rows"),
        ('[{"Frage": "Wer?"},', "a.json:1: not JSON"),
    ],
)
def test_faults_in_a_list_of_rows_are_told_with_their_line(data: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(AssayError) as caught:
        read(put(tmp_path / "a.json", data), Order(columns={"question": "Frage"}))
    assert told in str(caught.value)


def test_json_lines_under_another_name_are_still_lines(tmp_path: Path) -> None:
    path = put(tmp_path / "a.json", '{"question": "Who?"}\n{"question": "Why?"}\n')
    assert [raw["content"]["question"] for raw in read(path, Order(), "jsonl").raws] == ["Who?", "Why?"]


def test_a_map_that_changes_nothing_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = str(put(tmp_path / "a.json", SQUAD))
    assert main(["gold", "convert", source, "--to", "jsonl", "--map", "question=Frage"]) == 2
    assert "--map has no effect on squad. Leave it out" in capsys.readouterr().err
    assert main(["gold", "convert", source, "--to", "csv", "--map", "question=Frage"]) == 0
    assert ",Frage," in (tmp_path / "a.csv").read_text().splitlines()[0]


@pytest.mark.parametrize("given", ["", ",", " , "])
def test_a_map_of_nothing_is_a_slip(given: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gold", "convert", str(tmp_path / "a.csv"), "--to", "jsonl", "--map", given]) == 2
    assert f"--map is '{given}', which names nothing" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "text", "columns"),
    [
        ("a.jsonl", '{"question": "Who?", "answer": ["Ana", "Ana B.", "Ana", ""]}', {}),
        ("a.jsonl", '{"question": "Who?", "answers": {"text": ["Ana", "Ana B."]}}', {"answer": "answers.text"}),
        ("a.json", [{"question": "Who?", "gold": [{"a": "Ana"}, {"a": "Ana B."}]}], {"answer": "gold.a"}),
        ("a.csv", 'question,answer\nWho?,"[""Ana"", ""Ana B.""]"\n', {}),
        ("a.csv", 'question,answer,accepted_answers\nWho?,Ana,"[""Ana B.""]"\n', {}),
        ("a.csv", "question,answer,other\nWho?,Ana,Ana B.\n", {"accepted_answers": "other"}),
        ("a.json", [{"id": "1", "question": "Who?", "answer": ["Ana", "Ana B."]}], {}),
        (
            "a.json",
            {
                "data": [
                    {
                        "paragraphs": [
                            {
                                "context": "Ana B.",
                                "qas": [
                                    {
                                        "id": 1,
                                        "question": "Who?",
                                        "answers": [{"text": "Ana"}, {"text": "Ana"}, {"text": "Ana B."}],
                                    }
                                ],
                            }
                        ]
                    }
                ]
            },
            {},
        ),
    ],
)
def test_of_several_answers_the_first_is_expected_and_the_others_are_right_too(
    name: str, text: Any, columns: dict[str, str], tmp_path: Path
) -> None:
    source = put(tmp_path / name, text)
    done = convert(Job(source=source, to="schema-v2", order=Order(columns=columns)))
    told = "1 question has several answers: the first is expected, those in content.accepted_answers are right too."
    assert done.notes[0] == told
    (raw,) = read_json(done.path)["questions"]
    assert (raw["content"]["expected_answer"], raw["content"]["accepted_answers"]) == ("Ana", ["Ana B."])
    (case,) = load_cases(done.path, "answers").cases
    assert (case.answer, case.accepted, case.references) == ("Ana", ("Ana B.",), ("Ana", "Ana B."))
    for form in ("csv", "jsonl"):
        again = convert(Job(source=done.path, to=form))
        assert read(again.path, Order()).raws[0]["content"] == raw["content"]


def test_one_answer_is_no_list(tmp_path: Path) -> None:
    """One in a list, none, and one that looks like a list but is a text: `[1, 2]`, and `["a"]` there and back."""
    lines = ['{"question": "A?", "answer": ["x"]}', '{"question": "B?", "answer": []}', '{"question": "C?"}']
    raws = read(put(tmp_path / "a.jsonl", "\n".join(lines)), Order()).raws
    assert [raw["content"]["expected_answer"] for raw in raws] == ["x", "", ""]
    assert not any("accepted_answers" in raw["content"] for raw in raws)
    listed = put(tmp_path / "b.csv", 'question,answer\nWhat?,"[1, 2]"\nWhich?,"[""[\\""a\\""]""]"\n')
    bundle = read(listed, Order())
    assert [raw["content"]["expected_answer"] for raw in bundle.raws] == ["[1, 2]", '["a"]']
    (again,) = save(write(bundle, "csv", Order()), tmp_path / "c.csv")
    assert read(again, Order()).raws == bundle.raws


def test_an_answer_that_is_no_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match=r"a\.jsonl:1: answers are .*; expected a text, or a list of texts"):
        read(put(tmp_path / "a.jsonl", '{"question": "Who?", "answer": [{"a": 1}, "b"]}'), Order())


def test_several_answers_are_written_as_squad_has_them(tmp_path: Path) -> None:
    """Those that are quotes; the others come back all the same."""
    passages = {"c1": {"text": "Ana B. steers.", "source": "x"}}
    row = '{"id": "1", "question": "Who?", "chunk_id": "c1", "answer": ["Ana", "Ana B.", "the skipper"]}'
    (raw,) = read(put(tmp_path / "a.jsonl", row), Order()).raws
    (path,) = save(write(Bundle(raws=(raw,), passages=passages), "squad", Order()), tmp_path / "b.json")
    (item,) = read_json(path)["data"][0]["paragraphs"][0]["qas"]
    assert item["answers"] == [{"text": "Ana", "answer_start": 0}, {"text": "Ana B.", "answer_start": 0}]
    assert read(path, Order()).raws[0]["content"]["accepted_answers"] == ["Ana B.", "the skipper"]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.json", [{"id": "1", "question": "Who?", "expected_ids": ["c1", "c2"]}]),
        (
            "a.json",
            {"metadata": {}, "questions": [{"question_id": "1", "question": "W?", "expected_chunks": ["a", "b"]}]},
        ),
        ("set", None),
    ],
)
def test_relevant_chunks_that_the_schema_has_no_place_for_are_told(name: str, data: Any, tmp_path: Path) -> None:
    source = tmp_path / name
    if data is None:
        put(source / "queries.jsonl", '{"_id": "1", "text": "Who?"}\n')
        put(source / "qrels" / "test.tsv", "query-id\tcorpus-id\tscore\n1\tc1\t1\n1\tc2\t2\n1\tc3\t0\n")
    else:
        put(source, data)
    (note,) = convert(Job(source=source, to="schema-v2")).notes
    assert note == (
        "1 question has several relevant chunks: schema v2 has place for one, the best. "
        f"To measure retrieval on all of them: assay retrieval --gold {source}"
    )


def test_numbers_stand_for_texts_where_texts_are_wanted(tmp_path: Path) -> None:
    """Ids and answers; a leaf that holds a number keeps it, and what is neither is refused."""
    rows = [{"question": "How many?", "chunk_id": 4833, "answer": 7, "difficulty": 0.5, "legacy_id": 1}]
    rows += [{"question": "How much?", "answer": [3.5, "three and a half"]}]
    first, second = read(put(tmp_path / "a.jsonl", "\n".join(map(json.dumps, rows))), Order()).raws
    assert (first["provenance"]["chunk_id"], first["content"]["expected_answer"]) == ("4833", "7")
    assert (first["legacy_id"], first["classification"]["difficulty"]) == ("1", 0.5)
    assert (second["content"]["expected_answer"], second["content"]["accepted_answers"]) == (
        "3.5",
        ["three and a half"],
    )
    with pytest.raises(AssayError, match="chunk_id is True; expected text"):
        read(put(tmp_path / "a.jsonl", '{"question": "How?", "chunk_id": true}'), Order())


def test_rows_without_answers_or_places_are_told(tmp_path: Path) -> None:
    """As of a table whose columns have names of their own: it would look converted."""
    source = put(tmp_path / "a.csv", "question,answers,doc-id\nWho?,Ana,c1\n")
    answers = "No question has an answer, or says that there is none (answerable: false)."
    places = "No question names a chunk, document or page."
    others = "Kept, but not understood: answers, doc-id. --map LEAF=COLUMN says what they hold."
    assert convert(Job(source=source, to="schema-v2")).notes == (answers, places, others)
    mapped = Order(columns={"answer": "answers"})
    assert convert(Job(source=source, to="schema-v2", order=mapped)).notes == (places, others.replace("answers, ", ""))
    mapped = Order(columns={"answer": "answers", "chunk_id": "doc-id"})
    assert convert(Job(source=source, to="schema-v2", order=mapped)).notes == ()
    lines = put(tmp_path / "b.jsonl", '{"question": "Who?", "answerable": false}\n')
    assert convert(Job(source=lines, to="csv", form="jsonl")).notes == (places,)


def test_paragraphs_of_squad_keep_their_document_in_an_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By way of BEIR, whose texts would be documents of their own: then every question would be of another document."""
    monkeypatch.chdir(tmp_path)
    put(tmp_path / "squad.json", SQUAD)
    assert main(["gold", "convert", "squad.json", "--to", "beir", "--out", "set"]) == 0
    assert main(["gold", "convert", "squad.json", "--to", "schema-v2", "--out", "gold.json"]) == 0
    assert main(["index", "set", "--out", "corpus.db", "--quiet"]) == 0
    assert "1 document, 0 pages, 2 chunks" in capsys.readouterr().out
    main(["gold", "verify", "gold.json", "--index", "corpus.db", "--json"])
    outcomes = {each["gate"]: each for each in json.loads(capsys.readouterr().out)["outcomes"]}
    assert [failure["question"] for failure in outcomes["G1-1"]["failures"]] == ["c"]  # it has no answer


def test_rag_run_corpora_may_have_several_answers(tmp_path: Path) -> None:
    told = ["At 8.15.", "At a quarter past eight."]
    corpus = {"metadata": {}, "questions": [QA["questions"][0] | {"ground_truth_answer": told}]}  # type: ignore[index]
    path = put(tmp_path / "a.json", corpus)
    (case,) = load_cases(path, "answers").cases
    assert case.references == tuple(told)
    bundle = read(path, Order())
    assert json.loads(write(bundle, "qa", Order()).files[""])["questions"] == corpus["questions"]
    (raw,) = bundle.raws
    assert (raw["content"]["expected_answer"], raw["content"]["accepted_answers"]) == (told[0], told[1:])
    raw["content"]["accepted_answers"] = []
    assert json.loads(write(bundle, "qa", Order()).files[""])["questions"][0]["ground_truth_answer"] == told[0]
    plain = {key: value for key, value in raw.items() if key != "qa"} | {
        "content": raw["content"] | {"accepted_answers": ["8"]}
    }
    (item,) = json.loads(write(Bundle(raws=(plain,)), "qa", Order()).files[""])["questions"]
    assert item["ground_truth_answer"] == [told[0], "8"]
