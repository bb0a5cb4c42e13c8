"""Units in one spelling: `€` and `euros`, `%` and `per cent`, `5 km` and `5 kilometres`, in English and French.

A table, and a small one: what stands for the same word whatever the subject. Short forms that may mean something else
(`m`, `h`, `min`) count behind a figure alone, and not behind an amount of money: `£5m` are millions.
"""

from __future__ import annotations

import re

_SIGNS = {"€": "euro", "$": "dollar", "£": "pound", "¥": "yen", "%": "percent", "°": "degree"}
_DEGREES = {"c": "celsius", "f": "fahrenheit"}

_WORDS = {
    "euro": "euros?|eur",
    "dollar": "dollars?|usd",
    "pound": "pounds?(?: sterling)?|livres? sterling|gbp",
    "percent": r"per ?cent|pourcents?|pour cent(?=\s+d(?:es?|u)\b|\s+d['’]|\s*(?:[^\w\s]|$))",
    "kilometrehour": r"km ?/ ?h|kph|kilom(?:et(?:re|er)|ètre)s? (?:per hour|par heure|à l['’]heure)",
    "squarekilometre": "km²|square kilomet(?:re|er)s?|kilomètres? carrés?",
    "squaremetre": "m²|square met(?:re|er)s?|mètres? carrés?",
    "kilometre": "km|kilomet(?:re|er)s?|kilomètres?",
    "centimetre": "centimet(?:re|er)s?|centimètres?",
    "millimetre": "millimet(?:re|er)s?|millimètres?",
    "metre": "met(?:re|er)s?|mètres?",
    "kilogram": "kg|kilogram(?:me)?s?|kilos?",
    "milligram": "milligram(?:me)?s?",
    "gram": "gram(?:me)?s?",
    "millilitre": "millilit(?:re|er)s?",
    "centilitre": "centilit(?:re|er)s?",
    "litre": "lit(?:re|er)s?",
    "kilowatthour": "kwh|kilowatt[- ]?(?:hour|heure)s?",
    "hectare": "hectares?",
    "knot": "knots?|n(?:œ|oe)uds?",
    "hour": "hours?|heures?",
    "minute": "minutes?",
    "second": "seconde?s?",
    "degree": "degrees?|degrés?",
}
_BEHIND_A_FIGURE = {
    "centimetre": "cm",
    "millimetre": "mm",
    "metre": "m",
    "milligram": "mg",
    "gram": "g",
    "millilitre": "ml",
    "centilitre": "cl",
    "litre": "l(?!['’])",
    "hectare": "ha",
    "knot": "kn|kts?",
    "hour": "h|hrs?",
    "minute": "mins?|mn",
    "second": "secs?",
}


def _one_of(table: dict[str, str]) -> str:
    return "|".join(table.values())


def _named(table: dict[str, str]) -> re.Pattern[str]:
    """Tells which unit a form is of. Found are forms without names: that is five times as quick."""
    return re.compile("|".join(f"(?P<{name}>{forms})" for name, forms in table.items()))


_WORD, _NAMED_WORD = re.compile(rf"(?<![^\W\d_])(?:{_one_of(_WORDS)})(?!\w)"), _named(_WORDS)
_NAMED_SHORT = _named(_BEHIND_A_FIGURE)
_SHORT = re.compile(rf"(\d+(?:[.,]\d+)*)[\s-]?({_one_of(_BEHIND_A_FIGURE)})(?![\w²]|\s?[€$£¥])")
_FIGURE = re.compile(r"\d")
_SIGN = re.compile(r"°\s?([cf])\b|[€$£¥%°]")


def units_spelled(text: str) -> str:
    """The text in lower case, with every unit as one word, always the same.

    >>> units_spelled("5 km cost €3.50, or 3,50 euros").split()
    ['5', 'kilometre', 'cost', 'euro', '3.50,', 'or', '3,50', 'euro']
    >>> units_spelled("20 °C; dix pour cent de £5m").split()
    ['20', 'degree', 'celsius', ';', 'dix', 'percent', 'de', 'pound', '5m']
    """
    text = text.lower()
    if _FIGURE.search(text):
        text = _SHORT.sub(_short, text)
    if "$" in text or "%" in text or not text.isascii():
        text = _SIGN.sub(_sign, text)
    return _WORD.sub(_word, text)


def _short(found: re.Match[str]) -> str:
    start = found.start()
    if start and found.string[start - 1] in "€$£¥":
        return found[0]
    return f"{found[1]} {_name(_NAMED_SHORT, found[2])} "


def _sign(found: re.Match[str]) -> str:
    return f" degree {_DEGREES[found[1]]} " if found[1] else f" {_SIGNS[found[0]]} "


def _word(found: re.Match[str]) -> str:
    return f" {_name(_NAMED_WORD, found[0])} "


def _name(names: re.Pattern[str], form: str) -> str:
    known = names.fullmatch(form)
    return str(known.lastgroup) if known else form
