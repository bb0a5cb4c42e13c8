"""The strict reader of structured replies: it reads or says why not."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import AssayError
from assay.llm.json_schema import check_schema, first_fault
from assay.llm.structured import Unparsed, parse_json_reply

GRADE = {
    "type": "object",
    "properties": {"grade": {"type": "integer", "minimum": 1, "maximum": 5}, "reason": {"type": "string"}},
    "required": ["grade"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    "text",
    [
        '{"grade": 4}',
        '  {"grade":4}\n',
        '```json\n{"grade": 4}\n```',
        '```\n{"grade": 4}\n```',
        '```json\r\n{"grade": 4}\r\n```',
        '\ufeff{"grade": 4}',
        '{"grade": 4.0}',
    ],
)
def test_one_value_bare_or_in_one_fence(text: str) -> None:
    assert parse_json_reply(text, GRADE) == {"grade": 4}


def test_a_limit_is_told_as_people_write_it() -> None:
    assert first_fault(7, {"type": "number", "maximum": 5.0}) == "it is 7: more than 5"
    assert first_fault("ab", {"type": "string", "maxLength": 1}) == "it is 'ab': longer than 1"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ('Here it is: {"grade": 4}', "not JSON"),
        ('{"grade": 4} I hope this helps', "more than one JSON value"),
        ('{"grade": 4}{"grade": 5}', "more than one JSON value"),
        ('{"grade": 4}\n{"grade": 4}', "more than one JSON value"),
        ('```json\n{"grade": 4}\n```\n```json\n{"grade": 5}\n```', "JSON"),
        ('```json\n{"grade": 4}\n```\nThat is all.', "not JSON"),
        ('{"grade": 1, "grade": 5}', "'grade' is given twice"),
        ('{"grade": 7}', "more than 5"),
        ('{"grade": 0}', "less than 1"),
        ('{"grade": "4/5"}', "expected integer"),
        ('{"grade": "4"}', "expected integer"),
        ('{"grade": 4.5}', "expected integer"),
        ('{"grade": true}', "expected integer"),
        ('{"grade": null}', "expected integer"),
        ('{"grade": NaN}', "NaN"),
        ('{"grade": 1e999}', "finite"),
        ('{"Grade": 4}', "has no 'grade'"),
        ('{"grade": 4, "score": 4}', "unknown 'score'"),
        ('{"reason": "good"}', "has no 'grade'"),
        ("4", "expected object"),
        ('["grade", 4]', "expected object"),
        ('{"grade": 4', "not JSON"),
        ("[" * 100_000, "nested"),
        ('{"grade": ' + "9" * 5000 + "}", "too long"),
        ("La note est de 4 sur 5.", "not JSON"),
        ("{'grade': 4}", "not JSON"),
    ],
)
def test_anything_else_is_unparsed_with_a_reason(text: str, reason: str) -> None:
    found = parse_json_reply(text, GRADE)
    assert isinstance(found, Unparsed)
    assert reason in found.reason
    assert "\n" not in found.reason


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner), max_leaves=8))
def test_what_was_written_is_read(value: Any) -> None:
    assert parse_json_reply(json.dumps(value), {}) == value


@given(st.text(max_size=60))
def test_text_around_a_value_is_never_swallowed(around: str) -> None:
    found = parse_json_reply(around + '{"grade": 4}', GRADE)
    assert isinstance(found, Unparsed) != (not around.strip().removeprefix("\ufeff").strip())


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        ({"type": ["string", "null"]}, [None, "a"], [1, []]),
        ({"enum": ["pass", 1]}, ["pass", 1, 1.0], ["fail", True]),
        ({"const": 1}, [1], [True, 2]),
        ({"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 2}, [[1], [1, 2]], [[], [1, 2, 3]]),
        ({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}, [0.5], [0, 1]),
        ({"type": "string", "minLength": 2, "maxLength": 3, "pattern": "^a"}, ["ab", "abc"], ["a", "abcd", "bb"]),
        ({"anyOf": [{"type": "null"}, {"type": "integer"}]}, [None, 3], ["x"]),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, [{}, {"a": 1}], [{"a": "1"}]),
        ({"$ref": "#/$defs/n", "$defs": {"n": {"type": "integer"}}}, [1], ["1"]),
    ],
)
def test_schema_keywords(schema: dict[str, Any], good: list[Any], bad: list[Any]) -> None:
    check_schema(schema)
    assert [first_fault(value, schema) for value in good] == [None] * len(good)
    assert None not in [first_fault(value, schema) for value in bad]


def test_the_schema_of_a_record_is_understood() -> None:
    class Verdict(msgspec.Struct):
        grade: int
        reason: str | None = None

    schema = msgspec.json.schema(Verdict)
    check_schema(schema)
    assert parse_json_reply('{"grade": 3}', schema) == {"grade": 3}
    assert isinstance(parse_json_reply('{"grade": "3"}', schema), Unparsed)


@pytest.mark.parametrize(
    "schema",
    [{"not": {}}, {"type": "int"}, {"properties": {"a": {"multipleOf": 2}}}, {"$ref": "#/$defs/none"}],
)
def test_a_rule_that_could_not_be_kept_is_refused(schema: dict[str, Any]) -> None:
    with pytest.raises(AssayError, match="the JSON schema"):
        check_schema(schema)
