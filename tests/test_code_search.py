"""Code, memories and documents in one index: what must be found, in its own lane, and what a change touches."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from letters_embedder import CONFIG, MODEL_ID, vectors
from msgspec.structs import replace
from small_index import write_index

from assay.cli.main import main
from assay.config import CodeFields, Config, RetrievalOptions
from assay.corpus.build import BuildOptions, Summary, build
from assay.corpus.chunking import id_part
from assay.corpus.index import Index
from assay.corpus.scan import Sources
from assay.errors import AssayError, MissingExtra
from assay.records import Chunk, Lane, Ranking
from assay.retrievers.analysis import CODE, PAIR, analyzer, bare_name, query_terms, split_symbol
from assay.retrievers.code_fields import units_of
from assay.retrievers.code_query import field_terms
from assay.retrievers.identifiers import split_identifier
from assay.retrievers.protocol import Query, Request
from assay.retrievers.variants import build as retriever

SAMPLES = Path(__file__).parent / "code_samples"
SPEC = '''
class SpecAutoState:
    """Where an automatic specification stands."""

    def reset(self):
        """Forget everything."""


class XMLHttpRequest2:
    def reset(self):
        self.headers = None


def handle_spec_auto(value):
    return value
'''
NOTES = [
    {"id": "m1", "text": "Retry delays are capped at one minute.", "tags": ["retry"], "date": "2026-01-02"},
    {"id": "m2", "text": "Anna agreed to the spec."},
]


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project folder, which is the current one."""
    shutil.copytree(SAMPLES, tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "src/specs").mkdir()
    (tmp_path / "src/specs/auto.py").write_text(SPEC)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/guide.md").write_text("Set the retry delay in the settings of the service.")
    (tmp_path / "notes.jsonl").write_text("\n".join(map(json.dumps, NOTES)))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def index_all(**options: Any) -> Summary:
    sources = Sources(documents=(Path("docs"),), code=(Path("src"),), memories=(Path("notes.jsonl"),))
    return build(sources, Path("corpus.db"), BuildOptions(**options))


def search(index: Index, query: str, lane: Lane | None = "code", config: Config | None = None, k: int = 5) -> list[str]:
    found = retriever("bm25", config or Config(), index).search([Query("q", query)], Request(k=k, lane=lane))[0]
    assert isinstance(found, Ranking)
    return list(found.ids)


FOUND = [
    ("exact symbol", "handle_spec_auto", "code:src/specs/auto.py::handle_spec_auto"),
    ("exact symbol in another style", "handleSpecAuto", "code:src/specs/auto.py::handle_spec_auto"),
    ("exact type", "SpecAutoState", "code:src/specs/auto.py::SpecAutoState"),
    ("parts of snake case", "spec auto handle", "code:src/specs/auto.py::handle_spec_auto"),
    ("parts of camel case", "auto state of a spec", "code:src/specs/auto.py::SpecAutoState"),
    ("an acronym and a number", "xml http request 2", "code:src/specs/auto.py::XMLHttpRequest2"),
    ("a phrase of a doc comment", "seconds before the next attempt", "code:src/retry.py::delay"),
    ("a doc comment in Rust", "most points a store takes", "code:src/store.rs::LIMIT"),
    ("a path", "src/server.go New", "code:src/server.go::New"),
    ("one of two methods of a name", "XMLHttpRequest2 reset", "code:src/specs/auto.py::XMLHttpRequest2::reset"),
    ("the other", "SpecAutoState::reset", "code:src/specs/auto.py::SpecAutoState::reset"),
    ("in its file", "draw Nested", "code:src/Account.java::Account::Nested::draw"),
    ("an impl", "impl fmt::Display for Point", "code:src/store.rs::impl fmt::Display for Point<i32>"),
]


def test_what_must_be_found(corpus: Path) -> None:
    index_all()
    with Index.open(corpus / "corpus.db") as index:
        found = {case: search(index, query)[0] for case, query, _ in FOUND}
    assert found == {case: id_ for case, _, id_ in FOUND}


