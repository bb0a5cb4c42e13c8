"""Write `gold.json` (schema v2) from the questions in `sources/` and the index of `documents/`.

Each question was written from one passage, and quotes it. The chunk that holds the quote is its chunk:
the link is found in the text, never guessed. `--check` verifies that the shipped file is up to date.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from assay.corpus.index import Index
from assay.corpus.quotes import fold
from assay.records import Chunk
from assay.retrievers.analysis import content_words

HERE = Path(__file__).parent
REVIEWED = "2026-11-15"


def main() -> int:
    index = Index.open(HERE / "corpus.db")
    chunks = list(index.chunks(index.ids).values())
    sequence: Counter[str] = Counter()
    questions = [question(row, chunks, sequence, batch) for batch in ("a", "b") for row in rows(batch)]
    impossible = sum(q["content"]["is_impossible"] for q in questions)
    version = {
        "schema": "GS_SCHEMA_V2",
        "corpus": "orrin",
        "created": REVIEWED,
        "question_count": len(questions),
        "unanswerable_count": impossible,
    }
    text = (
        json.dumps({"version": version, "questions": questions}, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
    )
    target = HERE / "gold.json"
    if "--check" in sys.argv:
        return 0 if target.read_text(encoding="utf-8") == text else 1
    target.write_text(text, encoding="utf-8")
    print(f"{len(questions)} questions, {impossible} of them unanswerable")
    return 0


def rows(batch: str) -> list[dict[str, Any]]:
    text = (HERE / "sources" / f"questions-{batch}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def chunk_of(quote: str, document: str, chunks: list[Chunk]) -> Chunk:
    """The chunk that holds the quote; where overlapping chunks do, the one that has most text around it."""
    wanted = fold(quote)

    def margin(chunk: Chunk) -> int:
        text = fold(chunk.text)
        start = text.index(wanted)
        return min(start, len(text) - start - len(wanted))

    holding = [chunk for chunk in chunks if chunk.source == document and wanted in fold(chunk.text)]
    if not holding:
        raise SystemExit(f"no chunk of {document} holds: {quote}")
    return max(holding, key=lambda chunk: (margin(chunk), chunk.id))


def question(row: dict[str, Any], chunks: list[Chunk], sequence: Counter[str], batch: str) -> dict[str, Any]:
    first = row["evidence"][0]
    chunk = chunk_of(first["quote"], first["doc"], chunks)
    absent = row.get("unanswerable")
    exam, mcq = row.get("exam") or {}, row.get("mcq")
    source = first["doc"].rsplit(".", 1)[0]
    sequence[source] += 1
    digest = hashlib.sha256(row["question"].encode()).hexdigest()[:8]
    return {
        "id": f"orrin:{source}:{row['category']}:{sequence[source]:03d}:{digest}",
        "legacy_id": row["key"],
        "content": {
            "question": row["question"],
            "expected_answer": row["answer"],
            "is_impossible": absent is not None,
        },
        "mcq": {
            "original_question": mcq["original_question"] if mcq else None,
            "choices": mcq["choices"] if mcq else None,
            "mcq_answer": mcq["mcq_answer"] if mcq else None,
            "correct_answer": mcq["choices"][mcq["mcq_answer"]] if mcq else None,
            "original_answer": row["answer"] if mcq else None,
        },
        "provenance": {
            "chunk_id": chunk.id,
            "docs": list(dict.fromkeys(e["doc"] for e in row["evidence"])),
            "pages": list(dict.fromkeys(e["page"] for e in row["evidence"])),
            "article_reference": None,
            "answer_explanation": absent["corpus_truth"] if absent else row["explanation"],
            "annales_source": {key: exam.get(key) for key in ("session", "uv", "question_num", "success_rate")},
        },
        "classification": {
            "category": row["category"],
            "keywords": row["keywords"],
            "difficulty": row["difficulty"],
            "question_type": row["question_type"],
            "cognitive_level": row["cognitive_level"],
            "reasoning_type": "adversarial" if absent else row["reasoning_type"],
            "reasoning_class": "adversarial" if absent else row["reasoning_class"],
            "answer_type": "unanswerable" if absent else "multiple_choice" if mcq else row["answer_type"],
            "hard_type": absent["category"] if absent else "ANSWERABLE",
        },
        "validation": {
            "status": "VALIDATED",
            "method": "quote_in_chunk",
            "reviewer": None,
            "answer_current": True,
            "verified_date": REVIEWED,
            "pages_verified": True,
            "batch": f"orrin-{batch}",
        },
        "processing": {
            "chunk_match_score": 100,
            "chunk_match_method": "by_design_input",
            "reasoning_class_method": "author",
            "triplet_ready": absent is None,
            "extraction_flags": [],
            "answer_source": "chunk" if not absent else None,
            "quality_score": None if absent else coverage(row["answer"], chunk),
        },
        "audit": {
            "history": ["requires_context"] if row.get("requires_context") else [],
            "qat_revalidation": None,
            "requires_inference": row["reasoning_class"] in {"reasoning", "arithmetic"},
        },
    }


def coverage(answer: str, chunk: Chunk) -> float:
    """Share of the answer's content words, but for a leading yes or no, that stand in the chunk."""
    language = str(chunk.metadata.get("language", "en"))
    words = content_words(re.sub(r"^(Yes|No|Oui|Non)\b", "", answer), language)
    return round(len(words & content_words(chunk.text, language)) / len(words), 3) if words else 1.0


if __name__ == "__main__":
    sys.exit(main())
