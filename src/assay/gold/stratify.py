"""Phase 0: which chunks may get questions, in which strata, and how many questions each stratum gives."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

from msgspec import Struct

from assay.config import GoldOptions
from assay.corpus.index import Index
from assay.errors import AssayError
from assay.records import Chunk

OTHERS = "others"
"""The stratum of sources that no pattern fits."""


class Unfit(Struct, frozen=True):
    """A chunk that gets no question, and why."""

    chunk_id: str
    reason: str


class Stratum(Struct, frozen=True, kw_only=True):
    """A part of the corpus, how many questions it gives, and from which chunks they are written."""

    name: str
    documents: tuple[str, ...]
    chunks: int
    fit: int
    quota: int
    answerable: int
    unanswerable: int
    chosen: tuple[str, ...]
    """Chunks for answerable questions."""
    chosen_unanswerable: tuple[str, ...]


class Strata(Struct, frozen=True, kw_only=True):
    """`chunk_strata.json`."""

    input: str
    """What it was made from: index and settings."""
    asked: int
    target: int
    """What the quotas sum to: what was asked for, or what the corpus can give if that is less."""
    capacity: int
    strata: tuple[Stratum, ...]
    unfit: tuple[Unfit, ...]
    remarks: tuple[str, ...]


class _Part(Struct, frozen=True):
    name: str
    documents: tuple[str, ...]
    chunks: int
    fit: tuple[str, ...]


def stratify(index: Index, options: GoldOptions, seed: int, input_hash: str) -> Strata:
    """Quotas in proportion to the fit chunks, with a floor, that sum exactly to the target."""
    chunks = [(chunk.id, chunk.source, _why_not(chunk, options)) for chunk in _documents(index)]
    unfit = [Unfit(id_, reason) for id_, _, reason in chunks if reason]
    parts = _parts(chunks, options.strata)
    capacities = {part.name: _capacity(len(part.fit), options) for part in parts}
    capacity = sum(capacities.values())
    if not capacity:
        raise AssayError(
            f"none of its {len(chunks)} chunks can carry a question",
            where=str(index.path),
            hint=_reasons(unfit) or "Index some documents first",
        )
    target = min(options.target, capacity)
    weights = {part.name: len(part.fit) for part in parts}
    quotas = apportion(target, weights, floor=options.floor, limits=capacities)
    absent = _unanswerable(quotas, target, options, weights)
    strata = tuple(_stratum(part, quotas[part.name], absent[part.name], options, seed) for part in parts)
    return Strata(
        input=input_hash,
        asked=options.target,
        target=target,
        capacity=capacity,
        strata=strata,
        unfit=tuple(unfit),
        remarks=_remarks(options, target, strata, unfit),
    )


def _documents(index: Index, at_once: int = 2048) -> Iterator[Chunk]:
    """The chunks of documents, some at a time: their texts are not held."""
    for start in range(0, len(index.ids), at_once):
        found = index.chunks(index.ids[start : start + at_once])
        yield from (chunk for chunk in found.values() if chunk.lane == "document")


# --- fit or not --------------------------------------------------------------------------------------------------

_LEADER = re.compile(r"\.{4}|(?:\. ){4}|…")
_CONTENTS = re.compile(r"table of contents|contents|sommaire|table des mati[eè]res", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{2,}")
_LEADERS = 3
"""Lines with dots that lead to a page number, from which on it is a table of contents."""


def _why_not(chunk: Chunk, options: GoldOptions) -> str | None:
    return _other_language(chunk, options) or why_unfit(chunk, options.minimum_tokens)


def _other_language(chunk: Chunk, options: GoldOptions) -> str | None:
    """Questions in another language than their chunk's are refused by G3-3: none is asked for, unless it is off."""
    gate, told = options.gates.get("G3-3"), chunk.metadata.get("language")
    if options.language == "auto" or (gate and gate.severity == "off") or not isinstance(told, str):
        return None
    return None if told[:2].lower() == options.language else f"not in the language asked for ({options.language})"


