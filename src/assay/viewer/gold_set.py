"""The gold set that is shown: read once, with the sample a person is to check."""

from __future__ import annotations

from msgspec import Struct

from assay.gold.audit import AuditOptions, plan
from assay.gold.gold_file import GoldFile, read_gold_file
from assay.viewer.visit import Visit


class Shown(Struct, frozen=True):
    """Questions by id."""

    gold: GoldFile
    places: dict[str, int]
    sample: tuple[str, ...]
    """What `assay gold audit` asks to be checked."""


def gold_of(visit: Visit) -> Shown:
    path = visit.desk.places.gold
    return visit.desk.made.get("gold", (path,), lambda: _read(visit))


def _read(visit: Visit) -> Shown:
    gold = read_gold_file(visit.desk.places.gold)
    sample = plan(gold, AuditOptions(seed=visit.desk.places.config.seed)).sample
    return Shown(gold, {question.id: place for place, question in enumerate(gold.questions)}, sample)
