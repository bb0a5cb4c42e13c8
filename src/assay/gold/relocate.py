"""After re-chunking: follow the quoted answers to their new chunks, and say what is lost."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct

from assay.corpus.documents import same_document
from assay.corpus.index import Index
from assay.corpus.quotes import fold, stands_in
from assay.gold.enrich import pages_of
from assay.gold.evidence import claim_of
from assay.gold.gold_file import GoldFile
from assay.gold.grounds import Grounds
from assay.gold.schema import Question
from assay.gold.support import Claim, examine
from assay.records import Case, Chunk
from assay.retrievers.analysis import content_words

State = Literal["relocated", "ambiguous", "missing"]
QUOTE_WORDS = 3
"""A shorter answer occurs by chance: it cannot be followed to a new chunk."""


class Moved(Struct, frozen=True):
    """One expected id that is not in the index, and what became of it."""

    case_id: str
    expected_id: str
    state: State
    candidates: tuple[str, ...]
    how: str


Search = Callable[[Sequence[str]], list[Sequence[str]]]
"""Texts → ids of the chunks most like each."""


def follow(
    absent: Sequence[tuple[Case, str]], index: Index, search: Search, old: Index | None = None
) -> Iterable[Moved]:
    """What became of each (case, expected id) that the index does not have.

    By the old chunk's own text where the old index is there, else by the answer, which is a quote.
    """
    texts = old.chunks(id_ for _, id_ in absent) if old else {}
    by_hash = _by_hash(index) if texts else {}
    found = search([case.answer or "" for case, _ in absent])
    for (case, id_), ids in zip(absent, found, strict=True):
        same = by_hash.get(_hash(texts[id_].text), ()) if id_ in texts else ()
        if same:
            yield _moved(case.id, id_, same, "same text")
        else:
            yield _moved(case.id, id_, *_quoted(case, index.chunks(ids)))


def _quoted(case: Case, candidates: Mapping[str, Chunk]) -> tuple[Sequence[str], str]:
    """Chunks that hold the answer word for word, those of the right document first."""
    quote = fold(case.answer or "")
    if len(quote.split()) < QUOTE_WORDS:
        return (), "no answer long enough to be followed"
    holding = [chunk for chunk in candidates.values() if stands_in(quote, fold(chunk.text))]
    source = case.pages[0].document if case.pages else case.tags.get("source")
    at_home = [chunk for chunk in holding if source and same_document(chunk.source, source)]
    return [chunk.id for chunk in at_home or holding], "same answer" if holding else "the answer is nowhere"


def _moved(case_id: str, expected_id: str, candidates: Sequence[str], how: str) -> Moved:
    state: State = "missing" if not candidates else "relocated" if len(candidates) == 1 else "ambiguous"
    return Moved(case_id, expected_id, state, tuple(sorted(candidates)), how)


def _by_hash(index: Index) -> dict[str, list[str]]:
    by_hash: dict[str, list[str]] = {}
    for id_, text in zip(index.ids, index.texts(), strict=True):
        by_hash.setdefault(_hash(text), []).append(id_)
    return by_hash


def _hash(text: str) -> str:
    return hashlib.sha256(fold(text).encode("utf-8", "surrogatepass")).hexdigest()


CANDIDATES = 50


class Relocation(Struct, frozen=True, kw_only=True):
    """What became of each question of a gold set in a new index."""

    present: tuple[str, ...]
    """Questions whose chunk is still there, and still holds the answer: ids that count come again with other texts; and
    unanswerable ones that never named any."""
    moved: dict[str, str]
    """Question → its new chunk."""
    how: dict[str, str]
    """Question → by what it was followed, or why it is lost."""
    lost: tuple[str, ...]
    by_text: bool
    """Whether the old index was there, so that the texts of the old chunks were followed too."""
    raws: tuple[Any, ...]
    """The questions with their new chunks; a lost one keeps the old id, so that `verify` names it."""


def relocate_gold(gold: GoldFile, grounds: Grounds, old: Index | None = None) -> Relocation:
    """Follow every question to the new index: by the text of its old chunk, its quoted answer, or its words."""
    texts = old.chunks(q.provenance.chunk_id or "" for q in gold.questions) if old else {}
    here = grounds.chunks(q.provenance.chunk_id or "" for q in gold.questions)
    named = [question for question in gold.questions if _can_be_followed(question)]
    quotes = {q.id: _contradiction(raw) for q, raw in zip(gold.questions, gold.raws, strict=True)}
    absent = [each for each in named if not _stays(each, quotes[each.id], here, texts, grounds)]
    cases = {question.id: _case(question, quotes[question.id]) for question in gold.questions}
    pairs = [(cases[question.id], question.provenance.chunk_id or "") for question in absent]
    followed = follow(pairs, grounds.index, lambda texts: list(grounds.by_words(texts, CANDIDATES)), old)
    moved, how = dict[str, str](), dict[str, str]()
    for question, found in zip(absent, followed, strict=True):
        target, by = _target(question, cases[question.id], found, grounds)
        if target is None and question.content.is_impossible and found.expected_id in texts:
            target, by = _most_of(texts[found.expected_id], question, grounds), "most of its old text"
        lost_context = target is None and question.content.is_impossible
        how[question.id] = "the chunk it was written from is nowhere" if lost_context else by
        if target:
            moved[question.id] = target
    bare = [question for question in gold.questions if not _can_be_followed(question)]
    homeless = tuple(question.id for question in bare if not question.content.is_impossible)
    how |= dict.fromkeys(homeless, "it names no chunk and has no answer")
    lost = (*(question.id for question in absent if question.id not in moved), *homeless)
    present = tuple(q.id for q in gold.questions if q.id not in how)
    targets = grounds.chunks(moved.values())
    for question in absent:
        if question.id in moved:
            how[question.id] += _otherwhere(question, targets[moved[question.id]])
    pairs_of_raws = zip(gold.questions, gold.raws, strict=True)
    raws = tuple(_with_chunk(raw, q, targets.get(moved.get(q.id, ""))) for q, raw in pairs_of_raws)
    return Relocation(present=present, moved=moved, how=how, lost=lost, by_text=old is not None, raws=raws)


def _can_be_followed(question: Question) -> bool:
    """A set that was written by hand names documents, not chunks: the quoted answer finds them, or the page."""
    place = question.provenance
    told = question.content.expected_answer or (place.docs and place.pages)
    return bool(place.chunk_id or (told and not question.content.is_impossible))


def _stays(
    question: Question, quote: str, here: Mapping[str, Chunk], texts: Mapping[str, Chunk], grounds: Grounds
) -> bool:
    """Whether the chunk of that id is the same as before, as far as can be told: by its text, by the place it
    stands at and by the answer, or the quote that contradicts a false premise."""
    id_ = question.provenance.chunk_id or ""
    if id_ not in here:
        return False
    if id_ in texts:
        return fold(texts[id_].text) == fold(here[id_].text)
    if not _is_in_its_place(question, here[id_]):
        return False
    if question.content.is_impossible and not quote:
        return True
    claim = Claim(answer=quote) if question.content.is_impossible else claim_of(question)
    return examine(claim, here[id_].text, grounds.language(here[id_])).method() is not None


def _is_in_its_place(question: Question, chunk: Chunk) -> bool:
    """In the document and on a page that the question names: ids that count come again at other places."""
    return not _is_elsewhere(question, chunk) and (
        not question.provenance.pages or not pages_of(chunk) or _is_on_its_page(question, chunk)
    )


def _most_of(before: Chunk, question: Question, grounds: Grounds) -> str | None:
    """The chunk of the same document that shares most words with the old one: at least half of the smaller."""
    language = grounds.language(before)
    words = content_words(before.text, language)
    found = grounds.chunks(grounds.by_words([before.text], CANDIDATES)[0])
    shares = []
    for chunk in found.values():
        others = content_words(chunk.text, language)
        if same_document(chunk.source, before.source) and words and others:
            shares.append((len(words & others) / min(len(words), len(others)), chunk))
    enough = [(_is_on_its_page(question, chunk), share, chunk.id) for share, chunk in shares if share >= 0.5]
    return max(enough)[2] if enough else None


def _contradiction(raw: Any) -> str:
    holder = raw.get("provenance") if isinstance(raw, dict) else None
    quote = holder.get("contradiction") if isinstance(holder, dict) else None
    return quote if isinstance(quote, str) else ""


def _case(question: Question, quote: str) -> Case:
    """What is followed: the answer; of an unanswerable question, what the corpus says instead."""
    instead = quote or question.provenance.answer_explanation
    docs = question.provenance.docs
    return Case(
        id=question.id,
        question=question.content.question,
        answer=instead if question.content.is_impossible else question.content.expected_answer,
        tags={"source": docs[0]} if docs else {},
    )


def _target(question: Question, case: Case, found: Moved, grounds: Grounds) -> tuple[str | None, str]:
    if found.state == "relocated":
        return found.candidates[0], found.how
    if found.state == "ambiguous":
        chunks = list(grounds.chunks(found.candidates).values())
        at_home = [chunk for chunk in chunks if _is_on_its_page(question, chunk)]
        chosen = _most_around(case.answer or "", at_home or chunks)
        return chosen, f"{found.how}, in {len(found.candidates)} chunks: the one with most text around it"
    if by_words := _by_words(question, case, grounds):
        return by_words, "same words"
    alone = None if question.provenance.chunk_id else _alone_on_its_page(question, grounds)
    return alone, "the only chunk of its page" if alone else found.how


def _alone_on_its_page(question: Question, grounds: Grounds) -> str | None:
    """Of a question that names no chunk, and whose answer is no quote: what its page is, if that is one chunk."""
    docs, pages = question.provenance.docs, question.provenance.pages
    found = grounds.on_pages(docs[0], pages) if docs and len(pages) == 1 else set()
    return next(iter(found)) if len(found) == 1 else None


def _most_around(quote: str, chunks: Iterable[Chunk]) -> str:
    """Overlapping chunks hold the same sentence: where it stands least near an edge, it has most of its context."""
    wanted = fold(quote)

    def margin(chunk: Chunk) -> int:
        text = fold(chunk.text)
        start = max(text.find(wanted), 0)
        return min(start, len(text) - start - len(wanted))

    return max(chunks, key=lambda chunk: (margin(chunk), chunk.id)).id


def _by_words(question: Question, case: Case, grounds: Grounds) -> str | None:
    """The chunk of the same document with most of the answer's words, all its numbers and no turned negation."""
    claim = Claim(answer=case.answer or "", question=question.content.question)
    text = f"{case.answer or ''} {question.content.question}"
    chunks = grounds.chunks(grounds.by_words([text], CANDIDATES)[0])
    docs = question.provenance.docs
    best: tuple[bool, float, str] | None = None
    for chunk in chunks.values():
        if (docs and not same_document(chunk.source, docs[0])) or _is_far(question, chunk):
            continue
        support = examine(claim, chunk.text, grounds.language(chunk))
        found = (_is_on_its_page(question, chunk), support.coverage or 0.0, chunk.id)
        if support.method() and (best is None or found[:2] > best[:2]):
            best = found
    return best[2] if best else None