def why_unfit(chunk: Chunk, minimum_tokens: int) -> str | None:
    """Nothing can be asked about a table of contents, a heading alone, or a rest of a page."""
    tokens = chunk.tokens or len(chunk.text.split())
    if tokens < minimum_tokens:
        return f"shorter than {minimum_tokens} tokens"
    lines = [line.strip() for line in chunk.text.splitlines() if line.strip()]
    numbered = [line for line in lines if _ends_in_number(line)]
    titled = any(_CONTENTS.fullmatch(line.strip("#*_= ")) for line in lines)
    if sum(bool(_LEADER.search(line)) for line in numbered) >= _LEADERS or (titled and len(numbered) > len(lines) / 2):
        return "a table of contents"
    return None if numbered or _has_sentence(chunk.text) else "headings without a sentence"


def _ends_in_number(line: str) -> bool:
    words = line.rsplit(None, 1)
    return len(words) == 2 and words[1].isdigit() and len(words[1]) <= 4


def _has_sentence(text: str) -> bool:
    """Two words and an end."""
    return any(len(_WORD.findall(part)) >= 2 for part in re.split(r"[.!?;:]", text)[:-1])


def _reasons(unfit: Sequence[Unfit]) -> str:
    counts = Counter(each.reason for each in unfit)
    return ", ".join(f"{count} {reason}" for reason, count in sorted(counts.items()))


# --- strata ------------------------------------------------------------------------------------------------------


def _parts(chunks: Sequence[tuple[str, str, str | None]], patterns: Mapping[str, str]) -> list[_Part]:
    """Of (id, source, why unfit)."""
    members: dict[str, list[tuple[str, str, str | None]]] = {}
    for chunk in chunks:
        members.setdefault(stratum_of(chunk[1], patterns), []).append(chunk)
    for name in patterns:
        if name not in members:
            known = ", ".join(sorted({source for _, source, _ in chunks})[:5])
            raise AssayError(
                f"the stratum '{name}' has no document: no source is like '{patterns[name]}'",
                hint=f"Sources begin with: {known}",
            )
    return [
        _Part(
            name,
            tuple(sorted({source for _, source, _ in found})),
            len(found),
            tuple(id_ for id_, _, reason in found if not reason),
        )
        for name, found in sorted(members.items())
    ]


def stratum_of(source: str, patterns: Mapping[str, str]) -> str:
    """The first pattern that fits the name, upper and lower case alike; without patterns, the document itself."""
    if not patterns:
        return source
    for name, pattern in patterns.items():
        if any(fnmatchcase(source.lower(), each.strip().lower()) for each in pattern.split(",")):
            return name
    return OTHERS


def _capacity(fit: int, options: GoldOptions) -> int:
    """How many questions so many chunks can give: few enough without an answer (one a chunk), few enough with one."""
    absent = options.balance.unanswerable[1]
    needed = max(absent, (1 - absent) / options.per_chunk)
    return int(fit / needed + 1e-9) if needed else 0


# --- quotas ------------------------------------------------------------------------------------------------------


def apportion(
    total: int, weights: Mapping[str, float], *, floor: int = 0, limits: Mapping[str, int] | None = None
) -> dict[str, int]:
    """Whole numbers in proportion to the weights that sum exactly to the total, each within its floor and its limit.

    The floor gives way where a limit is below it or the total is too small for all; largest remainders first.

    >>> apportion(10, {"a": 8, "b": 1, "c": 1}, floor=2)
    {'a': 6, 'b': 2, 'c': 2}
    """
    most = {name: limits[name] if limits else total for name in weights}
    if sum(most.values()) < total:
        raise ValueError(f"{total} cannot be shared out: the limits allow {sum(most.values())}")
    least = {name: min(floor, most[name]) if weights[name] > 0 else 0 for name in weights}
    if sum(least.values()) > total:
        least = _shared(total, least, dict.fromkeys(weights, 0), least)
    return _shared(total, weights, least, most)


