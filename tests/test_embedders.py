"""Embedders: the bundled one equals its own package, the service one survives a bad service, the cache is safe."""

from __future__ import annotations

import multiprocessing
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fake_server import Call, FakeServer, Reply, embeddings, in_turn, routes, vector
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from assay.config import EmbedderOptions
from assay.embedders import EMBEDDERS, create
from assay.embedders.cache import FILE_NAME, CachedEmbedder, cached
from assay.embedders.openai import OpenAI
from assay.embedders.wordllama import WordLlama
from assay.errors import AssayError, MissingExtra

OURS = WordLlama(EmbedderOptions())


@pytest.fixture(scope="module")
def original() -> Any:
    """The package's own model, told where its files are and not to fetch any."""
    spec = find_spec("wordllama")
    assert spec
    assert spec.submodule_search_locations
    wordllama = pytest.importorskip("wordllama")
    return wordllama.WordLlama.load(cache_dir=Path(spec.submodule_search_locations[0]), disable_download=True)


TEXTS = [
    "Who signs the float plan?",
    "l’arbitre d’un match, qu’il siffle",
    "a  b   c",
    " leading and trailing ",
    "\n\nlines\nwithout\n \n spaces\n",
    "tabs\tand\r\nreturns\r",
    "▁ the mark ▁▁ itself",
    "<s> special </s> tokens <unk>x<s>",
    "日本語のテキスト 한국어",
    "emoji 🎉👩‍👩‍👧 and null \0 bytes",
    "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627",
    "x" * 3000,
    " ",
    "\n",
    "!!! ... ???",
]


@pytest.mark.parametrize("text", TEXTS)
def test_wordllama_equals_its_own_package(text: str, original: Any) -> None:
    expected = original.embed([text], norm=True)
    assert np.abs(OURS.embed([text], kind="document") - expected).max() < 1e-5


@hypothesis_settings(max_examples=150)
@given(st.text(st.sampled_from("aà ▁\n\t\r.<s>/zé’1🎉"), min_size=1, max_size=40))
def test_wordllama_equals_its_own_package_on_anything(original: Any, text: str) -> None:
    expected = original.embed([text], norm=True)
    assert np.abs(OURS.embed([text], kind="query") - expected).max() < 1e-5


def test_wordllama_gives_unit_rows_and_zero_for_nothing() -> None:
    rows = OURS.embed(["one", "", "two words"], kind="document")
    assert rows.dtype == np.float32
    assert rows.shape == (3, OURS.dim)
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 0, 1], abs=1e-6)
    assert OURS.embed([], kind="query").shape == (0, 256)


def test_a_vector_does_not_depend_on_what_stands_beside_it_or_came_before() -> None:
    many = [f"{text} {n}" for n in range(40) for text in TEXTS]
    together = OURS.embed(many, kind="document")
    alone = WordLlama(EmbedderOptions())
    for n in (0, 7, 311, 599):
        assert alone.embed([many[n]], kind="document").tobytes() == together[n].tobytes()


def test_prefixes_stand_before_queries_and_documents() -> None:
    options = EmbedderOptions(query_prefix="query: ", document_prefix="passage: ")
    prefixed = WordLlama(options)
    assert np.array_equal(prefixed.embed(["tide"], kind="query"), OURS.embed(["query: tide"], kind="query"))
    assert np.array_equal(prefixed.embed(["tide"], kind="document"), OURS.embed(["passage: tide"], kind="document"))
    assert not prefixed.embed([""], kind="query").any()


