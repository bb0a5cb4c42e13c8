"""Text: equal but for case and outer space, or alike by its words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Any, ClassVar

from msgspec import Meta
from rapidfuzz.fuzz import token_set_ratio
from rapidfuzz.utils import default_process

from assay.metrics.records.comparator import COMPARATORS, Comparator, Unreadable, Zone
from assay.metrics.records.folding import folded


def ratio(one: str, other: str) -> float:
    """rapidfuzz's token set ratio, 0 to 100; two texts without a word are alike if they are equal.

    >>> ratio("lunch with ana", "ana lunch with")
    100.0
    """
    return 100.0 if one == other else token_set_ratio(one, other)


class _Words(Comparator, frozen=True):
    """Pairs are chosen by the words in common, whatever the tolerance is."""

    slow: ClassVar[bool] = True

    def distance(self, expected: Any, actual: Any) -> float:
        return 0.0 if expected == actual else 1.0 - token_set_ratio(expected, actual) / 100.0

    def apart(self, expected: Sequence[Any], actual: Sequence[Any]) -> list[float]:
        return [
            0.0 if one == other else 1.0 - token_set_ratio(one, other) / 100.0
            for one, other in zip(expected, actual, strict=True)
        ]

    def distances(self, expected: Sequence[Any], actual: Sequence[Any]) -> list[float]:
        return [
            0.0 if one == other else 1.0 - token_set_ratio(one, other) / 100.0 for one in expected for other in actual
        ]


@COMPARATORS.register("text")
class Text(_Words, frozen=True):
    """Equal, ignoring case and outer space."""

    def prepare(self, value: Any, zone: Zone) -> Any:  # noqa: ARG002
        return folded(_text(value))

    def holds(self, expected: Any, actual: Any) -> bool:
        return bool(expected == actual)

    def explain(self, expected: Any, actual: Any) -> str:
        return f"not the same text (ratio {ratio(expected, actual):.0f})"


@COMPARATORS.register("ratio")
class Ratio(_Words, frozen=True):
    """Token set ratio of the words, without case, order and punctuation: at least so much of 100."""

    at_least: Annotated[float, Meta(ge=0, le=100)] = 80.0

    def prepare(self, value: Any, zone: Zone) -> Any:  # noqa: ARG002
        return _words(value if type(value) is str else _text(value))

    def prepare_texts(self, texts: Sequence[str], zone: Zone) -> list[Any]:  # noqa: ARG002
        if "".join(texts).isascii():
            words = list(map(default_process, texts))
            if "" not in words:
                return words
        return list(map(_words, texts))

    def verdicts(self, expected: Sequence[Any], actual: Sequence[Any]) -> list[bool]:
        least = self.at_least
        return [
            one == other or token_set_ratio(one, other) >= least for one, other in zip(expected, actual, strict=True)
        ]

    def holds(self, expected: Any, actual: Any) -> bool:
        return ratio(expected, actual) >= self.at_least

    def explain(self, expected: Any, actual: Any) -> str:
        return f"ratio {ratio(expected, actual):.0f}, at least {self.at_least:g} needed"


@lru_cache(maxsize=4096)
def _words(text: str) -> str:
    """Expected and found texts are mostly the same ones, and places come again and again."""
    if not text.isascii():
        text = folded(text)
    return default_process(text) or folded(text)


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:g}" if isinstance(value, float) else str(value)
    raise Unreadable(f"{value!r:.60} is no text")
