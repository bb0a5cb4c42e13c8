"""The viewer answers this machine alone, reads its own folder alone, and writes for those who have the token alone."""

from __future__ import annotations

import json
import os
import pty
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from report_samples import HOSTILE
from small_project import interruptible
from viewer_project import Client, make_small, places, running

from assay.cli.main import main
from assay.errors import AssayError
from assay.files import dump_json, write_json
from assay.runs.folder import RunFolder
from assay.viewer.guard import Ticket
from assay.viewer.server import Server

Shown = tuple[RunFolder, Client]


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    folder = tmp_path_factory.mktemp("safe")
    run = make_small(folder)
    with running(places(folder)) as client:
        yield run, client


def test_it_listens_on_one_address_alone(shown: Shown) -> None:
    port = shown[1].guard.port
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", port), timeout=1).close()
    with socket.create_connection(("127.0.0.1", port), timeout=5):
        pass


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "localhost.evil:{port}", ""]
)
def test_a_host_of_another_name_is_refused(shown: Shown, host: str) -> None:
    """As DNS rebinding has it: a name elsewhere that leads here."""
    client = shown[1]
    answer = client.ask("GET", "/runs.json", headers={"Host": host.format(port=client.guard.port)})
    assert answer.status == 421
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert client.ask("GET", "/runs", headers={"Host": f"localhost:{client.guard.port}"}).status == 200


@pytest.mark.parametrize(
    "name",
    [
        "..",
        "../runs",
        "..%2f..%2fsecret",
        "%2e%2e",
        "%2e%2e%2f",
        "..%5c..",
        "%2fetc%2fpasswd",
        "..%252f",
        "x%00",
        "%00",
        ".",
        "a" * 300,
        "link",
        "inner",
        "history.jsonl",
        "C:%5Cwindows",
        "~",
        "*",
    ],
)
def test_no_path_leads_out_of_the_runs_folder(shown: Shown, name: str) -> None:
    run, client = shown
    root = run.path.parent
    outside = root.parent / "secret"
    if not outside.exists():
        outside.mkdir()
        write_json(outside / "manifest.json", run.manifest)
        (root / "link").symlink_to(outside)
        (root / "inner").mkdir()
        (root / "inner/manifest.json").symlink_to(outside / "manifest.json")
    for path in (f"/runs/{name}.json", f"/runs/{name}", f"/runs/{name}/questions.json", f"/runs/{name}/progress.json"):
        answer = client.ask("GET", path)
        assert answer.status in (303, 400, 404), (path, answer.status)
        assert "created" not in answer.text
    assert client.post(f"/runs/{name}/labels", {"id": "q1", "rater": "a", "verdict": "pass"}).status in (400, 404, 405)
    assert not (outside / "labels.jsonl").exists()
    assert client.json("/runs")["total"] == 1


@pytest.mark.parametrize("name", ["run_summary.json", "results.jsonl", "labels.jsonl"])
def test_a_pipe_in_place_of_a_file_keeps_nobody_waiting(shown: Shown, name: str) -> None:
    run, client = shown
    odd = run.path.with_name("2026-01-01__pipe__00000000")
    odd.mkdir()
    try:
        write_json(odd / "manifest.json", run.manifest)
        os.mkfifo(odd / name)
        assert client.get(f"/runs/{odd.name}").status == 404
        assert client.post(f"/runs/{odd.name}/labels", {"id": "q1", "rater": "a", "verdict": "pass"}).status == 404
        assert odd.name not in {each["name"] for each in client.json("/runs")["runs"]}
    finally:
        shutil.rmtree(odd)


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "..", "baseline_x_v1__2026-01-01__q1.json"])
def test_a_name_to_compare_with_is_no_path(shown: Shown, name: str) -> None:
    assert shown[1].get("/compare.json", {"before": name, "now": shown[0].name}).status == 404


LABEL = {"id": "q1", "rater": "ana", "verdict": "pass"}


def headers_of(client: Client) -> list[tuple[dict[str, str], int]]:
    token, port = client.guard.token, client.guard.port
    own = {"X-Assay-Token": token}
    return [
        ({}, 403),
        ({"X-Assay-Token": "wrong"}, 403),
        ({"X-Assay-Token": token[:-1]}, 403),
        ({"X-Assay-Token": token + "ä"}, 403),
        ({"Cookie": f"{client.guard.cookie}=wrong"}, 403),
        ({**own, "Origin": "https://evil.example"}, 403),
        ({**own, "Origin": "null"}, 403),
        ({**own, "Origin": f"http://127.0.0.1:{port + 1}"}, 403),
        ({**own, "Sec-Fetch-Site": "cross-site"}, 403),
        ({**own, "Sec-Fetch-Site": "same-site"}, 403),
        ({**own, "Host": "evil.example"}, 421),
        ({**own, "Origin": f"http://127.0.0.1:{port}", "Sec-Fetch-Site": "same-origin"}, 200),
        ({"Cookie": client.cookie, "Origin": f"http://localhost:{port}"}, 200),
        (own, 200),
    ]


