"""Items for texts: what a page opens to, as labelled fields, without the cases that nobody needs to look into."""

from __future__ import annotations

from msgspec.structs import replace

from assay.report.blocks import Field, Item, Items, Passage, Ranking
from assay.report.cutting import cut
from assay.report.island import score_text

LIMIT = 1500
"""Bytes of a field in a text; the page and the files have more."""
WITH_TEXT = 5
"""Passages of a ranking that are written out."""
FULL = 200
"""Items whose passages are written out: nobody reads more, and no forge shows a file as large as theirs."""
NAMED = 25
"""Passages that are named."""


def brief(items: Items) -> tuple[Items, int]:
    """The items worth a text, their rankings and facts made fields; and how many others there are."""
    worth = [item for item in items.items if not item.routine]
    kept = tuple(_brief(item, WITH_TEXT if number < FULL else 0) for number, item in enumerate(worth))
    return replace(items, items=kept), len(items.items) - len(kept)


def _brief(item: Item, with_text: int) -> Item:
    fields = [replace(field, text=cut(field.text, LIMIT)) for field in item.fields]
    fields += [Field(facts.title, " · ".join(f"{name} {value}" for name, value in facts.pairs)) for facts in item.facts]
    fields += [field for ranking in item.rankings for field in _ranking(ranking, with_text)]
    return replace(item, fields=tuple(fields), facts=(), rankings=())


def _ranking(ranking: Ranking, with_text: int) -> list[Field]:
    if not ranking.passages:
        return [Field(ranking.title, ranking.empty)]
    whole = [passage for passage in ranking.passages if passage.text][:with_text]
    fields = [Field(f"{ranking.title}, {_name(p, ranking)}", cut(p.text, LIMIT), mono=True) for p in whole]
    rest = [passage for passage in ranking.passages if passage not in whole]
    if rest:
        more = f" · … {len(rest) - NAMED} more" if len(rest) > NAMED else ""
        fields.append(Field(ranking.title, " · ".join(_name(passage, ranking) for passage in rest[:NAMED]) + more))
    return fields


def _name(passage: Passage, ranking: Ranking) -> str:
    rank = "" if passage.rank is None else f"{passage.rank}: "
    where = f" ({passage.where})" if passage.where else ""
    score = "" if passage.score is None else f" {ranking.scale or 'score'} {score_text(passage.score)}"
    return f"{rank}{passage.id}{where}{score}{', expected' if passage.expected else ''}"
