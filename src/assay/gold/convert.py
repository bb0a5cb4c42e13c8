"""A gold set from any format into any other, and the names of categories from one school into the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

from assay.errors import AssayError
from assay.files import read_json, read_jsonl, write_atomic
from assay.gold.formats.flat import BY_PATH, rows_in
from assay.gold.formats.protocol import ACCEPTED, FORMATS, OURS, Bundle, Order, Raw, Written, kept
from assay.gold.intake import is_passing, resting
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
ENDINGS = {"squad": ".squad.json", "beir": ".beir", "schema-v2": ".v2.json", "jsonl": ".jsonl", "csv": ".csv"}
ENDINGS |= {"qa": ".qa.json", "triplets": ".triplets.jsonl"}
"""Of what is written, where no other name is given."""
ROWS = ("jsonl", "csv")
OWN = ("schema-v2", *ROWS)
"""They write whatever leaves a question has."""
BEFORE = "hard_type_before"
"""The name that was mapped, kept beside the new one: six names onto six are not one to one."""


class Job(Struct, frozen=True, kw_only=True):
    """What to convert, into what."""

    source: Path
    to: str
    form: str | None = None
    """Of the source; None: by what is there."""
    out: Path | None = None
    """None: beside the source."""
    names: Names | None = None
    order: Order = Order()


class Converted(Struct, frozen=True, kw_only=True):
    """What was written, and what a reader of it should know."""

    path: Path
    questions: int
    lost: dict[str, str]
    """Question id → why it is not there."""
    notes: tuple[str, ...] = ()


def convert(job: Job) -> Converted:
    """Read, renamed where asked for, written. A conversion that would write no question at all is a fault."""
    path, source = job.out or _beside(job), resting(job.source)
    form = job.form or detect(source, mapped=bool(job.order.columns))
    if job.order.columns and "csv" not in {form, job.to} and form != "jsonl":
        raise AssayError(f"--map has no effect on {form}", where=str(job.source), hint="Leave it out")
    bundle = read(source, job.order, form)
    if job.names:
        bundle = renamed(bundle, job.names)
    written = write(bundle, job.to, job.order)
    if len(written.lost) >= len(bundle.raws):
        raise _nothing(job, written)
    save(written, path)
    count = len(bundle.raws) - len(written.lost)
    return Converted(path=path, questions=count, lost=written.lost, notes=tuple(_notes(bundle, form, job)))


def _beside(job: Job) -> Path:
    """With the ending of the format; never the source itself."""
    path = job.source.with_name(job.source.stem + ENDINGS[job.to])
    if is_passing(job.source):
        raise AssayError("nothing stands beside a pipe", where=str(job.source), hint="Name a file with --out FILE")
    if path == job.source:
        raise AssayError(
            f"as {job.to} it would stand in place of itself", where=str(path), hint="Name another with --out"
        )
    return path


def _nothing(job: Job, written: Written) -> AssayError:
    reasons = Counter(written.lost.values()).most_common(3)
    what = f"no question can be written as {job.to}: {', '.join(f'{count} × {why}' for why, count in reasons)}"
    hint = "Nothing was written" if job.to in OWN else f"Nothing was written; {', '.join(OWN)} take every question"
    return AssayError(what, where=str(job.source), hint=hint)


def _notes(bundle: Bundle, form: str, job: Job) -> Iterator[str]:
    """What the schema has one place for, and the source had several of."""
    answers = sum(bool(raw["content"].get(ACCEPTED)) for raw in bundle.raws)
    if answers and form != "schema-v2":
        yield f"{_have(answers)} several answers: the first is expected, those in content.{ACCEPTED} are right too."
    if form in ROWS:
        yield from _not_understood(bundle.raws)
    chunks = sum(_relevant(raw) > 1 for raw in bundle.raws)
    if chunks and form != job.to:
        yield (
            f"{_have(chunks)} several relevant chunks: schema v2 has place for one, the best. "
            f"To measure retrieval on all of them: assay retrieval --gold {job.source}"
        )


def _not_understood(raws: Sequence[Raw]) -> Iterator[str]:
    """Columns of anybody's own are kept; that one of them is the answer, or the place, nobody has said then."""
    lacking = []
    if not any(raw["content"].get("expected_answer") or raw["content"].get("is_impossible") for raw in raws):
        lacking.append("No question has an answer, or says that there is none (answerable: false).")
    if not any(_group(raw, "provenance").get(leaf) for raw in raws for leaf in ("chunk_id", "docs", "pages")):
        lacking.append("No question names a chunk, document or page.")
    known = {path.partition(".")[0] for path in (*BY_PATH, OURS, "answerable", *FORMATS.names())}
    others = sorted({key for raw in raws for key in raw} - known)
    yield from lacking
    if lacking and others:
        yield f"Kept, but not understood: {', '.join(others[:8])}. --map LEAF=COLUMN says what they hold."