def test_only_our_own_pages_write_and_only_with_the_token(shown: Shown) -> None:
    run, client = shown
    path = run.path / "labels.jsonl"
    kept = 0
    for headers, status in headers_of(client):
        headers = {name: value.encode("utf-8").decode("latin-1") for name, value in headers.items()}
        assert client.post(f"/runs/{run.name}/labels", LABEL, headers).status == status, headers
        kept += status == 200
        assert len(path.read_text().splitlines() if path.exists() else []) == kept
    body = client.post(f"/runs/{run.name}/labels", {**LABEL, "token": client.guard.token}, {})
    assert body.status == 200
    assert client.post(f"/runs/{run.name}/labels", {**LABEL, "token": 5}, {}).status == 403


def test_the_entrance_gives_a_cookie_no_script_can_read(shown: Shown) -> None:
    client = shown[1]
    answer = client.get("/", {"token": client.guard.token})
    assert (answer.status, answer.headers["Location"]) == (303, "/runs")
    cookie = answer.headers["Set-Cookie"]
    assert cookie.startswith(client.cookie)
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(cookie.split("; "))
    assert "Set-Cookie" not in client.get("/", {"token": "wrong"}).headers
    assert "Set-Cookie" not in client.get("/").headers


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_nothing_else_can_be_done(shown: Shown, method: str) -> None:
    answer = shown[1].ask(method, f"/runs/{shown[0].name}")
    assert answer.status == 405
    assert not [name for name in answer.headers if name.startswith("Access-Control")]


def test_two_starts_have_two_tokens(shown: Shown, tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "assay.yaml").write_text("{}")
    with running(places(tmp_path)) as other:
        assert other.guard.token != shown[1].guard.token
        assert len(other.guard.token) >= 32
        assert other.json("/runs")["total"] == 0
        assert "No run is here yet" in other.get("/runs").text
        for path in ("/history", "/baselines", "/compare"):
            assert other.get(path).status == 200
        assert other.get("/gold").status == 409


def hostile_run(shown: Shown, text: str) -> RunFolder:
    """A copy of the run in which everything that can be text is that text."""
    run = shown[0]
    copy = RunFolder(run.path.with_name("2026-01-01__hostile__00000000"))
    copy.path.mkdir(exist_ok=True)
    write_json(copy.path / "manifest.json", run.manifest | {"client": text, "command": [text]})
    rows = [_spoiled(row, text) for row in run.results.read()[:2]]
    rows[1]["case_id"] = "plain"
    (copy.path / "results.jsonl").write_bytes(
        "".join(dump_json(row) + "\n" for row in rows).encode("utf-8", "backslashreplace")
    )
    return copy


def _spoiled(value: Any, text: str, key: str = "") -> Any:
    if isinstance(value, dict):
        return {name: _spoiled(each, text, name) for name, each in value.items()}
    if isinstance(value, list):
        return [_spoiled(each, text, key) for each in value]
    return text if isinstance(value, str) and key not in {"status", "verdict"} else value


