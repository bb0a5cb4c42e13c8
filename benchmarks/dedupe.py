"""Near duplicates among questions at cosine 0.95, 256 dimensions: ours beside others, and how it grows.

    python benchmarks/dedupe.py                                # ours and those peers that are installed, 10,000
    python benchmarks/dedupe.py --sizes 10000,100000,300000    # with the growth of ours
    python benchmarks/dedupe.py --peers OTHER/bin/python       # an interpreter that has semhash, faiss-cpu

Each contender runs in a process of its own on the same vectors: embeddings of made-up questions, one in ten of them
again with two letters changed. Only the search is timed, by the clock and in CPU seconds of all cores, which a busy
machine disturbs less; they take turns, and the fastest of each counts. Memory is the peak of the process, and how much
of it came with the search. The exit code is 1 when a goal is missed, 2 when a peer it needs is not there.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

THRESHOLD = 0.95
ROOT = Path(__file__).parent.parent
PEERS = ("semhash", "semhash-exact", "faiss-range")
CONTENDERS = ("assay", "blocked-product", *PEERS)
SLOW_AT = {"faiss-range": 20_000, "blocked-product": 100_000, "semhash-exact": 100_000, "semhash": 100_000}
"""Contenders are not run on more than this."""
EXACT = ("blocked-product", "semhash-exact", "faiss-range")
GOALS = {
    10_000: {"blocked-product": 1.0, "semhash": 5.0, "semhash-exact": 5.0, "faiss-range": 5.0},
    100_000: {"semhash": 2.5, "semhash-exact": 2.5},
}
"""How many times as fast as each, by the number of questions."""
MOST_MEMORY = 1024
"""Megabytes, at any size."""
Run = dict[str, float]


def questions(count: int, seed: int) -> list[str]:
    """Made of words of the example documents, so that they are as alike as questions on one corpus are."""
    draw = random.Random(seed)
    text = " ".join(path.read_text("utf-8") for path in sorted((ROOT / "examples/orrin/sources").glob("*.md")))
    words = sorted({word.strip(".,;:()|*#\"'").lower() for word in text.split() if word.isascii() and len(word) > 3})
    starts = ("Who decides on the", "When is the", "How much is the", "What does the rule say of the", "Where is the")
    made = [f"{draw.choice(starts)} {' '.join(draw.sample(words, draw.randint(3, 9)))}?" for _ in range(count)]
    for at in draw.sample(range(count), count // 10):
        twin = made[draw.randrange(count)]
        cut = draw.randrange(len(twin) - 2)
        made[at] = twin[:cut] + twin[cut + 2 :]
    return made


def ours(vectors: Any) -> int:
    from assay.gold.dedupe import duplicates

    return len(vectors) - len(duplicates(vectors, THRESHOLD))


def blocked(vectors: Any) -> int:
    """The plain way: the lower half of the product, block by block, in full."""
    import numpy as np

    kept = np.ones(len(vectors), dtype=bool)
    for start in range(0, len(vectors), 1024):
        block = vectors[start : start + 1024]
        near = block @ vectors[: start + len(block)].T >= THRESHOLD
        near &= kept[: start + len(block)]
        for row in np.flatnonzero(np.count_nonzero(near, axis=1) > 1):
            if near[row, : start + row].any():
                kept[start + row] = near[:, start + row] = False
    return int(kept.sum())


def semhash(vectors: Any, exact: bool = False) -> int:
    from semhash import SemHash
    from vicinity import Backend

    class Known:
        """Vectors that are there already, so that no embedding is timed."""

        def encode(self, inputs: Any, **_: Any) -> Any:
            return vectors[[int(text) for text in inputs]]

    records = [str(number) for number in range(len(vectors))]
    options: dict[str, Any] = {"ann_backend": Backend.BASIC} if exact else {}
    found = SemHash.from_records(records=records, model=Known(), **options)
    return len(found.self_deduplicate(threshold=THRESHOLD).selected)


def faiss_range(vectors: Any) -> int:
    import faiss
    import numpy as np

    index = faiss.IndexFlatIP(vectors.shape[1])
    index.add(vectors)
    limits, _, others = index.range_search(vectors, THRESHOLD)
    kept = np.ones(len(vectors), dtype=bool)
    for row in np.flatnonzero(np.diff(limits) > 1):  # all others are near to themselves alone
        near = others[limits[row] : limits[row + 1]]
        kept[row] = not kept[near[near < row]].any()
    return int(kept.sum())


RUN: dict[str, Callable[[Any], int]] = {
    "assay": ours,
    "blocked-product": blocked,
    "semhash": semhash,
    "semhash-exact": lambda vectors: semhash(vectors, exact=True),
    "faiss-range": faiss_range,
}


def contend(name: str, file: str) -> None:
    import numpy as np

    vectors = np.load(file)
    RUN[name](vectors[:1000])  # imports and first touches are not timed
    before = peak_memory()
    start, cpu = time.perf_counter(), time.process_time()
    kept = RUN[name](vectors)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    peak = peak_memory()
    print(json.dumps({"kept": kept, "seconds": seconds, "cpu": cpu, "more": peak - before, "peak": peak}))


def peak_memory() -> float:
    """Megabytes of this process alone: what the system calls the maximum may be inherited from the parent."""
    status = Path("/proc/self/status").read_text("utf-8")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def once(name: str, file: Path, peers: str) -> Run | str:
    """One run, or why there is none."""
    python = peers if name in PEERS else sys.executable
    command = [python, __file__, "--contender", name, "--file", str(file)]
    result = subprocess.run(command, capture_output=True, text=True)
    if "ModuleNotFoundError" in result.stderr:
        return "not installed"
    if result.returncode:
        return result.stderr.strip().splitlines()[-1]
    found: Run = json.loads(result.stdout)
    return found


def measure(size: int, peers: str, repeats: int) -> dict[str, Run | str]:
    """The fastest run of each contender; they take turns, so that a slow minute of the machine is everybody's."""
    import numpy as np

    from assay.config import EmbedderOptions
    from assay.embedders import create

    best: dict[str, Run | str] = {}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "vectors.npy"
        np.save(file, create(EmbedderOptions()).embed(questions(size, 0), kind="query"))
        for _ in range(repeats):
            for name in CONTENDERS:
                if size > SLOW_AT.get(name, size) or isinstance(best.get(name), str):
                    continue
                found, before = once(name, file, peers), best.get(name)
                if isinstance(found, str) or not isinstance(before, dict) or found["seconds"] < before["seconds"]:
                    best[name] = found
    return best