def _shared(
    total: int, weights: Mapping[str, float], least: Mapping[str, int], most: Mapping[str, int]
) -> dict[str, int]:
    """Those whose exact share lies outside their limits are set to the limit, the rest is shared among the others."""
    fixed: dict[str, int] = {}
    while True:
        free = [name for name in weights if name not in fixed]
        rest = total - sum(fixed.values())
        exact = _exact(rest, {name: weights[name] for name in free})
        low = {name: least[name] for name in free if exact[name] < least[name]}
        high = {name: most[name] for name in free if exact[name] > most[name]}
        if not low and not high:
            return _rounded(rest, exact, most) | fixed if free else fixed
        # The side that is further off is fixed first; fixing both at once could leave too much or too little.
        short = sum(least[name] - exact[name] for name in low)
        over = sum(exact[name] - most[name] for name in high)
        fixed |= low if short > over else high


def _exact(rest: int, weights: Mapping[str, float]) -> dict[str, float]:
    whole = sum(weights.values())
    return {name: rest * weight / whole if whole else rest / len(weights) for name, weight in weights.items()}


def _rounded(rest: int, exact: Mapping[str, float], most: Mapping[str, int]) -> dict[str, int]:
    """Largest remainder; ties by name."""
    shares = {name: int(share + 1e-9) for name, share in exact.items()}
    left = rest - sum(shares.values())  # counted down: a corpus may have as many strata as documents
    for name in sorted(exact, key=lambda name: (shares[name] - exact[name], name)):
        if left > 0 and shares[name] < most[name]:
            shares[name] += 1
            left -= 1
    return shares


def _unanswerable(
    quotas: Mapping[str, int], target: int, options: GoldOptions, fit: Mapping[str, int]
) -> dict[str, int]:
    """So many of each stratum's questions have no answer; in all exactly the share asked for, as far as it goes."""
    limits = {name: min(quota, fit[name]) for name, quota in quotas.items()}
    wanted = min(round(target * options.balance.unanswerable[1]), sum(limits.values()))
    return apportion(wanted, quotas, limits=limits)


def _stratum(part: _Part, quota: int, absent: int, options: GoldOptions, seed: int) -> Stratum:
    """Chunks for either kind from the two ends of one order, so that few chunks get both."""
    order = sorted(part.fit, key=lambda id_: placed(id_, seed))
    answerable = quota - absent
    some = min(len(order), -int(-answerable * options.oversample // 1))
    others = min(len(order), -int(-absent * options.oversample // 1))
    return Stratum(
        name=part.name,
        documents=part.documents,
        chunks=part.chunks,
        fit=len(part.fit),
        quota=quota,
        answerable=answerable,
        unanswerable=absent,
        chosen=tuple(order[:some]),
        chosen_unanswerable=tuple(reversed(order[len(order) - others :])),
    )


def placed(id_: str, seed: int) -> str:
    """A chunk's place does not depend on which others there are."""
    return hashlib.sha256(f"{seed}:{id_}".encode("utf-8", "backslashreplace")).hexdigest()


def _remarks(options: GoldOptions, target: int, strata: Iterable[Stratum], unfit: Sequence[Unfit]) -> tuple[str, ...]:
    remarks = []
    if target < options.target:
        fit = sum(stratum.fit for stratum in strata)
        them = "1 fit chunk" if fit == 1 else f"{fit} fit chunks"
        remarks.append(f"{options.target} questions were asked for; with {them} this corpus can give {target}")
    if bare := [stratum.name for stratum in strata if not stratum.fit]:
        remarks.append(f"no fit chunk, so no question: {', '.join(bare)}")
    if unfit:
        remarks.append(
            f"{len(unfit)} {'chunk gets' if len(unfit) == 1 else 'chunks get'} no question: {_reasons(unfit)}"
        )
    return tuple(remarks)