def test_wordllama_is_the_default_and_its_package_stays_unloaded() -> None:
    import subprocess

    code = (
        "import sys; from assay.config import EmbedderOptions; from assay.embedders import create;"
        "e = create(EmbedderOptions()); print(e.model_id, e.dim, 'numpy' in sys.modules);"
        "e.embed(['x'], kind='query'); print('wordllama' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["wordllama-l2-supercat-256 256 False", "False"]


def test_an_unknown_embedder_offers_the_nearest() -> None:
    with pytest.raises(AssayError, match="Did you mean wordllama"):
        create(EmbedderOptions(name="wordlama"))
    assert {"openai", "sentence-transformers", "wordllama"} <= set(EMBEDDERS.names())


def service(url: str, **options: Any) -> OpenAI:
    return OpenAI(EmbedderOptions(name="openai", model="tiny", endpoint=f"{url}/v1", **options))


def unit(text: str, dim: int = 8) -> list[float]:
    row = np.array(vector(text, dim))
    return list(row / np.linalg.norm(row))


def test_a_service_is_called_in_batches_and_order_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k-1")
    texts = [f"text {n}" for n in range(10)]
    with FakeServer(routes(embeddings=embeddings(delay=0.01))) as server:
        embedder = service(server.url, batch_size=3, document_prefix="d: ")
        rows = embedder.embed(texts, kind="document")
    assert rows == pytest.approx(np.array([unit(f"d: {text}") for text in texts]), abs=1e-6)
    assert sorted(len(call.body["input"]) for call in server.calls) == [1, 3, 3, 3]
    assert {call.path for call in server.calls} == {"/v1/embeddings"}
    assert server.calls[0].body["model"] == "tiny"
    assert server.calls[0].headers["Authorization"] == "Bearer k-1"
    assert embedder.used_tokens == 30  # "d:", "text" and the number, ten times


def test_empty_texts_are_not_sent_and_give_zero_rows() -> None:
    with FakeServer(routes(embeddings=embeddings())) as server:
        rows = service(server.url).embed(["", "a", "  "], kind="query")
    assert [call.body["input"] for call in server.calls] == [["a"]]
    assert np.linalg.norm(rows, axis=1) == pytest.approx([0, 1, 0])


def test_the_dimension_is_asked_for_once() -> None:
    with FakeServer(routes(embeddings=embeddings(dim=5))) as server:
        embedder = service(server.url)
        assert (embedder.dim, embedder.dim) == (5, 5)
        assert embedder.embed([], kind="query").shape == (0, 5)
        assert len(server.calls) == 1


def test_a_busy_service_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.http.FIRST_WAIT", 0.01)
    busy = Reply(status=429, body="busy", headers={"Retry-After": "0.1"})
    cut = Reply(body=b'{"data"', cut=True)
    with FakeServer(in_turn(busy, cut, then=embeddings())) as server:
        assert service(server.url).embed(["a"], kind="query") == pytest.approx(np.array([unit("a")]), abs=1e-6)
    assert len(server.calls) == 3


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"data": []}, "0 embeddings for 1 texts"),
        ({"data": [{"index": 1, "embedding": [1.0]}]}, "1 embeddings for 1 texts"),
        ({"data": [{"index": 0, "embedding": ["a"]}]}, "another shape"),
        ({"data": [{"index": 0}]}, "another shape"),
        ({"error": "x"}, "another shape"),
        ([1], "another shape"),
    ],
)
def test_a_reply_in_another_shape_is_one_clear_line(body: Any, message: str) -> None:
    with FakeServer(lambda call: Reply(body=body)) as server, pytest.raises(AssayError, match=message):
        service(server.url).embed(["a"], kind="query")


def test_dimensions_that_change_are_refused() -> None:
    def growing(call: Call) -> Reply:
        return embeddings(dim=2 + call.number)(call)

    with FakeServer(growing) as server:
        embedder = service(server.url)
        embedder.embed(["a"], kind="query")
        with pytest.raises(AssayError, match="embeddings of 4 and of 3 dimensions"):
            embedder.embed(["b"], kind="query")


@pytest.mark.parametrize("name", ["openai", "sentence-transformers"])
def test_there_is_no_default_model_where_one_costs(name: str) -> None:
    with pytest.raises(AssayError, match="needs a model"):
        create(EmbedderOptions(name=name))


def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    embedder = create(EmbedderOptions(name="sentence-transformers", model="m"))
    with pytest.raises(MissingExtra, match=r"pip install 'assay\[sentence-transformers\]'"):
        embedder.embed(["a"], kind="query")


PACKAGE = """
import numpy as np

class SentenceTransformer:
    def __init__(self, name):
        if name == "absent":
            raise OSError("absent is not a model\\nand more lines")
    def get_sentence_embedding_dimension(self):
        return 2
    def encode(self, texts, batch_size, convert_to_numpy, show_progress_bar):
        assert convert_to_numpy and not show_progress_bar
        return np.array([[3.0, 4.0]] * len(texts), dtype=np.float32)
"""


