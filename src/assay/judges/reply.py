"""What a judge must reply, and the strict reading of it: all of it, or the reason why not. Never a guess."""

from __future__ import annotations

from typing import Any, get_args

from msgspec import Struct

from assay.judges.judgment import DIMENSIONS, HIGHEST, LOWEST, Grades
from assay.llm.protocol import JsonSchema
from assay.llm.structured import Unparsed, parse_json_reply
from assay.metrics.answers import Behaviour

_GRADE = {"type": "number", "minimum": LOWEST, "maximum": HIGHEST}

SCHEMA = JsonSchema(
    name="judgment",
    schema={
        "type": "object",
        "properties": {
            "reason": {"type": "string"},
            "behaviour": {"type": "string", "enum": list(get_args(Behaviour))},
            **dict.fromkeys((*DIMENSIONS, "overall_score"), _GRADE),
        },
        "required": ["reason", "behaviour", *DIMENSIONS, "overall_score"],
        "additionalProperties": False,
    },
)
"""The reason comes first: a model that has to give one grades better."""


class Opinion(Struct, frozen=True):
    """What the judge said."""

    grades: Grades
    behaviour: Behaviour
    reason: str


def read_reply(text: str) -> Opinion | Unparsed:
    """One JSON object with every grade from 1 to 5; prose around it, a second one, `"4/5"`: unparsed."""
    data: Any = parse_json_reply(text, SCHEMA.schema)
    if isinstance(data, Unparsed):
        return data
    grades = {name: float(data[name]) for name in (*DIMENSIONS, "overall_score")}
    reason = data["reason"].strip().encode("utf-8", "replace").decode()
    return Opinion(Grades(**grades), data["behaviour"], reason)
