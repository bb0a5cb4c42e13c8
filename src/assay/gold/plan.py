"""Which chunks are shown together, and what is wanted from each batch: known before a single call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from itertools import pairwise
from math import ceil

import msgspec
from msgspec import Struct

from assay.config import Balance, GoldOptions
from assay.gold.asking import LANGUAGES, Batch, Kind, messages
from assay.gold.leaves import UNANSWERABLE
from assay.gold.stratify import Stratum, apportion
from assay.records import Chunk

_HARD_MARGIN = 1.5
"""More hard questions are asked for than needed: some are refused, and some turn out to be easy."""


class Wish(Struct, frozen=True, kw_only=True):
    """How a plan differs from that of a first round."""

    classes: Mapping[str, float] | None = None
    """Weights of the reasoning classes; None: as the balance has them."""
    after: tuple[Batch, ...] = ()
    """Batches that were planned before: the numbers go on behind them."""


def plan_batches(
    strata: Iterable[Stratum], chunks: Mapping[str, Chunk], options: GoldOptions, wish: Wish | None = None
) -> list[Batch]:
    """Phase 1, then phase 2. The same strata give the same batches: that is what lets a build be resumed."""
    asked, wish = tuple(strata), wish or Wish()
    kinds: tuple[Kind, ...] = ("answerable", "unanswerable")
    return [
        _named(batch, number, chunks)
        for kind in kinds
        for number, batch in enumerate(
            _of_kind(kind, asked, chunks, options, wish.classes), sum(batch.kind == kind for batch in wish.after)
        )
    ]


def language_of(chunk: Chunk, options: GoldOptions) -> str:
    """Of the questions on it: the one that is set, else the chunk's own."""
    if options.language != "auto":
        return options.language
    return str(chunk.metadata.get("language") or LANGUAGES[0])


def _of_kind(
    kind: Kind,
    strata: Sequence[Stratum],
    chunks: Mapping[str, Chunk],
    options: GoldOptions,
    classes: Mapping[str, float] | None,
) -> list[Batch]:
    weights = _weights(kind, strata, options)
    groups: dict[str, list[str]] = {}
    for id_ in weights:
        groups.setdefault(language_of(chunks[id_], options), []).append(id_)
    parts = [(language, part) for language in sorted(groups) for part in _split(groups[language], options.batch_size)]
    if not parts:
        return []
    shares = {str(at): sum(weights[id_] for id_ in part) for at, (_, part) in enumerate(parts)}
    most = options.per_chunk if kind == "answerable" else 1
    limits = {str(at): most * len(part) for at, (_, part) in enumerate(parts)}
    wanted = apportion(min(ceil(sum(shares.values()) - 1e-9), sum(limits.values())), shares, limits=limits)
    turn = 0
    batches = []
    for at, (language, part) in enumerate(parts):
        batches.append(_batch(kind, language, part, wanted[str(at)], turn))
        turn += len(part)
    if kind == "unanswerable":
        return batches
    return [_shared_out(batch, classes or class_aims(options.balance), options.balance) for batch in batches]


def _weights(kind: Kind, strata: Sequence[Stratum], options: GoldOptions) -> dict[str, float]:
    """How many questions each chosen chunk is to give, on average."""
    weights = {}
    for stratum in strata:
        chosen = stratum.chosen if kind == "answerable" else stratum.chosen_unanswerable
        wanted = stratum.answerable if kind == "answerable" else stratum.unanswerable
        weights.update(dict.fromkeys(chosen, wanted * options.oversample / max(1, len(chosen))))
    return weights


def _split(ids: Sequence[str], size: int) -> Iterable[list[str]]:
    """Parts of about the same length, none longer than the size. Neighbouring strata share a batch."""
    count = ceil(len(ids) / size)
    bounds = [round(len(ids) * part / count) for part in range(count + 1)]
    return [list(ids[start:stop]) for start, stop in pairwise(bounds)]


def _batch(kind: Kind, language: str, ids: list[str], wanted: int, turn: int) -> Batch:
    if kind == "unanswerable":
        categories = tuple(UNANSWERABLE[(turn + at) % len(UNANSWERABLE)] for at in range(len(ids)))
        return Batch(id="", kind=kind, language=language, chunks=tuple(ids), wanted=len(ids), categories=categories)
    return Batch(id="", kind=kind, language=language, chunks=tuple(ids), wanted=wanted)


def class_aims(balance: Balance) -> dict[str, float]:
    """The shares asked for; arithmetic gets the rest."""
    aims: dict[str, float] = {name: getattr(balance, name)[1] for name in ("fact_single", "summary", "reasoning")}
    aims["arithmetic"] = max(0.0, 1 - sum(aims.values()))
    return aims


def _shared_out(batch: Batch, classes: Mapping[str, float], balance: Balance) -> Batch:
    shares = apportion(batch.wanted, classes)
    hard = ceil(batch.wanted * balance.hard * _HARD_MARGIN)
    return msgspec.structs.replace(batch, classes={name: shares[name] for name in classes}, hard=hard)


def _named(batch: Batch, number: int, chunks: Mapping[str, Chunk]) -> Batch:
    """The id holds a hash of all that is asked: an answer to another prompt is never taken for one to this."""
    asked = msgspec.json.encode(messages(batch, chunks))
    return msgspec.structs.replace(batch, id=f"{batch.phase}-{number:03d}-{sha256(asked).hexdigest()[:12]}")
