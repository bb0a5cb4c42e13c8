"""RAG-run corpora: questions with the answer and its documents (`QA_..._gold_v1-0__q50.json`)."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from assay.files import dump_json, line_of, parse_json, read_text
from assay.gold.formats.protocol import (
    ACCEPTED,
    FORMATS,
    OURS,
    Bundle,
    Format,
    Order,
    Raw,
    Written,
    file_for_others,
    file_restored,
    for_others,
    kept,
    restored,
    several,
)
from assay.gold.qa import parse_qa
from assay.gold.schema import BANDS

NAME = "qa"
HOPS = {"single_hop": "single-hop", "multi_hop": "multi-hop"}


def read(path: Path, order: Order) -> Bundle:  # noqa: ARG001
    text = read_text(path)
    data = parse_json(text, str(path))
    list(parse_qa(data, partial(line_of, text), path))  # faults are told with their line
    own = {NAME: {key: value for key, value in data.items() if key != "questions"}}
    version, beside = file_restored(data) or (own, {})
    return Bundle(raws=tuple(_raw(item) for item in data["questions"]), version=version, beside=beside)


def _raw(item: Raw) -> Raw:
    raw = restored(item, item["question_id"], item["question"])
    if OURS not in item:
        answers = several(_answers(item))
        docs = item.get("source_filenames") or [item["source_filename"]] if item.get("source_filename") else []
        docs = item.get("source_filenames") or docs
        raw["content"] |= answers
        raw["provenance"] |= {"docs": list(docs), "chunk_id": next(iter(item.get("expected_chunks") or []), None)}
        raw["classification"] |= {
            "difficulty": BANDS.get(item.get("difficulty") or ""),
            "reasoning_type": HOPS.get(item.get("question_type") or ""),
            "answer_type": "abstractive" if answers["expected_answer"] else None,
        }
        raw[NAME] = {key: value for key, value in item.items() if key not in {"question_id", "question"}}
    return raw


def write(bundle: Bundle, order: Order) -> Written:  # noqa: ARG001
    head = bundle.version.get(NAME, {"metadata": {"version": "1.0"}})
    metadata = head["metadata"] | {"question_count": len(bundle.raws)}
    same = "question_count" not in head["metadata"] and NAME in bundle.version
    questions = [_item(raw) for raw in bundle.raws]
    metadata = head["metadata"] if same else metadata
    data = {**head, **file_for_others(bundle, NAME), "metadata": metadata, "questions": questions}
    return Written({"": dump_json(data, indent=2) + "\n"})


def _item(raw: Raw) -> Raw:
    was, start = kept(raw, NAME), {"question_id": raw["id"], "question": raw["content"]["question"]}
    if was:
        return start | was | _changed(raw, was)
    provenance, kind = raw["provenance"], raw["classification"]
    hops = {ours: theirs for theirs, ours in HOPS.items()}
    return start | {
        "question_type": hops.get(kind.get("reasoning_type") or ""),
        "difficulty": _band(kind.get("difficulty")),
        **({"ground_truth_answer": ""} | _changed(raw, {})),
        "source_filenames": list(provenance.get("docs") or []),
        "expected_chunks": _chunks(raw),
        OURS: for_others(raw, NAME),
    }


def _chunks(raw: Raw) -> list[str]:
    id_ = raw["provenance"].get("chunk_id")
    return [id_] if id_ and not raw["content"]["is_impossible"] else []


def _changed(raw: Raw, was: Raw) -> Raw:
    """Answers that were edited since they were read."""
    content = raw["content"]
    answers = several((content.get("expected_answer") or "", *(content.get(ACCEPTED) or ())))
    if answers == several(_answers(was)):
        return {}
    first, others = answers["expected_answer"], answers.get(ACCEPTED, [])
    return {"ground_truth_answer": [first, *others] if others else first}


def _answers(item: Raw) -> list[str]:
    told = item.get("ground_truth_answer") or ""
    return told if isinstance(told, list) else [told]


def _band(difficulty: float | str | None) -> str | None:
    if difficulty is None or isinstance(difficulty, str):
        return difficulty
    return "easy" if difficulty < 0.33 else "medium" if difficulty <= 0.66 else "hard"


FORMATS.register(NAME)(Format(name=NAME, read=read, write=write))
