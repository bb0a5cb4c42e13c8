"""A small corpus on disk with an index and a case for each of its chunks, as the tests of commands use it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from assay.cli.main import main
from assay.runs.folder import RunFolder, find_run

CHUNKS = [
    ("float-1", "float.md", 1, "The skipper files the float plan. The duty officer countersigns it before departure."),
    ("float-2", "float.md", 2, "A plan that is not closed by sunset starts the overdue procedure."),
    ("fees-1", "fees.md", 1, "A family pays 210 pounds a year. A junior pays 45 pounds."),
    ("fees-2", "fees.md", 2, "Lockers cost 30 pounds. <script>alert('x')</script> & more."),
    ("arbitre-1", "arbitre.md", 1, "C’est l’arbitre qui décide. Le jury peut corriger une erreur de l’arbitre."),
]
QUESTIONS = [
    ("q1", "Who countersigns the float plan?", "float-1", "float.md", 1, "easy"),
    ("q2", "What starts the overdue procedure?", "float-2", "float.md", 2, "hard"),
    ("q3", "How much does a family pay?", "fees-1", "fees.md", 1, "easy"),
    ("q4", "What is the price of lockers?", "fees-2", "fees.md", 2, "hard"),
    ("q5", "Qui décide, l'arbitre ou le jury ?", "arbitre-1", "arbitre.md", 1, "easy"),
]


def make(folder: Path) -> None:
    """Settings, index and cases, in the current folder."""
    (folder / "assay.yaml").write_text("paths: {gold: cases.json}\nstatistics: {resamples: 200}\n")
    write_index("")
    write_cases(folder)


def write_index(prefix: str) -> None:
    fields = ("id", "source", "page", "text")
    chunks = [dict(zip(fields, (prefix + chunk[0], *chunk[1:]), strict=True)) for chunk in CHUNKS]
    Path("chunks.jsonl").write_text("".join(json.dumps(chunk) + "\n" for chunk in chunks))
    assert main(["index", "chunks.jsonl", "--out", "corpus.db", "--quiet"]) == 0


def write_cases(project: Path, **changes: list[str]) -> None:
    cases = [
        {
            "id": id_,
            "question": question,
            "expected_ids": changes.get(id_, [chunk]),
            "pages": [{"document": document, "page": page}],
            "tags": {"difficulty": difficulty},
        }
        for id_, question, chunk, document, page, difficulty in QUESTIONS
    ]
    (project / "cases.json").write_text(json.dumps(cases), encoding="utf-8")


def last(project: Path) -> RunFolder:
    return find_run(project / "runs", "last")


def interruptible(words: list[str]) -> list[str]:
    """The command of a process that Ctrl-C ends, also where the parent ignores it, as background jobs do."""
    code = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
    return [sys.executable, "-c", f"{code}from assay.cli.main import main; sys.exit(main())", *words]
