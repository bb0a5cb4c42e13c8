"""`assay gold verify` against the time of embedding its texts alone: 600 questions over 10,000 chunks.

    python benchmarks/gold_verify.py
    python benchmarks/gold_verify.py --chunks 20000 --questions 1200

The corpus is made of the sentences of the shipped example, shuffled and with numbers of their own, so that no two
chunks are alike. A part of the answers is quoted, a part has words left out, as abstracts have.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
WORDS = 300
"""Of a chunk, as the shipped settings cut them."""


def sentences() -> list[str]:
    texts = [path.read_text("utf-8") for path in sorted((ROOT / "examples/orrin/sources").glob("*.md"))]
    found = [" ".join(part.split()) for text in texts for part in re.split(r"(?<=[.!?])\s+|\n\n", text)]
    return [part for part in found if 6 <= len(part.split()) <= 40]


def make(folder: Path, chunks: int, questions: int) -> None:
    """An index as `assay index` makes it, and a gold set about it."""
    from assay.config import EmbedderOptions
    from assay.corpus.index import Index
    from assay.corpus.store import replacing
    from assay.embedders import create
    from assay.records import Chunk
    from assay.retrievers.lexical import prepare

    draw, stock = random.Random(0), sentences()
    made = []
    for number in range(chunks):
        picked: list[str] = []
        while sum(len(part.split()) for part in picked) < WORDS:
            picked.append(f"{draw.choice(stock)[:-1]} in case {draw.randrange(10**6)}.")
        source = f"document-{number % 50:02d}.txt"
        made.append(
            Chunk(id=f"c{number:06d}", text=" ".join(picked), source=source, page=1, metadata={"language": "en"})
        )
    vectors = create(EmbedderOptions()).embed([chunk.text for chunk in made], kind="document")
    with replacing(folder / "corpus.db", keep_old=False) as store:
        store.put(zip(made, [row.astype("<f4").tobytes() for row in vectors], strict=True))
        store.finish({"language": "auto", "model_id": "wordllama-l2-supercat-256", "embedding_dim": "256"})
    prepare(Index.open(folder / "corpus.db"))
    raws = [question(number, draw.choice(made), draw) for number in range(questions)]
    (folder / "gold.json").write_text(json.dumps({"version": {"schema": "GS_SCHEMA_V2"}, "questions": raws}))


def question(number: int, chunk: Any, draw: random.Random) -> dict[str, Any]:
    sentence = draw.choice(re.split(r"(?<=\.) ", chunk.text))
    words = sentence.split()
    impossible, quoted = number % 10 < 3, number % 3
    shorter = [word for word in words if draw.random() > 0.2 or word.isdigit() or not word.isalpha()]
    return {
        "id": f"q{number:05d}",
        "content": {
            "question": f"What holds for {' '.join(draw.sample(words, min(6, len(words))))} {number}?",
            "expected_answer": "" if impossible else sentence if quoted else " ".join(shorter),
            "is_impossible": impossible,
        },
        "provenance": {"chunk_id": chunk.id, "docs": [chunk.source], "pages": [1], "answer_explanation": sentence},
        "classification": {
            "hard_type": "INSUFFICIENT_INFO" if impossible else "ANSWERABLE",
            "answer_type": "unanswerable" if impossible else "extractive",
            "reasoning_class": "adversarial" if impossible else "summary",
        },
    }


def embedding(folder: Path) -> None:
    """Chunks, questions and answers: the texts a verification is about."""
    from assay.config import EmbedderOptions
    from assay.corpus.index import Index
    from assay.embedders import create
    from assay.gold.gold_file import read_gold_file

    texts = Index.open(folder / "corpus.db").texts()
    asked = read_gold_file(folder / "gold.json").questions
    texts += [text for each in asked for text in (each.content.question, each.content.expected_answer or "")]
    started = time.perf_counter()
    create(EmbedderOptions()).embed(texts, kind="document")
    tell(started, len(texts))


def verifying(folder: Path) -> None:
    from assay.config import Config
    from assay.corpus.index import Index
    from assay.gold.gold_file import read_gold_file
    from assay.gold.verify import verify

    started = time.perf_counter()
    gold = read_gold_file(folder / "gold.json")
    found = verify(gold, Index.open(folder / "corpus.db"), Config(root=str(folder)))
    tell(started, found.questions)


def tell(started: float, texts: int) -> None:
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "peak": peak, "texts": texts}))


def timed(words: list[str]) -> str:
    """In a process of its own, so that its memory is its own."""
    command = [sys.executable, __file__, *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=10_000)
    parser.add_argument("--questions", type=int, default=600)
    parser.add_argument("--times", type=int, default=3, help="each is timed so often; the best counts")
    parser.add_argument("--part", choices=("making", "embedding", "verifying"), help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.part:
        if given.part == "making":
            make(given.folder, given.chunks, given.questions)
        else:
            {"embedding": embedding, "verifying": verifying}[given.part](given.folder)
        return 0
    with tempfile.TemporaryDirectory() as name:
        sizes = ["--chunks", str(given.chunks), "--questions", str(given.questions)]
        timed(["--part", "making", "--folder", name, *sizes])
        best = {}
        for part in ("embedding", "verifying"):
            runs = [json.loads(timed(["--part", part, "--folder", name])) for _ in range(given.times)]
            best[part] = run = min(runs, key=lambda run: run["seconds"])
            print(f"{part:<10} {run['seconds']:6.2f} s  {run['peak']:6.0f} MB  {run['texts']:,} texts")
    ratio = best["verifying"]["seconds"] / best["embedding"]["seconds"]
    print(f"ratio      {ratio:6.2f}    (limit 1.3)")
    return 0 if ratio <= 1.3 else 1


if __name__ == "__main__":
    sys.exit(main())
