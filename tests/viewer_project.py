"""A project with a run of every kind, and the viewer over it on a real socket, as the tests of the viewer use it."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import small_project
from extraction_project import make as make_samples
from msgspec import Struct

from assay.cli.main import main
from assay.config import load
from assay.errors import AssayError
from assay.runs.folder import RunFolder, all_runs
from assay.viewer.guard import Guard
from assay.viewer.places import Places
from assay.viewer.server import Server

EXAMPLE = Path(__file__).parent.parent / "examples/orrin"
FORM = "application/x-www-form-urlencoded"


def make(folder: Path) -> None:
    """Index and gold set of the example; retrieval, two of RAG (one promoted), extraction and lanes."""
    shutil.copytree(EXAMPLE / "documents", folder / "documents")
    shutil.copy(EXAMPLE / "gold.json", folder / "gold.json")
    settings = (EXAMPLE / "assay.yaml").read_text("utf-8")
    before = Path.cwd()
    os.chdir(folder)
    try:
        make_samples(folder)
        (folder / "assay.yaml").write_text(settings + "statistics: {resamples: 200}\n", encoding="utf-8")
        for words in (
            ["index", "documents", "--out", "corpus.db"],
            ["retrieval", "--variants", "bm25,vector", "--k", "1,5,10"],
            ["run", "--quick", "40"],
            ["run", "--quick", "40", "--precision", "1", "--update-baseline", "--force"],
            ["extract", "samples", "--system", "recorded"],
            ["lanes"],
        ):
            assert main([*words, "--quiet"]) in (0, 1), words
    finally:
        os.chdir(before)


def runs_of(folder: Path, kind: str) -> list[RunFolder]:
    """Those that are finished, oldest first."""
    return [run for run in all_runs(folder / "runs") if run.finished and run.manifest["kind"] == kind]


def places(folder: Path) -> Places:
    return Places.of(load(folder / "assay.yaml"))


class Answer(Struct, frozen=True):
    """Of the server."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode("utf-8")

    @property
    def data(self) -> Any:
        return json.loads(self.body)


class Client(Struct, frozen=True):
    """Asks a running viewer, as a browser or a program does."""

    guard: Guard

    @property
    def cookie(self) -> str:
        return f"{self.guard.cookie}={self.guard.token}"

    @property
    def entrance(self) -> str:
        """With the token."""
        return f"{self.guard.address}/?token={self.guard.token}"

    def get(self, path: str, query: dict[str, Any] | None = None, **headers: str) -> Answer:
        return self.ask("GET", f"{path}?{urlencode(query)}" if query else path, headers=headers)

    def json(self, path: str, query: dict[str, Any] | None = None, **headers: str) -> Any:
        answer = self.get(f"{path}.json", query, **headers)
        assert answer.status == 200, answer.text
        return answer.data

    def post(self, path: str, data: Any, headers: dict[str, str] | None = None) -> Answer:
        """JSON with the token in its header, unless other headers are given."""
        told = {"X-Assay-Token": self.guard.token} if headers is None else headers
        body = data if isinstance(data, bytes) else json.dumps(data).encode()
        return self.ask("POST", path, body, {"Content-Type": "application/json", **told})

    def ask(self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> Answer:
        """The path is sent as it is."""
        connection = http.client.HTTPConnection("127.0.0.1", self.guard.port, timeout=30)
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            return Answer(answer.status, dict(answer.getheaders()), answer.read())
        finally:
            connection.close()


@contextmanager
def running(shown: Places, port: int = 0) -> Iterator[Client]:
    """In a thread, with a loop of its own."""
    ready = threading.Event()
    told: list[Guard] = []
    faults: list[AssayError] = []
    ended = threading.Event()

    async def serve() -> None:
        server = Server(shown)
        try:
            told.append(await server.start(port))
            ready.set()
            await asyncio.to_thread(ended.wait)
        finally:
            await server.stop()

    def work() -> None:
        try:
            asyncio.run(serve())
        except AssayError as fault:
            faults.append(fault)
            ready.set()

    thread = threading.Thread(target=work)
    thread.start()
    ready.wait()
    try:
        if faults:
            raise faults[0]
        yield Client(told[0])
    finally:
        ended.set()
        thread.join()


ANSWERS = {
    "q1": "The duty officer countersigns it.",
    "q2": "A plan that is not closed by sunset.",
    "q3": "A family pays 210 pounds a year.",
    "q4": "Lockers cost 30 pounds.",
    "q5": "C’est l’arbitre qui décide.",
}


def make_small(folder: Path) -> RunFolder:
    """One finished RAG run over five questions, with the example's gold set beside it."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        small_project.make(folder)
        cases = json.loads((folder / "cases.json").read_text("utf-8"))
        answered = [case | {"answer": ANSWERS[case["id"]]} for case in cases]
        (folder / "cases.json").write_text(json.dumps(answered), encoding="utf-8")
        assert main(["run", "--quiet"]) == 0
        shutil.copy(EXAMPLE / "gold.json", folder / "gold.json")
    finally:
        os.chdir(before)
    return small_project.last(folder)
