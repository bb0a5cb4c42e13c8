"""Pipelines in Python: how they are called, and what becomes of those that raise, hang or say nonsense."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import pytest
from systems_corpus import CASES, output, outputs, settings, system

from assay.errors import AssayError, IncompleteRun
from assay.records import Case, Fault
from assay.systems import python
from assay.systems.protocol import Output, Passage, inputs_of

QUESTION = CASES[0].question


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module is imported once by its name, so each test has its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "pipes", raising=False)


def asked(code: str, name: str = "f", *, with_index: bool = True, **pipeline: Any) -> Output:
    """The output of a pipeline with that code."""
    Path("pipes.py").write_text(textwrap.dedent(code))
    return output(f"python:pipes:{name}", settings(Path.cwd(), **pipeline), with_index=with_index)


def failed(code: str, **pipeline: Any) -> Fault:
    fault = asked(code, **pipeline).fault
    assert fault is not None
    return fault


@pytest.mark.parametrize(
    "code",
    [
        "def f(question): return question",
        "def f(question, k): return question if k == 3 else 'no'",
        "def f(text, *, top_k=100): return text if top_k == 3 else 'no'",
        "async def f(question): return question",
        "async def g(q): return q\ndef f(question): return g(question)",
        "import functools\ndef g(k, q): return q\nf = functools.partial(g, 1)",
        "f = lambda question, extra=1: question",
        "class F:\n  def __call__(self, question): return question\nf = F()",
        "class F:\n  async def __call__(self, question): return question\nf = F()",
        "class f:\n  def __call__(self, question): return question",
        "class F:\n  def query(self, question): return question\ndef f(): return F()",
        "class F:\n  def invoke(self, input, config=None): return input\nf = F()",
        "class F:\n  async def invoke(self, input): return input\nf = F()",
    ],
)
def test_each_way_to_be_called(code: str) -> None:
    assert asked(code).answer == QUESTION


def test_a_runnable_that_wants_an_object_gets_one() -> None:
    code = """
    class F:
        def get_input_jsonschema(self):
            return {"type": "object", "properties": {"chat_history": {}, "input": {}}}
        def invoke(self, given):
            return {"answer": given["input"], "context": [Document("Visitors pay £20.")]}
    class Document:
        def __init__(self, text):
            self.page_content, self.metadata, self.id = text, {"source": "fees.md", "page_label": "4"}, None
    f = F()
    """
    found = asked(code)
    assert found.answer == QUESTION
    assert found.context == (Passage(source="fees.md", page=4, text="Visitors pay £20."),)


def test_retrieve_and_query_are_two_phases() -> None:
    code = """
    import time
    class f:
        def retrieve(self, question, k):
            time.sleep(0.02)
            return ["fees-1", "race-1"] * k
        def query(self, question):
            time.sleep(0.01)
            return {"answer": "£20", "contexts": ["seen"]}
    """
    found = asked(code)
    assert [passage.id for passage in found.candidates or ()] == ["fees-1", "race-1", "fees-1", "race-1", "fees-1"]
    assert found.context == (Passage(text="seen"),)
    assert found.timing.retrieval is not None
    assert found.timing.retrieval >= 0.02
    assert found.timing.generation is None, "what query does beside generating is not known"
    assert found.timing.total is not None
    assert 0.01 <= found.timing.total < 0.02 + found.timing.retrieval


def test_a_retrieval_that_fails_is_not_followed_by_a_query() -> None:
    code = """
    class f:
        def retrieve(self, question): raise KeyError("index")
        def query(self, question): raise AssertionError("was called")
    """
    assert failed(code) == Fault("retrieval", "KeyError: 'index'")


def test_a_query_that_fails_keeps_what_was_retrieved() -> None:
    code = """
    class f:
        def retrieve(self, question): return ["fees-1"]
        def query(self, question): raise ValueError
    """
    found = asked(code)
    assert found.fault == Fault("generation", "ValueError")
    assert found.candidates == (Passage(id="fees-1", source="fees.md", page=1),)


def test_an_engine_with_synthesize_is_asked_once() -> None:
    code = """
    class f:
        def synthesize(self, *_): ...
        def retrieve(self, query_bundle): raise AssertionError("takes a bundle, not a question")
        def query(self, question): return question
    """
    assert asked(code).answer == QUESTION


def test_ids_of_the_index_are_completed_from_it() -> None:
    found = asked(
        "def f(q): return {'answer': 'x', 'context': [{'id': 'safety-1'}], 'retrieved': ['race-2', 'nowhere']}"
    )
    text = "The skipper files the float plan before departure."
    assert found.context == (Passage(id="safety-1", source="safety.pdf", page=3, text=text),)
    assert found.candidates == (Passage(id="race-2", source="race.md", page=2), Passage(id="nowhere"))


def test_a_context_whose_text_is_not_known_is_none() -> None:
    code = "def f(q): return {'answer': 'x', 'context': [{'id': 'a', 'text': 'A'}, {'id': 'b'}]}"
    found = asked(code, with_index=False)
    assert found.context is None
    assert found.candidates == (Passage(id="a", text="A"), Passage(id="b"))


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("def f(q): raise ValueError('bad\\n  luck')", "ValueError: bad luck"),
        ("def f(q): raise RuntimeError", "RuntimeError"),
        ("def f(q): raise SystemExit(3)", "SystemExit: 3"),
        ("async def f(q): raise SystemExit(3)", "SystemExit: 3"),
        ("def f(q): raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("async def f(q): raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("async def f(q): raise ValueError('no')", "ValueError: no"),
        ("import asyncio\nasync def f(q): raise asyncio.CancelledError", "CancelledError"),
        ("async def f(q): raise TimeoutError('theirs')", "TimeoutError: theirs"),
        ("def f(q): return None", "gave None; expected a text, or an object with 'answer'"),
        ("def f(q): return {'text': None}", "gave no answer (null)"),
        ("def f(q): return 'x' * 10_000_000", "an answer of 10,000,000 characters; at most 1,000,000 are taken"),
        ("def f(q): raise ValueError('x' * 10_000_000)", "ValueError: xxx"),
        ("class A:\n  @property\n  def answer(self): raise OSError('gone')\ndef f(q): return A()", "OSError: gone"),
    ],
)
def test_whatever_goes_wrong_is_a_record(code: str, says: str) -> None:
    fault = failed(code)
    assert fault.message.startswith(says)
    assert len(fault.message) <= 500


@pytest.mark.parametrize("kind", ["def f(q): time.sleep(1000)", "async def f(q): await asyncio.sleep(1000)"])
def test_one_that_hangs_is_given_up(kind: str) -> None:
    start = time.perf_counter()
    assert failed(f"import time, asyncio\n{kind}", timeout=0.1).message == "no answer within 0.1 s"
    assert time.perf_counter() - start < 2


def test_an_async_function_that_blocks_does_not_block_the_run() -> None:
    Path("pipes.py").write_text("import time\nasync def f(q):\n    time.sleep(0.5)\n    return q")

    async def run() -> tuple[int, Output]:
        ticks = 0
        async with system("python:pipes:f", settings(Path.cwd(), timeout=0.2)) as made:
            task = asyncio.create_task(made.run(CASES[0]))
            while not task.done():
                await asyncio.sleep(0.01)
                ticks += 1
            return ticks, task.result()

    ticks, found = asyncio.run(run())
    assert ticks > 5
    assert found.fault == Fault("unknown", "no answer within 0.2 s")


@pytest.mark.parametrize("ended_by", ["SystemExit(3)", "KeyboardInterrupt"])
def test_an_exit_in_a_task_of_the_pipeline_does_not_end_the_loop_of_the_others(ended_by: str) -> None:
    code = f"""