def test_a_name_as_written_goes_before_others_of_the_same_words(tmp_path: Path) -> None:
    names = ["FIELDS", "FIELD", "_fields", "fields", "Fields"]
    chunks = [Chunk(id=f"code:a.py::{name}", text=f"{name} = 1", source="a.py", lane="code") for name in names]
    index = write_index(tmp_path / "i.db", chunks)
    assert [search(index, name)[0] for name in names] == [f"code:a.py::{name}" for name in names]
    # In a sentence only what looks like a name is taken for one.
    assert search(index, "where are the _fields of it")[0] == "code:a.py::_fields"


def code_index(folder: Path, texts: dict[str, str]) -> Index:
    """Units by what stands behind `code:` in their ids."""
    chunks = [Chunk(id=f"code:{id_}", text=text, source=id_.split("::")[0], lane="code") for id_, text in texts.items()]
    return write_index(folder / "i.db", chunks)


@pytest.mark.parametrize("query", ["strip auth", "auth should strip", "shouldStripAuth", "should_strip_auth"])
def test_the_words_of_a_name_go_before_a_caller_that_says_them_often(tmp_path: Path, query: str) -> None:
    """The caller is short and says the words twice; the function itself is long and says them once."""
    own = "def should_strip_auth(old, new):\n" + "    compare(old.port, new.port, old.scheme, new.scheme)\n" * 12
    caller = "def rebuild_auth(headers):\n    strip(auth) if should_strip_auth(auth) else auth"
    index = code_index(tmp_path, {"s.py::should_strip_auth": own, "s.py::rebuild_auth": caller, "s.py::auth": "auth"})
    assert search(index, query)[0] == "code:s.py::should_strip_auth"


@pytest.mark.parametrize(
    "query", ["retry delay", "delay retry", "delay seconds", "compute seconds", "retry delay seconds"]
)
def test_two_words_of_a_longer_name_go_before_what_has_them_apart(tmp_path: Path, query: str) -> None:
    texts = {
        "a.ts::computeRetryDelaySeconds": "computeRetryDelaySeconds(attempt) { return this.base * attempt }",
        "b.ts::retry": "retry(delay) { retry(delay); compute(delay); seconds(retry, delay) }",
        "c.ts::delay": "delay(attempt) { retry(attempt); compute(delay, attempt) }",
    }
    texts |= {f"e.ts::part{number}": "part() { rest(retry) }" for number in range(200)}
    assert "code:a.ts::computeRetryDelaySeconds" in search(code_index(tmp_path, texts), query)[:1]


def test_the_words_of_a_sentence_are_no_parts_of_a_name() -> None:
    weights = {"symbol": 1.0, "path": 0.0}
    pairs = {
        query: {term: weight for term, weight in field_terms(query, weights).items() if term.startswith("pair@")}
        for query in (
            "retry delay",
            "the retryDelay of a session",
            "retryDelay",
            "wait",
            "every retry waits one longer delay than before",
        )
    }
    third = 4 * (2 / 3) ** 2
    assert pairs == {
        "retry delay": {"pair@delay.retri": 4.0},
        "the retryDelay of a session": dict.fromkeys(["pair@delay.session", "pair@retri.session"], third),
        "retryDelay": {"pair@delay.retri": 4.0},
        "wait": {},
        "every retry waits one longer delay than before": {},
    }


def test_a_name_is_paired_by_its_own_words() -> None:
    def pairs(symbol: str) -> list[str]:
        return [term.text for term in analyzer(PAIR).terms(symbol)]

    assert pairs("Policy::max_retryDelay(int attempt)") == ["delay.max", "delay.retri", "max.retri"]
    assert pairs("wait") == []
    assert len(pairs("_".join("abcdefghijklmnop"))) == 8 * 7 / 2


@pytest.mark.parametrize("query", ["ForkPool execute", "ForkPool::execute", "execute of the ForkPool"])
def test_all_overloads_of_a_method_go_before_its_class(tmp_path: Path, query: str) -> None:
    overloads = ["execute(Runnable task)", "execute(ForkTask<?>task)", "execute(std::list<Task> all)#2"]
    texts = {f"P.java::ForkPool::{name}": "void execute() { run(); }" for name in overloads}
    texts |= {"P.java::ForkPool": "class ForkPool: the fork pool executes what a fork pool does"}
    texts |= {"Q.java::WorkPool::execute(Runnable task)": "void execute() { forkPool.execute(task); }"}
    texts |= {f"R.java::Rest::part{number}": "void part() { rest(); }" for number in range(20)}
    found = search(code_index(tmp_path, texts), query)
    assert set(found[:3]) == {f"code:P.java::ForkPool::{name}" for name in overloads}


