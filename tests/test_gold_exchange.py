"""The file exchange: prompts out, answers in from whoever wrote them; a person's CSV."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from example_corpus import EXAMPLE, copy_example
from msgspec.structs import replace

from assay.cli.main import main
from assay.errors import AssayError
from assay.gold.candidate import accepted, read_log
from assay.gold.exchange import read_given
from assay.gold.people import OPTIONAL, REQUIRED, parse_people
from assay.llm.batch import URL

SETTINGS = """\
client: orrin
paths: {index: corpus.db, gold: gold.json}
gold: {target: 40, floor: 2}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project without a model."""
    copy_example(tmp_path)
    (tmp_path / "assay.yaml").write_text(SETTINGS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def prompts(project: Path) -> list[dict[str, Any]]:
    assert main(["gold", "prompts", "--out", "prompts.jsonl"]) == 0
    return [json.loads(line) for line in (project / "prompts.jsonl").read_text("utf-8").splitlines()]


def reply_to(prompt: dict[str, Any]) -> Any:
    """What the recording says to it."""
    text = prompt["body"]["messages"][1]["content"]
    script = [json.loads(line) for line in (EXAMPLE / "recording.jsonl").read_text("utf-8").splitlines()]
    return next(line["reply"] for line in script if line["contains"] in text)


def plain(prompt: dict[str, Any]) -> dict[str, Any]:
    return {"custom_id": prompt["custom_id"], "content": reply_to(prompt), "model": "a colleague"}


def enveloped(prompt: dict[str, Any]) -> dict[str, Any]:
    """As OpenAI's batch endpoint gives it back."""
    choice = {"index": 0, "message": {"role": "assistant", "content": json.dumps(reply_to(prompt))}}
    body = {"model": "gpt-x-1", "choices": [choice], "usage": {"prompt_tokens": 1, "completion_tokens": 1}}
    return {"custom_id": prompt["custom_id"], "response": {"status_code": 200, "body": body}, "error": None}


def write(path: Path, lines: list[Any]) -> str:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(path)


def test_prompts_are_what_a_batch_endpoint_takes(project: Path) -> None:
    found = prompts(project)
    assert len({each["custom_id"] for each in found}) == len(found) == 5
    for each in found:
        assert (each["method"], each["url"]) == ("POST", URL)
        assert [message["role"] for message in each["body"]["messages"]] == ["system", "user"]
        assert each["body"]["response_format"]["json_schema"]["strict"] is True
    assert prompts(project) == found


