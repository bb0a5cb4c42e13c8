"""`--ci`: JUnit, step summary, annotations, an exit code; and no text of a model speaks to the runner."""

from __future__ import annotations

import io
import json
import os
import re
import sys
from pathlib import Path

import extraction_project
import pytest
from gold_sets import clean, gold_file, index
from judged_project import make_judged, say
from lxml import etree
from report_samples import HOSTILE
from small_project import last, make
from test_gold_defects import answer

from assay.cli import _ci
from assay.cli.main import main
from assay.config import load
from assay.gold.gates.protocol import Failure, Outcome
from assay.gold.verify import Verification
from assay.report.checks import Check
from assay.report.github import (
    CUT,
    LIMIT,
    Annotation,
    annotations_of,
    harmless,
    step_summary,
    worst,
)
from assay.report.gold_checks import verification_checks
from assay.report.publish import publish

SCHEMA = etree.XMLSchema(etree.parse(Path(__file__).with_name("junit.xsd")))
ATTACK = "::error title=x::pwned\n  ::set-output name=a::b\r::warning::c\nfine ##[add-mask]secret ::notice::"


def runs_a_command(line: str) -> bool:
    """As GitHub's runner reads a line: `::` behind white space, or `##[` anywhere."""
    return line.lstrip().startswith("::") or "##[" in line


