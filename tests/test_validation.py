"""Data against a record: each fault in the user's words, with the path of the value."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from msgspec import Meta, Struct

from assay.errors import AssayError
from assay.validation import convert, name_of, shown


class Leaf(Struct, forbid_unknown_fields=True):
    """An entry."""

    size: Annotated[int, Meta(ge=1)]
    colour: Literal["red", "green"] | None = None


class Tree(Struct, forbid_unknown_fields=True, kw_only=True):
    """Every kind of nesting there is."""

    leaf: Leaf | None = None
    leaves: list[Leaf] = []
    named: dict[str, Leaf] = {}
    groups: list[dict[str, Leaf]] = []
    label: str | int = ""
    secret: str = ""


@pytest.mark.parametrize(
    ("data", "keys", "told"),
    [
        ([], (), "it is []; expected a block of keys"),
        ({"leaf": {"size": 0}}, ("leaf", "size"), "leaf.size is 0; expected a whole number >= 1"),
        ({"leaf": {}}, ("leaf",), "leaf has no 'size'"),
        ({"leaf": {"size": 1, "colour": "blue"}}, ("leaf", "colour"), "leaf.colour is 'blue'; expected green or red"),
        ({"leaf": {"size": 1, "color": "red"}}, ("leaf", "color"), "unknown key 'color'. Did you mean colour?"),
        ({"leaves": [{"size": 1}, 3]}, ("leaves", 1), "leaves[1] is 3; expected a block of keys"),
        ({"named": {"a": {"size": 1}, "b": {"sise": 1}}}, ("named", "b", "sise"), "unknown key 'sise'. Did you mean"),
        ({"groups": [{}, {"a": {"size": 1}, "b": None}]}, ("groups", 1, "b"), "groups[1].b is None; expected a block"),
        ({"named": {3: {"size": 1}}}, ("named",), "named has a key that is not text"),
        ({"lea\ud800f": {}}, (), "a key or a named choice holds half a surrogate pair"),
        ({"leaf": {"size": 1, "colour": "re\ud800d"}}, (), "a key or a named choice holds half a surrogate pair"),
        ({"label": 1.5}, ("label",), "label is 1.5; expected a whole number or text"),
        ({"secret": "x"}, ("secret",), "unknown key 'secret'. Known: groups, label, leaf, leaves, named"),
        ({"sekret": "x"}, ("sekret",), "unknown key 'sekret'. Known: groups, label, leaf, leaves, named"),
    ],
)
def test_the_first_fault_is_told_with_its_path(data: Any, keys: tuple[str | int, ...], told: str) -> None:
    asked = []

    def place(path: tuple[str | int, ...]) -> str:
        asked.append(path)
        return "file:7"

    with pytest.raises(AssayError) as raised:
        convert(data, Tree, place, hidden=frozenset({"secret"}))
    assert str(raised.value).startswith(f"file:7: {told}")
    assert asked == [keys]


def test_what_is_right_is_the_record() -> None:
    tree = convert({"named": {"a": {"size": 2, "colour": None}}}, Tree, name_of)
    assert tree == Tree(named={"a": Leaf(2)})


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "None"),
        ("short", "'short'"),
        ("x" * 100, f"'{'x' * 27}...{'x' * 28}'"),
        (list(range(9)), "[0, 1, 2, 3, 4, 5, ...]"),
        ([[[[1]]]], "[[[...]]]"),
    ],
)
def test_a_value_is_shown_short(value: Any, text: str) -> None:
    assert shown(value) == text
