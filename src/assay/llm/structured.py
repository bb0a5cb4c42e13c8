"""The strict reader of structured replies: it reads what is there or says why not, and never guesses."""

from __future__ import annotations

import json
import re
from typing import Any

from msgspec import Struct

from assay.llm.json_schema import Schema, first_fault

_FENCED = re.compile(r"\A```[ \t]*(?:json|JSON)?[ \t]*\r?\n(.*?)\r?\n?```\Z", re.DOTALL)


class Unparsed(Struct, frozen=True):
    """The reply cannot be read."""

    reason: str


class _Refused(ValueError):
    pass


def parse_json_reply(text: str, schema: Schema) -> Any | Unparsed:
    """The one JSON value of the reply, bare or inside one Markdown fence, if it keeps the schema.

    Anything around it, a second value, a key given twice, NaN, a wrong type or a value out of range: `Unparsed`.
    """
    body = text.strip().removeprefix("\ufeff")
    if not body:
        return Unparsed("the reply is empty")
    fenced = _FENCED.match(body)
    try:
        value = _DECODER.decode(fenced[1] if fenced else body)
        wrong = first_fault(value, schema)
    except json.JSONDecodeError as fault:
        return Unparsed(_explain(fault))
    except _Refused as fault:
        return Unparsed(str(fault))
    except (RecursionError, ValueError):  # nested too deeply, an integer with thousands of digits
        return Unparsed("the reply is nested too deeply or has a number too long to be read")
    return value if wrong is None else Unparsed(wrong)


def _explain(fault: json.JSONDecodeError) -> str:
    if fault.msg == "Extra data":
        return f"there is more than one JSON value: {fault.doc[fault.pos : fault.pos + 40]!r} follows it"
    if fault.pos == 0:
        return f"the reply is not JSON: it begins with {fault.doc[:40]!r}"
    return f"the reply is not JSON: {fault.msg} at character {fault.pos}"


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _Refused(f"'{twice}' is given twice")
    return found


def _refuse(literal: str) -> Any:
    raise _Refused(f"{literal} is not JSON")


def _finite(literal: str) -> float:
    value = float(literal)
    if value - value != 0:
        raise _Refused(f"{literal} is not a finite number")
    return value


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refuse, parse_float=_finite)
