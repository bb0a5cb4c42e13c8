"""Retrievers that are not ours: a Python function, a service, a run file; and the answers nobody should trust."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from fake_server import Call, FakeServer, Reply, in_turn
from hypothesis import given
from hypothesis import strategies as st
from small_index import write_index

from assay.config import Config, Http
from assay.corpus.index import Index
from assay.errors import AssayError, IncompleteRun
from assay.records import Case, Chunk, Fault, Ranking
from assay.retrieval.system import Variant
from assay.retrievers.answers import LONGEST_ID, Cut, to_ranking
from assay.retrievers.protocol import Query, Request
from assay.retrievers.variants import build

Write = Callable[[str], str]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes a module into the working folder and gives the variant of its function `f`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path != str(tmp_path)])
    monkeypatch.delitem(sys.modules, "mine", raising=False)

    def write(source: str) -> str:
        (tmp_path / "mine.py").write_text(source)
        return "python:mine:f"

    return write


@pytest.fixture
def index(tmp_path: Path) -> Index:
    chunks = [Chunk(id=id_, text="x", source=f"{id_}.md") for id_ in "abc"]
    return write_index(tmp_path / "i.db", chunks)


def ask(variant: str, *texts: str, k: int = 3, index: Index | None = None, **more: Any) -> list[Ranking | Fault]:
    queries = [Query(f"q{n}", text) for n, text in enumerate(texts)]
    return build(variant, Config(), index).search(queries, Request(k=k, **more))


def test_a_list_of_ids(write: Write) -> None:
    variant = write("def f(query, k):\n    return [query + str(n) for n in range(k)]\n")
    assert ask(variant, "a", "b", k=2) == [
        Ranking(("a0", "a1"), (1.0, 0.5), "rank"),
        Ranking(("b0", "b1"), (1.0, 0.5), "rank"),
    ]


PAIRS = "[('a', 1), ('c', 2.5), ('b', 2.5)]"
DICTS = "[{'id': 'b', 'score': 2.5}, {'id': 'c', 'score': 2.5}, {'id': 'a', 'score': 1}]"


@pytest.mark.parametrize(
    "source",
    [
        f"def f(query, k):\n    return {PAIRS}\n",
        f"def f(query, *, k):\n    return {DICTS}\n",
        f"async def f(q, top):\n    return {PAIRS}\n",
        f"def f(queries, k):\n    return [{PAIRS} for _ in queries]\n",
        f"async def f(queries, n):\n    return [{PAIRS} for _ in queries]\n",
        "import numpy as np\ndef f(query, k):\n    return [('a', np.float32(1)), ('c', np.float64(2.5)), ('b', 2.5)]\n",
        f"class F:\n    async def __call__(self, query, k):\n        return {PAIRS}\nf = F()\n",
        f"import functools\nasync def g(x, query, k):\n    return {PAIRS}\nf = functools.partial(g, 0)\n",
    ],
)
def test_every_kind_of_function(write: Write, source: str) -> None:
    """Ordered by score, then id, both descending, whatever order the function chose."""
    expected = Ranking(("c", "b", "a"), (2.5, 2.5, 1.0), "score")
    assert ask(write(source), "x", "y") == [expected, expected]


def test_async_calls_run_together_but_not_all(write: Write) -> None:
    variant = write(
        "import asyncio\nnow = most = 0\n"
        "async def f(query, k):\n    global now, most\n    now += 1\n    most = max(most, now)\n"
        "    await asyncio.sleep(0.001)\n    now -= 1\n    return [query]\n"
    )
    found = ask(variant, *map(str, range(40)))
    assert [ranking.ids for ranking in found if isinstance(ranking, Ranking)] == [(str(n),) for n in range(40)]
    assert sys.modules["mine"].most == Config().retrieval.http.workers


def test_where_a_loop_already_runs(write: Write) -> None:
    variant = write("async def f(query, k):\n    return [query]\n")

    async def notebook() -> list[Ranking | Fault]:
        return ask(variant, "a")

    assert asyncio.run(notebook()) == [Ranking(("a",), (1.0,), "rank")]


@pytest.mark.parametrize("kind", ["def", "async def"])
def test_a_function_that_raises_spoils_one_query_alone(write: Write, kind: str) -> None:
    variant = write(f"{kind} f(query, k):\n    return [query] if query != 'bad' else 1 / 0\n")
    assert ask(variant, "a", "bad", "b") == [
        Ranking(("a",), (1.0,), "rank"),
        Fault("retrieve", "ZeroDivisionError: division by zero"),
        Ranking(("b",), (1.0,), "rank"),
    ]


def test_batch_faults_are_every_query_s(write: Write) -> None:
    variant = write("def f(queries, k):\n    return [['a']] if len(queries) > 1 else None\n")
    expected = Fault("retrieve", "gave 1 results for 2 queries; expected a list with one for each")
    assert ask(variant, "a", "b") == [expected, expected]
    assert ask(variant, "a") == [Fault("retrieve", "gave NoneType for 1 queries; expected a list with one for each")]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (None, "gave None; expected a list"),
        ("abc", "gave 'abc'; expected a list"),
        ({"id": "a"}, "expected a list"),
        (iter(["a"]), "expected a list"),
        ([None], "the id of result 1 is None"),
        ([""], "the id of result 1 is ''"),
        ([["a", 1, 2]], "result 1 is ['a', 1, 2]; expected (id, score)"),
        ([("a", float("nan"))], "the score of result 1 is nan"),
        ([("a", 1), ("b", float("inf"))], "the score of result 2 is inf"),
        ([("a", 1e39)], "expected a finite number"),
        ([("a", 10**400)], "expected a finite number"),
        ([("a", True)], "the score of result 1 is True; expected a number"),
        ([("a", "0.5")], "expected a number"),
        ([("a", 1), ("a", 2)], "the id 'a' is there twice"),
        (["a", "a"], "the id 'a' is there twice"),
        ([{"id": "a", "score": 1}, {"id": "b"}], "1 of 2 results have no score"),
        ([{"chunk": "a"}], "the id of result 1 is None"),
        (["x" * (LONGEST_ID + 1)], f"has {LONGEST_ID + 1} characters"),
        (["x" * 10_000_000], "has 10000000 characters"),
        ("x" * 10_000_000, "xxx… (str); expected a list"),
    ],
)
def test_answers_that_are_not_what_was_promised(answer: object, message: str) -> None:
    found = to_ranking(answer, Cut(5))
    assert isinstance(found, Fault)
    assert message in found.message
    assert len(found.message) < 300


def test_numbers_as_ids_are_taken() -> None:
    assert to_ranking([7, 12], Cut(5)) == Ranking(("7", "12"), (1.0, 0.5), "rank")


def test_scores_are_compared_in_single_precision() -> None:
    """0.1 and 0.1 + 1e-12 are a tie for every tool that reads the run file: the higher id comes first."""
    found = to_ranking([("a", 0.1 + 1e-12), ("b", 0.1)], Cut(5))
    assert isinstance(found, Ranking)
    assert found.ids == ("b", "a")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "score", "x"]), inner, max_size=3)
    ),
)


@given(json_values, st.integers(1, 3))
def test_no_answer_breaks_anything(answer: object, k: int) -> None:
    found = to_ranking(answer, Cut(k))
    if isinstance(found, Ranking):
        order = list(zip(found.scores, found.ids, strict=True))
        assert order == sorted(order, reverse=True)
        assert len(order) <= k
        assert len(set(found.ids)) == len(order)


def test_the_source_filter_holds_for_every_retriever(write: Write, index: Index) -> None:
    variant = write("def f(query, k, sources):\n    assert sources == ['b.md']\n    return ['a', 'b', 'nowhere']\n")
    assert ask(variant, "x", index=index, sources=("b.md",)) == [Ranking(("b",), (0.5,), "rank")]
    with pytest.raises(AssayError, match="only with an index"):
        ask(variant, "x", sources=("b.md",))


@pytest.mark.parametrize(
    ("variant", "message"),
    [
        ("python:mine", "names no function"),
        ("python:", "names no function"),
        ("python:no_such_module:f", "no module 'no_such_module'"),
        ("python:mine:g", "the module 'mine' has no 'g'"),
        ("python:mine:value", "is not callable"),
        ("python:mine:lonely", "cannot be called"),
        ("python:broken:f", "the module 'broken' does not load: ZeroDivisionError"),
        ("python:needs:f", "the module 'needs' does not load: No module named 'absent_package'"),
    ],
)
def test_functions_that_cannot_be_used(write: Write, tmp_path: Path, variant: str, message: str) -> None:
    write("value = 1\ndef f(query, k):\n    return []\ndef lonely():\n    return []\n")
    (tmp_path / "broken.py").write_text("1 / 0\n")
    (tmp_path / "needs.py").write_text("import absent_package\n")
    with pytest.raises(AssayError, match=message):
        build(variant, Config(), None)


def test_a_run_file(tmp_path: Path, index: Index) -> None:
    path = tmp_path / "r.txt"
    path.write_text("q0 Q0 a 1 2.0 t\nq0 Q0 b 2 3.0 t\nq0 Q0 nowhere 3 1.0 t\nother Q0 c 1 1.0 t\n")
    assert ask(f"run:{path}", "text does not matter", "not in the file") == [
        Ranking(("b", "a", "nowhere"), (3.0, 2.0, 1.0), "run"),
        Ranking((), (), "run"),
    ]
    assert ask(f"run:{path}", "", k=1, index=index, sources=("a.md",)) == [Ranking(("a",), (2.0,), "run")]


def test_spaces_in_an_id_are_written_as_in_a_path(tmp_path: Path) -> None:
    ids = ("code:a.rs::impl T for U", "x y", "x%20y")
    index = write_index(tmp_path / "i.db", [Chunk(id=id_, text="t", source="a") for id_ in ids])
    path = tmp_path / "r.txt"
    path.write_text("q Q0 code:a.rs::impl%20T%20for%20U 1 2.0 t\nq Q0 x%20y 2 1.0 t\n")
    (found,) = build(f"run:{path}", Config(), index).search([Query("q", "")], Request(k=9))
    assert found == Ranking((ids[0], "x%20y"), (2.0, 1.0), "run")  # what is an id as it stands is that id


def test_a_run_file_beside_the_settings(tmp_path: Path) -> None:
    (tmp_path / "r.txt").write_text("q Q0 a 1 2.0 t\n")
    config = msgspec.structs.replace(Config(), root=str(tmp_path))
    assert build("run:r.txt", config, None).search([Query("q", "")], Request(k=1)) == [Ranking(("a",), (2.0,), "run")]
    with pytest.raises(AssayError, match=r"(?i)no such file"):
        build("run:absent.txt", config, None)
    with pytest.raises(AssayError, match="names no file"):
        build("run:", config, None)


def ask_server(server: FakeServer, *texts: str, token: str | None = None, index: Index | None = None) -> Any:
    options = Http(retries=1, timeout=5, workers=4, token_env=token)
    config = Config(retrieval=msgspec.structs.replace(Config().retrieval, http=options))
    request = Request(k=2, sources=("b.md",) if index else ())
    return build(f"{server.url}/search", config, index).search([Query("q", text) for text in texts], request)


def results(call: Call) -> Reply:
    query = call.body["query"]
    return Reply(body={"results": [{"id": f"{query}{n}", "score": n} for n in range(call.body["k"])]})


def test_a_service(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", "secret")
    with FakeServer(results) as server:
        found = ask_server(server, *"abcdefgh", token="MY_TOKEN")
    assert found == [Ranking((f"{letter}1", f"{letter}0"), (1.0, 0.0), "score") for letter in "abcdefgh"]
    assert {call.headers["Authorization"] for call in server.calls} == {"Bearer secret"}
    assert server.calls[0].body.keys() == {"query", "k"}


def test_a_service_is_told_the_lane(index: Index) -> None:
    with FakeServer(lambda _: Reply(body={"results": [{"id": "a", "score": 2}]})) as server:
        retriever = build(f"{server.url}/search", Config(), index)
        assert retriever.search([Query("q", "x")], Request(k=2, lane="document")) == [Ranking(("a",), (2.0,), "score")]
        assert retriever.search([Query("q", "x")], Request(k=2, lane="code")) == [Ranking((), (), "score")]
    assert [call.body["lane"] for call in server.calls] == ["document", "code"]


def test_a_service_is_told_the_filter_and_held_to_it(index: Index) -> None:
    def handle(call: Call) -> Reply:
        assert call.body["sources"] == ["b.md"]
        return Reply(body={"results": [{"id": "a", "score": 2}, {"id": "b", "score": 1}]})

    with FakeServer(handle) as server:
        assert ask_server(server, "x", index=index) == [Ranking(("b",), (1.0,), "score")]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"<html>", "the reply is not JSON"),
        ([], "the reply has list; expected an object with 'results'"),
        ({"hits": []}, "the reply has the keys hits; expected an object with 'results'"),
        ({"results": None}, "gave None"),
        ({"results": [{"id": "a", "score": None}]}, "the score of result 1 is None"),
        (b'{"results": [{"id": "a", "score": NaN}]}', "not JSON"),
    ],
)
def test_a_broken_answer_spoils_one_query_alone(body: Any, message: str) -> None:
    def handle(call: Call) -> Reply:
        return Reply(body=body) if call.body["query"] == "bad" else results(call)

    with FakeServer(handle) as server:
        good, bad = ask_server(server, "a", "bad")
    assert good == Ranking(("a1", "a0"), (1.0, 0.0), "score")
    assert isinstance(bad, Fault)
    assert message in bad.message


def test_a_busy_service_is_asked_again() -> None:
    with FakeServer(in_turn(Reply(status=503), then=results)) as server:
        assert ask_server(server, "a") == [Ranking(("a1", "a0"), (1.0, 0.0), "score")]
    assert len(server.calls) == 2


def test_a_refused_key_ends_all_at_once() -> None:
    with FakeServer(lambda _: Reply(status=401)) as server, pytest.raises(AssayError, match="401"):
        ask_server(server, *map(str, range(50)))
    assert len(server.calls) <= 8


def closed_address() -> str:
    """Where somebody was a moment ago, and nobody is now."""
    with FakeServer(results) as server:
        return server.url


def test_nobody_there_ends_all_at_once() -> None:
    config = Config(retrieval=msgspec.structs.replace(Config().retrieval, http=Http(retries=0)))
    retriever = build(f"{closed_address()}/search", config, None)
    assert retriever.search([], Request(k=1)) == []
    with pytest.raises(AssayError, match=r"nobody answers there: .* \(1 tries\)\. Is the service running"):
        retriever.search([Query("a", "a"), Query("b", "b")], Request(k=1))


def test_a_service_that_goes_leaves_the_run_incomplete() -> None:
    config = Config(retrieval=msgspec.structs.replace(Config().retrieval, http=Http(retries=0)))
    variant = Variant("gone", build(f"{closed_address()}/search", config, None), Request(k=1))
    with pytest.raises(IncompleteRun, match="What was finished is kept"):
        variant.answer([Case(id="a", question="a", expected={"x": 1})])


def test_odd_queries_reach_a_service_whole() -> None:
    queries = ["\x00", "😀 \u202e", "\ud800", "x" * 10_000]
    with FakeServer(lambda _: Reply(body={"results": []})) as server:
        assert ask_server(server, *queries) == [Ranking((), (), "score")] * 4
    assert {call.body["query"] for call in server.calls} == {"\x00", "😀 \u202e", "?", "x" * 10_000}


def test_a_password_in_the_url_is_refused() -> None:
    with pytest.raises(AssayError, match="token_env"):
        build("https://me:secret@host/search", Config(), None)
