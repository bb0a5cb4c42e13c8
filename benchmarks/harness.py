"""A whole RAG run (retrieve, generate, judge, score, cache, results written) against loops that only call, and Inspect.

    python benchmarks/harness.py                            # everything below, one after the other
    python benchmarks/harness.py --questions 500 --at-once 50
    python benchmarks/harness.py --questions 40000 --at-once 200 --latency 0.005 --only assay    # memory
    python benchmarks/harness.py --peers OTHER/bin/python   # has the peers; else they are installed apart

A real HTTP server on loopback answers each call after 50 ms. The ideal is what these waits alone take. Each contender
runs in a process of its own, the median of three is shown (of Inspect, one).

What is timed of ours: from an order (files of questions and index) to a finished run folder: both are opened and
checked, each question is searched, answered, judged and scored, each reply is kept in the cache and each result
appended; results are sorted, the summary with its intervals and one line of history are written. Imports are not timed,
of nobody. Of the bare loops it is the calls alone, of Inspect `eval()`, which writes its log.

Memory is the peak of the process. Ours then writes its report too, which is not timed.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import io
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

SERVER = Path(__file__).parent.parent / "tests" / "chat_server.py"
PEERS = ("openai", "inspect")
PACKAGES = ("openai", "inspect_ai")
CONTENDERS = ("aiohttp", "openai", "inspect", "assay", "assay-cached")
NAMES = {
    "aiohttp": "bare aiohttp loop",
    "openai": "bare OpenAI SDK loop",
    "inspect": "Inspect",
    "assay": "assay run",
    "assay-cached": "assay run, cached",
}
WORDS = ("tide", "mooring", "skipper", "lifejacket", "harbour", "float", "plan", "radio", "channel", "gust", "reef")
PROMPT = "Question {number}. " + "A sentence of the context that was retrieved. " * 60
MODULES = ("tokenizers", "assay.llm.providers.openai", "assay.systems.embedded", "assay.embedders.wordllama")
Found = dict[str, float]


@dataclass(frozen=True)
class Setting:
    questions: int
    at_once: int
    latency: float
    contenders: tuple[str, ...] = CONTENDERS

    @property
    def ideal(self) -> float:
        return 2 * self.questions * self.latency / self.at_once

    @property
    def is_timed(self) -> bool:
        """The one most goals are about, with whichever contenders."""
        return (self.questions, self.at_once, self.latency) == (500, 50, 0.05)

    def __str__(self) -> str:
        waits = f"2 calls of {self.latency * 1000:g} ms"
        return f"{self.questions:,} questions × {waits}, {self.at_once} at once: ideal {self.ideal:.2f} s"


TIMED = Setting(500, 50, 0.05)
MANY_AT_ONCE = Setting(1000, 200, 0.05, ("aiohttp", "openai", "assay"))
MEMORY = (Setting(2_500, 200, 0.005, ("assay",)), Setting(10_000, 200, 0.005, ("assay",)))
GROWTH = 5
"""MB from the first of these to the second: 0.7 kB a question, where the results of one take 3.8 kB of disk."""


# --- the contenders, each in a process of its own ---


async def loop(call: Callable[[int], Awaitable[Any]], given: argparse.Namespace) -> Found:
    """Workers that take one call after the other."""
    numbers = iter(range(2 * given.questions))

    async def work() -> None:
        for number in numbers:
            await call(number)

    wall, cpu = time.perf_counter(), time.process_time()
    await asyncio.gather(*(work() for _ in range(given.at_once)))
    return {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}


async def bare_aiohttp(given: argparse.Namespace) -> Found:
    import aiohttp

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def call(number: int) -> None:
            body = {"model": "x", "messages": [{"role": "user", "content": PROMPT.format(number=number)}]}
            async with session.post(f"{given.url}/chat/completions", json=body) as response:
                assert (await response.json())["choices"][0]["message"]["content"] == "42"

        return await loop(call, given)


async def bare_openai(given: argparse.Namespace) -> Found:
    import openai

    client = openai.AsyncOpenAI(base_url=given.url, api_key="none", max_retries=0)

    async def call(number: int) -> None:
        messages = [{"role": "user", "content": PROMPT.format(number=number)}]
        reply = await client.chat.completions.create(model="x", messages=messages)
        assert reply.choices[0].message.content == "42"

    await client.models.with_raw_response.list()  # types are built at the first call
    return await loop(call, given)


def inspect(given: argparse.Namespace) -> Found:
    """Generate, then a model-graded score."""
    from inspect_ai import Task
    from inspect_ai import eval as inspect_eval
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import get_model
    from inspect_ai.scorer import model_graded_qa
    from inspect_ai.solver import generate

    samples = [Sample(input=PROMPT.format(number=number), target="42") for number in range(given.questions)]
    model = get_model("openai/gpt-4o", base_url=given.url, api_key="none", responses_api=False)
    task = Task(dataset=MemoryDataset(samples), solver=generate(), scorer=model_graded_qa(model=model))
    limits = {"max_connections": given.at_once, "max_samples": given.at_once}
    wall, cpu = time.perf_counter(), time.process_time()
    inspect_eval(task, model=model, display="none", log_dir=f"{given.folder}/inspect", **limits)
    return {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}


def assay_run(given: argparse.Namespace) -> Found:
    for module in ("aiohttp", *MODULES):
        import_module(module)
    from assay.config import Config, Judging, LlmOptions, ModelOptions, Pipeline, Prices, RunOptions
    from assay.rag.bench import Order
    from assay.rag.evaluation import run_rag
    from assay.report.publish import publish

    folder = Path(given.folder)
    options = ModelOptions(model="openai/x", base_url=given.url, workers=given.at_once)
    config = Config(
        root=given.folder,
        llm=LlmOptions(models={"m": options}, prices={"openai/x": Prices(input=0.1, output=0.4)}),
        run=RunOptions(
            workers=given.at_once,
            pipeline=Pipeline(model="m", precision_k=5, recall_k=20),
            judging=Judging(judge="m"),
        ),
    )
    order = Order(config=config, gold=folder / "cases.json", index=folder / "corpus.db")
    wall, cpu = time.perf_counter(), time.process_time()
    run = run_rag(order, lambda _: None)
    found = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    assert run.summary["errors"]["total"] == 0
    assert run.summary["corpus"]["question_count"] == given.questions
    publish(run, config)
    return found


def contend(given: argparse.Namespace) -> None:
    loops = {"aiohttp": bare_aiohttp, "openai": bare_openai}
    if given.contender in loops:
        found = asyncio.run(loops[given.contender](given))
    else:
        found = inspect(given) if given.contender == "inspect" else assay_run(given)
    print(json.dumps(found | {"peak_mb": peak_mb()}))


def peak_mb() -> float:
    """Of this program alone: `ru_maxrss`, all there is elsewhere, counts what the parent had when it was forked."""
    status = Path("/proc/self/status")
    if status.exists():
        return next(int(line.split()[1]) for line in status.open() if line.startswith("VmHWM")) / 1024
    unit = 1024 if sys.platform == "darwin" else 1
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit / 1024


# --- measuring them ---


def write_project(folder: Path, questions: int) -> None:
    """200 chunks and as many questions as asked for."""
    from assay.cli.main import main as assay

    folder.mkdir(exist_ok=True)
    chunks = [{"id": f"c{n:03d}", "source": f"d{n // 10}.md", "page": n % 10 + 1, "text": _text(n)} for n in range(200)]
    (folder / "chunks.jsonl").write_text("".join(json.dumps(chunk) + "\n" for chunk in chunks))
    cases = [
        {"id": f"q{n:05d}", "question": f"What about {_text(n)[:40]} number {n}?", "answer": "42"}
        | {"expected_ids": [f"c{n % 200:03d}"], "tags": {"difficulty": "easy", "question_type": "single_hop"}}
        for n in range(questions)
    ]
    (folder / "cases.json").write_text(json.dumps(cases))
    with contextlib.redirect_stdout(io.StringIO()):
        assert assay(["index", str(folder / "chunks.jsonl"), "--out", str(folder / "corpus.db"), "--quiet"]) == 0


def _text(n: int) -> str:
    return " ".join(WORDS[(n * 7 + step * (n % 5 + 1)) % len(WORDS)] for step in range(60))


@contextlib.contextmanager
def serving(latency: float) -> Iterator[str]:
    command = [sys.executable, str(SERVER), "--latency", str(latency)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        assert server.stdin is not None
        yield f"{server.stdout.readline().strip()}/v1"
        server.stdin.close()


def installed_peers() -> str | None:
    """An environment of their own in the user's cache, made once; None if it cannot be had."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    python = cache / "assay-benchmarks" / "peers" / "bin" / "python"
    if not python.exists():
        print(f"installing {' and '.join(PACKAGES)} into {python.parent.parent}", flush=True)
        subprocess.run([sys.executable, "-m", "venv", str(python.parent.parent)], check=False)
    if not python.exists():
        return None
    done = subprocess.run([str(python), "-m", "pip", "install", "-q", *PACKAGES], capture_output=True, check=False)
    return str(python) if done.returncode == 0 else None