import asyncio
async def part(q):
    if q == {QUESTION!r}: raise {ended_by}
    return q
async def f(q): return (await asyncio.gather(part(q)))[0]
"""
    Path("pipes.py").write_text(code)
    first, *others = outputs("python:pipes:f", settings(Path.cwd(), timeout=5))
    assert first.fault is not None
    assert [each.answer for each in others] == [case.question for case in CASES[1:]]


@pytest.mark.parametrize("kind", ["def f(q): time.sleep(0.02)", "async def f(q): await asyncio.sleep(0.02)"])
def test_an_answer_that_came_in_time_counts_though_we_were_too_busy_to_look(kind: str) -> None:
    Path("pipes.py").write_text(f"import time, asyncio\n{kind}; return q")

    async def run() -> Output:
        async with system("python:pipes:f", settings(Path.cwd(), timeout=0.3)) as made:
            task: asyncio.Task[Output] = asyncio.create_task(made.run(CASES[0]))
            await asyncio.sleep(0.01)
            time.sleep(0.5)  # noqa: ASYNC251 (the loop is held up, as a long score would)
            return await task

    assert asyncio.run(run()).answer == QUESTION


def test_when_everything_hangs_the_run_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(python, "MOST_HANGING", 3)
    Path("pipes.py").write_text("import time\ndef f(q): time.sleep(1000)")
    with pytest.raises(IncompleteRun, match=r"3 calls of python:pipes:f hang and were given up after 0.05 s each"):
        outputs("python:pipes:f", settings(Path.cwd(), timeout=0.05))


def test_a_program_ends_though_a_call_hangs(tmp_path: Path) -> None:
    Path("pipes.py").write_text("import time\ndef f(q): time.sleep(1000)")
    code = f"""
