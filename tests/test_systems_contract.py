"""What every system under test does, whatever it is: the same corpus, the same questions, the same promises."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from fake_server import Call, FakeServer, Reply, in_turn, routes
from systems_corpus import CASES, CHUNKS, QUESTIONS, output, outputs, settings, system

from assay.config import Config
from assay.records import Case
from assay.systems.protocol import Output, inputs_of

SECRET = "tok-5up3r-s3cret"
AT_ONCE = 20

PIPELINES = """
import asyncio, time

FOUND = {"id": "fees-1", "source": "fees.md", "page": 1, "score": 2.5, "text": "Visitors pay a fee of £20 a night."}

def plain(question):
    return f"An answer to: {question}"

def full(question, k):
    return {"answer": f"It is so [1]. {question}", "contexts": [FOUND], "retrieved": [FOUND] * k,
            "usage": {"prompt_tokens": 12, "completion_tokens": 3}, "timing": {"generation": 0.25}, "model": "house"}

async def later(question):
    await asyncio.sleep(0.01)
    return {"answer": question, "context": [FOUND]}

class TwoPhases:
    def retrieve(self, question, k):
        return [FOUND] * k

    def query(self, question, passages):
        return {"answer": f"{question} {passages[0]['text']}", "context": passages[:2]}

def breaks(question):
    raise ValueError("no such luck")