def _is_on_its_page(question: Question, chunk: Chunk) -> bool:
    """Pages stay where they are when chunks are cut anew: the same words on another page are another place."""
    return bool(set(question.provenance.pages or ()) & set(pages_of(chunk)))


def _is_far(question: Question, chunk: Chunk) -> bool:
    """From the page that a question without a chunk names, which is all that is known of its place. An answer may run
    over onto the next page."""
    pages, there = question.provenance.pages, pages_of(chunk)
    known = bool(pages and there) and not question.provenance.chunk_id
    return known and min(abs(page - other) for page in pages for other in there) > 1


def _otherwhere(question: Question, chunk: Chunk) -> str:
    """What is said of a chunk that does not stand where the question says."""
    if _is_elsewhere(question, chunk):
        return " in another document"
    pages = question.provenance.pages and pages_of(chunk)
    return " on another page" if pages and not _is_on_its_page(question, chunk) else ""


def _is_elsewhere(question: Question, chunk: Chunk) -> bool:
    """In a document of another name: it was renamed, or another one says the same."""
    docs = question.provenance.docs
    return bool(docs and chunk.source) and not same_document(docs[0], chunk.source)


def _with_chunk(raw: Any, question: Question, chunk: Chunk | None) -> Any:
    """The pages are those of the new chunk where it stands on none of the old ones; so is the document. Pages that a
    person cited, and no chunk, stay beside them."""
    if chunk is None:
        return raw
    pages, docs = pages_of(chunk), question.provenance.docs
    changed: dict[str, Any] = {"chunk_id": chunk.id}
    elsewhere = _is_elsewhere(question, chunk)
    if not docs:
        changed |= {"docs": [chunk.source], "pages": list(question.provenance.pages or pages)}
    if elsewhere:
        changed["docs"] = [chunk.source, *(name for name in docs[1:] if not same_document(name, chunk.source))]
    if pages and question.provenance.pages and (elsewhere or not _is_on_its_page(question, chunk)):
        cited = () if question.provenance.chunk_id or elsewhere else question.provenance.pages
        changed["pages"] = [*cited, *pages]
    return {**raw, "provenance": {**raw["provenance"], **changed}}
