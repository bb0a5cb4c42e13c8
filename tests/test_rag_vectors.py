"""Answer similarity by an embedder behind HTTP: beside the event loop, many texts in a call, each text once."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from chat_server import Answer, Call, ChatServer, error
from judged_project import make_judged
from letters_embedder import vectors
from numpy.typing import NDArray
from small_project import last

from assay.cli.main import main
from assay.embedders.protocol import Kind
from assay.judges import Answer as Given
from assay.judges.words import Similarity
from assay.rag.vectors import Vectors

TRUTH = Given(case_id="q", question="abc?", text="aab [1]", references=("ab",))


class Slow:
    """Tells who asked it, and for what."""

    model_id, dim, is_slow = "slow", 3, True

    def __init__(self) -> None:
        self.asked: list[list[str]] = []
        self.threads: set[threading.Thread] = set()

    def embed(self, texts: Sequence[str], *, kind: Kind) -> NDArray[np.float32]:
        self.asked.append(list(texts))
        self.threads.add(threading.current_thread())
        return vectors(texts)


def compared(judge: str, *answers: Given) -> Slow:
    embedder = Slow()

    async def run() -> None:
        ahead = Vectors(Similarity(embedder), judge)
        await asyncio.gather(*map(ahead.ready, answers))

    asyncio.run(run())
    return embedder


def test_texts_are_embedded_together_and_not_in_the_loop() -> None:
    answers = [Given(case_id=str(n), question="?", text=f"a{n}", references=("ab",)) for n in range(9)]
    found = compared("openai/judge", *answers)
    assert found.asked == [["a0", "ab", *(f"a{n}" for n in range(1, 9))]]
    assert threading.main_thread() not in found.threads


@pytest.mark.parametrize(
    ("judge", "answer", "texts"),
    [
        ("openai/judge", TRUTH, [["aab", "ab"]]),
        ("reference", TRUTH, [["aab", "ab", "abc?"]]),
        ("reference", Given(case_id="q", question="?", text="a"), []),
        ("reference", Given(case_id="q", question="?", text="a", references=("b",), answerable=False), []),
    ],
)
def test_what_is_compared(judge: str, answer: Given, texts: list[list[str]]) -> None:
    assert compared(judge, answer).asked == texts


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    make_judged(tmp_path, times=8, run={"workers": 20})
    monkeypatch.setenv("TEST_KEY", "sk-test")
    return tmp_path


def use(project: Path, server: ChatServer) -> None:
    settings = json.loads((project / "assay.yaml").read_text())
    settings["embedder"] = {"name": "openai", "model": "e", "endpoint": server.url, "api_key_env": "TEST_KEY"}
    (project / "assay.yaml").write_text(json.dumps(settings))


def embeddings(call: Call) -> Answer:
    rows = vectors(call.body["input"]) + 0.1
    return Answer({"data": [{"index": n, "embedding": row.tolist()} for n, row in enumerate(rows)]}, delay=0.02)


def test_a_run_asks_for_each_text_once_and_for_many_at_a_time(project: Path) -> None:
    with ChatServer(embeddings) as server:
        use(project, server)
        assert main(["run", "--quiet"]) == 0
    asked = [text for call in server.calls for text in call.body["input"]]
    # 40 questions, each with its own wording, of which five are answered in five ways; and one to see that all is well.
    assert len(asked) == len(set(asked)) == 40 + 5 + 1
    assert len(server.calls) < 40
    assert last(project).summary["metrics"]["beside_the_judge"]["similarity"] == pytest.approx(1.0)


def test_a_service_that_fails_on_the_way_leaves_a_run_that_goes_on(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with ChatServer(lambda call: embeddings(call) if call.number == 0 else error(403, "no more")) as server:
        use(project, server)
        assert main(["run", "--quiet"]) == 3
        told = capsys.readouterr().err
        assert "no more" in told
        assert told.endswith(f"Go on with: assay run --resume {last(project).name}\n")
        server.handler = embeddings
        assert main(["run", "--quiet", "--resume", "last"]) == 0
    assert last(project).summary["corpus"]["tested"] == 40
