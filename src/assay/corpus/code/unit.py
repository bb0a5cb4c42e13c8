"""One unit of code, as it is searched and named."""

from __future__ import annotations

from msgspec import Struct

VERSION = 7
"""Raised when the same file gives other units than before: code is then read again."""


class Unit(Struct, frozen=True):
    """What a file defines under one name, with its doc comment and its decorators."""

    id: str
    """`code:{path}::{symbol}`; `code:{path}::{kind}@{line}` where there is no symbol."""
    symbol: str | None
    """Qualified: `Type::method`, `impl Trait for Type`."""
    kind: str
    """function, method, class, struct, enum, trait, interface, impl, constant, variable, type, macro or module."""
    text: str
    first_line: int
    last_line: int
    """Of the whole unit, even where the text is cut."""
    language: str
    tags: tuple[str, ...] = ()
    """test: written to test others; declaration: no body; broken: does not parse as a whole; cut: the text is."""
