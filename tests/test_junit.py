"""JUnit XML: valid by the rules its readers share, the same result as the exit code, safe with any text."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import extraction_project
import pytest
from hypothesis import given
from hypothesis import strategies as st
from judged_project import make_judged, say
from lxml import etree
from report_samples import HOSTILE
from small_project import last, make

from assay.cli.main import main
from assay.config import load
from assay.report.checks import checks_of
from assay.report.junit import Entry, Result, Suite, to_junit
from assay.report.outcomes import outcomes_of
from assay.report.publish import publish

SCHEMA = etree.XMLSchema(etree.parse(Path(__file__).with_name("junit.xsd")))


def read(data: bytes) -> etree._Element:
    tree = etree.fromstring(data)
    SCHEMA.assertValid(tree)
    return tree


def written(path: str = "out.xml") -> etree._Element:
    assert main(["report", "--out", path, "--quiet"]) == 0
    return read(Path(path).read_bytes())


def entry(tree: etree._Element, suite: str, name: str) -> etree._Element:
    found = [
        case for part in tree if part.get("name") == suite for case in part.iter("testcase") if case.get("name") == name
    ]
    assert len(found) == 1, (suite, name)
    return found[0]


def counted(tree: etree._Element) -> None:
    """Every number in a head is that of the entries below it."""
    for part in tree:
        kinds = Counter(child.tag for case in part.iter("testcase") for child in case)
        assert int(part.get("tests")) == len(list(part.iter("testcase")))
        assert [int(part.get(name)) for name in ("failures", "errors", "skipped")] == [
            kinds["failure"],
            kinds["error"],
            kinds["skipped"],
        ]
    for name in ("tests", "failures", "errors"):
        assert int(tree.get(name)) == sum(int(part.get(name)) for part in tree)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_rag_run(folder: Path) -> None:
    gates = [
        {"measure": "pass_rate", "at_least": 0.9},
        {"measure": "mrr", "at_least": 0.9, "severity": "warning"},
        {"measure": "error_rate", "at_least": 0.1},
    ]
    make_judged(folder, run={"gates": gates}, comparison={"limits": {"latency_p50": 1000, "latency_p95": 0.0}})
    say(folder, q2="Nobody knows.", q5=None)
    assert main(["run", "--quiet"]) == 3
    tree = written()
    counted(tree)
    assert [part.get("name") for part in tree] == [
        "assay.rag.run",
        "assay.rag.gates",
        "assay.rag.limits",
        "assay.rag.cases.python:bot:answer",
    ]
    assert tree[0].find("properties/property[@name='exit_code']").get("value") == "3"
    (error,) = entry(tree, "assay.rag.run", "every case has a result")
    assert (error.tag, error.get("message")) == ("error", "1 case failed: 1 in unknown")
    (gate,) = entry(tree, "assay.rag.gates", "pass_rate ≥ 0.9")
    assert gate.tag == "failure"
    assert gate.get("message").startswith("pass_rate is 0.600 [")
    (warned,) = entry(tree, "assay.rag.gates", "mrr ≥ 0.9 (warning)")
    assert (warned.tag, warned.text) == ("system-out", "warning: mrr is undefined: nothing could be scored")
    (held,) = entry(tree, "assay.rag.gates", "error_rate ≥ 0.1")
    assert (held.tag, held.text[:17]) == ("system-out", "error_rate is 0.2")
    (limit,) = entry(tree, "assay.rag.limits", "latency_p95 ≤ 0")
    assert (limit.tag, "above the limit of 0" in limit.get("message")) == ("failure", True)
    assert entry(tree, "assay.rag.limits", "latency_p50 ≤ 1000")[0].tag == "system-out"
    cases = "assay.rag.cases.python:bot:answer"
    assert len(entry(tree, cases, "q1")) == 0
    assert float(entry(tree, cases, "q1").get("time")) >= 0
    (failed,) = entry(tree, cases, "q2")
    assert failed.get("message").startswith("fail: ")
    assert "answer: Nobody knows." in failed.text
    assert "question: What starts the overdue procedure?" in failed.text
    (broken,) = entry(tree, cases, "q5")
    assert (broken.tag, "the bot is out of order" in broken.get("message")) == ("error", True)


def test_a_partial_answer_passes_and_is_told(folder: Path) -> None:
    make_judged(folder)
    assert main(["run", "--quiet"]) == 0
    rows = last(folder).results.read()
    rows[0]["judgment"] |= {"verdict": "partial", "reason": "half of it"}
    rows[1]["judgment"] = None
    rows[2]["answerable"], rows[2]["truth"] = False, None
    rows[2]["judgment"] |= {"verdict": "fail", "reason": None}
    last(folder).results.path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = list(outcomes_of(last(folder)))
    assert [(each.result, each.reason) for each in found[:3]] == [
        ("passed", "partial: half of it"),
        ("skipped", "not judged"),
        ("failed", "fail: the judge gave no reason"),
    ]
    assert found[2].facts["expected"] == "a refusal: it cannot be answered"
    (told,) = entry(written(), "assay.rag.cases.python:bot:answer", "q1")
    assert told.text.startswith("partial: half of it\nquestion: Who countersigns")


def test_a_retrieval_run_with_a_regression(folder: Path) -> None:
    make(folder)
    cases = json.loads((folder / "cases.json").read_text())
    many = [case | {"id": f"{case['id']}-{number}"} for case in cases for number in range(4)]
    many += [many[0] | {"id": "pages", "expected_ids": []}]
    (folder / "cases.json").write_text(json.dumps(many))
    assert main(["retrieval", "--variants", "bm25", "--update-baseline", "--quiet"]) == 0
    for case in many:
        case["expected_ids"] = ["absent"]
    (folder / "cases.json").write_text(json.dumps(many))
    assert main(["retrieval", "--variants", "bm25", "--quiet"]) == 1
    tree = written()
    counted(tree)
    assert [part.get("name").removeprefix("assay.retrieval.") for part in tree] == [
        "run",
        "gates",
        "regressions",
        "cases.bm25",
    ]
    (worse,) = entry(tree, "assay.retrieval.regressions", "recall@5")
    assert worse.get("message").startswith("recall@5 1.000 → 0.000, −1.000 [")
    assert "p <0.001: worse (baseline baseline_default_v1" in worse.get("message")
    (missed,) = entry(tree, "assay.retrieval.cases.bm25", "q1-0")
    assert missed.get("message").startswith("no expected chunk among the first 5: the expected chunk is not in the ind")
    assert "expected: absent\nrank: not found\nretrieved: float-1" in missed.text


def test_variants_stand_apart_and_what_has_no_truth_is_skipped(folder: Path) -> None:
    make(folder)
    cases = json.loads((folder / "cases.json").read_text())
    cases[0] |= {"expected_ids": [], "pages": []}
    (folder / "cases.json").write_text(json.dumps(cases))
    assert main(["retrieval", "--variants", "bm25,vector", "--pages-only", "--quiet"]) == 0
    tree = written()
    counted(tree)
    names = [part.get("name") for part in tree][-2:]
    assert names == ["assay.retrieval.cases.bm25", "assay.retrieval.cases.vector"]
    (skipped,) = entry(tree, names[0], "q1")
    assert (skipped.tag, skipped.get("message")) == ("skipped", "nothing is relevant")


def test_another_judge_than_that_of_the_baseline_is_told_as_not_compared(folder: Path) -> None:
    make_judged(folder)
    assert main(["run", "--quiet", "--update-baseline"]) == 0
    (file,) = (folder / "baselines").glob("*.json")
    data = json.loads(file.read_text())
    data["identity"]["judge"] = "another"
    file.write_text(json.dumps(data))
    (skipped,) = entry(written(), "assay.rag.regressions", "against the baseline")
    assert "were judged by different judges" in skipped.get("message")


def test_an_extraction_run(folder: Path) -> None:
    extraction_project.make(folder)
    extraction_project.write_sample(folder / "samples", "untold", None)
    extraction_project.write_sample(
        folder / "samples", "missed", extraction_project.sidecar([extraction_project.LUNCH], [])
    )
    assert main(["extract", "--system", "rules", "--quiet"]) in (0, 1)
    assert main(["extract", "--system", "recorded", "--quiet"]) in (0, 3)
    found = {outcome.case_id: outcome for outcome in outcomes_of(last(folder))}
    assert found["crud/right"].result == "passed"
    assert (found["crud/half"].result, found["crud/half"].reason) == ("failed", "start_time: 3 h apart, limit 2 h")
    assert found["missed"].reason == "1 record missed"
    assert found["missed"].facts["missed"].startswith('{"action":"create","title":"Lunch"')
    assert (found["hard/invented"].reason, found["hard/invented"].result) == ("1 record not expected", "failed")
    counted(written())


def test_a_lanes_run(folder: Path) -> None:
    assert main(["lanes", "--quiet"]) == 0
    found = list(outcomes_of(last(folder)))
    assert {each.result for each in found} == {"passed"}
    rows = last(folder).results.read()
    rows[0] |= {"recall_at_k": 0.5, "expected_ids": ["a", "b", "c"], "missing_expected_ids": ["c"], "hits": ["a"]}
    rows[1] |= {"status": "undefined", "reason": "no id is expected"}
    last(folder).results.path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    first, second, *_ = outcomes_of(last(folder))
    assert first.reason == f"1 of 2 expected units among the first {rows[0]['k']}"
    assert (second.result, second.reason) == ("skipped", "no id is expected")
    counted(written())


@pytest.mark.parametrize(("at_least", "answer", "code"), [(0.9, "Nobody knows.", 1), (0.1, "Nobody knows.", 0)])
def test_checks_say_what_the_exit_code_says(folder: Path, at_least: float, answer: str, code: int) -> None:
    make_judged(folder, run={"gates": [{"measure": "pass_rate", "at_least": at_least}]})
    say(folder, q2=answer)
    assert main(["run", "--quiet"]) == code
    config = load(None)
    published = publish(last(folder), config)
    assert any(check.state == "failed" for check in checks_of(published)) is (code == 1)
    assert published.exit_code == code


def test_hostile_text_everywhere_stays_text() -> None:
    for text in HOSTILE:
        results: tuple[Result, ...] = ("passed", "failed", "error", "skipped")
        entries = [Entry(name=f"x{text}", result=each, message=text, body=text, seconds=0.5) for each in results]
        suites = [Suite(name=f"s{text}", tests=entries, properties={"p": text}), Suite(name="empty", tests=[])]
        tree = read(b"".join(to_junit(f"n{text}", suites)))
        counted(tree)
        assert tree[0].get("time") == "2.000"


@given(st.text())
def test_any_text_is_valid_xml(text: str) -> None:
    suite = Suite(name="s", tests=[Entry(name=f"x{text}", result="failed", message=text, body=text)])
    read(b"".join(to_junit("n", [suite])))


def test_control_characters_are_shown() -> None:
    suite = Suite(name="s", tests=[Entry(name="x", result="failed", body="a\0b\x1bc\ud800d\ufffee")])
    assert read(b"".join(to_junit("n", [suite])))[0][0][0].text == "a␀b␛c⟨U+D800⟩d⟨U+FFFE⟩e"


def test_a_part_of_a_second_has_three_decimals() -> None:
    suite = Suite(name="s", tests=[Entry(name="x", result="passed", seconds=0.0004)], seconds=1234.5678)
    tree = read(b"".join(to_junit("n", [suite])))
    assert (tree[0].get("time"), tree[0][0].get("time")) == ("1234.568", "0.000")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--json", "--format", "md"], "--json and --format md exclude each other"),
        (["--out", "x.txt"], "cannot write x.txt; expected a .html, .md, .json, .xml file"),
        (["--out", "x.md", "--format", "text"], "cannot write x.md; expected"),
    ],
)
def test_formats_that_cannot_be(folder: Path, words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", *words]) == 2
    assert told in capsys.readouterr().err


def test_json_is_one_thing_wherever_it_is_asked_for(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make(folder)
    capsys.readouterr()
    assert main(["retrieval", "--variants", "bm25", "--json", "--quiet"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert main(["report", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == first
    assert main(["report", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == first
    assert main(["report", "--out", "run.json"]) == 0
    assert json.loads(Path("run.json").read_text()) == first
    assert capsys.readouterr().err == "report run.json\n"
    assert {"gates", "comparison", "exit_code", "metrics"} <= first.keys()
    assert main(["report", "--format", "junit"]) == 0
    read(capsys.readouterr().out.encode())
    assert main(["report", "--format", "html"]) == 0
    assert capsys.readouterr().out.startswith("<!doctype html>")