def test_a_method_of_a_generic_impl_is_one_of_its_type(tmp_path: Path) -> None:
    texts = {f"a.rs::impl fmt::Display for {type_}<i32>::fmt": "fn fmt() {}" for type_ in ("Line", "Point", "Shape")}
    assert search(code_index(tmp_path, texts), "Point fmt")[0] == "code:a.rs::impl fmt::Display for Point<i32>::fmt"


@pytest.mark.parametrize(
    "query", ["shaders/map_pars_fragment.js", "map_pars_fragment.js", "where is shaders/map_pars_fragment.js?"]
)
def test_a_path_goes_before_what_only_speaks_of_the_file(tmp_path: Path, query: str) -> None:
    speaks = "import map_pars_fragment from './shaders/map_pars_fragment.js'; map_pars_fragment, shaders"
    texts = {"shaders/map_pars_fragment.js::module@1": "export default `x`", "lib.js::map_pars_fragment": speaks}
    assert search(code_index(tmp_path, texts), query)[0] == "code:shaders/map_pars_fragment.js::module@1"


def test_words_with_a_stroke_between_them_are_names_too(tmp_path: Path) -> None:
    texts = {"a.c::read_write": "x", "a.c::read_only": "read write read write", "read/a.c::f": "x"}
    assert search(code_index(tmp_path, texts), "read/write")[0] == "code:a.c::read_write"


def test_of_two_methods_that_differ_in_case_the_one_as_written_comes_first(tmp_path: Path) -> None:
    index = code_index(
        tmp_path, {"h.go::Header::Write": "write write", "h.go::Header::write": "write", "h.go::Do": "do"}
    )
    assert [search(index, query)[0] for query in ("Header.write", "Header::Write")] == [
        "code:h.go::Header::write",
        "code:h.go::Header::Write",
    ]


SYMBOLS = [
    ("wait", ["wait"], "wait"),
    ("Policy::wait(std::chrono::seconds s)", ["Policy", "wait(std::chrono::seconds s)"], "wait"),
    ("outer(int x)::inner", ["outer(int x)", "inner"], "inner"),
    ("A::operator()(int x)", ["A", "operator()(int x)"], "operator()"),
    ("impl From for (A, B)", ["impl From for (A, B)"], "impl From for (A, B)"),
    ("Kind@type#2", ["Kind@type#2"], "Kind"),
    ("f()#2", ["f()#2"], "f"),
    ("enum@12", ["enum@12"], "enum@12"),
]


@pytest.mark.parametrize(("symbol", "parts", "bare"), SYMBOLS)
def test_a_symbol_is_taken_apart(symbol: str, parts: list[str], bare: str) -> None:
    assert split_symbol(symbol) == parts
    assert bare_name(parts[-1]) == bare


def test_a_file_goes_before_others_of_the_same_words(tmp_path: Path) -> None:
    paths = ["llm/retry.py", "retry/llm.py", "http/retry.py", "retry.go"]
    chunks = [Chunk(id=f"code:{path}::f", text="f", source=path, lane="code") for path in paths]
    index = write_index(tmp_path / "i.db", chunks)
    assert [search(index, path)[0] for path in paths] == [f"code:{path}::f" for path in paths]
    assert search(index, "`./llm/retry.py`:")[0] == "code:llm/retry.py::f"


def test_a_path_alone_finds_the_units_of_its_file(corpus: Path) -> None:
    index_all()
    with Index.open(corpus / "corpus.db") as index:
        found = search(index, "specs/auto.py", k=6)
    assert all(id_.startswith("code:src/specs/auto.py::") for id_ in found[:3])