def lines_of(text: str) -> list[str]:
    """As the runner splits it."""
    return re.split(r"\r\n|\r|\n", text)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def github(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The surroundings of a step; the path is that of its summary."""
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder / "step.md"))
    return folder / "step.md"


def valid(path: Path) -> None:
    SCHEMA.assertValid(etree.parse(path))


def test_a_failing_run_on_github(folder: Path, github: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gates = [
        {"measure": "pass_rate", "at_least": 0.9},
        {"measure": "exact_match", "at_least": 0.99, "severity": "warning"},
    ]
    make_judged(folder, run={"gates": gates})
    say(folder, q2=f"Nobody: {ATTACK}")
    github.write_text("Something before.\n\n")
    capsys.readouterr()
    assert main(["run", "--ci"]) == 1
    printed = capsys.readouterr()
    commands = [line for line in lines_of(printed.out) if runs_a_command(line)]
    assert [line.partition(" ")[0] for line in commands] == ["::error", "::warning"]
    assert commands[0].startswith("::error title=assay gates%3A pass_rate ≥ 0.9::pass_rate is 0.800 [")
    assert commands == lines_of(printed.out)[-3:-1]
    assert not any(map(runs_a_command, lines_of(printed.err)))
    valid(last(folder).path / "assay-junit.xml")
    assert "[5/5] python:bot:answer" in printed.err
    text = github.read_text()
    assert text.startswith("Something before.\n\n# Assay rag: cases.json: fail\n")
    assert "✗ **Fail**: Gate fails: pass_rate is 0.8000, not 0.9." in text
    assert re.search(r"\| Pass rate +\| \*\*80\.0.%\*\*", text)
    assert "<details>\n<summary>✗ q2 · What starts the overdue procedure?</summary>" in text


def test_without_github_the_same_is_said_in_plain_words(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_judged(folder, run={"gates": [{"measure": "pass_rate", "at_least": 0.9}]})
    say(folder, q2="Nobody knows.")
    capsys.readouterr()
    assert main(["run", "--ci", "--junit", "out/j.xml"]) == 1
    printed = capsys.readouterr()
    assert "\nerror: assay gates: pass_rate ≥ 0.9: pass_rate is 0.800 [" in printed.err
    assert "::" not in printed.out.replace("python:bot:answer", "")
    valid(Path("out/j.xml"))
    assert not (last(folder).path / "assay-junit.xml").exists()


def test_junit_alone(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    extraction_project.make(folder)
    assert main(["extract", "--system", "recorded", "--quiet", "--junit", "j.xml"]) == 0
    valid(Path("j.xml"))
    assert "error:" not in capsys.readouterr().err


@pytest.mark.parametrize("words", [["lanes"], ["code"], ["extract", "--system", "recorded"]])
def test_other_kinds(folder: Path, github: Path, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    extraction_project.make(folder)
    assert main([*words, "--ci", "--quiet"]) == 0
    valid(last(folder).path / "assay-junit.xml")
    assert re.search(r"\n(✓ \*\*Pass|\*\*Measured)\*\*: .*gate", github.read_text())
    assert not any(map(runs_a_command, lines_of(capsys.readouterr().out)))


def test_several_corpora_are_one_file(folder: Path, github: Path) -> None:
    make(folder)
    part = "{index: corpus.db, gold: cases.json}"
    settings = f"statistics: {{resamples: 200}}\ncorpora: {{one: {part}, two: {part}}}\n"
    (folder / "assay.yaml").write_text(settings)
    words = ["retrieval", "--variants", "bm25", "--corpora", "all", "--quiet", "--ci"]
    assert main([*words, "--junit", "all.xml"]) == 0
    names = [part.get("name") for part in etree.parse("all.xml").getroot()]
    assert names[:2] == ["assay.retrieval.one.run", "assay.retrieval.one.gates"]
    assert "assay.retrieval.two.cases.bm25" in names
    assert github.read_text().count("\n## Gates and limits\n") == github.read_text().count("# Assay retrieval: ") == 2
    assert main(words) == 0
    valid(last(folder).path / "assay-junit.xml")


def test_compare_has_no_folder_of_its_own(folder: Path, github: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_judged(folder, times=4)
    assert main(["run", "--quiet"]) == 0
    say(folder, 4, **dict.fromkeys(("q1", "q2", "q3", "q4", "q5"), "Nobody knows."))
    assert main(["run", "--quiet", "--baseline", "none"]) == 0
    capsys.readouterr()
    runs = sorted((folder / "runs").glob("*/manifest.json"), key=lambda path: path.stat().st_mtime_ns)
    assert main(["compare", str(runs[0].parent), str(runs[1].parent), "--ci", "--quiet"]) == 1
    valid(folder / "assay-junit.xml")
    out = capsys.readouterr().out
    assert "::error title=assay regressions%3A pass_rate::pass_rate 1.000 → 0.000, −1.000 [" in out
    assert "# Assay compare: " in github.read_text()
    assert main(["compare", str(runs[0].parent), str(runs[0].parent), "--junit", "c.xml", "--json"]) == 0
    valid(folder / "c.xml")


def test_a_fault_is_annotated(folder: Path, github: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--ci", "--gold", "no::such,file"]) == 2
    printed = capsys.readouterr()
    assert re.fullmatch(r"::error title=assay::no::such,file: no such file\. [^\n]+\n", printed.out)
    assert printed.err.startswith("assay: no::such,file: no such file")


def test_nobody_is_asked(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_judged(folder)
    assert main(["run", "--ci", "--interactive"]) == 2
    assert "--interactive and --ci exclude each other" in capsys.readouterr().err


def test_one_text_is_no_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    extraction_project.make(folder)
    assert main(["extract", "samples/loose.txt", "--system", "recorded", "--ci"]) == 2
    assert "--ci is for runs" in capsys.readouterr().err


def test_json_stays_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_judged(folder)
    say(folder, q2=ATTACK)
    file = folder / "cases.json"
    file.write_text(file.read_text().replace('"q2"', '"a ##[group] b"'))
    capsys.readouterr()
    assert main(["run", "--ci", "--json", "--quiet"]) == 0
    out = capsys.readouterr().out
    assert "##[" not in out
    assert json.loads(out)["not_passed"][0]["case_id"] == "a ##[group] b"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n::error::b\n", "a\n\u200b::error::b\n"),
        (" \t::x\n", " \t\u200b::x\n"),
        ("a\r::x\n", "a\r\u200b::x\n"),
        ("a ::x:: b\n", "a ::x:: b\n"),
        ("a ##[group]b\n", "a ##\u200b[group]b\n"),
        ("python::name\n", "python::name\n"),
        ("\n\n\n::x\n", "\n\n\n\u200b::x\n"),
    ],
)
def test_what_is_taken_from_a_line(text: str, expected: str) -> None:
    assert harmless(text) == expected
    assert not any(map(runs_a_command, lines_of(harmless(text))))


def test_a_line_printed_in_pieces_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    out, err = io.StringIO(), io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    with _ci.guarded([]):
        for piece in (":", ":error::x", "\n", "  :"):
            sys.stdout.write(piece)
            sys.stdout.flush()
        assert not sys.stdout.isatty()
        print(":", end="")
        print(ATTACK, file=sys.stderr)
    assert (sys.stdout, sys.stderr) == (out, err)
    assert out.getvalue() == "\u200b::error::x\n  \u200b::"
    assert not any(map(runs_a_command, lines_of(err.getvalue())))


def test_annotations_are_escaped_by_the_rules() -> None:
    found = Annotation("error", "a:b,c%\n", "100 %, a:b\nc ##[group]")
    assert found.command == "::error title=a%3Ab%2Cc%25::100 %25, a:b c ##\u200b[group]"
    for text in HOSTILE:
        assert len(lines_of(Annotation("notice", text, text).command)) == 1


@pytest.mark.parametrize(("count", "shown"), [(0, 0), (10, 10), (11, 10), (25, 10)])
def test_no_more_annotations_than_are_shown(count: int, shown: int) -> None:
    checks = [Check(group="gates", name=f"g{n}", state="failed", told="x") for n in range(count)]
    checks += [Check(group="gates", name="w", state="warning"), Check(group="gates", name="p", state="passed")]
    found = annotations_of(checks)
    assert sum(each.kind == "error" for each in found) == shown
    assert [each.message for each in found if each.kind == "warning"] == ["w"]
    if count > 10:
        assert found[9].message == f"and {count - 9} more; see the report"


def test_a_summary_that_is_too_long_is_cut_and_says_so(folder: Path) -> None:
    make_judged(folder, times=6)
    say(folder, 6, **dict.fromkeys(("q1", "q2", "q3", "q4", "q5"), "Nobody knows. " * 400))
    assert main(["run", "--quiet"]) == 0
    published = publish(last(folder), load(None))
    whole = step_summary(published)
    assert CUT not in whole
    assert len(worst(published)) == whole.count("<details>") == 20
    for room in (len(whole.encode()) - 1, len(whole.encode()) // 2, 1500, 700, 200):
        cut = step_summary(published, room)
        assert len(cut.encode()) <= room
        assert cut.endswith(CUT)
        assert cut.count("<details>") == cut.count("</details>") < 20
    assert step_summary(published, 10) == ""
    assert LIMIT == 1_048_576


def test_verdict_and_numbers_are_those_of_the_report(folder: Path, github: Path) -> None:
    make_judged(folder)
    settings = (folder / "assay.yaml").read_text()
    extraction_project.make(folder)
    (folder / "assay.yaml").write_text(settings)
    kinds = (["run"], ["lanes"], ["extract", "--system", "recorded"])
    for words in kinds:
        github.write_text("")
        assert main([*words, "--quiet", "--ci"]) == 0
        written = (last(folder).path / "report.md").read_text()
        top = github.read_text().partition("\n## ")[0].partition("\n\n")[2]
        assert top.count("\n| ") == 5, "head and rule of a table, and three numbers"
        assert top == written.partition("\n## ")[0].partition("\n\n")[2]


def test_what_got_worse_stands_before_what_was_bad_already(folder: Path) -> None:
    make_judged(folder)
    say(folder, q1="Nobody knows.")
    assert main(["run", "--quiet", "--update-baseline"]) == 0
    say(folder, q1="Nobody knows.", q3="Nobody knows.", q4=None)
    assert main(["run", "--quiet"]) == 3
    published = publish(last(folder), load(None))
    assert [outcome.case_id for outcome in worst(published)] == ["q4", "q3", "q1"]


def test_the_gates_of_a_gold_set(folder: Path, github: Path, capsys: pytest.CaptureFixture[str]) -> None:
    raws = clean()
    answer(3, "It never exceeds 8 pounds for one book")(raws)
    gold_file(raws, folder)
    words = ["gold", "verify", "gold.json", "--index", str(index().path), "--quiet"]
    assert main([*words, "--ci"]) == 1
    printed = capsys.readouterr().out
    commands = [line for line in lines_of(printed) if runs_a_command(line)]
    assert {line.partition(" ")[0] for line in commands} <= {"::error", "::warning", "::notice"}
    [found] = [line for line in commands if "G3-1" in line]
    assert found.startswith("::error title=assay gates%3A G3-1 every answer is verbatim")
    assert found.endswith("; 1 question failed: q03")
    valid(folder / "assay-junit.xml")
    root = etree.parse("assay-junit.xml").getroot()
    assert [suite.get("name") for suite in root] == ["assay.gold.gates"]
    assert (root.get("tests"), root.get("failures")) == ("24", str(sum("::error" in line for line in commands)))
    text = github.read_text()
    assert text.startswith("# Gold set: gold.json\n")
    assert "✗ **Refused**: " in text
    assert text.count("<details>") == text.count("</details>") == 1
    assert "numbers not in the chunk: 8" in text
    assert main([*words, "--junit", "out/gold.xml"]) == 1
    valid(Path("out/gold.xml"))


def test_what_is_told_of_a_gate() -> None:
    failures = tuple(Failure(question=f"q{n}", what="x", limit="y") for n in (1, 1, 2, 3, 4))
    outcomes = (
        Outcome(gate="G1-1", phase=1, severity="blocking", rule="r", status="failed", value=0.5, failures=failures),
        Outcome(
            gate="G2-2",
            phase=2,
            severity="warning",
            rule="r",
            status="failed",
            value=None,
            failures=(Failure(what="too few", limit="y"),),
        ),
        Outcome(gate="G5-1", phase=5, severity="warning", rule="r", status="undefined", value=None, note="no vectors"),
    )
    verification = Verification(
        gold="g",
        sha256="",
        index="i",
        fingerprint="",
        questions=4,
        unanswerable=0,
        model=None,
        methods={},
        outcomes=outcomes,
    )
    found = [(check.name, check.state, check.told) for check in verification_checks(verification)]
    assert found == [
        ("G1-1 r", "failed", "measured 0.500; 4 questions failed: q1, q2, q3 and 1 more"),
        ("G2-2 r (warning)", "warning", "too few"),
        ("G5-1 r (warning)", "skipped", "no vectors"),
    ]


def test_a_reader_that_goes_away_takes_no_file_along(
    folder: Path, github: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`assay retrieval --ci | head`: the pipeline has its files whoever reads."""
    make(folder)
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w", buffering=1) as stream, monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", stream)
        assert main(["retrieval", "--variants", "bm25", "--ci", "--junit", "j.xml", "--quiet"]) == 128 + 13
    valid(folder / "j.xml")
    assert github.read_text().startswith("# Assay retrieval: cases.json: pass")
