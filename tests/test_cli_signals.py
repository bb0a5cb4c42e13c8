"""A signal ends a command cleanly, however many follow, unless somebody else has said what it should do."""

from __future__ import annotations

import asyncio
import os
import pty
import signal
import subprocess
import sys
import threading
import time
import types
from pathlib import Path

import pytest
from judged_project import make_judged
from small_project import interruptible, last

from assay.cli._signals import SAME, heeded
from assay.cli.main import main

LINE = "assay: interrupted. What is finished is kept; go on with: assay run --quiet --resume last\n"


def nothing(_number: int, _frame: object) -> None:
    """A way of one's own to take a signal."""


@pytest.mark.parametrize("interrupt", [signal.default_int_handler, signal.SIG_IGN])
def test_sigterm_is_an_interrupt_with_a_code_of_its_own(interrupt: signal.Handlers) -> None:
    """Also where Ctrl-C is ignored, as in background jobs."""
    before = signal.signal(signal.SIGINT, interrupt)
    try:
        with heeded() as ending:
            assert ending.code == 130
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGTERM)
            assert ending.code == 143
            signal.raise_signal(signal.SIGTERM)
            if interrupt != signal.SIG_IGN:
                signal.raise_signal(signal.SIGINT)
            assert ending.code == 143, "the first one counts"
        assert signal.getsignal(signal.SIGINT) == interrupt
    finally:
        signal.signal(signal.SIGINT, before)
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_runs_in_a_loop_cleans_up_undisturbed(number: signal.Signals) -> None:
    """Ctrl-C once more in the middle of it would come out of the loop, and of the work, as an exception."""
    done = []

    async def work() -> None:
        try:
            os.kill(os.getpid(), number)
            await asyncio.sleep(60)
        finally:
            os.kill(os.getpid(), number)
            await asyncio.sleep(0)
            done.append("cleaned up")

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with heeded() as ending, pytest.raises(asyncio.CancelledError):
            asyncio.run(work())
    finally:
        signal.signal(signal.SIGINT, before)
    assert done == ["cleaned up"]
    assert (ending.begun, ending.code) == (True, 128 + number)


@pytest.mark.parametrize("half", [None, types.ModuleType("asyncio")])
def test_before_there_can_be_a_loop_it_is_an_interrupt(
    monkeypatch: pytest.MonkeyPatch, half: types.ModuleType | None
) -> None:
    """Also in the middle of the import that makes one possible."""
    monkeypatch.setitem(sys.modules, "asyncio", half)
    with heeded(), pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGTERM)


BOT = """\
import atexit, time
from pathlib import Path


def answer(question):
    time.sleep(0.05)
    return {"answer": "yes"}


def close():
    Path("closing").touch()
    time.sleep(float(Path("seconds").read_text()))
    Path("closed").touch()


if Path("seconds").exists():
    atexit.register(close)
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Forty questions to a bot that wants to be told of the end, and takes a while then."""
    monkeypatch.chdir(tmp_path)
    make_judged(tmp_path, 8)
    (tmp_path / "bot.py").write_text(BOT)
    (tmp_path / "seconds").write_text("0.3")
    return tmp_path


def until(found: str) -> None:
    end = time.monotonic() + 60
    while not any(Path().glob(found)):
        assert time.monotonic() < end, f"there is no {found}"
        time.sleep(0.01)


def go_on(project: Path) -> None:
    """With a bot that has nothing to do at the end of this process."""
    (project / "seconds").unlink()
    assert main(["run", "--quiet", "--resume", "last"]) == 0


@pytest.mark.parametrize("numbers", [(2, 2, 2), (15, 15), (2, 15), (15, 2)])
def test_several_signals_are_one_line_and_the_first_ones_code(project: Path, numbers: tuple[int, ...]) -> None:
    process = subprocess.Popen(interruptible(["run", "--quiet"]), stderr=subprocess.PIPE, text=True)
    until("runs/*/results.jsonl")
    for number in numbers:
        process.send_signal(number)
        time.sleep(0.02)
    assert process.communicate(timeout=60)[1] == LINE
    assert process.returncode == 128 + numbers[0]
    assert Path("closed").exists(), "the bot was told"
    done = len(last(project).results.read())
    assert not (last(project).path / ".lock").exists()
    go_on(project)
    assert last(project).summary["execution"]["questions_asked"] == len(last(project).results.read()) == 40
    assert last(project).summary["execution"]["sessions"] == 2
    assert 0 < done < 40


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_later_signal_ends_what_does_not_end_by_itself(project: Path, number: signal.Signals) -> None:
    (project / "seconds").write_text("600")
    process = subprocess.Popen(interruptible(["run", "--quiet"]), stderr=subprocess.PIPE, text=True)
    until("runs/*/results.jsonl")
    process.send_signal(signal.SIGINT)
    until("closing")
    time.sleep(SAME)
    process.send_signal(number)
    assert process.communicate(timeout=60)[1] == LINE
    assert process.returncode == 128 + number
    go_on(project)


DEAF = """\
import time
from pathlib import Path

Path("begun").touch()
while True:
    try:
        time.sleep(600)
    except BaseException:
        pass
"""


def test_a_later_signal_in_the_middle_of_the_work_tells_how_to_go_on_and_gives_the_cursor_back(project: Path) -> None:
    """On a terminal: the bars that hid it are not asked to clean up."""
    (project / "bot.py").write_text(DEAF)
    ours, theirs = pty.openpty()
    process = subprocess.Popen(interruptible(["run"]), stderr=theirs)
    os.close(theirs)
    until("begun")
    process.send_signal(signal.SIGINT)
    time.sleep(SAME + 0.1)
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=60) == 143
    said = os.read(ours, 10_000).decode()
    os.close(ours)
    assert said.endswith(f"\x1b[?25h{LINE.replace(' --quiet', '').replace(chr(10), chr(13) + chr(10))}")
    assert said.count("interrupted") == 1


def test_who_takes_sigterm_already_keeps_it() -> None:
    before = signal.signal(signal.SIGTERM, nothing)
    try:
        with heeded() as ending:
            signal.raise_signal(signal.SIGTERM)
        assert ending.code == 130
        assert signal.getsignal(signal.SIGTERM) is nothing
    finally:
        signal.signal(signal.SIGTERM, before)


def test_in_another_thread_no_signal_can_be_taken() -> None:
    codes = []

    def work() -> None:
        with heeded() as ending:
            codes.append(ending.code)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert codes == [130]