def test_a_lane_gives_its_own_units_alone_with_its_own_statistics(corpus: Path) -> None:
    index_all()
    code_only = build(Sources(code=(Path("src"),)), Path("code.db"), BuildOptions())
    with Index.open(corpus / "corpus.db") as index, Index.open(corpus / "code.db") as alone:
        assert index.metadata["lanes"] == "code document memory"
        bm25 = [retriever("bm25", Config(), each) for each in (index, alone)]
        request = Request(k=50, lane="code")
        mixed, own = (each.search([Query("q", "retry delay spec")], request) for each in bm25)
        assert mixed == own
        assert search(index, "retry delay", "document") == ["guide.md-p001-parent001-child01"]
        assert search(index, "retry delay", "memory") == ["m1"]
    assert code_only.chunks == len(alone_ids(corpus / "code.db"))


def alone_ids(path: Path) -> tuple[str, ...]:
    with Index.open(path) as index:
        assert set(index.lanes) == {"code"}
        return index.ids


def test_vectors_are_filtered_by_lane(tmp_path: Path) -> None:
    chunks = [
        Chunk(id="1", text="a", source="x"),
        Chunk(id="code:f.py::f", text="a", source="f.py", lane="code"),
        Chunk(id="m", text="ab", source="n", lane="memory"),
    ]
    index = write_index(tmp_path / "i.db", chunks, vectors=vectors(["a", "a", "ab"]), model_id=MODEL_ID)
    for lane, expected in (("document", "1"), ("code", "code:f.py::f"), ("memory", "m")):
        request = Request(k=5, lane=lane)  # type: ignore[arg-type]
        for variant in ("vector", "hybrid", "hybrid+rerank"):
            (found,) = retriever(variant, replace(CONFIG, root=str(tmp_path)), index).search([Query("q", "a")], request)
            assert isinstance(found, Ranking)
            assert found.ids == (expected,)


def test_weights_of_the_fields_are_settings(tmp_path: Path) -> None:
    chunks = [
        Chunk(id="code:a.py::retry", text="x", source="a.py", lane="code"),
        Chunk(id="code:retry.py::b", text="x", source="retry.py", lane="code"),
        Chunk(id="code:c.py::c", text="retry", source="c.py", lane="code"),
    ]
    index = write_index(tmp_path / "i.db", chunks)

    def first(symbol: float, path: float) -> list[str]:
        config = Config(retrieval=RetrievalOptions(code=CodeFields(symbol=symbol, path=path)))
        return search(index, "retry", config=config)

    assert first(9, 1)[0] == "code:a.py::retry"
    assert first(1, 9)[0] == "code:retry.py::b"
    assert first(0, 0) == ["code:c.py::c"]


def test_units_made_elsewhere_are_searched_by_their_source(tmp_path: Path) -> None:
    chunks = [Chunk(id="u1", text="x", source="lib/parser.py", lane="code"), Chunk(id="u2", text="x", source="b.py")]
    index = write_index(tmp_path / "i.db", chunks)
    assert search(index, "parser") == ["u1"]


def test_a_path_may_hold_what_parts_path_and_symbol(tmp_path: Path) -> None:
    chunks = [
        Chunk(id=f"code:{id_part(path)}::Policy::wait", text="x", source=path, lane="code")
        for path in ("my lib::old/a.py", "b.py")
    ]
    index = write_index(tmp_path / "i.db", chunks)
    units = units_of(index)
    assert {(unit.path, unit.symbol) for unit in units.values()} == {
        ("my lib::old/a.py", "Policy::wait"),
        ("b.py", "Policy::wait"),
    }


SPLIT = [
    ("handle_spec_auto", ["handle", "spec", "auto"]),
    ("SpecAutoState", ["Spec", "Auto", "State"]),
    ("XMLHttpRequest2", ["XML", "Http", "Request", "2"]),
    ("HTTPServer", ["HTTP", "Server"]),
    ("__init__", ["init"]),
    ("MAX_RETRIES", ["MAX", "RETRIES"]),
    ("utf8", ["utf", "8"]),
    ("größeWert", ["größe", "Wert"]),
    ("berechneÜbertrag", ["berechne", "Übertrag"]),
    ("gro\u0308\u00dfeWert", ["gro\u0308\u00dfe", "Wert"]),
    ("имяПеременной2", ["имя", "Переменной", "2"]),
    ("\u5909\u6570Name", ["\u5909\u6570", "Name"]),
    ("_", []),
]


