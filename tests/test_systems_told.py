"""What others may return, word by word, and what is said of what they may not."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest

from assay.llm.protocol import Usage
from assay.records import Chunk, Fault
from assay.retrievers.answers import BadAnswer
from assay.systems.protocol import Passage, Timing
from assay.systems.told import (
    ANSWER,
    CANDIDATES,
    CONTEXT,
    LONGEST_ANSWER,
    LONGEST_CONTEXT,
    read_candidates,
    read_output,
)

FEE = Passage(id="f1", source="fees.md", page=2, score=0.5, text="£20")


def document(text: str, **metadata: Any) -> SimpleNamespace:
    """As LangChain's."""
    return SimpleNamespace(page_content=text, metadata=metadata, id=metadata.pop("own_id", None))


def node(text: str, score: float | None = None) -> SimpleNamespace:
    """As LlamaIndex's, whose text comes from a method."""
    inner = SimpleNamespace(
        node_id="n1", metadata={"file_name": "fees.md", "page_label": "2"}, get_content=lambda: text
    )
    return SimpleNamespace(node=inner, score=score)


def test_a_text_is_an_answer_and_nothing_else_is_known() -> None:
    told = read_output("The fee is £20 [1].")
    assert (told.answer, told.candidates, told.context, told.usage) == ("The fee is £20 [1].", None, None, None)
    assert told.timing == Timing()
    assert told.metadata.has_citations is True


@pytest.mark.parametrize("name", ANSWER)
def test_the_answer_by_each_of_its_names(name: str) -> None:
    assert read_output({name: "£20"}).answer == "£20"
    assert read_output(SimpleNamespace(**{name: "£20"})).answer == "£20"


@pytest.mark.parametrize("name", [name for name in CONTEXT if name != "sources"])
def test_the_context_by_each_of_its_names(name: str) -> None:
    told = read_output({"answer": "x", name: ["one", "two"]})
    assert told.context == (Passage(text="one"), Passage(text="two"))
    assert told.candidates == told.context, "the best that is known of what was retrieved"


@pytest.mark.parametrize("name", CANDIDATES)
def test_the_candidates_by_each_of_their_names(name: str) -> None:
    told = read_output({"answer": "x", name: ["a", 7], "context": "the whole"})
    assert told.candidates == (Passage(id="a"), Passage(id="7"))
    assert told.context == (Passage(text="the whole"),)


def test_sources_that_are_only_names_are_names() -> None:
    assert read_output({"answer": "x", "sources": ["fees.md"]}).candidates == (Passage(source="fees.md"),)


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"id": "f1", "source": "fees.md", "page": 2, "score": 0.5, "text": "£20"}, FEE),
        ({"chunk_id": "f1", "filename": "fees.md", "page_number": "2", "similarity": 0.5, "content": "£20"}, FEE),
        ({"id": "f1", "metadata": {"source": "fees.md", "page": 2}, "score": 0.5, "page_content": "£20"}, FEE),
        ((document("£20", own_id="f1", source="fees.md", page=2), 0.5), FEE),
        (document("£20", source="fees.md", page=1, page_label="2"), Passage(source="fees.md", page=2, text="£20")),
        (document("£20", source="fees.md", page=1, page_label="iv"), Passage(source="fees.md", page=1, text="£20")),
        (node("£20", 0.5), Passage(id="n1", source="fees.md", page=2, score=0.5, text="£20")),
        (node("£20"), Passage(id="n1", source="fees.md", page=2, text="£20")),
        (Chunk(id="f1", text="£20", source="fees.md", page=2), Passage(id="f1", source="fees.md", page=2, text="£20")),
        (("f1", 0.5), Passage(id="f1", score=0.5)),
        (UUID(int=1), Passage(id="00000000-0000-0000-0000-000000000001")),
        ({"id": "f1", "page": 2.0, "source": ""}, Passage(id="f1", page=2)),
        ({"id": "f1", "page": -1}, Passage(id="f1")),
        ({"id": "f1", "page": True}, Passage(id="f1")),
    ],
)
def test_a_passage_in_each_of_its_forms(entry: Any, expected: Passage) -> None:
    assert read_candidates([entry]) == (expected,)


def test_passages_keep_their_order_whatever_their_scores() -> None:
    found = read_candidates({"results": [{"id": "a", "score": 1}, {"id": "b", "score": 2}]})
    assert [passage.id for passage in found] == ["a", "b"]


MESSAGE = SimpleNamespace(
    content=[{"type": "text", "text": "It is "}, {"type": "text", "text": "£20."}],
    usage_metadata={
        "input_tokens": 10,
        "output_tokens": 8,
        "output_token_details": {"reasoning": 3},
        "input_token_details": {"cache_read": 4},
    },
    response_metadata={"model_name": "m-1", "finish_reason": "stop"},
)


@pytest.mark.parametrize("told", [MESSAGE, {"answer": MESSAGE}, {"messages": [SimpleNamespace(content="?"), MESSAGE]}])
def test_a_chat_message(told: Any) -> None:
    assert read_output(told).answer == "It is £20."


@pytest.mark.parametrize("told", [MESSAGE, {"answer": MESSAGE}])
def test_what_a_chat_message_tells_beside_its_text(told: Any) -> None:
    output = read_output(told)
    assert output.usage == Usage(prompt=10, completion=5, thinking=3, cached=4), "thinking is not in completion"
    assert (output.metadata.model, output.metadata.finish_reason) == ("m-1", "stop")