def test_the_command_for_the_answers_repeats_what_makes_the_build(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Answers to prompts of another target are refused, and the refusal says what to give."""
    out = project / "some prompts.jsonl"
    assert main(["gold", "prompts", "--target", "20", "--folder", "b c", "--out", str(out)]) == 0
    _, unset, last = capsys.readouterr().out.splitlines()
    assert unset.startswith("they name the model 'unset'")
    assert (
        main(["gold", "prompts", "--model", "openai/m-1", "--target", "20", "--folder", "b c", "--out", str(out)]) == 0
    )
    assert len(capsys.readouterr().out.splitlines()) == 2
    assert json.loads(out.read_text("utf-8").splitlines()[0])["body"]["model"] == "m-1"
    assert last == "answers in: assay gold ingest ANSWERS.jsonl --target 20 --folder 'b c'"
    asked = json.loads(out.read_text("utf-8").splitlines()[0])
    answers = write(project / "answers.jsonl", [{"custom_id": asked["custom_id"], "content": {"questions": []}}])
    assert main(["gold", "ingest", answers, "--folder", "b c"]) == 2
    assert "Give the options that the prompts were written with (--target" in capsys.readouterr().err
    assert main(["gold", "ingest", answers, *last.partition("ANSWERS.jsonl ")[2].replace("'", "").split(" ", 3)]) == 0


@pytest.mark.parametrize("form", [plain, enveloped])
def test_answers_of_anybody_make_the_set(form: Any, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = prompts(project)
    answers = write(project / "answers.jsonl", [form(prompt) for prompt in asked[::-1]])
    capsys.readouterr()
    assert main(["gold", "ingest", answers]) == 0
    assert capsys.readouterr().out == "5 answers are taken, 0 were known; 0 prompts are still open\n"
    assert main(["gold", "ingest", answers]) == 0
    assert capsys.readouterr().out == "0 answers are taken, 5 were known; 0 prompts are still open\n"
    assert main(["gold", "build", "--quiet"]) == 0
    assert len(json.loads((project / "gold.json").read_text("utf-8"))["questions"]) == 40
    log = read_log(project / "gold.build" / "generation_log.jsonl")
    assert {line.model for line in log if line.model} == {"gpt-x-1" if form is enveloped else "a colleague"}


def test_what_is_not_answered_yet_is_told(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = prompts(project)
    answers = write(project / "answers.jsonl", [plain(prompt) for prompt in asked[:2]])
    assert main(["gold", "ingest", answers]) == 0
    capsys.readouterr()
    assert main(["gold", "build", "--quiet"]) == 3
    assert "3 of 5 prompts have no readable answer yet" in capsys.readouterr().err
    assert [each["custom_id"] for each in prompts(project)] == [each["custom_id"] for each in asked[2:]]
    assert main(["gold", "build", "--quiet", "--partial"]) in {0, 1}
    questions = json.loads((project / "gold.json").read_text("utf-8"))["questions"]
    assert 0 < len(questions) < 40


def test_an_unreadable_answer_stays_open_and_is_logged(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = prompts(project)
    lines = [plain(prompt) for prompt in asked]
    lines[0]["content"] = "I would rather not."
    assert main(["gold", "ingest", write(project / "first.jsonl", lines)]) == 1
    out = capsys.readouterr().out
    assert "1 prompt is still open" in out
    assert f"{asked[0]['custom_id']}: cannot be read" in out
    assert [each["custom_id"] for each in prompts(project)] == [asked[0]["custom_id"]]
    assert main(["gold", "ingest", write(project / "second.jsonl", [plain(asked[0])])]) == 0
    assert main(["gold", "build", "--quiet"]) == 0
    log = read_log(project / "gold.build" / "generation_log.jsonl")
    replies = [(line.attempt, line.accepted) for line in log if line.event == "reply" and line.batch == log[0].batch]
    assert replies == [(1, False), (2, True)]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"content": "x"}, "answers.jsonl:1: a line has no custom_id"),
        ({"custom_id": "1-000-none", "content": "x"}, "custom_id '1-000-none' is no prompt of this build"),
        ({"custom_id": "FIRST", "said": "x"}, "answers.jsonl:1: a line has no reply"),
    ],
)
def test_a_file_that_is_no_answer(
    line: dict[str, Any], message: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = prompts(project)[0]["custom_id"]
    if line.get("custom_id") == "FIRST":
        line = line | {"custom_id": first}
    assert main(["gold", "ingest", write(project / "answers.jsonl", [line])]) == 2
    assert message in capsys.readouterr().err
    assert not (project / "gold.build" / "answers.jsonl").exists()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"error": {"message": "too long"}, "response": None}, "too long"),
        ({"response": {"status_code": 500, "body": {}}}, "answered 500"),
        ({"response": {"status_code": 200, "body": {"choices": []}}}, "no choice in the response"),
        ({"response": {"status_code": 200, "body": {"choices": [{"message": {"content": ""}}]}}}, "an empty reply"),
    ],
)
def test_a_line_with_a_fault_in_place_of_a_reply(
    change: dict[str, Any], reason: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = prompts(project)[0]
    assert main(["gold", "ingest", write(project / "answers.jsonl", [enveloped(first) | change])]) == 1
    assert f"{first['custom_id']}: {reason}" in capsys.readouterr().out


# --- a person's CSV ----------------------------------------------------------------------------------------------

CHUNK = "safety-manual.pdf-p002-parent001-child03"
ROW = {
    "chunk_id": CHUNK,
    "question": "Who puts a second signature on the float plan?",
    "answer": "the duty officer countersigns it",
    "difficulty": "0,4",
    "question_type": "factual",
    "cognitive_level": "Remember",
    "reasoning_class": "fact_single",
}


def csv_of(*rows: dict[str, str], separator: str = ",") -> str:
    names = list(dict.fromkeys(name for row in rows for name in row))
    lines = [separator.join(names)]
    lines += [separator.join('"' + row.get(name, "").replace('"', '""') + '"' for name in names) for row in rows]
    return "\n".join(lines) + "\n"


def parsed(project: Path, text: str) -> Any:
    from assay.corpus.index import Index

    with Index.open(project / "corpus.db") as index:
        return parse_people(text, "mine.csv", index, {"safety": "safety*"})


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_row_becomes_a_candidate(separator: str, project: Path) -> None:
    [found] = parsed(project, "\ufeff".lstrip("\ufeff") + csv_of(ROW, separator=separator)).candidates
    assert (found.chunk_id, found.difficulty, found.stratum, found.model) == (CHUNK, 0.4, "safety", "person")
    assert (found.answer_type, found.reasoning_type, found.hard_type) == ("extractive", "single-hop", "ANSWERABLE")
    [other] = parsed(project, csv_of(ROW | {"answer": "It is the officer on duty"})).candidates
    assert other.answer_type == "abstractive"


def test_a_table_as_office_programs_write_it(project: Path) -> None:
    """Columns without a name at the edge, rows of separators alone, names in capitals, `sep=`, old line ends."""
    [whole] = parsed(project, csv_of(ROW)).candidates
    header, row = csv_of(ROW, separator=";").split("\n")[:2]
    text = "\r".join(["sep=;", f" {header.upper()};;", f"{row};;", ";" * 8, ""])
    [found] = parsed(project, text.replace("\r", "\n", 1)).candidates
    assert replace(found, batch="") == replace(whole, batch="")
    long = ROW | {"explanation": "x" * 200_000}
    assert len(parsed(project, csv_of(long)).candidates[0].explanation) == 200_000


def test_files_of_two_people_a_file_twice_and_a_correction(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def said(*rows: dict[str, str]) -> str:
        (project / "mine.csv").write_text(csv_of(*rows), "utf-8-sig", newline="\r\n")
        assert main(["gold", "ingest", "mine.csv"]) == 0
        return capsys.readouterr().out

    other = ROW | {"question": "What does the officer on duty do with the float plan?"}
    assert said(ROW | {"answer": "the mayor of Pellham and her deputy"}) == "1 question of a person is taken\n"
    assert said(other) == "1 question of a person is taken\n"
    assert said(other) == "1 question of a person was known\n"
    assert main(["gold", "build", "--quiet", "--partial"]) in {0, 1}
    capsys.readouterr()
    assert said(ROW, other) == "2 questions of a person are taken\n"
    found = accepted(read_log(project / "gold.build" / "generation_log.jsonl"))
    assert {each.answer for each in found if each.question == ROW["question"]} == {
        "the mayor of Pellham and her deputy"
    }
    assert main(["gold", "build", "--quiet", "--partial"]) in {0, 1}
    found = accepted(read_log(project / "gold.build" / "generation_log.jsonl"))
    assert [(each.question, each.answer) for each in found] == [
        (row["question"], ROW["answer"]) for row in (ROW, other)
    ]


def test_an_unanswerable_row(project: Path) -> None:
    row = ROW | {"answer": "", "category": "OUT_OF_DATABASE", "corpus_truth": "Nothing is said of it."}
    [found] = parsed(project, csv_of(row)).candidates
    assert (found.hard_type, found.reasoning_class, found.answer_type) == (
        "OUT_OF_SCOPE",
        "adversarial",
        "unanswerable",
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("question,answer\n", "mine.csv:1: no column chunk_id, difficulty, question_type, cognitive_level"),
        (csv_of(ROW | {"chunk_id": "none"}), "mine.csv:2: chunk 'none' is not in the index"),
        (csv_of(ROW, ROW | {"difficulty": "hard"}), "mine.csv:3: difficulty is 'hard'; expected a number from 0 to 1"),
        (csv_of(ROW | {"reasoning_class": "trivia"}), "mine.csv:2: reasoning_class is 'trivia'; expected fact_single|"),
        (csv_of(ROW | {"answer": ""}), "mine.csv:2: the answer is empty"),
        (csv_of(ROW | {"category": "AMBIGUOUS"}), "mine.csv:2: an unanswerable question has an answer"),
        (
            csv_of(ROW | {"category": "AMBIGUOUS", "answer": ""}),
            "mine.csv:2: an unanswerable question has no corpus_tr",
        ),
        (csv_of(ROW | {"dificulty": "1"}), "mine.csv:1: unknown column 'dificulty'. Did you mean difficulty?"),
        (csv_of(ROW | {"question": ""}), "mine.csv:2: the question is empty"),
        (csv_of(ROW) + f'{CHUNK},"Who signs?"\n', "mine.csv:3: the answer is empty"),
        (
            csv_of(ROW) + csv_of(ROW).split("\n")[1] + ",more\n",
            "mine.csv:3: has more cells than the first row: 8, not 7",
        ),
        (
            csv_of(ROW).replace('"\n', '"",\n'),
            "mine.csv:2: is not CSV: unexpected end of data. A cell in double quotes",
        ),
        (csv_of(ROW).replace("\n", ",\n", 1).replace('"\n', '","x"\n'), "mine.csv:2: a cell stands under no name of a"),
        (csv_of(ROW).replace("answer", "question"), "mine.csv:1: two columns are named 'question'"),
        ("sep=;\n" + csv_of(ROW | {"difficulty": "2"}, separator=";"), "mine.csv:3: difficulty is '2'"),
        (csv_of(ROW | {"answer": "two\nlines"}, ROW | {"difficulty": "x"}), "mine.csv:4: difficulty is 'x'"),
        (csv_of(ROW).split("\n")[0], "mine.csv: holds no question at all"),
        ("", "mine.csv:1: no column chunk_id, question,"),
    ],
)
def test_a_mistake_in_the_table_is_told_with_its_line(text: str, message: str, project: Path) -> None:
    with pytest.raises(AssayError) as fault:
        parsed(project, text)
    assert str(fault.value).startswith(message)


def test_a_persons_questions_are_validated_like_any_other(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = ROW | {"question": "Who is told when the plan is lost?", "answer": "the mayor of Pellham and her deputy"}
    (project / "mine.csv").write_text(csv_of(ROW, wrong))
    assert main(["gold", "ingest", "mine.csv"]) == 0
    assert capsys.readouterr().out == "2 questions of a person are taken\n"
    assert main(["gold", "build", "--quiet", "--partial"]) in {0, 1}
    [question] = json.loads((project / "gold.json").read_text("utf-8"))["questions"]
    assert question["content"]["question"] == ROW["question"]
    assert question["processing"]["reasoning_class_method"] == "author"
    assert question["audit"]["history"] == [{"written_by": "person", "prompt": "csv"}]
    [rejected] = json.loads((project / "gold.build" / "rejected_questions.json").read_text("utf-8"))
    assert rejected["gate"].startswith("G")


def test_the_columns_are_those_of_a_candidate() -> None:
    from assay.gold.candidate import Candidate

    known = {*Candidate.__struct_fields__, "category"}
    assert set(REQUIRED + OPTIONAL) <= known


def test_a_kept_answer_that_was_torn_is_left_out(project: Path) -> None:
    asked = prompts(project)
    assert main(["gold", "ingest", write(project / "answers.jsonl", [plain(asked[0])])]) == 0
    kept = project / "gold.build" / "answers.jsonl"
    kept.write_bytes(kept.read_bytes() + b'{"batch": "1-0')
    assert [given.batch for given in read_given(kept.parent)] == [asked[0]["custom_id"]]