import sys
sys.path[:0] = [{str(Path(__file__).parent)!r}]
from pathlib import Path
from systems_corpus import output, settings
print(output("python:pipes:f", settings(Path.cwd(), timeout=0.05)).fault.message)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=True)
    assert done.stdout == "no answer within 0.05 s\n"


def test_another_version_of_the_module_is_another_system(monkeypatch: pytest.MonkeyPatch) -> None:
    def inputs(code: str) -> dict[str, str]:
        async def run() -> dict[str, str]:
            async with system("python:pipes:f", settings(Path.cwd())) as made:
                return inputs_of(made)

        Path("pipes.py").write_text(code)
        monkeypatch.delitem(sys.modules, "pipes", raising=False)
        return asyncio.run(run())

    assert inputs("def f(q): return 'a'") == inputs("def f(q): return 'a'") != inputs("def f(q): return 'bb'")


def test_calls_run_at_the_same_time() -> None:
    Path("pipes.py").write_text("import time\ndef f(q):\n    time.sleep(0.1)\n    return q")
    cases = [Case(id=str(n), question=str(n)) for n in range(20)]
    start = time.perf_counter()
    found = outputs("python:pipes:f", settings(Path.cwd()), cases)
    assert time.perf_counter() - start < 1.0, "one after the other would be 2 s"
    assert [each.answer for each in found] == [case.question for case in cases]


def test_a_key_in_a_message_is_struck_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THEIR_API_KEY", "sk-12345-very-secret")
    monkeypatch.setenv("TOKEN_TYPE", "documents")
    fault = failed(
        "import os\ndef f(q): raise ValueError('wrong key ' + os.environ['THEIR_API_KEY'] + ' for documents')"
    )
    assert fault.message == "ValueError: wrong key *** for documents"


@pytest.mark.parametrize(
    ("spelling", "says"),
    [
        ("python:pipes", "'python:pipes' names no function"),
        ("python:nowhere:f", "no module 'nowhere'"),
        ("python:pipes:g", "the module 'pipes' has no 'g'. Known: Bad, Chain, chain, f"),
        ("python:pipes:f", "'python:pipes:f(a, b)' cannot be called: missing a required argument: 'b'"),
        ("python:pipes:number", "'python:pipes:number' is int; expected a function, or an object with invoke or query"),
        ("python:pipes:Bad", "'python:pipes:Bad' cannot be made: ValueError: no"),
        ("pyton:pipes:f", "unknown system 'pyton'. Did you mean python?"),
        ("embeded", "unknown system 'embeded'. Did you mean embedded?"),
        (":x", "names no system"),
    ],
)
def test_a_name_that_leads_nowhere_ends_the_run_with_one_line(spelling: str, says: str) -> None:
    Path("pipes.py").write_text(
        "def f(a, b): ...\nnumber = 7\nclass Bad:\n  def __init__(self): raise ValueError('no')\n"
        "class Chain:\n  def invoke(self, question): ...\nchain = Chain()\n"
    )
    with pytest.raises(AssayError) as fault:
        output(spelling, settings(Path.cwd()))
    assert says in str(fault.value)
    assert "\n" not in str(fault.value)
