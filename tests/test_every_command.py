"""Every command and subcommand takes `--json` and `--quiet`: JSON alone on stdout, nothing on stderr."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from generate import documented
from gold_sets import clean, gold_file
from judged_project import make_judged
from small_project import make

from assay.cli.main import main, parser_of
from assay.gold.leaves import COGNITIVE_LEVELS, QUESTION_TYPES, REASONING_CLASSES
from assay.gold.people import REQUIRED

LEAVES = [name for name, command in documented() if not hasattr(command, "subcommands")]
LABEL = {"case_id": "q1", "human": {"verdict": "pass"}}


def write_trec() -> None:
    Path("qrels.txt").write_text("q1 0 d1 1\n")
    Path("run.txt").write_text("q1 Q0 d1 1 2.0 x\n")


def write_sample() -> None:
    Path("note.txt").write_text("Lunch with Ana tomorrow at noon.\n")


def write_labels() -> None:
    labels = [LABEL | {"case_id": f"q{n}", "judge": {"verdict": "pass"}} for n in range(1, 6)]
    Path("labels.jsonl").write_text("".join(json.dumps(label) + "\n" for label in labels))


def write_csv() -> None:
    words = "The duty officer of the harbour countersigns the float plan before the boat leaves the quay at noon. " * 8
    chunks = [{"id": f"long-{n}", "source": f"{n}.md", "page": 1, "text": f"Rule {n}. {words}"} for n in range(5)]
    Path("long.jsonl").write_text("".join(json.dumps(chunk) + "\n" for chunk in chunks))
    assert main(["index", "long.jsonl", "--out", "long.db", "--quiet"]) == 0
    row = (
        "long-1",
        "Who countersigns it?",
        "the duty officer",
        "0.2",
        QUESTION_TYPES[0],
        COGNITIVE_LEVELS[0],
        REASONING_CLASSES[0],
    )
    Path("people.csv").write_text(",".join(REQUIRED) + "\n" + ",".join(row) + "\n")


SERVING = {"view"}
"""It goes on until it is ended; its own tests read what it prints."""
BUILD = ("--gold", "new.json", "--target", "5", "--index", "long.db")
WORDS: dict[str, list[str]] = {
    "baselines": [],
    "code": [],
    "compare": ["last", "last"],
    "completion": ["bash"],
    "extract": ["note.txt", "--system", "rules"],
    "gold audit": ["v2.json"],
    "gold build": ["--dry-run", *BUILD],
    "gold convert": ["v2.json", "--to", "jsonl"],
    "gold ingest": ["people.csv", *BUILD],
    "gold prompts": ["--out", "prompts.jsonl", *BUILD],
    "gold relocate": ["v2.json"],
    "gold stats": ["v2.json"],
    "gold verify": ["--gates"],
    "history": [],
    "index": ["chunks.jsonl", "--out", "again.db"],
    "init": ["fresh"],
    "judge": ["check", "labels.jsonl"],
    "lanes": [],
    "report": [],
    "retrieval": ["--variants", "bm25"],
    "run": [],
    "score": ["--qrels", "qrels.txt", "--run", "run.txt"],
    "search": ["float plan"],
    "selftest": [],
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        make(folder)
        make_judged(folder)
        assert main(["retrieval", "--quiet", "--variants", "bm25"]) == 0
        gold_file(clean(), folder)
        Path("gold.json").rename("v2.json")
        for prepare in (write_trec, write_sample, write_labels, write_csv):
            prepare()
    return folder


def test_there_is_a_call_of_every_command() -> None:
    assert set(LEAVES) - SERVING == set(WORDS), "give the new command a call"


@pytest.mark.parametrize("name", LEAVES)
def test_every_command_takes_both(name: str) -> None:
    command = next(command for known, command in documented() if known == name)
    flags = {flag for action in parser_of(name, command)._actions for flag in action.option_strings}
    assert {"--json", "--quiet"} <= flags


@pytest.mark.parametrize("name", sorted(WORDS))
def test_json_is_all_that_is_printed(
    name: str, project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(project)
    assert main([*name.split(), *WORDS[name], "--json", "--quiet"]) in (0, 1)
    printed = capsys.readouterr()
    json.loads(printed.out)
    assert printed.err == ""
