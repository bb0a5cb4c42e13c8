"""Memories: notes as they are written, and their ranking by relevance, date and priority."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from small_index import write_index

from assay.config import Config, MemoryRanking, RetrievalOptions
from assay.corpus.readers import MEMORY_READERS, Ready
from assay.errors import AssayError
from assay.records import Chunk, Ranking
from assay.retrievers.protocol import Query, Request
from assay.retrievers.variants import build


def read(path: Path, text: str) -> Ready:
    path.write_text(text, encoding="utf-8")
    return MEMORY_READERS.get(path.suffix)(path)


def test_json_lines(tmp_path: Path) -> None:
    text = '{"id": "a", "text": "One.", "tags": ["x", "y"], "date": "2026-01-02", "priority": "high", "by": "Anna"}\n'
    ready = read(tmp_path / "n.jsonl", text + '{"id": "b", "text": "Two.", "tags": "x, y", "priority": 3}\n')
    assert [chunk.lane for chunk in ready.chunks] == ["memory", "memory"]
    assert ready.chunks[0].metadata == {"tags": ["x", "y"], "date": "2026-01-02", "priority": 1.0, "by": "Anna"}
    assert ready.chunks[1].metadata == {"tags": ["x", "y"], "priority": 3.0}
    assert ready.place(1) == f"{tmp_path / 'n.jsonl'}:2"


MARKDOWN = """---
id: deploy-window
tags: [deploy, rule]
date: 2026-03-01
priority: 0.5
---
Nothing is deployed on a Friday.

---

That was a rule, not a head.

---
id: second
tags:
  - b
---
# Title

