"""Ranking measures from TREC files, whole processes, against pytrec_eval, ir_measures and trec_eval itself.

    python benchmarks/ranking.py [--sizes 500x100,10000x100,10000x1000] [--rounds 3] [--trec-eval PATH]

The same twelve measures for all: nDCG@10, MRR, MAP, recall@1/3/5/10/100, P@1/3/5/10; Assay adds a bootstrap interval
to each. Contenders take turns, the best time counts. trec_eval is taken from the PATH, if it is there.

Goals: 500 × 100 not slower than ir_measures; 10k × 100 at most half of pytrec_eval's time and not slower than
trec_eval; 10k × 1000 at most 0.35 of pytrec_eval's time, in 1 GB; in memory at least four times as quick as
pytrec_eval. Exits with 1 beyond one of them.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

BIN = Path(sys.executable).parent
OURS = "ndcg@10,mrr,map,recall@1,recall@3,recall@5,recall@10,recall@100,p@1,p@3,p@5,p@10"
IR_MEASURES = ["nDCG@10", "RR", "AP", "R@1", "R@3", "R@5", "R@10", "R@100", "P@1", "P@3", "P@5", "P@10"]
THEIRS = ["ndcg_cut.10", "recip_rank", "map", "recall.1,3,5,10,100", "P.1,3,5,10"]
PYTREC_EVAL = f"""
import sys, pytrec_eval
with open(sys.argv[1]) as file:
    qrels = pytrec_eval.parse_qrel(file)
with open(sys.argv[2]) as file:
    run = pytrec_eval.parse_run(file)
found = pytrec_eval.RelevanceEvaluator(qrels, set({THEIRS!r})).evaluate(run)
for name in sorted(next(iter(found.values()))):
    print(name, sum(row[name] for row in found.values()) / len(found))
"""
IN_MEMORY = f"""
import json, sys, time
from dataclasses import replace
from pathlib import Path
import pytrec_eval
from assay.metrics import Measure, judge_run, measure_runs
from assay.trec import read_qrels, read_run

def best(function):
    times = []
    for _ in range(5):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)

qrels = read_qrels(Path(sys.argv[1]))
run = {{query: dict(zip(r.ids, r.scores)) for query, r in read_run(Path(sys.argv[2])).items()}}
evaluator = pytrec_eval.RelevanceEvaluator(qrels, set({THEIRS!r}))
names = {OURS.split(",")!r}
measures = [Measure.parse(name) for name in names]
prepared = judge_run(qrels, run)

def ours():
    judged = replace(prepared)  # a fresh one, that has kept nothing of the last time
    return [measure.compute(judged) for measure in measures]

print(json.dumps({{
    "pytrec_eval": best(lambda: evaluator.evaluate(run)),
    "prepared": best(ours),
    "dicts": best(lambda: measure_runs(names, qrels, run)),
}}))
"""


@dataclass(frozen=True)
class Cost:
    """Of one process."""

    seconds: float
    megabytes: float


@dataclass(frozen=True)
class Goal:
    """What a ratio to a peer, or the memory, may be at most."""

    peer: str
    most: float


GOALS = {
    (500, 100): [Goal("ir_measures", 1.0)],
    (10_000, 100): [Goal("pytrec_eval", 0.5), Goal("trec_eval", 1.0)],
    (10_000, 1000): [Goal("pytrec_eval", 0.35)],
}
MEGABYTES = {(10_000, 1000): 1000.0}
IN_MEMORY_GOAL = 4.0


def write_files(folder: Path, queries: int, depth: int) -> tuple[Path, Path]:
    """25 judged documents a query, graded 0 to 3, half of them among the retrieved; scores as a search engine's."""
    chance = np.random.default_rng(7)
    qrels, run = folder / f"{queries}x{depth}.qrels", folder / f"{queries}x{depth}.run"
    with qrels.open("w") as judgements, run.open("w") as results:
        for query in range(1_000_000, 1_000_000 + queries):
            documents = chance.choice(8_000_000, depth + 13, replace=False)
            judged = np.concatenate((chance.choice(documents[:depth], 12, replace=False), documents[depth:]))
            grades = zip(judged.tolist(), chance.integers(0, 4, len(judged)).tolist(), strict=True)
            judgements.writelines(f"{query} 0 doc{document:07} {grade}\n" for document, grade in grades)
            scores = np.sort(chance.gamma(2, 5, depth))[::-1].tolist()
            ranked = enumerate(zip(documents[:depth].tolist(), scores, strict=True), 1)
            results.writelines(f"{query} Q0 doc{name:07} {rank} {score:.6f} bench\n" for rank, (name, score) in ranked)
    return qrels, run


