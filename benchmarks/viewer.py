"""How long the pages of `assay view` take over runs of 10,000 questions: the first time, and from then on.

    python benchmarks/viewer.py                                # makes two runs first: some minutes
    python benchmarks/viewer.py --folder /tmp/viewer-bench     # keeps them there for the next time
    python benchmarks/viewer.py --questions 1000

The server is a process of its own; the client keeps its connection, as a browser does. The goal is a median of at most
100 ms for every page of the list of questions after the first. Exits with 1 beyond it.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import quote, urlencode

GOAL = 0.1
ASSAY = (sys.executable, "-m", "assay")
ROUNDS = 15


WORDS = ("tide", "mooring", "skipper", "lifejacket", "harbour", "float", "plan", "radio", "channel", "gust", "reef")


def write_project(folder: Path, questions: int) -> None:
    """200 chunks and as many questions as asked for."""
    chunks = [{"id": f"c{n:03d}", "source": f"d{n // 10}.md", "page": n % 10 + 1, "text": text(n)} for n in range(200)]
    (folder / "chunks.jsonl").write_text("".join(json.dumps(chunk) + "\n" for chunk in chunks))
    cases = [
        {"id": f"q{n:05d}", "question": f"What about {text(n)[:40]} number {n}?", "answer": "42"}
        | {"expected_ids": [f"c{n % 200:03d}"], "tags": {"difficulty": "easy", "question_type": "single_hop"}}
        for n in range(questions)
    ]
    (folder / "cases.json").write_text(json.dumps(cases))
    command = [*ASSAY, "index", "chunks.jsonl", "--out", "corpus.db", "--quiet"]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)


def text(n: int) -> str:
    return " ".join(WORDS[(n * 7 + step * (n % 5 + 1)) % len(WORDS)] for step in range(60))


def prepare(folder: Path, questions: int) -> list[str]:
    """Two runs by the engine itself, with the formulas that need no model; their names, oldest first."""
    if not (folder / "cases.json").exists():
        write_project(folder, questions)
        (folder / "assay.yaml").write_text("paths: {gold: cases.json}\n")
        for k in ("8", "2"):
            command = [*ASSAY, "run", "--precision", k, "--quiet", "--baseline", "none"]
            subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return [path.parent.name for path in sorted(folder.glob("runs/*/run_summary.json"), key=os.path.getmtime)]


def pages(before: str, now: str, last: int) -> dict[str, str]:
    run, questions = f"/runs/{quote(now)}", f"/runs/{quote(now)}/questions"
    both = {"before": before, "now": now}
    return {
        "list of runs": "/runs",
        "questions, first page": questions,
        "questions, last page": f"{questions}?page={last}",
        "questions, JSON": f"{questions}.json",
        "questions by outcome": f"{questions}?outcome=fail",
        "questions by reason": f"{questions}?reason=in_prompt_unused",
        "questions by words": f"{questions}?q=mooring+number+77",
        "questions by score": f"{questions}?sort=-score&page=40",
        "one question": f"{run}/question?id=q00042",
        "progress": f"{run}/progress.json",
        "run": run,
        "comparison": f"/compare?{urlencode(both)}",
        "question in both": f"/compare/question?{urlencode({**both, 'id': 'q00042'})}",
    }


def measure(port: int, wanted: dict[str, str]) -> dict[str, tuple[float, float, float, int]]:
    """First, median and longest of the others, and size."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    found = {}
    for name, path in wanted.items():
        times = []
        for _ in range(ROUNDS + 1):
            start = time.perf_counter()
            connection.request("GET", path)
            answer = connection.getresponse()
            size = len(answer.read())
            times.append(time.perf_counter() - start)
            assert answer.status == 200, (path, answer.status)
        found[name] = (times[0], statistics.median(times[1:]), max(times[1:]), size)
    connection.close()
    return found


def peak_of(process: int) -> float:
    """Megabytes."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def main() -> int:
    parser = argparse.ArgumentParser(description="Times of the viewer's pages over large runs.")
    parser.add_argument("--questions", type=int, default=10_000)
    parser.add_argument("--folder", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        before, now = prepare(folder, arguments.questions)
        size = (folder / "runs" / now / "results.jsonl").stat().st_size
        command = [*ASSAY, "view", "--port", "0", "--json", "--no-open"]
        server = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        told = json.loads("".join(iter(server.stdout.readline, "}\n")) + "}")
        try:
            wanted = pages(before, now, arguments.questions // 50)
            found = measure(int(told["url"].rpartition(":")[2]), wanted)
            peak = peak_of(server.pid)
        finally:
            server.send_signal(signal.SIGINT)
            server.communicate(timeout=30)
    print(f"{arguments.questions:,} questions, results.jsonl {size / 1e6:.0f} MB, server {peak:.0f} MB\n")
    print(f"{'page':24} {'first':>10} {'median':>10} {'longest':>10} {'size':>10}")
    for name, (first, median, longest, length) in found.items():
        print(f"{name:24} {first * 1e3:7.1f} ms {median * 1e3:7.1f} ms {longest * 1e3:7.1f} ms {length / 1e3:7.1f} kB")
    slow = [name for name, times in found.items() if name.startswith("questions") and times[1] > GOAL]
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