Text: with a colon.
"""


def test_markdown_with_heads(tmp_path: Path) -> None:
    ready = read(tmp_path / "n.md", MARKDOWN)
    first, second = ready.chunks
    assert (first.id, first.lane, first.source) == ("deploy-window", "memory", "n.md")
    assert first.text == "Nothing is deployed on a Friday.\n\n---\n\nThat was a rule, not a head."
    assert first.metadata == {"tags": ["deploy", "rule"], "date": "2026-03-01", "priority": 0.5}
    assert (second.id, second.text) == ("second", "# Title\n\nText: with a colon.")
    assert second.metadata == {"tags": ["b"]}
    assert ready.place(1) == f"{tmp_path / 'n.md'}:13"


def test_markdown_without_a_head_is_one_note(tmp_path: Path) -> None:
    (chunk,) = read(tmp_path / "monday.md", "# Monday\n\nSlept late.\n").chunks
    assert (chunk.id, chunk.text, chunk.lane) == ("monday", "# Monday\n\nSlept late.", "memory")
    assert read(tmp_path / "empty.md", " \n").chunks == []


WRONG = [
    (
        '{"id": "a", "text": "x"}\n{"id": "b", "text": "x", "date": "soon"}',
        r"n.jsonl:2: date is 'soon'; expected a date",
    ),
    ('{"id": "a", "text": "x", "priority": -1}', r"n.jsonl:1: priority is '-1'; expected a number from 0 on, or low"),
    ('{"id": "a", "text": "x", "tags": {"a": 1}}', "tags is .*; expected a list of words"),
    ('{"text": "x"}', "id is missing"),
    ('{"id": "a", "text": "x"}\n\n{"id": "b", "text": " \\n"}', r"n.jsonl:3: text is empty; expected what is to be"),
]


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_what_cannot_be_used_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(AssayError, match=message):
        read(tmp_path / "n.jsonl", text)


def test_a_head_that_is_no_yaml_is_named_by_line(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match=r"n.md:4: not YAML"):
        read(tmp_path / "n.md", "---\nid: a\ntags: [a\n---\nx\n")


@pytest.mark.parametrize(
    ("head", "message"),
    [
        ("tags: [x]\ndate: soon\npriority: high", r"n.md:9: date is 'soon'"),
        ("tags:\n  - x\n  - y\ndate: 2026-01-02\npriority: much", r"n.md:12: priority is 'much'"),
        ("tags:\n  x: 1\n", r"n.md:8: tags is "),
    ],
)
def test_what_is_wrong_in_a_head_is_named_by_its_own_line(tmp_path: Path, head: str, message: str) -> None:
    with pytest.raises(AssayError, match=message):
        read(tmp_path / "n.md", f"---\nid: a\n---\nFirst.\n\n---\nid: b\n{head.rstrip()}\n---\nSecond.\n")


def test_a_note_without_text_is_named(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match=r"n.md:5: text is empty"):
        read(tmp_path / "n.md", "---\nid: a\n---\nFirst.\n---\nid: b\n---\n\n")


NOTES: list[tuple[str, str, dict[str, Any]]] = [
    ("old", "retry delay", {"date": "2025-01-01"}),
    ("new", "retry and much else that is not about the question at all", {"date": "2026-01-01"}),
    ("urgent", "retry and much else that is not about the question at all", {"priority": 4.0}),
    ("plain", "retry and much else that is not about the question at all", {}),
]


def ranked(tmp_path: Path, **options: float | str) -> Ranking:
    chunks = [Chunk(id=i, text=text, source="n", lane="memory", metadata=data) for i, text, data in NOTES]
    chunks.append(Chunk(id="d", text="retry delay", source="d"))
    index = write_index(tmp_path / "i.db", chunks)
    config = Config(retrieval=RetrievalOptions(memory=MemoryRanking(**options)))  # type: ignore[arg-type]
    (found,) = build("bm25", config, index).search([Query("q", "retry delay")], Request(k=9, lane="memory"))
    assert isinstance(found, Ranking)
    return found


def test_off_by_default(tmp_path: Path) -> None:
    found = ranked(tmp_path)
    assert found.scale == "bm25"
    assert found.ids == ("old", "urgent", "plain", "new")  # equal scores: by id, descending


def test_recent_memories_first(tmp_path: Path) -> None:
    found = ranked(tmp_path, recency=5, half_life_days=10)
    assert found.scale == "memory"
    assert found.ids[0] == "new"
    # new: 5 · 2^0; old, 365 days before: 5 · 2^-36.5, next to nothing; it is the most relevant: 1.
    scores = dict(zip(found.ids, found.scores, strict=True))
    assert scores["old"] == pytest.approx(1.0, abs=1e-6)
    assert scores["new"] - scores["plain"] == pytest.approx(5.0, abs=1e-5)


def test_half_life_and_a_given_day(tmp_path: Path) -> None:
    found = ranked(tmp_path, recency=1, half_life_days=31, today="2026-02-01")
    scores = dict(zip(found.ids, found.scores, strict=True))
    assert scores["new"] - scores["plain"] == pytest.approx(0.5, abs=1e-6)  # 31 days: half
    with pytest.raises(AssayError, match=r"retrieval\.memory\.today is 'tomorrow'"):
        ranked(tmp_path, recency=1, today="tomorrow")


def test_priority_is_a_share_of_the_highest(tmp_path: Path) -> None:
    found = ranked(tmp_path, priority=2)
    scores = dict(zip(found.ids, found.scores, strict=True))
    assert found.ids[0] == "urgent"
    assert scores["urgent"] - scores["plain"] == pytest.approx(2.0, abs=1e-6)  # 4 of at most 4


def test_five_notes_by_all_three_as_computed_by_hand(tmp_path: Path) -> None:
    """Equal texts, so every relevance is 1: 1 + 0.5 · 2^(−age / 30) + 0.25 · priority / 2."""
    dates = {"a": "2026-03-31", "b": "2026-03-01", "c": "2026-01-30T00:00:00Z", "d": None, "e": "2026-04-30"}
    priorities = {"a": 0.0, "b": 2.0, "c": 1.0, "d": 2.0, "e": None}
    chunks = [
        Chunk(id=id_, text="retry delay", source="n", lane="memory", metadata=data)
        for id_ in dates
        for data in [{k: v for k, v in (("date", dates[id_]), ("priority", priorities[id_])) if v is not None}]
    ]
    options = MemoryRanking(recency=0.5, half_life_days=30, priority=0.25, today="2026-03-31")
    config = Config(retrieval=RetrievalOptions(memory=options))
    index = write_index(tmp_path / "i.db", chunks)
    (found,) = build("bm25", config, index).search([Query("q", "retry delay")], Request(k=5, lane="memory"))
    assert isinstance(found, Ranking)
    expected = {
        "a": 1 + 0.5,  # today
        "b": 1 + 0.25 + 0.25,  # 30 days: half; the highest priority
        "c": 1 + 0.125 + 0.125,  # 60 days: a quarter; half of the highest
        "d": 1 + 0.25,  # no date
        "e": 1 + 0.5,  # not yet: as if today
    }
    assert found.ids == ("e", "b", "a", "d", "c")  # equal sums: by id, descending
    assert dict(zip(found.ids, found.scores, strict=True)) == pytest.approx(expected, abs=1e-6)


def test_other_lanes_are_left_alone(tmp_path: Path) -> None:
    index = write_index(tmp_path / "i.db", [Chunk(id="d", text="retry", source="d")])
    config = Config(retrieval=RetrievalOptions(memory=MemoryRanking(recency=1)))
    (found,) = build("bm25", config, index).search([Query("q", "retry")], Request(k=9))
    assert isinstance(found, Ranking)
    assert found.scale == "bm25"


@pytest.mark.parametrize("tags", [["purchases", "vendors"], "purchases", None, [1]])
def test_tags_are_searched_with_the_text_of_memories_alone(tmp_path: Path, tags: object) -> None:
    chunks = [
        Chunk(id="a", text="We chose the blue one.", source="n", lane="memory", metadata={"tags": tags}),
        Chunk(id="b", text="The printer is upstairs.", source="n", lane="memory", metadata={}),
        Chunk(id="c", text="def f(): ...", source="f.py", lane="code", metadata={"tags": tags}),
        Chunk(id="d", text="Another document.", source="d", metadata={"tags": tags}),
    ]
    index = write_index(tmp_path / "i.db", chunks)
    (found,) = build("bm25", Config(), index).search([Query("q", "vendor or purchase")], Request(k=9))
    assert isinstance(found, Ranking)
    assert found.ids == (("a",) if isinstance(tags, list) and "vendors" in tags else ())
