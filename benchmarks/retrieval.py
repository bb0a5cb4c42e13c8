"""Search, and a whole evaluation, against the bare library called directly on the same data.

    python benchmarks/retrieval.py [--sizes 10000,100000] [--queries 1000] [--k 10] [--repeat 9]

bm25: our retriever from the text of the queries to finished rankings, beside bm25s given the same tokens ready-made.
vector: our retriever beside a numpy product with argpartition. Best of the repeats, taken in turns.
evaluation: gold set read, index opened, searched, measured by chunk and by page with intervals and segments (one for
each document a question is of), run written; every question has its chunk on top, so that no failure is left to
diagnose. The library reads the same file and searches, nothing else.
Aims: search / bare at most 1.0, evaluation / bare at most 1.25. Exits with 1 beyond.
"""

from __future__ import annotations

import argparse
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from assay.config import Config, EmbedderOptions
from assay.corpus.index import Index
from assay.corpus.store import replacing
from assay.embedders.protocol import EMBEDDERS, Kind
from assay.files import dump_json
from assay.records import Chunk, Ranking
from assay.retrieval.evaluation import Order, evaluate_retrieval
from assay.retrievers import lexical
from assay.retrievers.analysis import analyzer, pieces
from assay.retrievers.protocol import Query, Request, Retriever
from assay.retrievers.variants import build

SEARCH, EVALUATION = 1.0, 1.25
"""What each may take, as a multiple of the bare search."""
DIM = 256
VOCABULARY = 60_000
LETTERS = np.array(list("etaoinshrdlucmfwypvbgkqjxz"))
BLOCK = 128


class Corpus(Struct, frozen=True):
    """Made from a seed: words as rare as in real text, chunks of about 80 words, questions of 6 to 12."""

    texts: list[str]
    questions: list[str]
    vectors: NDArray[np.float32]


def make_corpus(size: int, questions: int, seed: int = 0) -> Corpus:
    random = np.random.default_rng(seed)
    letters = random.choice(LETTERS, size=(VOCABULARY, 10))
    lengths = random.integers(2, 11, VOCABULARY)
    words = ["".join(row[:length]) for row, length in zip(letters, lengths, strict=True)]
    share = 1 / np.arange(1, VOCABULARY + 1)
    share /= share.sum()

    def texts(n: int, low: int, high: int) -> list[str]:
        sizes = random.integers(low, high + 1, n)
        drawn = random.choice(VOCABULARY, size=sizes.sum(), p=share)
        return [" ".join(words[word] for word in part) for part in np.split(drawn, np.cumsum(sizes)[:-1])]

    vectors = random.normal(size=(size, DIM)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    corpus = Corpus(texts(size, 40, 120), texts(questions, 6, 12), vectors)
    DRAWN.update(zip(corpus.questions, question_vectors(questions), strict=True))
    return corpus


@EMBEDDERS.register("ready-made")
class ReadyMade:
    """Unit vectors drawn beforehand: what is measured is the search, not the model."""

    model_id, dim = "ready-made", DIM

    def __init__(self, options: EmbedderOptions):
        self.options = options

    def embed(self, texts: Sequence[str], *, kind: Kind) -> NDArray[np.float32]:  # noqa: ARG002 (the protocol's)
        return np.stack([DRAWN[text] for text in texts])


DRAWN: dict[str, NDArray[np.float32]] = {}
"""Each question's vector."""


def question_vectors(n: int) -> NDArray[np.float32]:
    drawn = np.random.default_rng(1).normal(size=(n, DIM)).astype(np.float32)
    return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True), dtype=np.float32)


def source(number: int) -> str:
    """The document of a chunk: each has 50."""
    return f"{number // 50}.txt"


def page(number: int) -> int:
    """The page of a chunk: each has two."""
    return number % 50 // 2 + 1


def write_index(path: Path, corpus: Corpus) -> Index:
    chunks = [
        Chunk(id=f"c{n:07d}", text=text, source=source(n), page=page(n), metadata={"pages": [page(n), page(n)]})
        for n, text in enumerate(corpus.texts)
    ]
    with replacing(path, keep_old=False) as store:
        store.put((chunk, row.tobytes()) for chunk, row in zip(chunks, corpus.vectors, strict=True))
        store.finish({"language": "en", "lanes": "document", "model_id": "ready-made", "embedding_dim": str(DIM)})
    return Index.open(path)


def tokens(texts: Sequence[str]) -> list[list[str]]:
    terms = analyzer("en").terms
    return [[term.text for piece in pieces(text) for term in terms(piece)] for text in texts]


def bare_bm25(corpus: Corpus, k: int) -> Callable[[], Any]:
    import bm25s

    library = bm25s.BM25()
    library.index(tokens(corpus.texts), show_progress=False)
    questions = tokens(corpus.questions)
    return lambda: library.retrieve(questions, k=k, show_progress=False)


