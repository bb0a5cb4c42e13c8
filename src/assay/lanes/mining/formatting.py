"""Is it the same code, written differently?"""

from __future__ import annotations

import ast
import re
import textwrap

_LAST_COMMA = re.compile(r",(?=[)\]}>])")


def same_code(old: str, new: str, language: str) -> bool:
    """Python by its syntax tree, so comments and quotes do not matter; others without white space and last commas."""
    if old == new:
        return True
    if language == "python":
        before, after = _tree(old), _tree(new)
        if before is not None and after is not None:
            return before == after
        # Indentation means something, so lines are compared one by one.
        return _lines(old) == _lines(new)
    return _squeezed(old) == _squeezed(new)


def _tree(source: str) -> str | None:
    try:
        return ast.dump(ast.parse(textwrap.dedent(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _lines(source: str) -> list[tuple[int, list[str]]]:
    kept = [line.expandtabs() for line in textwrap.dedent(source).splitlines() if line.strip()]
    return [(len(line) - len(line.lstrip()), line.split()) for line in kept]


def _squeezed(source: str) -> str:
    return _LAST_COMMA.sub("", "".join(source.split()))
