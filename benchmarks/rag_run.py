"""A whole RAG run (retrieve, generate, judge, score, cache, results written) against bare loops that only call.

    python benchmarks/rag_run.py                               # 500 questions × 2 calls of 50 ms, 50 at once
    python benchmarks/rag_run.py --questions 1000 --at-once 200
    python benchmarks/rag_run.py --questions 10000 --at-once 200 --latency 0.005   # memory
    python benchmarks/rag_run.py --peers OTHER/bin/python      # an interpreter with `openai` and `inspect_ai`

Each contender runs in a process of its own; imports are not timed. Goals: at most 1.6 × the ideal and 3 ms of CPU a
question at 50 at once, at most 0.6 × the bare OpenAI SDK loop at 200, a cached re-run in half the time, 200 MB.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).parent
WORDS = ("tide", "mooring", "skipper", "lifejacket", "harbour", "float", "plan", "radio", "channel", "gust", "reef")


def write_project(folder: Path, questions: int) -> None:
    """200 chunks and as many questions as asked for."""
    from assay.cli.main import main as assay

    chunks = [{"id": f"c{n:03d}", "source": f"d{n // 10}.md", "page": n % 10 + 1, "text": _text(n)} for n in range(200)]
    (folder / "chunks.jsonl").write_text("".join(json.dumps(chunk) + "\n" for chunk in chunks))
    cases = [
        {"id": f"q{n:05d}", "question": f"What about {_text(n)[:40]} number {n}?", "answer": "42"}
        | {"expected_ids": [f"c{n % 200:03d}"], "tags": {"difficulty": "easy", "question_type": "single_hop"}}
        for n in range(questions)
    ]
    (folder / "cases.json").write_text(json.dumps(cases))
    assert assay(["index", str(folder / "chunks.jsonl"), "--out", str(folder / "corpus.db"), "--quiet"]) == 0


def _text(n: int) -> str:
    return " ".join(WORDS[(n * 7 + step * (n % 5 + 1)) % len(WORDS)] for step in range(60))


def contend(arguments: argparse.Namespace) -> None:
    """One run in this process: seconds, CPU seconds, peak memory."""
    from assay.config import Config, Judging, LlmOptions, ModelOptions, Pipeline, Prices, RunOptions
    from assay.rag.evaluation import Order, run_rag

    for module in (
        "aiohttp",
        "tokenizers",
        "assay.llm.providers.openai",
        "assay.systems.embedded",
        "assay.embedders.wordllama",
    ):
        import_module(module)  # imports are not timed

    folder = Path(arguments.folder)
    options = ModelOptions(model="openai/x", base_url=arguments.url, workers=arguments.at_once)
    config = Config(
        root=str(folder),
        llm=LlmOptions(models={"m": options}, prices={"openai/x": Prices(input=0.1, output=0.4)}),
        run=RunOptions(
            workers=arguments.at_once,
            pipeline=Pipeline(model="m", precision_k=5, recall_k=20),
            judging=Judging(judge="m"),
        ),
    )
    order = Order(config=config, gold=folder / "cases.json", index=folder / "corpus.db")
    wall, cpu = time.perf_counter(), time.process_time()
    run = run_rag(order, lambda _: None)
    found = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    assert run.summary["errors"]["total"] == 0
    found["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(found))


def contend_inspect(arguments: argparse.Namespace) -> None:
    """The same two calls a question in Inspect: generate, then a model-graded score. Imports are not timed."""
    from inspect_ai import Task
    from inspect_ai import eval as inspect_eval
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import get_model
    from inspect_ai.scorer import model_graded_qa
    from inspect_ai.solver import generate

    samples = [Sample(input=f"What about {_text(n)} number {n}?", target="42") for n in range(arguments.questions)]
    model = get_model("openai/gpt-4o", base_url=arguments.url, api_key="none", responses_api=False)
    task = Task(dataset=MemoryDataset(samples), solver=generate(), scorer=model_graded_qa(model=model))
    wall, cpu = time.perf_counter(), time.process_time()
    folder = f"{arguments.folder}/inspect"
    inspect_eval(
        task,
        model=model,
        max_connections=arguments.at_once,
        max_samples=arguments.at_once,
        display="none",
        log_dir=folder,
    )
    print(json.dumps({"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}))


def measure(script: Path, python: str, words: list[str]) -> dict[str, float] | None:
    """In a process of its own, with the one thread for small matrix products that `assay run` asks for."""
    env = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run([python, str(script), *words], capture_output=True, text=True, check=False, env=env)
    if "ModuleNotFoundError" in done.stderr:
        return None
    if done.returncode:
        sys.exit(done.stderr)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=500)
    parser.add_argument("--at-once", type=int, default=50)
    parser.add_argument("--latency", type=float, default=0.05, help="seconds of a call")
    parser.add_argument("--peers", default=sys.executable, help="interpreter for the bare OpenAI SDK loop")
    for hidden in ("--url", "--folder", "--contender"):
        parser.add_argument(hidden, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.folder:
        (contend_inspect if arguments.contender == "inspect" else contend)(arguments)
        return
    calls = 2 * arguments.questions
    ideal = calls * arguments.latency / arguments.at_once
    print(f"{arguments.questions} questions × 2 calls of {arguments.latency * 1000:g} ms, {arguments.at_once} at once")
    print(f"ideal {ideal:.2f} s")
    server_command = [
        sys.executable,
        str(HERE.parent / "tests" / "chat_server.py"),
        "--latency",
        str(arguments.latency),
    ]
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(server_command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server,
    ):
        assert server.stdout is not None
        assert server.stdin is not None
        url = f"{server.stdout.readline().strip()}/v1"
        write_project(Path(folder), arguments.questions)
        common = ["--url", url, "--at-once", str(arguments.at_once)]
        bare = [*common, "--calls", str(calls), "--folder", f"{folder}/bare"]
        for name in ("aiohttp", "openai"):
            python = arguments.peers if name == "openai" else sys.executable
            show(f"bare {name}", measure(HERE / "harness.py", python, ["--contender", name, *bare]), ideal, arguments)
        ours = [*common, "--folder", folder, "--questions", str(arguments.questions)]
        peer = [*ours, "--contender", "inspect"]
        show("inspect", measure(Path(__file__), arguments.peers, peer), ideal, arguments)
        show("assay run", measure(Path(__file__), sys.executable, ours), ideal, arguments)
        show("assay run, cached", measure(Path(__file__), sys.executable, ours), ideal, arguments)
        server.stdin.close()


def show(name: str, found: dict[str, float] | None, ideal: float, arguments: argparse.Namespace) -> None:
    if found is None:
        print(f"{name:<18} not installed")
        return
    memory = f"  {found['peak_mb']:5.0f} MB" if "peak_mb" in found else ""
    cpu = found["cpu"] / arguments.questions * 1000
    print(
        f"{name:<18} {found['wall']:6.2f} s  {found['wall'] / ideal:5.2f} × ideal  {cpu:6.2f} ms CPU a question{memory}"
    )


if __name__ == "__main__":
    main()