class Elements(HTMLParser):
    """The names of all elements and of all their attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes |= {f"{tag} {name}" for name, _ in attrs}

    def error(self, message: str) -> None:
        raise AssertionError(message)


def elements(page: str) -> Elements:
    found = Elements()
    found.feed(page)
    return found


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_shown_and_does_nothing(shown: Shown, text: str) -> None:
    """No element and no attribute comes of it, in any page; the JSON twin is JSON."""
    _, client = shown
    run = hostile_run(shown, text)
    try:
        pages: list[tuple[str, dict[str, str]]] = [
            ("/runs", {}),
            (f"/runs/{run.name}", {}),
            (f"/runs/{run.name}/questions", {"q": text.replace("\ud800", "")}),
            (f"/runs/{run.name}/questions", {}),
            (f"/runs/{run.name}/question", {"id": "plain"}),
        ]
        for path, query in pages:
            answer = client.get(path, query)
            assert answer.status == 200, answer.text[-300:]
            found = elements(answer.text)
            assert not found.names & {"img", "svg", "iframe", "i", "object", "embed"}
            assert not [name for name in found.attributes if name.split()[1].startswith("on")]
            assert answer.text.count("<script") == 2
            assert client.get(f"{path}.json", query).data
    finally:
        for file in run.path.iterdir():
            file.unlink()
        run.path.rmdir()


def test_a_folder_that_is_no_run_hides_no_other(shown: Shown) -> None:
    run, client = shown
    bad = run.path.with_name("broken")
    bad.mkdir()
    try:
        for content in ("", "[]", "{}", '{"created": 5, "kind": "rag", "client": ""}', "\x00"):
            (bad / "manifest.json").write_text(content)
            assert client.json("/runs")["total"] == 1
            assert client.get("/runs/broken").status == 409
            assert "Traceback" not in client.get("/runs/broken").text
    finally:
        (bad / "manifest.json").unlink()
        bad.rmdir()


def test_a_port_in_use_is_told_in_one_line(shown: Shown, capsys: pytest.CaptureFixture[str]) -> None:
    told = r"port \d+ is in use\. Take another one with --port, or any free one"
    again = running(places(shown[0].path.parent.parent), shown[1].guard.port)
    with pytest.raises(AssayError, match=told), again:
        pass


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--port", "70000"], "port is 70000; expected a number from 0 to 65535"),
        (["--runs", "nowhere"], "there is no such folder"),
        (["--host", "0.0.0.0"], "unknown option '--host'"),
        (["--port", "x"], "invalid int value"),
    ],
)
def test_a_mistake_on_the_command_line(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").mkdir()
    assert main(["view", *words]) == 2
    told = capsys.readouterr()
    assert said in told.err
    assert told.err.count("\n") == 1


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_the_command_prints_its_address_and_ends_cleanly(tmp_path: Path, how: signal.Signals) -> None:
    (tmp_path / "runs").mkdir()
    words = interruptible(["view", "--port", "0", "--json"])
    process = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    told = json.loads("".join(iter(process.stdout.readline, "}\n")) + "}")
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+", told["url"])
    assert told["address"] == f"{told['url']}/?token={told['token']}"
    for _ in range(3):
        process.send_signal(how)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (0, "", "")


def test_the_plain_output(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    words = interruptible(["view", "--port", "0"])
    process = subprocess.Popen(
        words, cwd=tmp_path, stdout=subprocess.PIPE, text=True, env={**os.environ, "BROWSER": "false"}
    )
    assert process.stdout is not None
    assert re.match(r"Viewer: http://127\.0\.0\.1:\d+/\?token=\S+\n", process.stdout.readline())
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) == 0
    process.stdout.close()


def test_the_browser_is_opened_with_a_ticket_and_not_with_the_token(tmp_path: Path) -> None:
    """On a terminal; the browser here writes down how it was called."""
    (tmp_path / "runs").mkdir()
    browser, called = tmp_path / "browser", tmp_path / "called"
    browser.write_text(f'#!/bin/sh\nprintf %s "$*" > {called}.part && mv {called}.part {called}\n')
    browser.chmod(0o755)
    ours, theirs = pty.openpty()
    words = [sys.executable, "-m", "assay", "view", "--port", "0"]
    process = subprocess.Popen(words, cwd=tmp_path, stdout=theirs, env={**os.environ, "BROWSER": f"{browser} %s"})
    os.close(theirs)
    try:
        with os.fdopen(ours, encoding="utf-8") as terminal:
            printed = terminal.readline().split("?token=")
            while not called.exists():
                time.sleep(0.01)
            opened = called.read_text().split("/?ticket=")
            assert printed[0] == f"Viewer: {opened[0]}/"
            assert printed[1].strip() != opened[1]
    finally:
        process.terminate()
        process.wait(timeout=20)


def test_a_ticket_is_good_once(shown: Shown, caplog: pytest.LogCaptureFixture) -> None:
    client = shown[1]
    path = client.guard.entrance.removeprefix(client.guard.address)
    first, second, wrong = (client.ask("GET", place) for place in (path, path, f"{path}x"))
    assert {answer.status for answer in (first, second, wrong)} == {303}
    assert first.headers["Set-Cookie"].startswith(client.cookie)
    assert "HttpOnly" in first.headers["Set-Cookie"]
    assert "SameSite=Strict" in first.headers["Set-Cookie"]
    assert "Set-Cookie" not in second.headers
    assert "Set-Cookie" not in wrong.headers
    assert caplog.text.count("came twice") == 1


def test_a_ticket_is_good_for_a_minute() -> None:
    now = 0.0
    ticket = Ticket(lambda: now)
    now = 60.1
    assert not ticket.redeem(ticket.code)
    now = 60.0
    assert ticket.redeem(ticket.code)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, 200),
        ({"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors"}, 200),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, 403),
        ({"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors", "Origin": "http://localhost:3000"}, 403),
        ({"Sec-Fetch-Mode": "cors", "Origin": "null"}, 403),
    ],
)
def test_a_page_elsewhere_may_link_here_and_not_load(shown: Shown, headers: dict[str, str], status: int) -> None:
    assert shown[1].ask("GET", "/runs.json", headers=headers).status == status


def test_a_fault_of_ours_is_a_page_without_its_details(
    shown: Shown, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    run, client = shown
    path = run.path / "results.jsonl"
    saved = path.read_bytes()
    rows = [json.loads(line) for line in saved.splitlines()]
    try:
        path.write_text(
            json.dumps({name: rows[0][name] for name in ("variant", "case_id", "status")} | {"tags": {}}) + "\n"
        )
        answer = client.get(f"/runs/{run.name}/question", {"id": rows[0]["case_id"]})
        assert answer.status == 500
        assert "KeyError" not in answer.text
        assert "a page failed" in caplog.text
    finally:
        path.write_bytes(saved)


def test_a_server_that_never_started_can_be_stopped(tmp_path: Path) -> None:
    import asyncio

    (tmp_path / "assay.yaml").write_text("{}")
    asyncio.run(Server(places(tmp_path)).stop())
