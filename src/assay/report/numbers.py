"""The one place where a number becomes text.

Rounding is half away from zero on the number's own decimal text, as a person would do it, so that no binary noise
decides: 0.8125 is 0.813. A share that is neither 0 nor 1 is never written as if it were: 0.9996 is `>0.999`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache

from assay.report.blocks import Form, Value

MISSING = "–"
MINUS = "−"
_NOISE = 1e-9
"""Less than this from 0 or 1 is the arithmetic of a mean, not a difference."""
_EXACT = Context(prec=400)
"""Digits enough for any float."""


def format_value(value: Value, form: Form) -> str:
    """A cell as text. None, and a number that is not finite, is an en dash; text stays as it is in every column."""
    if value is None:
        return MISSING
    if isinstance(value, str):
        return value
    if not math.isfinite(value):
        return MISSING
    return _FORMS[form](value)


def fixed(value: float, decimals: int, scale: int = 1) -> str:
    """The value with that many decimals, thousands separated; a negative one has a minus sign, and there is no −0."""
    rounded = _round(value, decimals, scale)
    return f"{MINUS if rounded < 0 else ''}{rounded.copy_abs():,}"


@lru_cache(maxsize=4096)
def _round(value: float, decimals: int, scale: int = 1) -> Decimal:
    """Kept, because a report shows the same numbers again and again."""
    scaled = _EXACT.multiply(Decimal(repr(value)), Decimal(scale))
    return scaled.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_UP, context=_EXACT)


def _integer(value: float) -> str:
    return fixed(value, 0)


def _bounded(value: float, decimals: int, scale: int = 1) -> str:
    """A share; 0 and 1 are written only for what is 0 and 1."""
    smallest = 10.0**-decimals
    if _NOISE < value < 1 - _NOISE:
        rounded = _round(value, decimals, scale)
        if rounded == 0:
            return f"<{fixed(smallest, decimals)}"
        if rounded >= scale:
            return f">{fixed(scale - smallest, decimals)}"
    return fixed(value, decimals, scale)


def _share(value: float) -> str:
    return _bounded(value, 3)


def _percent(value: float) -> str:
    return f"{_bounded(value, 1, 100)}\N{NO-BREAK SPACE}%"


def _signed(value: float) -> str:
    """A difference: always with its sign, even where it rounds to nothing; no difference at all has none."""
    if abs(value) < _NOISE:
        return fixed(0, 3)
    return f"{'+' if value > 0 else MINUS}{fixed(abs(value), 3)}"


def _p(value: float) -> str:
    """A p-value is never nothing."""
    return "<0.001" if value < 0.001 else fixed(value, 3)


def _seconds(value: float) -> str:
    """In the unit a person would use."""
    if value < 0:
        return f"{MINUS}{_seconds(-value)}"
    if value == 0:
        return "0\N{NO-BREAK SPACE}s"
    if value < 0.1:
        digits = fixed(value, 1, 1000) if value >= 0.00005 else "<0.1"
        return f"{digits}\N{NO-BREAK SPACE}ms"
    if _round(value, 2) < 60:
        return f"{fixed(value, 2)}\N{NO-BREAK SPACE}s"
    minutes, rest = divmod(int(_round(value, 0)), 60)
    if minutes < 60:
        return f"{minutes}\N{NO-BREAK SPACE}min\N{NO-BREAK SPACE}{rest:02}\N{NO-BREAK SPACE}s"
    hours, minutes = divmod(int(_round(value / 60, 0)), 60)
    return f"{hours:,}\N{NO-BREAK SPACE}h\N{NO-BREAK SPACE}{minutes:02}\N{NO-BREAK SPACE}min"


def _score(value: float) -> str:
    """A value of any scale: four significant digits from 1 on, four decimals below, and never a false zero."""
    size = abs(value)
    if 0 < size < 0.00005 or size >= 1e15:
        return f"{value:.1e}".replace("-", MINUS)
    return fixed(value, next((4 - power for power in range(4) if size < 10**power), 0))


def _dollars(value: float) -> str:
    """US dollars to a hundredth of a cent; what is less is not nothing."""
    if value < 0:
        return f"{MINUS}{_dollars(-value)}"
    return "<$0.0001" if 0 < value < 0.00005 else f"${fixed(value, 4)}"


def call_dollars(value: float | None) -> str:
    """US dollars of a single call, to a ten-thousandth of a cent: most cost less than a cent."""
    if value is None:
        return MISSING
    return "<$0.000001" if 0 < value < 0.0000005 else f"${fixed(value, 6)}"


def _text(value: float) -> str:
    return fixed(value, 0) if isinstance(value, int) else _score(value)


_FORMS: dict[Form, Callable[[float], str]] = {
    "text": _text,
    "integer": _integer,
    "share": _share,
    "percent": _percent,
    "signed": _signed,
    "p": _p,
    "seconds": _seconds,
    "score": _score,
    "dollars": _dollars,
}
