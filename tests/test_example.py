"""The shipped example: its gold set is true, balanced, and neither trivial nor hopeless."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from assay.cli.main import main
from assay.corpus.index import Index
from assay.corpus.quotes import fold
from assay.files import read_json
from assay.gold.schema import Question, read_gold
from assay.records import Chunk
from assay.retrievers.analysis import content_words
from assay.runs.folder import find_run

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "examples" / "orrin"
NEGATIONS = re.compile(r"\b(not|no|never|nor|without|ne|pas|jamais|aucun|aucune|sans|ni)\b")
LEAVES = {
    "content": 3, "mcq": 5, "provenance": 6, "classification": 9, "validation": 7, "processing": 7, "audit": 3,
}  # fmt: skip


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the example with its index."""
    folder = tmp_path_factory.mktemp("example") / "orrin"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("runs", "baselines", "corpus.db*"))
    words = [
        "index",
        str(folder / "documents"),
        "--out",
        str(folder / "corpus.db"),
        "--quiet",
        "--config",
        str(folder / "assay.yaml"),
    ]
    assert main(words) == 0
    return folder


@pytest.fixture(scope="module")
def chunks(project: Path) -> dict[str, Chunk]:
    with Index.open(project / "corpus.db") as index:
        return index.chunks(index.ids)


QUESTIONS = read_gold(EXAMPLE / "gold.json")
ANSWERABLE = [question for question in QUESTIONS if not question.content.is_impossible]
UNANSWERABLE = [question for question in QUESTIONS if question.content.is_impossible]


def test_the_gold_file_is_what_the_sources_and_the_index_give(project: Path) -> None:
    done = subprocess.run([sys.executable, str(project / "make_gold.py"), "--check"], check=False)
    assert done.returncode == 0, "run examples/orrin/make_gold.py"


def test_every_answer_stands_in_its_chunk(chunks: dict[str, Chunk]) -> None:
    """Word for word, or at least four fifths of its content words with every number and negation."""
    wrong = [question.legacy_id for question in ANSWERABLE if not stands_in(question, chunks)]
    assert wrong == []


def stands_in(question: Question, chunks: dict[str, Chunk]) -> bool:
    chunk = chunks[question.provenance.chunk_id or ""]
    answer, text = fold(question.content.expected_answer or ""), fold(chunk.text)
    if answer in text:
        return True
    language = str(chunk.metadata.get("language", "en"))
    body = re.sub(r"^(yes|no|oui|non)\b", "", answer)
    words = content_words(body, language)
    covered = len(words & content_words(chunk.text, language)) / len(words)
    numbers = set(re.findall(r"\d+", answer)) <= set(re.findall(r"\d+", text))
    negations = bool(NEGATIONS.search(body)) <= bool(NEGATIONS.search(text))
    return covered >= 0.8 and numbers and negations


def test_document_and_page_are_those_of_the_chunk(chunks: dict[str, Chunk]) -> None:
    for question in QUESTIONS:
        chunk = chunks[question.provenance.chunk_id or ""]
        assert question.provenance.docs[0] == chunk.source
        first, last = chunk.metadata["pages"][0], chunk.metadata["pages"][-1]
        assert first <= question.provenance.pages[0] <= last, question.legacy_id


def test_all_leaves_are_there() -> None:
    for item in read_json(EXAMPLE / "gold.json")["questions"]:
        found: dict[str, Any] = {group: len(item[group]) for group in LEAVES}
        assert found == LEAVES
        assert len(item["provenance"]["annales_source"]) == 4
        assert {"id", "legacy_id"} <= item.keys()


def test_questions_are_well_formed() -> None:
    for question in QUESTIONS:
        text = question.content.question
        assert text.endswith("?")
        assert len(text) >= 10
        assert not re.search(
            r"\b(this document|the passage above|in the passage|the text above|ce document)\b", text, re.IGNORECASE
        )
    texts = [fold(question.content.question) for question in QUESTIONS]
    assert len(set(texts)) == len(texts)
    assert len({question.id for question in QUESTIONS}) == len(QUESTIONS)


def test_unanswerable_ones_say_what_the_corpus_says() -> None:
    for question in UNANSWERABLE:
        assert question.content.expected_answer == ""
        assert question.classification.answer_type == "unanswerable"
        assert question.provenance.chunk_id
        assert len(question.provenance.answer_explanation or "") > 10
    kinds = Counter(question.classification.hard_type for question in UNANSWERABLE)
    assert len(kinds) == 6
    assert min(kinds.values()) >= 4


def test_the_set_is_balanced() -> None:
    assert len(QUESTIONS) >= 150
    assert 0.25 <= len(UNANSWERABLE) / len(QUESTIONS) <= 0.33
    classes = Counter(question.classification.reasoning_class for question in ANSWERABLE)
    assert 0.40 <= classes["fact_single"] / len(ANSWERABLE) <= 0.50
    assert 0.15 <= classes["summary"] / len(ANSWERABLE) <= 0.25
    assert 0.10 <= classes["reasoning"] / len(ANSWERABLE) <= 0.20
    hard = [question for question in ANSWERABLE if (question.difficulty or 0) >= 0.7]
    assert len(hard) / len(ANSWERABLE) >= 0.10
    assert sum(len(question.provenance.pages) > 1 for question in ANSWERABLE) >= 10
    assert sum(question.requires_context for question in QUESTIONS) >= 3
    for question in ANSWERABLE:
        choices = question.mcq.choices if question.mcq else None
        if choices:
            assert question.mcq is not None
            assert question.mcq.correct_answer == choices[question.mcq.mcq_answer or ""]


def test_the_corpus_is_as_described(chunks: dict[str, Chunk]) -> None:
    documents = {chunk.source: chunk.metadata.get("language") for chunk in chunks.values()}
    assert len(documents) >= 10
    assert sum(language == "fr" for language in documents.values()) == 2
    pages = {(chunk.source, page) for chunk in chunks.values() for page in chunk.metadata["pages"]}
    assert len(pages) >= 60
    assert sum(name.endswith(".pdf") for name in documents) >= 5


def test_bm25_alone_finds_most_but_not_all(project: Path) -> None:
    assert main(["retrieval", "--config", str(project / "assay.yaml"), "--variants", "bm25", "--quiet"]) == 0
    recall = find_run(project / "runs", "last").summary["metrics"]["bm25"]["recall@5"]["mean"]
    assert 0.60 <= recall <= 0.90


def test_the_readme_tells_what_the_rules_reach_on_the_shipped_samples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["extract", str(ROOT / "examples" / "events"), "--json", "--quiet"]) == 0
    found = json.loads(capsys.readouterr().out)["intervals"]
    said = " ".join((ROOT / "README.md").read_text("utf-8").split())
    precision, recall, f1 = (found[name] for name in ("precision", "recall", "f1"))
    assert f"precision {precision['mean']:.3f}, recall {recall['mean']:.3f}, F1 {f1['mean']:.3f}" in said
    assert f"(95 %: {f1['low']:.2f}–{f1['high']:.2f})" in said