@pytest.mark.parametrize(("name", "parts"), SPLIT)
def test_names_are_taken_apart(name: str, parts: list[str]) -> None:
    assert split_identifier(name) == parts


def test_names_are_searched_whole_and_in_parts() -> None:
    terms = [term.text for term in analyzer(CODE).terms("SpecAutoStates(")]
    assert terms == ["specautost", "spec", "auto", "state"]
    assert query_terms("is_valid", [analyzer(CODE)]).keys() == {"isvalid", "valid"}
    assert query_terms("größe prüfen", [analyzer(CODE)]).keys() == {"grosse", "prufen"}


def test_documents_are_analysed_as_before(tmp_path: Path) -> None:
    assert [term.text for term in analyzer("en").terms("SpecAutoState")] == ["specautost"]


def test_a_changed_file_is_the_only_one_read_again(corpus: Path) -> None:
    first = index_all()
    assert (first.added, first.failed) == (12, ())
    assert index_all().is_current
    read: list[str] = []
    changed = Path("src/specs/auto.py")
    changed.write_text(SPEC.replace("return value", "return value, 1"))
    again = index_all(progress=lambda step: read.append(f"{step.what} {step.done}/{step.total}"))
    assert (again.added, again.changed, again.unchanged, again.removed) == (0, 1, 11, 0)
    assert read == ["documents 1/1"]
    with Index.open(corpus / "corpus.db") as index:
        chunk = index.chunks(["code:src/specs/auto.py::handle_spec_auto"]).popitem()[1]
        assert chunk.text.endswith("return value, 1")
    changed.unlink()
    gone = index_all()
    assert (gone.removed, gone.unchanged) == (1, 11)


def test_a_unit_keeps_what_is_known_of_it(corpus: Path) -> None:
    index_all()
    with Index.open(corpus / "corpus.db") as index:
        chunk = index.chunks(["code:src/retry.py::Policy::wait"]).popitem()[1]
    assert (chunk.lane, chunk.source, chunk.page) == ("code", "src/retry.py", None)
    assert chunk.tokens > 10
    assert chunk.metadata == {
        "kind": "method",
        "symbol": "Policy::wait",
        "language": "python",
        "lines": [47, 49],
        "tags": [],
    }


def test_a_file_that_does_not_parse_is_named_and_an_empty_one_is_fine(corpus: Path) -> None:
    Path("src/broken.py").write_text("def f():\n    return 1\n\ndef (:\n")
    Path("src/empty.py").write_text("")
    summary = index_all()
    assert summary.failed == ()
    told = {problem.file: problem.reason for problem in summary.warnings}
    assert told["src/broken.py"] == "line 4 does not parse; cut as far as it does"
    with Index.open(corpus / "corpus.db") as index:
        assert "code:src/broken.py::f" in index.ids


def test_two_files_of_one_name_are_refused(corpus: Path) -> None:
    for folder in ("one", "two"):
        (corpus / folder).mkdir()
        (corpus / folder / "a.py").write_text("def f(): ...")
    with pytest.raises(AssayError, match=r"would be called 'a\.py'"):
        build(Sources(code=(corpus / "one", corpus / "two")), Path("c.db"), BuildOptions())
    both = build(Sources(code=(Path("one"), Path("two"))), Path("c.db"), BuildOptions())
    assert both.added == 2


def test_one_file_may_be_in_two_lanes(corpus: Path) -> None:
    Path("docs/notes.jsonl").write_text('{"id": "n1", "text": "Remember this."}')
    sources = Sources(memories=(Path("docs"),), documents=(Path("docs/guide.md"),))
    build(sources, Path("c.db"), BuildOptions())
    with Index.open(corpus / "c.db") as index:
        assert dict(zip(index.ids, index.lanes, strict=True)) == {
            "guide": "memory",
            "guide.md-p001-parent001-child01": "document",
            "n1": "memory",
        }


