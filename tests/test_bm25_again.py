"""An index that was changed bit by bit has the very structures of one that is made at once."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from small_index import write_index

from assay.corpus.build import BuildOptions, build
from assay.corpus.index import Index
from assay.corpus.scan import Sources
from assay.records import Chunk
from assay.retrievers import analysis, counted, counting, lexical
from assay.retrievers.counting import Before, count_terms
from assay.retrievers.postings import Postings

WORDS = [
    "retry",
    "delay",
    "Policy",
    "wait_for",
    "parse",
    "ISO",
    "date",
    "été",
    "l’arbitre",
    "session",
    "cookie",
    "e-mail",
    "1,234.5",
    "queue",
    "push",
    "pop",
]
BLOBS = ("about", "all", "code", "document", "memory", "counted")


def code(chance: random.Random) -> str:
    parts = []
    for number in range(chance.randrange(4)):
        name = "_".join(chance.choices(("retry", "delay", "parse", "date", "queue"), k=2))
        words = " ".join(chance.choices(WORDS, k=6))
        parts.append(f'class C{number}:\n    def {name}(self):\n        """{words}"""\n        return {number}\n')
    return "\n\n".join(parts) or "LIMIT = 1\n"


def prose(chance: random.Random) -> str:
    return "# Title\n\n" + " ".join(chance.choices(WORDS, k=chance.randrange(1, 40)))


def note(chance: random.Random, number: int) -> str:
    return f'{{"id": "n{number}", "text": "{" ".join(chance.choices(WORDS, k=5))}"}}\n'


class Corpus:
    """A folder of documents, code and notes that is edited at random."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root, self.chance = root, random.Random(seed)
        for folder in ("docs", "src"):
            (root / folder).mkdir(parents=True)
        for number in range(6):
            self.write(number)
        self.notes()

    def write(self, number: int) -> None:
        (self.root / f"docs/d{number}.md").write_text(prose(self.chance), encoding="utf-8")
        (self.root / f"src/c{number}.py").write_text(code(self.chance), encoding="utf-8")

    def notes(self) -> None:
        lines = [note(self.chance, number) for number in range(self.chance.randrange(1, 5))]
        (self.root / "notes.jsonl").write_text("".join(lines), encoding="utf-8")

    def edit(self) -> None:
        for number in self.chance.sample(range(8), 2):
            if self.chance.random() < 0.3:
                (self.root / f"docs/d{number}.md").unlink(missing_ok=True)
            else:
                self.write(number)
        self.notes()

    def index(self, out: Path) -> dict[str, bytes | None]:
        sources = Sources(
            documents=(self.root / "docs",), code=(self.root / "src",), memories=(self.root / "notes.jsonl",)
        )
        build(sources, out, BuildOptions())
        with Index.open(out) as index:
            lexical.prepare(index)
            return {name: index.read_blob(f"bm25/{name}") for name in BLOBS}


@pytest.mark.parametrize("seed", range(5))
def test_structures_do_not_tell_how_an_index_came_to_be(tmp_path: Path, seed: int) -> None:
    corpus = Corpus(tmp_path / "corpus", seed)
    corpus.index(tmp_path / "edited.db")
    for step in range(3):
        corpus.edit()
        edited, fresh = corpus.index(tmp_path / "edited.db"), corpus.index(tmp_path / f"fresh{step}.db")
        assert all(fresh.values())
        assert edited == fresh


def test_only_what_changed_is_counted_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = Corpus(tmp_path / "corpus", 1)
    corpus.index(tmp_path / "i.db")
    (tmp_path / "corpus/src/c3.py").write_text("def fresh_one(): pass\n", encoding="utf-8")
    seen: list[str] = []
    whole = counting._Counter.add

    def watched(self: counting._Counter, rows: list[int], texts: list[str], languages: list[str]) -> object:
        seen.extend(texts)
        return whole(self, rows, texts, languages)

    monkeypatch.setattr(counting._Counter, "add", watched)
    corpus.index(tmp_path / "i.db")
    assert seen == ["def fresh_one(): pass", "fresh_one", "fresh_one", "c3.py"]


@pytest.mark.parametrize("seed", range(20))
def test_counts_of_moved_rows_are_those_of_all_rows(seed: int) -> None:
    """Rows leave, come, change places; the same text may stand several times."""
    chance = random.Random(seed)
    old = [" ".join(chance.choices(WORDS, k=chance.randrange(5))) for _ in range(chance.randrange(9))]
    kept = chance.sample(range(len(old)), chance.randrange(len(old) + 1))
    texts = [old[row] for row in kept] + [prose(chance) for _ in range(chance.randrange(4))]
    moved = np.array([kept.index(row) if row in kept else -1 for row in range(len(old))], dtype=np.int64)
    again = count_terms(texts, ["en"] * len(texts), Before(count_terms(old, ["en"] * len(old)), moved))
    fresh = count_terms(texts, ["en"] * len(texts))
    assert again.vocabulary == fresh.vocabulary == sorted(fresh.vocabulary)
    for name in ("terms", "rows", "frequencies"):
        assert np.array_equal(getattr(again, name), getattr(fresh, name))


def chunks(*texts: str) -> list[Chunk]:
    return [Chunk(id=f"d{number}", text=text, source="a.md") for number, text in enumerate(texts)]


def test_what_does_not_belong_together_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = write_index(tmp_path / "i.db", chunks("float plan", "oars"))
    lexical.prepare(index)
    structure, kept = index.read_blob("bm25/all") or b"", index.read_blob("bm25/counted") or b""
    way = lexical._way()
    found = counted.read_counted(structure, kept, way, ("",))
    assert found is not None
    assert {field: counts.vocabulary for field, counts in found.columns.items()} == {"": ["float", "oar", "plan"]}
    assert counted.read_counted(structure, kept, way, ("", "symbol")) is None
    assert counted.read_counted(b"x" * 32 + structure[32:], kept, way, ("",)) is None
    assert counted.read_counted(b"", kept, way, ("",)) is None
    assert counted.read_counted(structure, kept[:-3], way, ("",)) is None
    other = Postings.from_bytes(structure, structure[:32])
    assert other is not None
    shorter = Postings.build(count_terms(["oars"], ["en"]), np.ones(1, dtype=bool)).to_bytes(structure[:32])
    assert counted.read_counted(shorter, kept, way, ("",)) is None
    monkeypatch.setattr(analysis, "VERSION", analysis.VERSION + 1)
    monkeypatch.setattr(lexical, "VERSION", analysis.VERSION)
    assert counted.read_counted(structure, kept, lexical._way(), ("",)) is None