def cost(command: list[str]) -> tuple[Cost, str]:
    """Time and peak memory of the process, and what it printed."""
    with tempfile.TemporaryFile("w+") as printed:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=printed)
        _, status, usage = os.wait4(process.pid, 0)
        spent = Cost(time.perf_counter() - start, usage.ru_maxrss / 1024)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{command[0]} ended with {process.returncode}")
        printed.seek(0)
        return spent, printed.read()


def contenders(qrels: Path, run: Path, trec_eval: str | None) -> dict[str, list[str]]:
    files = [str(qrels), str(run)]
    commands = {
        "assay": [str(BIN / "assay"), "score", "--qrels", files[0], "--run", files[1], "-m", OURS],
        "pytrec_eval": [sys.executable, "-c", PYTREC_EVAL, *files],
        "ir_measures": [str(BIN / "ir_measures"), *files, *IR_MEASURES],
    }
    if trec_eval:
        commands["trec_eval"] = [trec_eval, *(word for name in THEIRS for word in ("-m", name)), *files]
    return commands


def race(commands: dict[str, list[str]], rounds: int) -> dict[str, Cost]:
    """The best of each, taken in turns, so that a busy moment of the machine falls on all alike."""
    costs: dict[str, list[Cost]] = {name: [] for name in commands}
    means: dict[str, str] = {}
    for _ in range(rounds):
        for name, command in commands.items():
            spent, means[name] = cost(command)
            costs[name].append(spent)
    check_same(means["assay"], means["pytrec_eval"])
    return {
        name: Cost(min(one.seconds for one in found), max(one.megabytes for one in found))
        for name, found in costs.items()
    }


def check_same(ours: str, theirs: str) -> None:
    """A time is worth something only for the right numbers."""
    found = {line.split()[0]: float(line.split()[1]) for line in ours.splitlines() if "@" in line or "map" in line}
    expected = dict(line.split() for line in theirs.splitlines())
    for name, value in found.items():
        theirs_name = name.replace("ndcg@", "ndcg_cut_").replace("recall@", "recall_").replace("p@", "P_")
        if abs(value - float(expected[theirs_name])) > 1e-4:
            raise SystemExit(f"{name}: {value} is not {expected[theirs_name]}")


def report(size: tuple[int, int], costs: dict[str, Cost]) -> bool:
    """Print them against the goals; whether all are met."""
    met = True
    for name, one in costs.items():
        line = f"  {name:<14}{one.seconds:8.2f} s {one.megabytes:8.0f} MB"
        ratio = costs["assay"].seconds / one.seconds
        goal = next((goal for goal in GOALS.get(size, []) if goal.peer == name), None)
        if name != "assay":
            line += f"   assay / {name} {ratio:.2f}"
        if goal:
            line += f" (goal: at most {goal.most:g}){'' if ratio <= goal.most else ' MISSED'}"
            met &= ratio <= goal.most
        if name == "assay" and size in MEGABYTES:
            line += f" (goal: at most {MEGABYTES[size]:g} MB){'' if one.megabytes <= MEGABYTES[size] else ' MISSED'}"
            met &= one.megabytes <= MEGABYTES[size]
        print(line)
    return met


def in_memory(qrels: Path, run: Path) -> bool:
    """The measures alone: each on its own prepared structures, and from dicts."""
    times = json.loads(cost([sys.executable, "-c", IN_MEMORY, str(qrels), str(run)])[1])
    print(f"  in memory: pytrec_eval {times['pytrec_eval']:.3f} s from dicts, assay {times['dicts']:.3f} s from dicts")
    ratio = times["pytrec_eval"] / times["prepared"]
    met: bool = ratio >= IN_MEMORY_GOAL
    missed = "" if met else " MISSED"
    print(
        f"  prepared:  assay {times['prepared']:.4f} s, {ratio:.0f} x as quick "
        f"(goal: at least {IN_MEMORY_GOAL:g}){missed}"
    )
    return met


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="500x100,10000x100,10000x1000", help="queries × results (%(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="how often each is called (default: %(default)s)")
    parser.add_argument("--trec-eval", default=shutil.which("trec_eval"), help="the program, if it is not on the PATH")
    arguments = parser.parse_args()
    met = True
    for text in arguments.sizes.split(","):
        queries, depth = map(int, text.split("x"))
        with tempfile.TemporaryDirectory() as folder:
            qrels, run = write_files(Path(folder), queries, depth)
            print(f"{queries:,} queries × {depth:,} results, {run.stat().st_size / 1e6:.0f} MB")
            met &= report((queries, depth), race(contenders(qrels, run, arguments.trec_eval), arguments.rounds))
            if (queries, depth) == (10_000, 100):
                met &= in_memory(qrels, run)
    if not arguments.trec_eval:
        print("trec_eval was not found: not compared with it")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
