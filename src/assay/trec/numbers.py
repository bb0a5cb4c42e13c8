"""Decimal numbers in a text, all at once, exactly as C's `(float)atof(...)` reads them.

The first sixteen characters of each are taken as two 64-bit words and their digits added up within the words
(D. Lemire, "Quickly parsing eight digits", 2018). A number of at most sixteen characters is exact this way: fifteen
digits and a power of ten below 10^22 are exact doubles, and one division rounds once. Of a longer one the two ends
of what the rest may add must round to the same single-precision number. Whatever else there is (exponents, `inf`,
nonsense) is left to Python's `float`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.metrics.ranking.judged import Ints
from assay.metrics.ranking.order import single

Words = NDArray[np.uint64]
ROOM = 80
"""Spare bytes at both ends of a text, so that a word may be taken anywhere."""
_WINDOW = 16
_AT_ONCE = 1 << 15
"""Few enough for the arrays to stay in the processor's cache."""
_ONES, _HIGHS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_ZEROS, _DOTS = np.uint64(0x3030303030303030), np.uint64(0x2E2E2E2E2E2E2E2E)
_UPPER, _SIXES = np.uint64(0xF0F0F0F0F0F0F0F0), np.uint64(0x0606060606060606)
_LAST = np.array([(1 << 64) - (1 << 8 * (8 - size)) for size in range(9)], np.uint64)
"""The last `size` characters of a word."""
_TENS = 10 ** np.arange(20, dtype=np.uint64)


def words_of(data: bytes) -> Words:
    """The eight bytes that begin at each position, as one number; the first byte is the lowest."""
    return np.ndarray((len(data) - 7,), np.dtype("<u8"), data, 0, (1,))


def parse_numbers(data: bytes, start: Ints, end: Ints) -> tuple[NDArray[np.float32], Ints]:
    """The numbers at data[start:end], and which of them are none. `data` has `ROOM` at both ends."""
    numbers = np.empty(len(start), np.float32)
    certain = np.empty(len(start), np.bool_)
    for first in range(0, len(start), _AT_ONCE):
        part = slice(first, first + _AT_ONCE)
        numbers[part], certain[part] = _parse(data, start[part], end[part])
    return numbers, _python_floats(data, start, end, np.flatnonzero(~certain), numbers)


def _parse(data: bytes, start: Ints, end: Ints) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """The numbers, and whether their digits alone tell them for certain."""
    first = np.frombuffer(data, np.uint8)[start]
    if (end - start == 1).all():
        digit = first - np.uint8(ord("0"))
        return digit.astype(np.float32), digit < 10
    words, negative = words_of(data), first == ord("-")
    begin = start + (negative | (first == ord("+")))
    stop = np.minimum(end, begin + _WINDOW)
    high, decimals_high = _take_dot(_pad(words[stop - 16], np.maximum(stop - begin - 8, 0)))
    low, decimals_low = _take_dot(_pad(words[stop - 8], np.minimum(stop - begin, 8)))
    decimals = np.where(decimals_high >= 0, decimals_high + 8, decimals_low)
    if (decimals == decimals[0]).all():  # one number for all divides much quicker
        decimals = decimals[:1]
    has_dot, power = decimals >= 0, _TENS[np.maximum(decimals, 0)]
    value = _eight_digits(high) * _TENS[8] + _eight_digits(low)
    whole = np.where(has_dot, value // (power * np.uint64(10)), 0)
    mantissa = value - np.uint64(9) * whole * power  # the dot's own place goes
    numbers = single(mantissa / power)
    certain = _all_digits(high) & _all_digits(low) & ((decimals_high < 0) | (decimals_low < 0))
    certain &= stop - begin > has_dot
    longer = end > stop
    if longer.any():
        rest = _pad_right(words[stop], np.minimum(end - stop, 8))
        upper = single((mantissa + np.uint64(1)) / power)
        certain &= ~longer | (has_dot & (end - stop <= 8) & _all_digits(rest) & (numbers == upper))
    np.negative(numbers, out=numbers, where=negative)
    return numbers, certain


def _pad(word: Words, size: Ints) -> Words:
    """The last `size` characters, with zeros before them."""
    keep = _LAST[size]
    return (word & keep) | (_ZEROS & ~keep)


def _pad_right(word: Words, size: Ints) -> Words:
    """The first `size` characters, with zeros behind them."""
    drop = _LAST[8 - size]
    return (word & ~drop) | (_ZEROS & drop)


def _take_dot(word: Words) -> tuple[Words, NDArray[Any]]:
    """The word with its first dot made a zero, and how many characters stand behind the dot; -1 without one."""
    differs = word ^ _DOTS
    mark = (differs - _ONES) & ~differs & _HIGHS
    if not mark.any():
        return word, np.full(len(word), -1)
    mark &= ~mark + np.uint64(1)
    exponent = (mark.astype(np.float64).view(np.uint64) >> np.uint64(52)).astype(np.int64) - 1023
    return word + (mark >> np.uint64(6)), np.where(mark == 0, -1, 7 - (exponent >> 3))


def _eight_digits(word: Words) -> Words:
    word = (word & np.uint64(0x0F0F0F0F0F0F0F0F)) * np.uint64(2561) >> np.uint64(8)
    word = (word & np.uint64(0x00FF00FF00FF00FF)) * np.uint64(6553601) >> np.uint64(16)
    return (word & np.uint64(0x0000FFFF0000FFFF)) * np.uint64(42949672960001) >> np.uint64(32)


def _all_digits(word: Words) -> NDArray[np.bool_]:
    digits: NDArray[np.bool_] = (word & _UPPER == _ZEROS) & ((word + _SIXES) & _UPPER == _ZEROS)
    return digits


def _python_floats(data: bytes, start: Ints, end: Ints, doubtful: Ints, numbers: NDArray[np.float32]) -> Ints:
    """Fill in what the digits alone do not tell; the entries that are no number."""
    places = zip(start[doubtful].tolist(), end[doubtful].tolist(), strict=True)
    values = np.array([_float_or_nan(data[first:last]) for first, last in places], np.float64)
    numbers[doubtful] = single(values)
    return doubtful[np.isnan(values)]


def _float_or_nan(token: bytes) -> float:
    try:
        return math.nan if b"_" in token else float(token)
    except ValueError:
        return math.nan