def test_sentence_transformers_are_used_as_they_are_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sentence_transformers.py").write_text(PACKAGE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "sentence_transformers", raising=False)
    embedder = create(EmbedderOptions(name="sentence-transformers", model="m"))
    assert embedder.dim == 2
    assert embedder.embed(["a", ""], kind="query").tolist() == pytest.approx(np.array([[0.6, 0.8], [0, 0]]))
    with pytest.raises(AssayError, match=r"'absent' does not load: absent is not a model$"):
        create(EmbedderOptions(name="sentence-transformers", model="absent")).embed(["a"], kind="query")
    monkeypatch.delitem(sys.modules, "sentence_transformers")


def test_a_cached_text_is_not_sent_again(tmp_path: Path) -> None:
    with FakeServer(routes(embeddings=embeddings())) as server:
        options = EmbedderOptions(
            name="openai", model="tiny", endpoint=server.url, query_prefix="q: ", document_prefix="d: "
        )
        first = cached(options, tmp_path).embed(["a", "b", "a"], kind="document")
        second = cached(options, tmp_path).embed(["b", "c", "a"], kind="document")
        asked = cached(options, tmp_path).embed(["a"], kind="query")
    assert [call.body["input"] for call in server.calls] == [["d: a", "d: b"], ["d: c"], ["q: a"]]
    assert first == pytest.approx(np.array([unit("d: a"), unit("d: b"), unit("d: a")]), abs=1e-6)
    assert second[2].tobytes() == first[0].tobytes()
    assert asked == pytest.approx(np.array([unit("q: a")]), abs=1e-6)


def test_the_cache_tells_models_apart(tmp_path: Path) -> None:
    with FakeServer(routes(embeddings=embeddings())) as server:
        for model in ("one", "two"):
            options = EmbedderOptions(name="openai", model=model, endpoint=server.url)
            cached(options, tmp_path).embed(["a"], kind="query")
        assert [call.body["model"] for call in server.calls] == ["one", "two"]


def test_the_bundled_embedder_is_not_cached(tmp_path: Path) -> None:
    assert isinstance(cached(EmbedderOptions(), tmp_path), WordLlama)
    assert not list(tmp_path.iterdir())


def test_vectors_of_two_lengths_in_the_cache_are_a_fault(tmp_path: Path) -> None:
    def cache_of(dim: int, url: str) -> CachedEmbedder:
        options = EmbedderOptions(name="openai", model="m", endpoint=url)
        return CachedEmbedder(create(options), options, tmp_path / FILE_NAME)

    with FakeServer(embeddings(dim=4)) as four, FakeServer(embeddings(dim=6)) as six:
        cache_of(4, four.url).embed(["a"], kind="query")
        with pytest.raises(AssayError, match=r"vectors of 4 and 6 dimensions.*may be deleted"):
            cache_of(6, six.url).embed(["a", "b"], kind="query")


def test_a_broken_cache_says_it_may_be_deleted(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"this is not a database" * 100)
    options = EmbedderOptions(name="openai", model="m", endpoint="http://127.0.0.1:1")
    with pytest.raises(AssayError, match="may be deleted"):
        cached(options, tmp_path).embed(["a"], kind="query")


def fill(url: str, folder: Path, first: int) -> None:
    embedder = cached(EmbedderOptions(name="openai", model="m", endpoint=url), folder)
    for start in range(first, first + 60, 4):
        embedder.embed([f"t{n}" for n in range(start, start + 4)], kind="document")


def test_two_processes_share_a_cache(tmp_path: Path) -> None:
    with FakeServer(routes(embeddings=embeddings())) as server:
        context = multiprocessing.get_context("spawn")
        workers = [context.Process(target=fill, args=(server.url, tmp_path, first)) for first in (0, 30)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join(30)
        assert [worker.exitcode for worker in workers] == [0, 0]
        before = len(server.calls)
        options = EmbedderOptions(name="openai", model="m", endpoint=server.url)
        rows = cached(options, tmp_path).embed([f"t{n}" for n in range(90)], kind="document")
        assert len(server.calls) == before
    assert rows == pytest.approx(np.array([unit(f"t{n}") for n in range(90)]), abs=1e-6)
