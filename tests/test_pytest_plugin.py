"""`pytest --assay`: gates, regressions and cases as tests; evaluated once, and not at all unless asked for."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path

import extraction_project
import pytest
from judged_project import make_judged, say
from lxml import etree
from small_project import make

from assay.cli.main import main

pytest_plugins = ["pytester"]

for module in ("testing.items", "rag.evaluation", "retrieval.evaluation", "extraction.evaluation", "lanes.evaluation"):
    import_module(f"assay.{module}")  # a session within this one forgets what it loaded, and numpy loads but once
import_module("tree_sitter")  # so does this, which the evaluation of code loads where it parses

GATES = [
    {"measure": "pass_rate", "at_least": 0.9},
    {"measure": "exact_match", "at_least": 0.99, "severity": "warning"},
    {"measure": "acceptable_rate", "at_least": 0.5},
]
PLUGIN = () if entry_points(group="pytest11", name="assay") else ("-p", "assay.testing.plugin")


@pytest.fixture
def folder(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PY_COLORS", "0")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    return pytester.path


def runs(folder: Path) -> list[Path]:
    return sorted((folder / "runs").glob("*/run_summary.json"))


def call(pytester: pytest.Pytester, *words: str) -> pytest.RunResult:
    return pytester.runpytest(*PLUGIN, "-p", "no:cacheprovider", *words)


def test_without_the_option_nothing_happens(pytester: pytest.Pytester, folder: Path) -> None:
    make_judged(folder)
    pytester.makepyfile("def test_own(): pass")
    call(pytester).assert_outcomes(passed=1)
    assert runs(folder) == []


def test_the_plugin_is_light() -> None:
    code = "import sys, pytest; before = set(sys.modules)\nimport assay.testing.plugin\n"
    code += "print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) <= {"assay", "assay.testing", "assay.testing.plugin"}


def test_gates_are_tests(pytester: pytest.Pytester, folder: Path) -> None:
    make_judged(folder, run={"gates": GATES})
    say(folder, q2="Nobody knows.")
    pytester.makepyfile("def test_own(): pass")
    result = call(pytester, "--assay", "assay.yaml", "-v")
    result.assert_outcomes(passed=4, failed=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "assay.yaml::rag run: every case has a result PASSED*",
            "assay.yaml::rag gates: pass_rate ≥ 0.9 FAILED*",
            "assay.yaml::rag gates: exact_match ≥ 0.99 (warning) PASSED*",
            "*_ rag gates: pass_rate ≥ 0.9  _*",
            "pass_rate is 0.800 [[]*",
            "assay: *runs*/report.html",
            "FAILED assay.yaml::rag gates: pass_rate ≥ 0.9 - pass_rate is 0.800 *",
        ]
    )
    assert "Traceback" not in result.stdout.str()
    assert len(runs(folder)) == 1


def test_a_stored_run_and_its_cases(pytester: pytest.Pytester, folder: Path) -> None:
    make_judged(folder)
    say(folder, q2="Nobody\nknows. \x1b[2J", q5=None)
    assert main(["run", "--quiet"]) == 3
    result = call(pytester, "--assay-run", "last", "--assay-cases", "-rs", "--junitxml", "out.xml")
    result.assert_outcomes(passed=3, failed=3)
    text = result.stdout.str()
    assert "answer: Nobody knows. ␛[2J" in text
    assert "\x1b" not in text
    assert "the bot is out of order" in text
    cases = etree.parse(str(folder / "out.xml")).findall(".//testcase")
    assert len(cases) == 6
    assert sum(case.find("failure") is not None for case in cases) == 3
    assert len(runs(folder)) == 1


def test_a_test_can_be_chosen(pytester: pytest.Pytester, folder: Path) -> None:
    make_judged(folder, run={"gates": GATES})
    call(pytester, "--assay", "assay.yaml", "-k", "acceptable").assert_outcomes(passed=1, deselected=3)
    name = "assay.yaml::rag gates: acceptable_rate ≥ 0.5"
    call(pytester, "--assay", "assay.yaml", "--assay-run", "last", name).assert_outcomes(passed=1)
    assert len(runs(folder)) == 1


def test_collecting_does_not_evaluate(pytester: pytest.Pytester, folder: Path) -> None:
    make_judged(folder)
    result = call(pytester, "--assay", "assay.yaml", "--collect-only", "-q")
    result.stdout.fnmatch_lines(["assay.yaml::evaluation (not done with --collect-only)"])
    assert runs(folder) == []


@pytest.mark.parametrize("words", [(), ("--assay-cases",)])
def test_several_workers_evaluate_once(pytester: pytest.Pytester, folder: Path, words: tuple[str, ...]) -> None:
    make_judged(folder, run={"gates": GATES})
    say(folder, q2="Nobody knows.")
    result = call(pytester, "--assay", "assay.yaml", "-n", "2", *words)
    result.assert_outcomes(failed=1 + len(words), passed=3 + 4 * len(words))
    assert len(runs(folder)) == 1
    assert len(re.findall(r"assay: .*/report\.html", result.stdout.str())) == 1


def test_a_regression_is_a_test(pytester: pytest.Pytester, folder: Path) -> None:
    make_judged(folder, times=4)
    assert main(["run", "--quiet", "--update-baseline"]) == 0
    say(folder, 4, **dict.fromkeys(("q1", "q2", "q3", "q4", "q5"), "Nobody knows."))
    result = call(pytester, "--assay", "assay.yaml", "-v")
    result.stdout.fnmatch_lines(["assay.yaml::rag regressions: pass_rate FAILED*", "pass_rate 1.000 → 0.000, −1.000 *"])
    assert result.ret == 1


@pytest.mark.parametrize(
    ("settings", "kinds"),
    [
        ("retrieval: {variants: [bm25]}\n", ["retrieval"]),
        ("", ["retrieval"]),
        ("extraction: {system: recorded}\n", ["extraction"]),
        ("retrieval: {variants: [bm25]}\nextraction: {system: recorded}\n", ["extraction", "retrieval"]),
    ],
)
def test_the_settings_say_what_is_evaluated(
    pytester: pytest.Pytester, folder: Path, settings: str, kinds: list[str]
) -> None:
    make(folder)
    extraction_project.make(folder)
    (folder / "assay.yaml").write_text(f"paths: {{gold: cases.json}}\nstatistics: {{resamples: 200}}\n{settings}")
    result = call(pytester, "--assay", "assay.yaml", "-v")
    assert result.ret == 0
    found = re.findall(r"^assay.yaml::(\w+) run: ", result.stdout.str(), re.MULTILINE)
    assert sorted(found) == kinds


def test_a_kind_can_be_named(pytester: pytest.Pytester, folder: Path) -> None:
    make_judged(folder)
    result = call(pytester, "--assay", "assay.yaml", "--assay-kind", "lanes", "-v")
    result.stdout.fnmatch_lines(["assay.yaml::lanes gates: expected ids in the index ≥ 1 (warning) PASSED*"])


@pytest.mark.parametrize(
    ("words", "told", "code"),
    [
        (["--assay", "absent.yaml"], "no such file", 4),
        (["--assay", "bad.yaml"], "bad.yaml:1", 2),
        (["--assay", "empty.yaml"], "the settings name no evaluation that can be done", 2),
        (["--assay", "empty.yaml", "--assay-run", "last"], "no run 'last'", 2),
    ],
)
def test_what_cannot_be_done_is_one_line(
    pytester: pytest.Pytester, folder: Path, words: list[str], told: str, code: int
) -> None:
    (folder / "bad.yaml").write_text("sed: 1\n")
    (folder / "empty.yaml").write_text("seed: 1\n")
    result = call(pytester, *words)
    assert result.ret == code
    assert told in result.stdout.str() + result.stderr.str()
    assert "Traceback" not in result.stdout.str()
