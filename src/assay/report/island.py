"""The items of a list as data for the page's script: each text once, and all of them within a budget.

Many questions find the same chunks. What is text here is shown as text: the script sets it, nothing parses it.
"""

from __future__ import annotations

import json
from typing import Any

from assay.report.blocks import Item, Items, Passage, Ranking
from assay.report.cutting import LONG, cut, limit_of
from assay.report.numbers import format_value
from assay.report.text import visible

BUDGET = 1_600_000
"""Bytes that a list may have: what is longest is cut first, until all of it has room."""
SAID = 0.6
"""Share of the room for texts that what is said of the cases may take before the passages' texts are cut for it."""
LEAST = 40
"""Of a passage at least this much is kept."""
QUOTES = 3
"""Bytes of what JSON needs around each text."""
LONGEST = 20_000
"""A longer text is cut however much room there is."""
_UNSAFE = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"})
"""What could end the element, or the line, that holds the data."""


class Pool:
    """Texts by number, each once."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.passages: set[str] = set()

    def add(self, text: str) -> int:
        return self.numbers.setdefault(text, len(self.numbers))

    def add_passage(self, text: str) -> int:
        """The text of a passage, which may be cut for what is said of the cases."""
        self.passages.add(text)
        return self.add(text)

    def texts(self, room: int) -> list[str]:
        """In the order of their numbers; cut, where all of them would be too much."""
        sizes = {text: len(_shown(text).encode()) + QUOTES for text in self.numbers}
        said = [size for text, size in sizes.items() if text not in self.passages]
        room -= sum(size for size in sizes.values() if size <= LONG)
        limit = limit_of(said, int(room * SAID))
        room -= sum(min(size, limit) for size in said if size > LONG)
        limits = {True: limit_of([sizes[text] for text in self.passages], room, LEAST), False: limit}
        return [cut(_shown(text), limits[text in self.passages]) for text in self.numbers]


def _shown(text: str) -> str:
    """Made again when it is needed: beside the texts there is no room for a copy of all of them."""
    return visible(cut(text, LONGEST))


def packed(items: Items, choices: dict[str, dict[str, int]]) -> str:
    """JSON that can stand inside of an element. Numbers stand for texts; `choices` number the values of each filter."""
    pool, places = Pool(), _Places()
    # One by one: as text they are small.
    rows = ",".join(_json(_item(item, choices, pool, places)) for item in items.items)
    keys = [[pool.add(id_), pool.add(where), pool.add_passage(text)] for id_, where, text in places.numbers]
    shape = f'{{"items":[{rows}],"passages":{_json(keys)}'
    texts = _json(pool.texts(BUDGET - len(shape) - 1))
    return "".join([shape.translate(_UNSAFE), ',"texts":', texts.translate(_UNSAFE), "}"])


def _json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


class _Places:
    """Passages by number, whatever their rank and score: id, where, text."""

    def __init__(self) -> None:
        self.numbers: dict[tuple[str, str, str], int] = {}

    def add(self, passage: Passage) -> int:
        key = (passage.id, passage.where, passage.text)
        return self.numbers.setdefault(key, len(self.numbers))


def _item(item: Item, choices: dict[str, dict[str, int]], pool: Pool, places: _Places) -> list[Any]:
    return [
        pool.add(item.id),
        pool.add(item.title),
        pool.add(item.tone),
        [values[item.tags.get(name, "")] for name, values in choices.items()],
        [[pool.add(name), pool.add(value)] for name, value in item.tags.items()],
        [[pool.add(field.label), pool.add(field.text), int(field.mono)] for field in item.fields],
        [[pool.add(f.title), [[pool.add(name), pool.add(value)] for name, value in f.pairs]] for f in item.facts],
        [_ranking(ranking, pool, places) for ranking in item.rankings],
        pool.add(item.about) if item.about else -1,
    ]


def _ranking(ranking: Ranking, pool: Pool, places: _Places) -> list[Any]:
    """Title, scale, what to say of none, passages, scores, ranks unless 1, 2, 3 …, which are expected, which seen."""
    passages = ranking.passages
    ranks = [passage.rank for passage in passages]
    plain = ranks == list(range(1, len(ranks) + 1))
    scores = [passage.score for passage in passages]
    return [
        pool.add(ranking.title),
        pool.add(ranking.scale),
        pool.add(ranking.empty),
        [places.add(passage) for passage in passages],
        [score_text(score) for score in scores] if any(score is not None for score in scores) else 0,
        0 if plain else ranks,
        [at for at, passage in enumerate(passages) if passage.expected],
        [at for at, passage in enumerate(passages) if passage.seen],
    ]


def score_text(score: float | None) -> str:
    return format_value(score, "score")