def bare_vector(corpus: Corpus, k: int) -> Callable[[], Any]:
    questions, rows = question_vectors(len(corpus.questions)), corpus.vectors

    def search() -> list[NDArray[np.intp]]:
        found = []
        for start in range(0, len(questions), BLOCK):
            cosines = questions[start : start + BLOCK] @ rows.T
            top = np.argpartition(cosines, len(rows) - k, axis=1)[:, len(rows) - k :]
            order = np.argsort(-np.take_along_axis(cosines, top, axis=1), axis=1)
            found.append(np.take_along_axis(top, order, axis=1))
        return found

    return search


def ours(retriever: Retriever, corpus: Corpus, k: int) -> Callable[[], Any]:
    queries = [Query(str(number), text) for number, text in enumerate(corpus.questions)]
    retriever.search(queries[:1], Request(k=k))  # reads the structures from the index
    return lambda: retriever.search(queries, Request(k=k))


def evaluation(name: str, corpus: Corpus, index: Index, config: Config, folder: Path) -> Callable[[], Any]:
    """`assay retrieval` of one variant, as the command does it, from files to a run folder."""
    queries = [Query(f"q{number:04d}", text) for number, text in enumerate(corpus.questions)]
    found = build(name, config, index).search(queries, Request(k=1))
    cases = []
    for number, (query, ranking) in enumerate(zip(queries, found, strict=True)):
        top = ranking.ids[0] if isinstance(ranking, Ranking) and ranking.ids else index.ids[number]
        tags = {
            "difficulty": ("easy", "medium", "hard")[number % 3],
            "question_type": ("factual", "scenario")[number % 2],
        }
        pages = [{"document": source(place := int(top[1:])), "page": page(place)}]
        cases.append({"id": query.id, "question": query.text, "expected_ids": [top], "pages": pages, "tags": tags})
    gold = folder / f"{name}-{len(index)}.json"
    gold.write_text(dump_json(cases))
    options = replace(config.retrieval, variants=(name,))
    order = Order(config=replace(config, retrieval=options, root=str(folder)), gold=gold, index=index.path)
    return lambda: evaluate_retrieval(order, lambda _: None)


def seconds(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def read(path: Path, column: str) -> list[Any]:
    """What the bare library must read first: one column of the chunks."""
    with closing(sqlite3.connect(path)) as connection:
        return [value for (value,) in connection.execute(f"SELECT {column} FROM chunks ORDER BY id")]


def after_reading(name: str, path: Path, search: Callable[[], Any]) -> Callable[[], Any]:
    """The bare library from the file: bm25s would have to tokenise and index the texts too; here it need not."""

    def whole() -> Any:
        if name == "vector":
            np.frombuffer(b"".join(read(path, "embedding")), dtype=np.float32).reshape(-1, DIM)
        else:
            read(path, "id")
        return search()

    return whole


def compare(name: str, size: int, calls: Sequence[Callable[[], Any]], repeat: int) -> bool:
    """Search, evaluation and the library in turns; whether both stay within their aims."""
    times = [[seconds(call) for call in calls] for _ in range(repeat)]
    search, bare_search, whole, bare_whole = (min(column) for column in zip(*times, strict=True))
    held = True
    pairs = (("search", search, bare_search, SEARCH), ("evaluation", whole, bare_whole, EVALUATION))
    for what, own, bare, goal in pairs:
        verdict = "ok" if own <= goal * bare else "TOO SLOW"
        held = held and own <= goal * bare
        figures = f"{own * 1000:9.1f} ms   bare {bare * 1000:9.1f} ms   ratio {own / bare:5.2f} (≤ {goal})"
        print(f"{name:<8}{what:<11}{size:>9,} chunks {figures}  {verdict}", flush=True)
    return held


def benchmark(size: int, options: argparse.Namespace, folder: Path) -> list[bool]:
    corpus = make_corpus(size, options.queries)
    config = Config(embedder=EmbedderOptions(name="ready-made"))
    libraries = {"bm25": bare_bm25, "vector": bare_vector}
    with write_index(folder / f"{size}.db", corpus) as index:
        print(f"{'prepare':<19}{size:>9,} chunks {seconds(lambda: lexical.prepare(index)) * 1000:9.1f} ms")
        held = []
        for name, library in libraries.items():
            search = ours(build(name, config, index), corpus, options.k)
            whole = evaluation(name, corpus, index, config, folder)
            bare = library(corpus, options.k)
            calls = (search, bare, whole, after_reading(name, index.path, bare))
            held.append(compare(name, size, calls, options.repeat))
        return held


def main() -> int:
    parser = argparse.ArgumentParser(description="Search beside the bare library on the same data.")
    parser.add_argument("--sizes", default="10000,100000", help="chunks (default: %(default)s)")
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--repeat", type=int, default=9)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        held = [one for size in options.sizes.split(",") for one in benchmark(int(size), options, Path(folder))]
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
