"""A small corpus and a gold set about it that passes every gate: what the planted defects are planted into."""

# ruff: noqa: E501 (a row of a table is one line)
from __future__ import annotations

import copy
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from small_index import write_index

from assay.config import Config, EmbedderOptions
from assay.corpus.index import Index
from assay.embedders import create
from assay.gold.gold_file import GoldFile, read_gold_file
from assay.gold.verify import Verification, verify
from assay.records import Chunk

Raw = dict[str, Any]
Change = Callable[[list[Raw]], None]

CORPUS = {
    "lending.pdf": [
        (1, ("Adult readers may borrow twelve books for three weeks. A loan is renewed at the desk or by telephone, twice "
            "at most. Reference books are not lent to anybody. Newspapers are kept in the reading room for ninety days.")),
        (2, ("A lost card is replaced for 4 pounds. The first card costs nothing. Children under ten need the signature of "
            "a parent before they get a card of their own. Cards are valid for five years from the day of issue.")),
    ],
    "fines.pdf": [
        (1, ("The fine for a late book is 20 pence a day. It never exceeds 9 pounds for one book. Readers over seventy pay "
            "no fines. A damaged book is valued by the binder, Mr Osric Tarn, who writes a report within a week.")),
        (3, ("Unpaid fines above 15 pounds close the account. The account is opened again on the day after payment. Fines "
            "are paid in cash or by card at the desk, never by cheque. A receipt is printed for every payment.")),
    ],
    "rooms.md": [
        (1, ("The Larch Room seats 24 people and costs 18 pounds an hour. The Alder Room seats 60 people and costs 35 "
            "pounds an hour. Both rooms are booked with Ms Petra Quill. Schools of the town use the Larch Room for free.")),
        (2, ("A booking is cancelled without charge until 48 hours before it begins. After that half of the price is due. "
            "Food may be served in the Alder Room, but red wine is forbidden because of the carpet from 1931.")),
    ],
    "archive.txt": [
        (1, ("The archive keeps the parish registers from 1584 to 1901. Registers are shown in the vault on Tuesdays. "
            "Visitors wear gloves and write with pencils only. Photographs are allowed without flash for private study.")),
        (2, ("The map of the river by Edwin Sallow was drawn in 1742 on vellum. It was restored in 1998 after the flood. "
            "The restoration cost 6200 pounds and was paid by the Guild of Weavers. Copies are sold at the desk.")),
    ],
    "staff.md": [
        (1, ("The head librarian is Ida Marwick. Deputies are chosen by the trustees for four years. Volunteers work two "
            "mornings a month and are trained by the deputy. Keys are returned to the safe every evening by the porter.")),
        (2, ("Staff report a fire by breaking the glass beside the stairs. The porter then opens the garden gate and counts "
            "the readers on the lawn. The lift must not be used during an alarm. Drills are held every April and October.")),
    ],
}  # fmt: skip
"""Document → (page, text) of each of its chunks."""

KINDS = ("fact_single", "summary", "reasoning")
TYPES = ("factual", "procedural", "scenario", "comparative")
LEVELS = ("Remember", "Understand", "Apply", "Analyze")

ANSWERABLE = [
    ("lending.pdf-1", "How many volumes can a grown-up take home at once?", "Adult readers may borrow twelve books"),
    ("lending.pdf-1", "In which ways can somebody extend a loan?", "at the desk or by telephone, twice at most"),
    ("lending.pdf-2", "What does somebody pay whose library card has gone missing?", "replaced for 4 pounds"),
    ("fines.pdf-1", "Up to what sum can being late with a single title add up?", "It never exceeds 9 pounds for one book"),
    ("fines.pdf-1", "Who judges what a spoiled volume is worth?", "valued by the binder, Mr Osric Tarn"),
    ("fines.pdf-3", "When does a reader lose access because of money owed?", "Unpaid fines above 15 pounds close the account"),
    ("rooms.md-1", "Who takes reservations for the meeting spaces?", "Both rooms are booked with Ms Petra Quill"),
    ("rooms.md-1", "Which of the two spaces suits a lecture for fifty?", "The Alder Room seats 60 people"),
    ("rooms.md-2", "What is owed when somebody calls off an event the evening before?", "After that half of the price is due"),
    ("archive.txt-1", "Which years do the church records span?", "the parish registers from 1584 to 1901"),
    ("archive.txt-2", "Which body financed the repair of the old chart?", "was paid by the Guild of Weavers"),
    ("staff.md-1", "For how long does a deputy hold office?", "Deputies are chosen by the trustees for four years"),
    ("staff.md-2", "What does the doorkeeper do once an alarm is raised?", "opens the garden gate and counts the readers"),
    ("staff.md-2", "Which months see an evacuation exercise?", "Drills are held every April and October"),
]  # fmt: skip
UNANSWERABLE = [
    ("OUT_OF_SCOPE", "lending.pdf-1", "Which publisher prints the most atlases in Scotland?", "Publishers are not mentioned."),
    ("INSUFFICIENT_INFO", "archive.txt-2", "What is the weight of the vellum sheet?", "Its weight is not given."),
    ("FALSE_PREMISE", "fines.pdf-3", "To whom is the cheque for overdue charges made out?", "Fines are paid in cash or by card at the desk, never by cheque."),
    ("TEMPORAL_MISMATCH", "rooms.md-1", "What was the hourly rent of the smaller hall in 1960?", "Only the present price, 18 pounds, is given."),
    ("AMBIGUOUS", "rooms.md-1", "How much does it cost for an hour?", "The two rooms have different prices."),
    ("COUNTERFACTUAL", "archive.txt-2", "What would have become of the town if the flood had been higher?", "Nothing is said about it."),
]  # fmt: skip


