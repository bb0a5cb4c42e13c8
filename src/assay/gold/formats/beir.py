"""BEIR: a folder with `corpus.jsonl`, `queries.jsonl` and `qrels/*.tsv`."""

from __future__ import annotations

from pathlib import Path

from assay.errors import AssayError
from assay.files import dump_json, read_json, read_jsonl
from assay.gold.formats.protocol import (
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
    passages_of,
    restored,
)

NAME = "beir"
ABOUT = "assay.json"
"""What a schema-v2 file says of itself: BEIR has no place for it."""
HEAD = "query-id\tcorpus-id\tscore\n"


def read(path: Path, order: Order) -> Bundle:  # noqa: ARG001
    from assay.trec import read_qrels

    files = sorted((path / "qrels").glob("*.tsv"))
    if not (path / "queries.jsonl").exists() or not files:
        raise AssayError("not a BEIR folder", where=str(path), expected="queries.jsonl and qrels/*.tsv")
    splits = {file.stem: read_qrels(file) for file in files}
    raws = []
    for number, item in read_jsonl(path / "queries.jsonl"):
        if not isinstance(item, dict) or not isinstance(item.get("_id"), str) or not isinstance(item.get("text"), str):
            where = f"{path / 'queries.jsonl'}:{number}"
            raise AssayError("not a query", where=where, expected='{"_id": ..., "text": ...}')
        grades = {name: dict(found[item["_id"]]) for name, found in splits.items() if item["_id"] in found}
        raws.append(_raw(item, grades))
    corpus = path / "corpus.jsonl"
    passages = {item["_id"]: _passage(item) for _, item in read_jsonl(corpus)} if corpus.exists() else {}
    about = read_json(path / ABOUT) if (path / ABOUT).exists() else {}
    version, beside = (file_restored(about) if isinstance(about, dict) else None) or ({}, {})
    return Bundle(raws=tuple(raws), version=version, passages=passages, beside=beside)


def _raw(item: Raw, grades: dict[str, dict[str, int]]) -> Raw:
    metadata = item.get("metadata") if isinstance(item.get("metadata"), dict) else {}
    raw = restored(metadata or {}, item["_id"], item["text"])
    best = max(((grade, id_) for found in grades.values() for id_, grade in found.items() if grade > 0), default=None)
    if best and not raw["provenance"].get("chunk_id"):
        raw["provenance"]["chunk_id"] = best[1]
    extra = {key: value for key, value in item.items() if key not in {"_id", "text"}}
    if isinstance(extra.get("metadata"), dict):
        extra["metadata"] = {key: value for key, value in extra["metadata"].items() if key != OURS}
    if OURS not in (metadata or {}) or extra != {"metadata": {}} or grades != _grades(raw):
        raw[NAME] = {"qrels": grades, "item": extra}
    return raw


def _grades(raw: Raw) -> dict[str, dict[str, int]]:
    """Of a question of ours: its chunk, where it has an answer."""
    chunk_id = raw["provenance"].get("chunk_id")
    return {"test": {chunk_id: 1}} if chunk_id and not raw["content"].get("is_impossible") else {}


def _passage(item: Raw) -> Raw:
    rest = {key: value for key, value in item.items() if key not in {"_id", "text"}}
    return {"text": item.get("text", ""), "source": item.get("title") or "", "beir": rest}


def write(bundle: Bundle, order: Order) -> Written:
    """An unanswerable question has no relevant chunk; it is a query that no qrels name."""
    passages = {**bundle.passages, **passages_of(bundle, order)}
    queries, qrels = [], dict[str, list[str]]()
    for raw in bundle.raws:
        was = kept(raw, NAME)
        item = was.get("item", {"metadata": {}})
        own = {} if was else {"metadata": item.get("metadata", {}) | {OURS: for_others(raw, NAME)}}
        queries.append({"_id": raw["id"], "text": raw["content"]["question"]} | item | own)
        grades = was.get("qrels", {"test": {}} | _grades(raw))
        for split, found in grades.items():
            lines = qrels.setdefault(split, [])
            lines += [f"{raw['id']}\t{id_}\t{grade}\n" for id_, grade in found.items()]
    corpus = [{"_id": id_, "text": found["text"]} | found.get("beir", _title(found)) for id_, found in passages.items()]
    files = {"queries.jsonl": _lines(queries), "corpus.jsonl": _lines(corpus)}
    if about := file_for_others(bundle, NAME):
        files[ABOUT] = dump_json(about) + "\n"
    lost = {} if corpus else dict.fromkeys((raw["id"] for raw in bundle.raws), "no text is known; use --index")
    return Written(files | {f"qrels/{split}.tsv": HEAD + "".join(lines) for split, lines in qrels.items()}, lost)


def _title(found: Raw) -> Raw:
    """With the document once more under our own name for it: of BEIR alone each text would be its own document."""
    source = found.get("source") or ""
    return {"title": source} | ({"source": source} if source else {})


def _lines(items: list[Raw]) -> str:
    return "".join(dump_json(item) + "\n" for item in items)


FORMATS.register(NAME)(Format(name=NAME, read=read, write=write))
