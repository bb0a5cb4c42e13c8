"""People's labels: sent to a real server, kept beside the run, read by `assay judge check` and `assay gold audit`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from viewer_project import FORM, Client, make_small, places, running

from assay.cli.main import main
from assay.files import read_jsonl
from assay.gold.audit import read_verdicts
from assay.gold.gold_file import read_gold_file
from assay.judges.labels import read_labels
from assay.runs.folder import RunFolder
from assay.viewer.labels import gold_labels
from assay.viewer.places import Places

Shown = tuple[RunFolder, Client]
GOOD = {"id": "q1", "rater": "ana", "verdict": "pass"}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, RunFolder]:
    folder = tmp_path_factory.mktemp("labelled")
    return folder, make_small(folder)


@pytest.fixture
def shown(project: tuple[Path, RunFolder], monkeypatch: pytest.MonkeyPatch) -> Iterator[Shown]:
    folder, run = project
    monkeypatch.chdir(folder)
    files = (run.path / "labels.jsonl", folder / "gold.labels.jsonl", folder / "cases.labels.jsonl")
    for path in files:
        path.unlink(missing_ok=True)
    with running(places(folder)) as client:
        yield run, client


def send(shown: Shown, data: Any, **more: Any) -> Any:
    answer = shown[1].post(f"/runs/{shown[0].name}/labels", data, **more)
    return answer.status, answer.data


def lines(shown: Shown) -> list[Any]:
    path = shown[0].path / "labels.jsonl"
    return [value for _, value in read_jsonl(path)] if path.exists() else []


def test_a_label_is_kept_with_what_the_judge_said(shown: Shown) -> None:
    status, data = send(shown, {**GOOD, "correctness": 4, "note": "fine\nenough"})
    assert status == 200
    (line,) = lines(shown)
    assert data["label"] == line
    row = next(row for row in shown[0].results.read() if row["case_id"] == "q1")
    assert line["human"] == {"verdict": "pass", "correctness": 4}
    assert line["judge"]["verdict"] == row["judgment"]["verdict"]
    assert line["judge"]["overall_score"] == row["judgment"]["overall_score"]
    assert line["answer_length"] == len(row["answer"].split())
    assert line["note"] == "fine\nenough"
    assert line["at"] > "2026"
    (label,) = read_labels(shown[0].path / "labels.jsonl")
    assert label.rater == "ana"


def test_the_last_one_of_a_person_stands_and_can_be_taken_back(shown: Shown) -> None:
    send(shown, GOOD)
    send(shown, {**GOOD, "rater": "ben", "verdict": "fail"})
    send(shown, {**GOOD, "verdict": "partial"})
    path = shown[0].path / "labels.jsonl"
    said = [(label.rater, label.human.verdict) for label in read_labels(path) if label.human]
    assert said == [("ana", "partial"), ("ben", "fail")]
    assert len(lines(shown)) == 3
    assert send(shown, {"id": "q1", "rater": "ana", "withdrawn": True})[0] == 200
    assert [label.rater for label in read_labels(path)] == ["ben"]
    question = shown[1].json(f"/runs/{shown[0].name}/question", {"id": "q1"})
    assert [label["rater"] for label in question["labels"]] == ["ben"]
    page = shown[1].get(f"/runs/{shown[0].name}/question", {"id": "q1"}, Cookie="assay-rater=ana").text
    assert "<h3>Other people</h3><ul><li>ben: fail</li></ul>" in page


@pytest.mark.parametrize(
    ("data", "status", "said"),
    [
        ({"id": "q1", "rater": "ana"}, 400, "a verdict or a grade is needed"),
        ({**GOOD, "verdict": "superb"}, 400, "Invalid enum value 'superb'"),
        ({**GOOD, "clarity": 6}, 400, "<= 5"),
        ({**GOOD, "clarity": 0}, 400, ">= 1"),
        ({**GOOD, "rater": ""}, 400, "missing required field `rater`"),
        ({**GOOD, "rater": "a\nb"}, 400, "matching regex"),
        ({**GOOD, "rater": "x" * 61}, 400, "<= 60"),
        ({**GOOD, "note": "x" * 4001}, 400, "<= 4000"),
        ({**GOOD, "colour": "red"}, 400, "unknown field `colour`"),
        ({**GOOD, "id": "q99"}, 404, "no such question"),
        ({**GOOD, "id": "../../q1"}, 404, "no such question"),
        ([], 400, "not a JSON object"),
        (b"{", 400, "not JSON"),
        (b"\xff", 400, "not JSON"),
        ({**GOOD, "note": "x" * 40_000}, 413, ""),
    ],
)
def test_what_is_not_a_label_is_refused(shown: Shown, data: Any, status: int, said: str) -> None:
    found, told = send(shown, data)
    assert found == status
    assert said in told["error"]
    assert lines(shown) == []


def test_a_form_works_without_a_script(shown: Shown) -> None:
    run, client = shown
    body = urlencode({**GOOD, "token": client.guard.token, "note": "", "clarity": "5", "then": "/runs?x=1"}).encode()
    answer = client.ask("POST", f"/runs/{run.name}/labels", body, {"Content-Type": FORM})
    assert (answer.status, answer.headers["Location"]) == (303, "/runs?x=1")
    assert "assay-rater=ana" in answer.headers["Set-Cookie"]
    assert lines(shown)[0]["human"] == {"verdict": "pass", "clarity": 5}
    for there in ("//evil.example", "https://evil.example", "/\\evil.example", "/\t/evil.example", "/x\r\nA: b", ""):
        body = urlencode({**GOOD, "token": client.guard.token, "then": there}).encode()
        answer = client.ask("POST", f"/runs/{run.name}/labels", body, {"Content-Type": FORM})
        assert answer.headers["Location"] == "/runs"
    other = client.ask("POST", f"/runs/{run.name}/labels", b"x", {"Content-Type": "text/plain"})
    assert other.status == 415


def test_many_at_once_lose_nothing(shown: Shown) -> None:
    def one(number: int) -> int:
        data = {"id": f"q{number % 5 + 1}", "rater": f"r{number // 5}", "verdict": "pass", "note": "x" * 900}
        status: int = send(shown, data)[0]
        return status

    with ThreadPoolExecutor(16) as pool:
        assert set(pool.map(one, range(60))) == {200}
    assert len(read_labels(shown[0].path / "labels.jsonl")) == len(lines(shown)) == 60


def test_the_judge_is_checked_against_them(shown: Shown, capsys: pytest.CaptureFixture[str]) -> None:
    judged = {row["case_id"]: row["judgment"]["verdict"] for row in shown[0].results.read()}
    for id_, verdict in judged.items():
        send(shown, {"id": id_, "rater": "ana", "verdict": "fail"})
        send(shown, {"id": id_, "rater": "ana", "verdict": verdict})
    send(shown, {"id": "q5", "rater": "ana", "withdrawn": True})
    found = {}
    for words in ([str(shown[0].path / "labels.jsonl")], [shown[0].name], [str(shown[0].path)], ["last"]):
        assert main(["judge", "check", *words, "--json"]) in (0, 1)
        found[words[0]] = json.loads(capsys.readouterr().out)
    assert [(told["n_labelled"], told["n_both"], told["n_judged"]) for told in found.values()] == [
        (4, 4, 4),
        *[(4, 4, 5)] * 3,
    ]
    assert {told["verdicts"]["accuracy"]["value"] for told in found.values()} == {1.0}


def test_a_run_nobody_labelled_has_nothing_to_check(shown: Shown, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["judge", "check", "last"]) == 2
    assert "nobody has labelled its answers yet. Label some in: assay view" in capsys.readouterr().err


def pages_of_queue(shown: Shown, cookie: str) -> list[str]:
    """The questions in the order in which a person is asked, labelling each."""
    run, client = shown
    asked, after = [], ""
    for _ in range(10):
        place = client.get(f"/runs/{run.name}/next", {"after": after} if after else None, Cookie=cookie)
        assert place.status == 303
        found = re.search(r"question\?id=([^&]+)", place.headers["Location"])
        if not found:
            assert place.headers["Location"] == f"/runs/{run.name}/questions?label=labelled"
            break
        after = found[1]
        asked.append(after)
        send(shown, {"id": after, "rater": "ana", "verdict": "pass"})
    return asked


def test_the_queue_asks_for_each_once_in_an_order_of_chance(shown: Shown) -> None:
    asked = pages_of_queue(shown, "assay-rater=ana")
    assert sorted(asked) == ["q1", "q2", "q3", "q4", "q5"]
    assert asked != sorted(asked)
    labelled = shown[1].json(f"/runs/{shown[0].name}/questions", {"label": "labelled"}, Cookie="assay-rater=ana")
    assert labelled["found"] == 5
    other = shown[1].json(f"/runs/{shown[0].name}/questions", {"label": "unlabelled"}, Cookie="assay-rater=ben")
    assert other["found"] == 5


def test_labels_that_differ_from_the_judge_can_be_listed(shown: Shown) -> None:
    judged = {row["case_id"]: row["judgment"]["verdict"] for row in shown[0].results.read()}
    for id_, verdict in judged.items():
        send(shown, {"id": id_, "rater": "ana", "verdict": verdict if id_ != "q2" else _other(verdict)})
    path = f"/runs/{shown[0].name}/questions"
    found = shown[1].json(path, {"label": "disagrees"}, Cookie="assay-rater=ana")
    assert [each["id"] for each in found["questions"]] == ["q2"]
    assert shown[1].get(f"{path}.json", {"label": "blue"}).status == 400


def _other(verdict: str) -> str:
    return "fail" if verdict == "pass" else "pass"


def test_the_judge_is_hidden_until_a_person_has_labelled(shown: Shown) -> None:
    run, client = shown
    path = f"/runs/{run.name}/question"
    cookie = f"{client.cookie}; assay-rater=ana"

    def judge(**query: str) -> str:
        page = client.get(path, {"id": "q1", **query}, Cookie=cookie).text
        found = re.search(r"<details class=\"judge\"[^>]*>", page)
        assert found
        return found[0]

    assert "open" not in judge()
    assert "open" in judge(blind="0")
    send(shown, GOOD)
    assert "open" in judge()


def test_without_the_token_there_is_no_form(shown: Shown) -> None:
    run, client = shown
    page = client.get(f"/runs/{run.name}/question", {"id": "q1"}).text
    assert '<form class="label"' not in page
    assert "open the address with the token" in page
    assert client.guard.token not in page
    with_token = client.get(f"/runs/{run.name}/question", {"id": "q1"}, Cookie=client.cookie).text
    assert '<form class="label"' in with_token
    assert client.guard.token not in with_token


def test_only_answers_are_labelled(shown: Shown, tmp_path: Path) -> None:
    run, client = shown
    copy = run.path.with_name("2026-01-01__other__00000000")
    copy.mkdir()
    try:
        manifest = run.manifest | {"kind": "retrieval"}
        (copy / "manifest.json").write_text(json.dumps(manifest))
        assert client.post(f"/runs/{copy.name}/labels", GOOD).status == 400
        assert client.get(f"/runs/{copy.name}/next").status == 404
    finally:
        (copy / "manifest.json").unlink()
        copy.rmdir()


def gold_client(folder: Path) -> Any:
    from assay.config import load
    from assay.viewer.places import Places

    return running(Places.of(load(folder / "assay.yaml"), gold=folder / "gold.json"))


def test_gold_questions_are_labelled_for_the_audit(
    shown: Shown, project: tuple[Path, RunFolder], capsys: pytest.CaptureFixture[str]
) -> None:
    folder = project[0]
    path = folder / "gold.labels.jsonl"
    gold = read_gold_file(folder / "gold.json")
    with gold_client(folder) as client:
        sample = [q["id"] for q in client.json("/gold", {"sample": "yes", "size": 200})["questions"]]
        after, asked = "", []
        for _ in sample:
            place = client.get("/gold/next", {"after": after} if after else None, Cookie="assay-rater=ana")
            after = unescape(dict(_query(place.headers["Location"]))["id"])
            asked.append(after)
            assert client.post("/gold/labels", {"id": after, "rater": "ana", "verdict": "good"}).status == 200
        assert sorted(asked) == sorted(sample)
        assert client.get("/gold/next", Cookie="assay-rater=ana").headers["Location"] == "/gold?sample=yes"
        assert main(["gold", "audit", "gold.json", "--verdicts", str(path), "--json"]) == 0
        audit = json.loads(capsys.readouterr().out)
        assert (audit["checked"], audit["open"], audit["bad"]) == (len(sample), 0, [])
        client.post("/gold/labels", {"id": sample[0], "rater": "ben", "verdict": "bad", "note": "stale"})
        assert main(["gold", "audit", "gold.json", "--verdicts", str(path), "--json"]) == 1
        assert json.loads(capsys.readouterr().out)["notes"] == {sample[0]: "stale"}
        client.post("/gold/labels", {"id": sample[0], "rater": "ben", "withdrawn": True})
        assert not [verdict for verdict in read_verdicts(path, gold) if verdict.verdict != "good"]
        assert client.post("/gold/labels", {"id": "nothing", "rater": "a", "verdict": "bad"}).status == 404
        assert client.post("/gold/labels", {"id": sample[0], "rater": "a"}).status == 400
        listed = client.json("/gold", {"label": "good", "size": 200}, Cookie="assay-rater=ana")
        assert listed["found"] == len(sample)


def _query(place: str) -> list[tuple[str, str]]:
    from urllib.parse import parse_qsl, urlsplit

    return parse_qsl(urlsplit(place).query)


def test_plain_cases_are_shown_with_what_they_have_and_cannot_be_labelled(shown: Shown) -> None:
    client = shown[1]
    listed = client.json("/gold")
    assert (listed["form"], listed["total"], listed["sample"]) == ("cases", 5, 0)
    assert listed["choices"]["difficulty"] == {"easy": 3, "hard": 2}
    assert listed["questions"][0]["leaves"] is None
    assert client.json("/gold", {"difficulty": "hard"})["found"] == 2
    assert "Check the audit" not in client.get("/gold").text
    one = client.json("/gold/question", {"id": "q3"})
    assert one["answer"] == "A family pays 210 pounds a year."
    assert one["chunk"]["id"] == "fees-1"
    page = client.get("/gold/question", {"id": "q3"}, Cookie=client.cookie)
    assert "{&quot;fees-1&quot;:1}" in page.text
    assert "<form" not in page.text
    assert "<dd>[]</dd>" not in page.text
    refused = client.post("/gold/labels", {"id": "q3", "rater": "ana", "verdict": "bad"})
    assert (refused.status, "schema v2" in refused.data["error"]) == (400, True)
    gates = client.get("/gold/gates.json")
    assert (gates.status, "assay gold convert" in gates.data["error"]) == (409, True)
    assert client.get("/gold/next").headers["Location"] == "/gold?sample=yes"


@pytest.mark.parametrize(
    ("name", "content", "form"),
    [
        ("cases.jsonl", '{"id": "x", "question": "Why?", "answerable": false}\n', "cases"),
        (
            "qa.json",
            '{"metadata": {}, "questions": [{"question_id": "x", "question": "Why?", "ground_truth_answer": "So."}]}',
            "qa",
        ),
    ],
)
def test_other_forms_of_cases(shown: Shown, tmp_path: Path, name: str, content: str, form: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    config = places(shown[0].path.parent.parent).config
    with running(Places.of(config, gold=tmp_path / name)) as client:
        assert client.json("/gold")["form"] == form
        assert client.json("/gold")["questions"][0]["hard_type"] == ("UNANSWERABLE" if form == "cases" else None)
        said = "None: it cannot be answered." if form == "cases" else "So."
        assert said in client.get("/gold/question", {"id": "x"}).text


def test_what_is_no_gold_set_at_all_is_said(shown: Shown, tmp_path: Path) -> None:
    (tmp_path / "gold.json").write_text("{}")
    with running(Places.of(places(shown[0].path.parent.parent).config, gold=tmp_path / "gold.json")) as client:
        answer = client.get("/gold.json")
        assert (answer.status, "neither questions nor cases" in answer.data["error"]) == (409, True)


def test_a_spoiled_line_of_labels_does_not_hide_the_others(shown: Shown) -> None:
    send(shown, GOOD)
    path = shown[0].path / "labels.jsonl"
    path.write_bytes(path.read_bytes() + b"{torn")
    send(shown, {**GOOD, "id": "q2"})
    data = shown[1].json(f"/runs/{shown[0].name}/questions", {"label": "labelled"}, Cookie="assay-rater=ana")
    assert [each["id"] for each in data["questions"]] == ["q1", "q2"]


def test_lines_of_gold_labels_that_cannot_be_read_are_passed_over(project: tuple[Path, RunFolder]) -> None:
    path = project[0] / "spoiled.labels.jsonl"
    path.write_text('{torn\n{"id": "a", "verdict": "good", "rater": "x", "at": "1"}\n{"id": 5}\n')
    assert list(gold_labels(path)) == ["a"]
    path.unlink()
    assert gold_labels(path) == {}


def test_a_label_of_grades_alone_is_one(shown: Shown) -> None:
    assert send(shown, {"id": "q1", "rater": "ana", "clarity": 3})[0] == 200
    found = shown[1].json(f"/runs/{shown[0].name}/questions", {"label": "labelled"}, Cookie="assay-rater=ana")
    assert [each["label"] for each in found["questions"]] == ["graded"]
    assert (
        shown[1].json(f"/runs/{shown[0].name}/questions", {"label": "disagrees"}, Cookie="assay-rater=ana")["found"]
        == 0
    )
