"""One process at a time, whatever it forks and however it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.locks import is_locked, locked


def test_a_lock_says_whose_it_is_if_that_is_known(tmp_path: Path) -> None:
    path = tmp_path / ".lock"
    with locked(path, "busy", tmp_path):
        path.write_bytes(b"")
        with pytest.raises(AssayError, match=r"busy\. Try again when it is done"), locked(path, "busy", tmp_path):
            pass
    assert not path.exists()


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(AssayError, match="cannot be written"), locked(tmp_path / "file" / ".lock", "busy", tmp_path):
        pass


def test_one_that_a_killed_owner_left_is_no_lock(tmp_path: Path) -> None:
    path = tmp_path / ".lock"
    path.write_text("4711")
    assert not is_locked(path)
    with locked(path, "busy", tmp_path):
        assert path.read_text() == str(os.getpid())


def test_who_only_looks_keeps_nobody_out(tmp_path: Path) -> None:
    path, done = tmp_path / ".lock", threading.Event()
    path.write_text("4711")

    def look() -> None:
        while not done.is_set():
            is_locked(path)

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        for _ in range(200):
            with locked(path, "busy", tmp_path):
                pass
            path.write_text("4711")
    finally:
        done.set()
        watcher.join()


OWNER = """\
import multiprocessing, os, sys, time
from pathlib import Path
from assay.locks import locked

with locked(Path(".lock"), "busy", Path(".")):
    if sys.argv[1] == "fork":
        child = os.fork()
        if not child:
            time.sleep(600)
    else:
        process = multiprocessing.get_context(sys.argv[1]).Process(target=time.sleep, args=(600,))
        process.start()
        child = process.pid
    Path("child.part").write_text(str(child))
    Path("child.part").rename("child")
    time.sleep(600)
"""


@pytest.mark.parametrize("how", ["fork", "multiprocessing"])
def test_a_forked_process_does_not_hold_the_lock_of_one_that_is_killed(
    tmp_path: Path, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    start = "fork" if how == "multiprocessing" else how
    words = OWNER.replace('sys.argv[1] == "fork"', str(how == "fork"))
    owner = subprocess.Popen([sys.executable, "-c", words, start])
    end = time.monotonic() + 60
    while not Path("child").exists() and time.monotonic() < end:
        time.sleep(0.01)
    assert is_locked(Path(".lock"))
    owner.kill()
    owner.wait()
    child = int(Path("child").read_text())
    try:
        os.kill(child, 0)  # lives on
        assert not is_locked(Path(".lock"))
        with locked(Path(".lock"), "busy", tmp_path):
            pass
    finally:
        os.kill(child, signal.SIGKILL)


def test_a_fork_that_ends_by_itself_leaves_the_lock_to_its_parent(tmp_path: Path) -> None:
    path = tmp_path / ".lock"
    words = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from assay.locks import is_locked, locked\n"
        "path = Path(sys.argv[1])\n"
        "with locked(path, 'busy', path.parent):\n"
        "    child = os.fork()\n"
        "    if not child:\n"
        "        sys.exit(0)\n"
        "    assert os.waitpid(child, 0)[1] == 0\n"
        "    assert is_locked(path)\n"
        "assert not path.exists()\n"
    )
    done = subprocess.run([sys.executable, "-c", words, str(path)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
