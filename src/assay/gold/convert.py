"""A gold set from any format into any other, and the names of categories from one school into the other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from assay.errors import AssayError
from assay.files import read_json, read_jsonl, write_atomic
from assay.gold.formats.protocol import FORMATS, Bundle, Order, Raw, Written
from assay.gold.leaves import PUBLISHED
from assay.gold.qa import is_qa
from assay.gold.schema import is_gold, is_question

Names = Literal["own", "published"]
TO_PUBLISHED = {
    "AMBIGUOUS": "UNDERSPECIFIED",
    "FALSE_PREMISE": "FALSE_PRESUPPOSITION",
    "COUNTERFACTUAL": "NONSENSICAL",
    "OUT_OF_SCOPE": "OUT_OF_DATABASE",
    "INSUFFICIENT_INFO": "OUT_OF_DATABASE",
    "TEMPORAL_MISMATCH": "OUT_OF_DATABASE",
}
"""The nearest name of UAEval4RAG for each of ours."""
_OF_CASES = frozenset({"expected_ids", "answerable", "grades", "sources", "truth"})
OWN = ("schema-v2", "jsonl", "csv")
"""They write whatever leaves a question has."""
BEFORE = "hard_type_before"
"""The name that was mapped, kept beside the new one: six names onto six are not one to one."""


def detect(path: Path) -> str:
    """The format by what is there, not by the name alone."""
    if path.is_dir():
        return "beir"
    if path.suffix in {".jsonl", ".ndjson"}:
        return "cases" if _is_case(next((item for _, item in read_jsonl(path)), None)) else "jsonl"
    if path.suffix in {".csv", ".tsv"}:
        return "csv"
    data = read_json(path)
    if isinstance(data, dict) and isinstance(data.get("data"), list):
        return "squad"
    if is_qa(data):
        return "qa"
    if is_gold(data):
        return "schema-v2"
    cases = data.get("cases") if isinstance(data, dict) else data
    if isinstance(cases, list) and cases and isinstance(cases[0], dict):
        return "cases"
    expected = "schema v2, SQuAD, a RAG-run corpus, a list of cases, JSON lines, CSV, or a BEIR folder"
    raise AssayError("a format that is not known", where=str(path), expected=expected)


def _is_case(item: Any) -> bool:
    """Told from a row of anybody's own by the keys that only a case has."""
    return isinstance(item, dict) and not is_question(item) and not _OF_CASES.isdisjoint(item)


def read(path: Path, order: Order, form: str | None = None) -> Bundle:
    found = form or detect(path)
    chosen = FORMATS.get("jsonl" if found == "cases" and order.columns and not form else found)
    if chosen.read is None:
        raise AssayError(f"{chosen.name} can only be written")
    bundle = chosen.read(path, order)
    _refuse_duplicates(bundle.raws, path)
    return bundle


def _refuse_duplicates(raws: Sequence[Raw], path: Path) -> None:
    seen: set[Any] = set()
    for raw in raws:
        if raw.get("id") in seen:
            raise AssayError(f"id '{raw.get('id')}' occurs twice", where=str(path))
        seen.add(raw.get("id"))


def write(bundle: Bundle, form: str, order: Order) -> Written:
    chosen = FORMATS.get(form)
    if chosen.write is None:
        raise AssayError(f"{form} can only be read")
    return chosen.write(bundle if form in OWN else _with_groups(bundle), order)


def _with_groups(bundle: Bundle) -> Bundle:
    """Other formats look into groups that a sparse question may lack."""
    raws = tuple(
        {**raw, **{name: _group(raw, name) for name in ("provenance", "classification", "processing")}}
        | {"content": {"is_impossible": False, **raw["content"]}}
        for raw in bundle.raws
    )
    return Bundle(raws=raws, version=bundle.version, passages=bundle.passages, beside=bundle.beside)


def _group(raw: Raw, name: str) -> Raw:
    found = raw.get(name)
    return found if isinstance(found, dict) else {}


def renamed(bundle: Bundle, names: Names) -> Bundle:
    """The categories of the unanswerable in the users' own names or in those of UAEval4RAG; there and back is the
    same."""
    there, back = (TO_PUBLISHED, PUBLISHED) if names == "published" else (PUBLISHED, TO_PUBLISHED)
    raws = tuple(_renamed(raw, there, back) for raw in bundle.raws)
    return Bundle(raws=raws, version=bundle.version, passages=bundle.passages, beside=bundle.beside)


def _renamed(raw: Raw, there: dict[str, str], back: dict[str, str]) -> Raw:
    kind = raw.get("classification")
    name = kind.get("hard_type") if isinstance(kind, dict) else None
    if not isinstance(kind, dict) or not isinstance(name, str) or name not in there:
        return raw
    before = kind.get(BEFORE)
    rest = {key: value for key, value in kind.items() if key not in {BEFORE, "hard_type"}}
    if isinstance(before, str) and back.get(before) == name:
        return raw | {"classification": rest | {"hard_type": before}}
    return raw | {"classification": rest | {"hard_type": there[name], BEFORE: name}}


def save(written: Written, target: Path) -> list[Path]:
    """One file, or a folder of several."""
    paths = []
    for name, text in written.files.items():
        path = target / name if name else target
        write_atomic(path, text)
        paths.append(path)
    return paths