def _have(count: int) -> str:
    return "1 question has" if count == 1 else f"{count} questions have"


def _relevant(raw: Raw) -> int:
    """How many chunks the source called relevant to the question."""
    splits = kept(raw, "beir").get("qrels", {})
    graded: list[dict[str, int]] = [*splits.values(), kept(raw, "cases").get("grades", {})]
    most = max(sum(grade > 0 for grade in grades.values()) for grades in graded)
    return max(most, len(kept(raw, "qa").get("expected_chunks") or ()))


def detect(path: Path, *, mapped: bool = False) -> str:
    """The format by what is there, not by the name alone. With a map of its columns anybody's list of rows is known."""
    if path.is_dir():
        return "beir"
    if path.suffix in {".jsonl", ".ndjson"}:
        case = not mapped and any(_is_case(item) for _, item in read_jsonl(path))
        return "cases" if case else "jsonl"
    if path.suffix in {".csv", ".tsv"}:
        return "csv"
    return _json_form(read_json(path), str(path), mapped=mapped)


def _json_form(data: Any, where: str, *, mapped: bool) -> str:
    if mapped and (isinstance(data, list) or _is_flat(data)):
        return "jsonl"
    if isinstance(data, dict) and isinstance(data.get("data"), list):
        return "squad"
    if is_qa(data):
        return "qa"
    if is_gold(data):
        return "schema-v2"
    cases = data.get("cases") if isinstance(data, dict) else data
    if cases == []:
        raise AssayError("holds no question at all", where=where)
    if isinstance(cases, list) and isinstance(cases[0], dict):
        return "cases"
    if mapped:
        return "jsonl"
    expected = "schema v2, SQuAD, a RAG-run corpus, a list of cases, JSON lines, CSV, or a BEIR folder"
    raise AssayError("a format that is not known", where=where, expected=expected)


def _is_case(item: Any) -> bool:
    """Told from a row of anybody's own by the keys that only a case has, and by pages that name their document."""
    if not isinstance(item, dict) or is_question(item):
        return False
    pages = item.get("pages")
    return not _OF_CASES.isdisjoint(item) or (isinstance(pages, list) and any(isinstance(page, dict) for page in pages))


_OF_FORMATS = frozenset({"content", "paragraphs", "question_id"})


def _is_flat(data: Any) -> bool:
    """Rows of anybody's own: not questions of schema v2, articles of SQuAD or questions of a RAG-run corpus."""
    rows = rows_in(data)
    return rows is not None and _OF_FORMATS.isdisjoint(rows[0])


def read(path: Path, order: Order, form: str | None = None) -> Bundle:
    chosen = FORMATS.get(form or detect(path, mapped=bool(order.columns)))
    if chosen.read is None:
        raise AssayError(f"{chosen.name} can only be written")
    bundle = chosen.read(path, order)
    if not bundle.raws:
        raise AssayError("holds no question at all", where=str(path))
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