def test_without_the_extra_nothing_is_silently_left_out(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.corpus.code.search._grammars", {})
    monkeypatch.setitem(sys.modules, "tree_sitter", None)
    with pytest.raises(MissingExtra, match=r"needs the package 'tree-sitter'. Install .*assay\[code\]"):
        index_all()


QUERY = "delay before the next attempt"


def run(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    assert main(list(words)) == code
    out = capsys.readouterr()
    return out.out if code == 0 else out.err


def test_the_commands(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = run(
        capsys, "index", "--code", "src", "--memories", "notes.jsonl", "docs", "--out", "corpus.db", "--no-embeddings"
    )
    assert "rust 1" in told
    assert "files: 12 added" in told
    code = json.loads(run(capsys, "search", "--lane", "code", QUERY, "--json"))
    assert code["lane"] == "code"
    assert code["hits"][0]["id"] == "code:src/retry.py::delay"
    assert code["hits"][0]["lines"] == [14, 22]
    both = json.loads(run(capsys, "search", QUERY, "--json"))
    assert list(both["lanes"]) == ["document", "memory", "code"]
    assert both["lanes"]["code"] == code
    shown = run(capsys, "search", QUERY, "-k", "1")
    assert "src/retry.py:14-22" in shown
    added = code["hits"][0]["terms"]
    of_name = sum(value for term, value in added.items() if term.startswith(("symbol@", "pair@")))
    assert f"in its name +{of_name:.2f}" in shown
    assert "@" not in shown
    words = json.loads(run(capsys, "search", "--lane", "code", "spec auto handle", "--json"))["hits"][0]["terms"]
    assert len([term for term in words if "@" in term]) > 1
    of_name = sum(value for term, value in words.items() if term.startswith(("symbol@", "pair@")))
    assert f"in its name +{of_name:.2f}" in run(capsys, "search", "--lane", "code", "spec auto handle", "-k", "1")
    assert [line.split(" · ")[0] for line in shown.splitlines() if " chunks" in line] == ["document", "memory", "code"]


def test_code_is_searched_by_words_unless_said_otherwise(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "index", "--code", "src", "--memories", "notes.jsonl", "docs", "--out", "corpus.db")
    by_lane = json.loads(run(capsys, "search", QUERY, "--json"))["lanes"]
    assert {lane: found["retriever"] for lane, found in by_lane.items()} == {
        "document": "hybrid",
        "memory": "hybrid",
        "code": "bm25",
    }
    asked = json.loads(run(capsys, "search", QUERY, "--json", "--lane", "code", "--retriever", "vector"))
    assert asked["retriever"] == "vector"


def test_what_looks_generated_is_named_and_taken_when_it_is_named(
    corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(7):
        Path(f"src/made{number}.gen.ts").write_text("export const a = 1;")
    Path("src/long.js").write_text("var a=1;" * 400)
    Path("src/vendor").mkdir()
    command = ("index", "--code", "src", "--no-embeddings", "--out", "corpus.db")
    told = run(capsys, *command).splitlines()
    made = ", ".join(f"src/made{number}.gen.ts" for number in range(5))
    assert f"skipped, named as generated code is: {made} and 2 more" in told
    assert "skipped, minified: more than 500 characters a line: src/long.js" in told
    assert "skipped, vendored code: src/vendor/" in told
    data = json.loads(run(capsys, *command, "--code", "src/long.js", "--json"))
    assert data["added"] == 1
    assert len(data["left_out"]) == 8
    assert {"file": "src/vendor/", "reason": "vendored code"} in data["left_out"]
    (corpus / "only").mkdir()
    Path("only/a_pb2.py").write_text("")
    assert "no source code but only/a_pb2.py (named as generated code is)" in run(
        capsys, "index", "--code", "only", "--out", "o.db", code=2
    )


def test_wrong_commands(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "nothing to index" in run(capsys, "index", code=2)
    assert "no grammar for this kind of file" in run(capsys, "index", "--code", "docs/guide.md", code=2)
    assert "holds no memories; expected .json" in run(capsys, "index", "--memories", "src/retry.py", code=2)
    (corpus / "nothing").mkdir()
    assert "nothing: no source code; expected py, rs" in run(capsys, "index", "--code", "nothing", code=2)
    run(capsys, "index", "docs", "--no-embeddings")
    assert "has no code lane; expected document" in run(capsys, "search", "--lane", "code", "x", code=2)
