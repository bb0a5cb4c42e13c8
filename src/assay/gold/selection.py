"""Phase 5 as one step: questions that ask the same go, then the mix is chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from assay.config import Config
from assay.gold.balance import Choice, Option, choose
from assay.gold.dedupe import duplicates, same_text
from assay.gold.gates import settle
from assay.gold.grounds import Grounds

Raw = Mapping[str, Any]


def select(
    questions: Sequence[tuple[str, Raw]], grounds: Grounds, config: Config, quotas: Mapping[str, int], target: int
) -> Choice:
    """Of (stratum, question) pairs. Of questions that ask the same the better supported stays."""
    options = sorted((option_of(*pair) for pair in questions), key=lambda option: (-option.quality, option.id))
    texts = {str(raw["id"]): str(raw["content"]["question"]) for _, raw in questions}
    twice = _same(options, texts, grounds, config)
    choice = choose([each for each in options if each.id not in twice], target, quotas, config.gold.balance)
    left = dict(sorted((choice.left | twice).items()))
    return msgspec.structs.replace(choice, left=left, repeats=tuple(sorted(twice)))


def _same(options: Sequence[Option], texts: Mapping[str, str], grounds: Grounds, config: Config) -> dict[str, str]:
    """Id → which other it repeats, by its words or by the limit of gate G5-1 on vectors."""
    asked = [texts[option.id] for option in options]
    found = {options[later].id: f"the same words as {options[first].id}" for later, first in same_text(asked)}
    rest = [option for option in options if option.id not in found]
    gates = settle(config.gold.gates, ("G5-1",))
    if not gates or not rest:
        return found
    vectors = grounds.embed_questions([texts[option.id] for option in rest])
    for pair in duplicates(vectors, gates[0].limits["similarity"]):
        found[rest[pair.row].id] = f"asks the same as {rest[pair.of].id} (cosine {pair.cosine:.4f})"
    return found


def option_of(stratum: str, raw: Raw) -> Option:
    kind = raw["classification"]
    return Option(
        id=raw["id"],
        stratum=stratum,
        chunk_id=raw["provenance"]["chunk_id"],
        hard_type=kind["hard_type"],
        reasoning_class=kind["reasoning_class"],
        question_type=kind["question_type"],
        cognitive_level=kind["cognitive_level"],
        difficulty=kind["difficulty"],
        quality=raw["processing"]["quality_score"] or 0.0,
    )