"""


class World:
    """What the systems of one test are made from."""

    def __init__(self, root: Path, server: FakeServer):
        self.root, self.server = root, server

    def config(self, **pipeline: Any) -> Config:
        return settings(self.root, token_env="PIPELINE_TOKEN", **pipeline)


def service(call: Call) -> Reply:
    passage = {"id": "fees-1", "filename": "fees.md", "page": 1, "score": 0.5, "text": CHUNKS[0].text}
    return routes(
        retrieve=lambda call: Reply(body={"results": [passage] * min(call.body["k"], 2)}, delay=0.01),
        query=lambda call: Reply(
            body={"answer": f"So it is: {call.body['question']}", "contexts": [passage], "usage": {"prompt_tokens": 9}},
            delay=0.01,
        ),
    )(call)


@contextmanager
def world(root: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    monkeypatch.chdir(root)
    monkeypatch.setenv("PIPELINE_TOKEN", SECRET)
    (root / "contract_pipelines.py").write_text(PIPELINES)
    rows = [{"id": id_, "answer": f"Recorded: {question}"} for id_, question in QUESTIONS.items()]
    (root / "outputs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    script = [{"contains": question, "reply": f"So say the passages [1]: {id_}"} for id_, question in QUESTIONS.items()]
    (root / "script.jsonl").write_text("".join(json.dumps(line) + "\n" for line in script))
    with FakeServer(service) as server:
        yield World(root, server)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    with world(tmp_path, monkeypatch) as made:
        yield made


Made = Callable[[World], tuple[str, Config]]
SYSTEMS: dict[str, Made] = {
    "extractive": lambda here: ("embedded", here.config()),
    "reranked": lambda here: ("embedded", here.config(retriever="bm25+rerank")),
    "model": lambda here: ("embedded", settings(here.root, {"model": "scripted/script.jsonl"})),
    "function": lambda here: ("python:contract_pipelines:plain", here.config()),
    "telling": lambda here: ("python:contract_pipelines:full", here.config()),
    "async": lambda here: ("python:contract_pipelines:later", here.config()),
    "two phases": lambda here: ("python:contract_pipelines:TwoPhases", here.config()),
    "http": lambda here: (here.server.url, here.config()),
    "recorded": lambda here: ("recorded:outputs.jsonl", here.config()),
}
EACH = pytest.mark.parametrize("made", SYSTEMS.values(), ids=SYSTEMS)

MEASURED = {
    "extractive": {"retrieval", "generation", "total"},
    "reranked": {"retrieval", "rerank", "generation", "total"},
    "model": {"retrieval", "generation", "total"},
    "function": {"total"},
    "telling": {"generation", "total"},
    "async": {"total"},
    "two phases": {"retrieval", "generation", "total"},
    "http": {"retrieval", "total"},
    "recorded": set(),
}
TELLS = {
    "extractive": (True, True, False),
    "reranked": (True, True, False),
    "model": (True, True, True),
    "function": (False, False, False),
    "telling": (True, True, True),
    "async": (True, True, False),
    "two phases": (True, True, False),
    "http": (True, True, True),
    "recorded": (False, False, False),
}
"""Candidates, context, usage."""


@EACH
def test_every_question_is_answered(made: Made, here: World) -> None:
    found = outputs(*made(here))
    assert [each.fault for each in found] == [None] * len(CASES)
    assert all(each.answer and isinstance(each.answer, str) for each in found)
    assert len({each.answer for each in found}) == len(CASES)


@EACH
def test_an_output_is_a_record_that_json_can_hold(made: Made, here: World) -> None:
    for each in outputs(*made(here)):
        data = msgspec.json.encode(each)
        assert msgspec.json.decode(data, type=Output) == each
        assert b"NaN" not in data
        assert SECRET.encode() not in data


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_phase_that_is_not_measured_is_none_and_one_that_is_takes_time(name: str, here: World) -> None:
    for each in outputs(*SYSTEMS[name](here)):
        seconds = {phase: value for phase, value in msgspec.structs.asdict(each.timing).items() if value is not None}
        assert set(seconds) == MEASURED[name]
        assert all(value > 0 and math.isfinite(value) for value in seconds.values())


@pytest.mark.parametrize("name", SYSTEMS)
def test_what_is_not_told_is_none(name: str, here: World) -> None:
    for each in outputs(*SYSTEMS[name](here)):
        assert (each.candidates is not None, each.context is not None, each.usage is not None) == TELLS[name]


@EACH
def test_passages_are_cut_and_have_what_their_place_needs(made: Made, here: World) -> None:
    for each in outputs(*made(here)):
        assert len(each.candidates or ()) <= 5
        assert len(each.context or ()) <= 3
        assert all(passage.id or passage.source for passage in each.candidates or ())
        assert all(passage.text for passage in each.context or ())
        scores = [passage.score for passage in each.candidates or () if passage.score is not None]
        assert scores == sorted(scores, reverse=True)


@EACH
def test_many_questions_at_once_get_their_own_answers(made: Made, here: World) -> None:
    cases = [Case(id=case.id, question=case.question) for case in CASES * (AT_ONCE // len(CASES))]
    found = outputs(*made(here), cases)
    alone = {case.id: output(*made(here), case) for case in CASES}
    assert len(found) == AT_ONCE
    for case, each in zip(cases, found, strict=True):
        assert (each.answer, each.candidates) == (alone[case.id].answer, alone[case.id].candidates)


@EACH
def test_it_can_be_closed_twice_and_unused(made: Made, here: World) -> None:
    async def run() -> None:
        async with system(*made(here)) as unused:
            await unused.close()
        async with system(*made(here)) as used:
            await used.run(CASES[0])
            await used.close()

    asyncio.run(run())


@EACH
def test_it_has_a_name_and_tells_its_files(made: Made, here: World) -> None:
    async def run() -> tuple[str, dict[str, str]]:
        async with system(*made(here)) as one:
            return one.name, inputs_of(one)

    name, inputs = asyncio.run(run())
    assert name
    assert SECRET not in name
    assert all(len(digest) == 64 for digest in inputs.values())


def test_names_are_what_reports_call_them(here: World) -> None:
    async def names() -> list[str]:
        found = []
        for made in SYSTEMS.values():
            async with system(*made(here)) as one:
                found.append(one.name)
        return found

    assert asyncio.run(names()) == [
        "extractive",
        "extractive",
        "m",
        "python:contract_pipelines:plain",
        "python:contract_pipelines:full",
        "python:contract_pipelines:later",
        "python:contract_pipelines:TwoPhases",
        here.server.url.removeprefix("http://"),
        "recorded:outputs.jsonl",
    ]


BROKEN: dict[str, Callable[[World], tuple[str, Config]]] = {
    "model": lambda here: ("embedded", settings(here.root, {"model": "scripted/broken.jsonl"})),
    "python": lambda here: ("python:contract_pipelines:breaks", here.config()),
    "http": lambda here: (here.server.url, here.config()),
    "recorded": lambda here: ("recorded:one.jsonl", here.config()),
}


@pytest.mark.parametrize(
    ("name", "phase", "says", "keeps"),
    [
        ("model", "generation", "answered 400", True),
        ("python", "unknown", "ValueError: no such luck", False),
        ("http", "generation", "answered 422: not that", True),
        ("recorded", "unknown", "no output for this question", False),
    ],
)
def test_a_fault_is_a_record_with_its_phase_and_keeps_what_came_before(
    name: str, phase: str, says: str, keeps: bool, here: World
) -> None:
    (here.root / "broken.jsonl").write_text('{"fault": "400"}\n')
    (here.root / "one.jsonl").write_text('{"id": "other", "answer": "x"}\n')
    refused = Reply(status=422, body={"error": {"message": "not that"}})
    here.server.handler = lambda call: refused if call.path == "/query" else service(call)
    for each in outputs(*BROKEN[name](here)):
        assert each.answer is None
        assert each.fault is not None
        assert each.fault.phase == phase
        assert says in each.fault.message
        assert "Traceback" not in each.fault.message
        assert (each.candidates is not None) is keeps


def test_one_bad_question_does_not_touch_the_others(here: World) -> None:
    first = in_turn(Reply(status=400, body={"detail": "bad"}), then=service)
    here.server.handler = lambda call: first(call) if call.path == "/query" else service(call)
    found = outputs(here.server.url, here.config())
    assert sorted(each.fault is None for each in found) == [False, True, True, True]