def show(size: int, best: dict[str, Run | str]) -> None:
    print(f"{size:,} questions")
    ours = best["assay"]
    for name, found in best.items():
        if isinstance(found, str) or isinstance(ours, str):
            print(f"  {name:<16} {found}")
            continue
        print(
            f"  {name:<16} {found['seconds']:8.3f} s  {found['seconds'] / ours['seconds']:6.1f} ×  "
            f"CPU {found['cpu']:8.3f} s  {found['cpu'] / ours['cpu']:6.1f} ×  "
            f"kept {found['kept']:,.0f}  memory {found['more']:.0f} MB more, {found['peak']:.0f} MB peak",
            flush=True,
        )


def judge(size: int, best: dict[str, Run | str]) -> int:
    """A line for each goal; 0 when all are met, 1 when one is missed, 2 when one cannot be told."""
    ours = best["assay"]
    if isinstance(ours, str):
        return 2
    codes = [
        told(f"memory at {size:,}: {ours['peak']:.0f} MB, goal at most {MOST_MEMORY}", ours["peak"] <= MOST_MEMORY)
    ]
    for name, factor in GOALS.get(size, {}).items():
        peer = best[name]
        if isinstance(peer, str):
            print(f"  not told: {factor:g} × {name} at {size:,}: {peer}")
            codes.append(2)
            continue
        ratio = peer["seconds"] / ours["seconds"]
        codes.append(told(f"{ratio:.1f} × as fast as {name} at {size:,}, goal {factor:g}", ratio >= factor))
        if name in EXACT:
            same = peer["kept"] == ours["kept"]
            codes.append(told(f"keeps as many as {name}: {ours['kept']:,.0f} and {peer['kept']:,.0f}", same))
    return max(codes, key=(0, 2, 1).index)


def told(line: str, met: bool) -> int:
    print(f"  {'met' if met else 'MISSED'}: {line}")
    return 0 if met else 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="10000")
    parser.add_argument("--repeats", type=int, default=5, help="the fastest counts; once above 50,000")
    parser.add_argument("--peers", default=sys.executable, help="interpreter that has the peers")
    for hidden in ("--contender", "--file"):
        parser.add_argument(hidden, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.contender:
        contend(arguments.contender, arguments.file)
        return 0
    before: tuple[int, Run] | None = None
    codes = [0]
    for size in map(int, arguments.sizes.split(",")):
        best = measure(size, arguments.peers, arguments.repeats if size <= 50_000 else 1)
        show(size, best)
        ours = best["assay"]
        if before and isinstance(ours, dict):
            grown = {key: ours[key] / before[1][key] for key in ("seconds", "peak")}
            print(
                f"  growth: {size / before[0]:g} × the questions, {grown['seconds']:.1f} × the time, "
                f"{grown['peak']:.1f} × the memory"
            )
        codes.append(judge(size, best))
        before = (size, ours) if isinstance(ours, dict) else None
    return max(codes, key=(0, 2, 1).index)


if __name__ == "__main__":
    sys.exit(main())