def measure(name: str, setting: Setting, url: str, folder: Path, peers: str | None) -> Found | None:
    """The median of the repeats; None where the package is not there."""
    python = peers if name in PEERS else sys.executable
    if python is None:
        return None
    # One thread for small matrix products, as `assay run` asks for.
    env = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    found: list[Found] = []
    for repeat in range(1 if name == "inspect" or setting.questions > MANY_AT_ONCE.questions else 3):
        project = folder / str(repeat)
        if name.startswith("assay") and not (project / "cases.json").exists():
            write_project(project, setting.questions)
        command = [python, __file__, "--contender", name, "--url", url, "--folder", str(project)]
        command += ["--questions", str(setting.questions), "--at-once", str(setting.at_once)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
        if "ModuleNotFoundError" in done.stderr:
            return None
        if done.returncode:
            sys.exit(done.stderr)
        found.append(json.loads(done.stdout.splitlines()[-1]))
    return sorted(found, key=lambda each: each["wall"])[len(found) // 2]


def compete(setting: Setting, peers: str | None) -> dict[str, Found]:
    """All contenders of a setting, told as they finish."""
    print(f"\n{setting}")
    results: dict[str, Found] = {}
    with tempfile.TemporaryDirectory() as folder, serving(setting.latency) as url:
        for name in setting.contenders:
            found = measure(name, setting, url, Path(folder), peers)
            if found is None:
                print(f"  {NAMES[name]:<22} not measured: {' and '.join(PACKAGES)} are not installed")
                continue
            results[name] = found
            cpu = found["cpu"] / setting.questions * 1000
            times = (
                f"{found['wall']:6.2f} s  {found['wall'] / setting.ideal:5.2f} × ideal  {cpu:6.2f} ms CPU a question"
            )
            print(f"  {NAMES[name]:<22} {times}  {found['peak_mb']:4.0f} MB", flush=True)
    return results


def goal(what: str, value: float, limit: float, unit: str = "") -> None:
    verdict = "met" if value <= limit else "MISSED"
    print(f"  goal: {what} at most {limit:g}{unit}: {value:.2f}{unit}, {verdict}", flush=True)


def judge_times(setting: Setting, found: dict[str, Found]) -> None:
    ours = found.get("assay")
    if ours is None:
        return
    if setting.is_timed:
        goal("time by the ideal", ours["wall"] / setting.ideal, 1.6)
        goal("CPU a question", ours["cpu"] / setting.questions * 1000, 3, " ms")
    if setting.is_timed and "assay-cached" in found:
        goal("cached by the first run", found["assay-cached"]["wall"] / ours["wall"], 0.5)
    if setting.at_once >= MANY_AT_ONCE.at_once and "openai" in found:
        goal("time by the bare OpenAI SDK loop", ours["wall"] / found["openai"]["wall"], 0.6)
    if setting.questions >= MEMORY[-1].questions:
        goal("memory", ours["peak_mb"], 200, " MB")


def everything(peers: str | None) -> None:
    for setting in (TIMED, MANY_AT_ONCE):
        judge_times(setting, compete(setting, peers))
    few, many = (compete(setting, peers) for setting in MEMORY)
    judge_times(MEMORY[-1], many)
    growth = many["assay"]["peak_mb"] - few["assay"]["peak_mb"]
    goal(f"growth from {MEMORY[0].questions:,} to {MEMORY[-1].questions:,} questions", growth, GROWTH, " MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, help="one setting alone, of so many questions")
    parser.add_argument("--at-once", type=int, default=TIMED.at_once)
    parser.add_argument("--latency", type=float, default=TIMED.latency, help="seconds of a call")
    parser.add_argument("--only", action="append", choices=CONTENDERS, help="this contender (may be repeated)")
    parser.add_argument("--peers", help=f"interpreter that has {' and '.join(PACKAGES)}; else they are installed apart")
    for hidden in ("--contender", "--url", "--folder"):
        parser.add_argument(hidden, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.contender:
        contend(given)
        return
    wanted = tuple(given.only or CONTENDERS)
    peers = given.peers or (installed_peers() if set(wanted) & set(PEERS) else None)
    if given.questions is None:
        everything(peers)
        return
    setting = Setting(given.questions, given.at_once, given.latency, wanted)
    judge_times(setting, compete(setting, peers))


if __name__ == "__main__":
    main()
