"""A small RAG project without a model: a bot in Python whose answers a test chooses, judged by the reference judge."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from small_project import QUESTIONS, make

ANSWERS = {
    "q1": "The duty officer countersigns the float plan.",
    "q2": "A plan that is not closed by sunset starts the overdue procedure.",
    "q3": "A family pays 210 pounds a year.",
    "q4": "Lockers cost 30 pounds.",
    "q5": "C'est l'arbitre qui décide.",
}
BOT = """\
import json
from pathlib import Path


def answer(question):
    said = json.loads(Path("said.json").read_text("utf-8"))[question]
    if said is None:
        raise RuntimeError("the bot is out of order")
    return {"answer": said}
"""


def make_judged(folder: Path, times: int = 1, **settings: Any) -> None:
    """Five questions, perhaps several times over, each answered as expected; settings as in assay.yaml."""
    make(folder)
    cases = [
        {"id": name(id_, turn), "question": asked(question, turn), "expected_ids": [chunk], "answer": ANSWERS[id_]}
        for turn in range(times)
        for id_, question, chunk, *_ in QUESTIONS
    ]
    (folder / "cases.json").write_text(json.dumps(cases), encoding="utf-8")
    (folder / "bot.py").write_text(BOT)
    run = {"pipeline": {"system": "python:bot:answer"}, "workers": 1, **settings.pop("run", {})}
    data = {"paths": {"gold": "cases.json"}, "statistics": {"resamples": 200}, "run": run, **settings}
    (folder / "assay.yaml").write_text(json.dumps(data))
    say(folder, times)


def name(id_: str, turn: int) -> str:
    return id_ if turn == 0 else f"{id_}-{turn:03d}"


def asked(question: str, turn: int) -> str:
    return question if turn == 0 else f"{question} ({turn})"


def say(folder: Path, times: int = 1, **answers: str | None) -> None:
    """What the bot says to q1, q2, ...; None: it breaks."""
    said = {
        asked(question, turn): answers.get(id_, ANSWERS[id_])
        for turn in range(times)
        for id_, question, *_ in QUESTIONS
    }
    (folder / "said.json").write_text(json.dumps(said), encoding="utf-8")