def test_a_llama_index_response() -> None:
    told = read_output(SimpleNamespace(response="£20", source_nodes=[node("£20", 0.5)], metadata={"n1": {}}))
    assert told.answer == "£20"
    assert told.context == (Passage(id="n1", source="fees.md", page=2, score=0.5, text="£20"),)


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"prompt_tokens": 10, "completion_tokens": 5}, Usage(prompt=10, completion=5)),
        ({"prompt": 10, "completion": 5, "thinking": 2, "cached": 4, "total": 17},
         Usage(prompt=10, completion=5, thinking=2, cached=4)),
        ({"prompt_tokens": 10, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 4},
          "completion_tokens_details": {"reasoning_tokens": 2}}, Usage(prompt=10, completion=3, thinking=2, cached=4)),
        ({"input_tokens": 10.0}, Usage(prompt=10)),
        ({}, None),
        (None, None),
    ],
)  # fmt: skip
def test_tokens(usage: Any, expected: Usage | None) -> None:
    assert read_output({"answer": "x", "usage": usage}).usage == expected


@pytest.mark.parametrize(
    ("timing", "expected"),
    [
        ({"retrieval": 0.5, "rerank": 0.25, "generation": 1, "total": 2},
         Timing(retrieval=0.5, rerank=0.25, generation=1.0, total=2.0)),
        ({"retrieval_ms": 500, "generate_ms": 1000}, Timing(retrieval=0.5, generation=1.0)),
        (1.5, Timing(total=1.5)),
        ({"something": 3}, Timing()),
        ({"retrieval": None}, Timing()),
        ({"retrieval": 0}, Timing(retrieval=0.0)),
    ],
)  # fmt: skip
def test_times(timing: Any, expected: Timing) -> None:
    assert read_output({"answer": "x", "timing": timing}).timing == expected


def test_metadata_of_another_kind_is_not_taken_for_it() -> None:
    metadata = read_output({"answer": "x", "model": 7, "temperature": "hot", "used_fallback": "no"}).metadata
    assert (metadata.model, metadata.temperature, metadata.used_fallback) == (None, None, None)
    metadata = read_output(
        {"answer": "x", "llm_metadata": {"model": "m", "temperature": 0, "used_fallback": True}}
    ).metadata
    assert (metadata.model, metadata.temperature, metadata.used_fallback) == ("m", 0.0, True)


@pytest.mark.parametrize(
    ("told", "says"),
    [
        (None, "gave None"),
        (42, "gave 42 (int)"),
        (b"bytes", "gave bytes"),
        ([], "gave a list of 0"),
        ({}, "gave an empty object"),
        ({"reply": "x"}, "gave an object with the keys 'reply'; expected a text, or an object with 'answer'"),
        ((part for part in "ab"), "gave generator"),
        ({"answer": "x", "contexts": 3}, "the passages are 3 (int); expected a list"),
        ({"answer": "x", "contexts": [{}]}, "passage 1 is an empty object; expected an id, a source or a text"),
        ({"answer": "x", "contexts": [None]}, "passage 1 is None"),
        ({"answer": "x", "retrieved": [("a", "high")]}, "the score of result 1 is 'high'"),
        ({"answer": "x", "retrieved": [("a", float("nan"))]}, "the score of result 1 is nan"),
        ({"answer": "x", "retrieved": [("a", 1, 2)]}, "passage 1 is a tuple of 3"),
        ({"answer": "x", "retrieved": [{"id": ["a"]}]}, "the id of passage 1 is a list of 1"),
        ({"answer": "x", "usage": {"prompt_tokens": "many"}}, "the number of prompt tokens is 'many'"),
        ({"answer": "x", "usage": {"prompt_tokens": -1}}, "the number of prompt tokens is -1"),
        ({"answer": "x", "usage": {"cost": 1}}, "the usage is an object with the keys 'cost'"),
        ({"answer": "x", "timing": {"total": "long"}}, "the time 'total' is 'long'"),
        ({"answer": "x", "timing": {"total": float("inf")}}, "the time 'total' is inf"),
        ("x" * (LONGEST_ANSWER + 1), "an answer of 1,000,001 characters"),
        ({"answer": "x", "context": "x" * (LONGEST_CONTEXT + 1)}, "passages of 5,000,001 characters"),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else type(value).__name__,
)
def test_what_cannot_be_read_is_told_in_one_line(told: Any, says: str) -> None:
    with pytest.raises(BadAnswer) as fault:
        read_output(told)
    assert says in str(fault.value)
    assert len(str(fault.value)) < 400


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ({"error": "out of order"}, Fault("unknown", "out of order")),
        ({"answer": None, "error": {"phase": "rerank", "message": "no\nmodel"}}, Fault("rerank", "no model")),
        ({"answer": None}, Fault("generation", "gave no answer (null)")),
    ],
)
def test_a_fault_the_system_tells_itself(told: Any, expected: Fault) -> None:
    assert read_output(told).fault == expected


def test_half_a_surrogate_pair_is_replaced_and_a_whole_one_joined() -> None:
    told = {"answer": "\ud83d\ude00 \ud800", "contexts": [{"id": "\udfff", "source": "\udfff.md", "text": "a\ud800b"}]}
    found = read_output(told | {"model": "m\ud800"})
    assert found.answer == "\N{GRINNING FACE} \N{REPLACEMENT CHARACTER}"
    assert found.context is not None
    (passage,) = found.context
    for text in (found.answer, passage.id, passage.source, passage.text, found.metadata.model):
        assert text
        assert text.encode().decode() == text
    assert read_output({"error": "\ud800"}).fault == Fault("unknown", "\N{REPLACEMENT CHARACTER}")


def test_an_empty_answer_is_an_answer() -> None:
    assert read_output({"answer": ""}).answer == ""
    assert read_output("").fault is None