def chunks() -> list[Chunk]:
    return [
        Chunk(id=f"{source}-{page}", text=text, source=source, page=page, tokens=len(text.split()))
        for source, pages in CORPUS.items()
        for page, text in pages
    ]


def raw_question(number: int, chunk_id: str, question: str, answer: str, **kinds: Any) -> Raw:
    source, page = chunk_id.rsplit("-", 1)
    return {
        "id": f"q{number:02d}",
        "legacy_id": None,
        "content": {"question": question, "expected_answer": answer, "is_impossible": False},
        "mcq": dict.fromkeys(("original_question", "choices", "mcq_answer", "correct_answer", "original_answer")),
        "provenance": {
            "chunk_id": chunk_id,
            "docs": [source],
            "pages": [int(page)],
            "article_reference": None,
            "answer_explanation": "It is said there.",
            "annales_source": dict.fromkeys(("session", "uv", "question_num", "success_rate")),
        },
        "classification": {
            "category": source.partition(".")[0],
            "keywords": ["library"],
            "difficulty": 0.8 if number % 5 == 0 else 0.3,
            "question_type": TYPES[number % 4],
            "cognitive_level": LEVELS[number % 4],
            "reasoning_type": "single-hop",
            "reasoning_class": KINDS[number % 3] if number % 6 else "fact_single",
            "answer_type": "extractive",
            "hard_type": "ANSWERABLE",
        },
        "validation": {
            "status": "VALIDATED",
            "method": "verbatim",
            "reviewer": None,
            "answer_current": True,
            "verified_date": "2026-11-01",
            "pages_verified": True,
            "batch": "1-001",
        },
        "processing": {
            "chunk_match_score": 100,
            "chunk_match_method": "by_design_input",
            "reasoning_class_method": "model",
            "triplet_ready": True,
            "extraction_flags": [],
            "answer_source": "chunk",
            "quality_score": 1.0,
        },
        "audit": {"history": [], "qat_revalidation": None, "requires_inference": False},
    } | kinds


def raw_unanswerable(number: int, category: str, chunk_id: str, question: str, truth: str) -> Raw:
    raw = raw_question(number, chunk_id, question, "")
    raw["content"]["is_impossible"] = True
    raw["provenance"]["answer_explanation"] = truth
    raw["classification"] |= {
        "reasoning_type": "adversarial",
        "reasoning_class": "adversarial",
        "answer_type": "unanswerable",
        "hard_type": category,
    }
    raw["processing"] |= {"triplet_ready": False, "answer_source": None, "quality_score": None}
    return raw


@cache
def _clean() -> str:
    questions = [raw_question(number, *row) for number, row in enumerate(ANSWERABLE)]
    first = len(questions)
    questions += [raw_unanswerable(first + number, *row) for number, row in enumerate(UNANSWERABLE)]
    return json.dumps(questions)


def clean() -> list[Raw]:
    found: list[Raw] = json.loads(_clean())
    return found


def gold_file(raws: list[Raw], folder: Path, version: Raw | None = None) -> GoldFile:
    path = folder / "gold.json"
    version = {"schema": "GS_SCHEMA_V2"} | (version or {})
    path.write_text(json.dumps({"version": version, "questions": copy.deepcopy(raws)}), encoding="utf-8")
    return read_gold_file(path)


@cache
def index() -> Index:
    """With the vectors of the shipped embedder, made once."""
    found = chunks()
    vectors = create(EmbedderOptions()).embed([chunk.text for chunk in found], kind="document")
    return write_index(Path(mkdtemp()) / "corpus.db", found, vectors=vectors)


def verified(raws: list[Raw], folder: Path, config: Config | None = None, version: Raw | None = None) -> Verification:
    return verify(gold_file(raws, folder, version), index(), config or Config())


def failed(verification: Verification) -> dict[str, list[str | None]]:
    """The questions named by each gate that failed."""
    return {
        outcome.gate: [failure.question for failure in outcome.failures]
        for outcome in verification.outcomes
        if outcome.status == "failed"
    }
