"""What is to be built, and everything that is known of it before a single question is asked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from assay.config import Config, LlmOptions
from assay.corpus.index import Index
from assay.errors import AssayError
from assay.files import parse_json, read_text
from assay.gold.again import SecondRound
from assay.gold.asking import LANGUAGES, Batch, load_prompt
from assay.gold.exchange import by_batch, read_given
from assay.gold.folder import LOG, SECOND, STRATA, BuildFolder, clear
from assay.gold.generate import Workshop
from assay.gold.people import read_people
from assay.gold.plan import Wish, plan_batches
from assay.gold.stratify import Strata, stratify

PHASES = ("strata", "questions", "validation", "enrichment", "choice")
"""What `until` may name. The questions are phases 1 and 2."""


class Order(Struct, frozen=True, kw_only=True):
    """What is to be built, from what, and where."""

    config: Config
    index: Path
    out: Path
    folder: Path
    today: str
    partial: bool = False
    """Go on with the batches that were answered."""
    fresh: bool = False
    until: str = PHASES[-1]

    @property
    def corpus(self) -> str:
        """The first part of every id."""
        return self.config.client if self.config.client != "default" else self.index.stem


class Bench(Struct, frozen=True, kw_only=True):
    """A build that is prepared: phase 0 is done, nothing has been asked."""

    order: Order
    index: Index
    folder: BuildFolder
    strata: Strata
    shop: Workshop
    second: SecondRound | None = None
    again: frozenset[str] = frozenset()
    """The batches of the second round."""

    def with_llm(self, llm: LlmOptions) -> Bench:
        """With what is left of the budget: its limits hold for the build as a whole."""
        config = msgspec.structs.replace(self.order.config, llm=llm)
        return msgspec.structs.replace(self, order=msgspec.structs.replace(self.order, config=config))

    @property
    def first(self) -> list[Batch]:
        """The batches of the first round."""
        return [batch for batch in self.shop.batches if batch.id not in self.again]


@contextmanager
def prepared(order: Order) -> Iterator[Bench]:
    """Phase 0 and the plan of everything that follows."""
    if order.fresh:
        clear(order.folder)
    _check_language(order.config.gold.language)
    with Index.open(order.index) as index:
        folder = BuildFolder(order.folder, _about(order, index), order.today)
        strata = _strata(order, index, folder)
        second = _second(folder)
        asked = (*strata.strata, *(second.strata if second else ()))
        chunks = index.chunks(id_ for each in asked for id_ in (*each.chosen, *each.chosen_unanswerable))
        options = order.config.gold
        first = tuple(plan_batches(strata.strata, chunks, options))
        again = (
            plan_batches(second.strata, chunks, options, Wish(classes=second.classes, after=first)) if second else ()
        )
        shop = Workshop(
            batches=(*first, *again),
            chunks=chunks,
            strata={id_: each.name for each in asked for id_ in (*each.chosen, *each.chosen_unanswerable)},
            per_chunk=options.per_chunk,
            log=folder.file(LOG),
            given=by_batch(read_given(folder.path)),
            people=tuple(read_people(folder.path, index, options.strata)),
        )
        ids = frozenset(batch.id for batch in again)
        yield Bench(order=order, index=index, folder=folder, strata=strata, shop=shop, second=second, again=ids)


def _check_language(language: str) -> None:
    if language not in {"auto", *LANGUAGES}:
        raise AssayError(f"gold.language is '{language}'", expected=" or ".join(("auto", *LANGUAGES)))


def _about(order: Order, index: Index) -> dict[str, Any]:
    """Whatever would give another set. Who writes the questions may change on the way: the log says who did."""
    settings = msgspec.to_builtins(order.config.gold)
    for name in ("model", "gates"):
        settings.pop(name, None)
    prompts = [
        load_prompt(kind, language).identity for kind in ("answerable", "unanswerable") for language in LANGUAGES
    ]
    about = {"corpus": order.corpus, "index": index.fingerprint, "seed": order.config.seed, "prompts": prompts}
    return about | {f"gold.{name}": value for name, value in settings.items()}


def _second(folder: BuildFolder) -> SecondRound | None:
    """As the first round left it. Once it is planned it is a part of the build."""
    file = folder.file(SECOND)
    return folder.typed(SECOND, parse_json(read_text(file), str(file)), SecondRound) if file.exists() else None


def _strata(order: Order, index: Index, folder: BuildFolder) -> Strata:
    def make() -> dict[str, Any]:
        found = stratify(index, order.config.gold, order.config.seed, folder.identity)
        data: dict[str, Any] = msgspec.to_builtins(found)
        return data

    return folder.typed(STRATA, folder.phase(STRATA, folder.identity, make), Strata)
