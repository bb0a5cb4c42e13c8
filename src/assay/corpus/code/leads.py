"""What stands right before a unit and belongs to it: comments and attributes.

They are looked at from the unit backwards, because most comments stand before nothing.
"""

from __future__ import annotations

from assay.corpus.code.language import Language

_SPACE = 256
"""Bytes of white space; more is no indentation."""
_LINE = 4096
"""Bytes; a longer line is no comment, and not looked through for each of the units on it."""
_LINE_END, _BLANK = b"\n "
"""As numbers; all white space is at most a blank."""


class Leads:
    """Of one file."""

    def __init__(self, data: bytes, language: Language) -> None:
        self._data, self._language = data, language
        self._is_by_lines = language.line_comment is not None
        self._starts: list[int] = []
        self._ends: list[int] = []
        """Of attributes, and of comments that the tree is asked for."""
        self._by_end: dict[int, int] = {}
        """End → start, where comments are lines that the tree is not asked for."""

    def add(self, start: int, end: int) -> None:
        """One that stands behind all that were added before."""
        if self._is_by_lines:
            self._by_end[end] = start
        else:
            self._starts.append(start)
            self._ends.append(end)

    def begin(self, start: int) -> int:
        """Where a unit begins with them, each on the same line as the next or on the one above it. What stands behind
        code on the first line belongs to that. White space at the beginning of the line is part of it."""
        if self._is_by_lines:
            return self.line_start(self._begin_by_lines(start))
        data, ends, above, first = self._data, self._ends, start, -1
        for number in range(len(ends) - 1, -1, -1):
            end = ends[number]
            if above - end > _SPACE:
                break
            gap = data[end:above]
            if gap and (not gap.isspace() or gap.count(b"\n") > 1):
                break
            above = self._starts[number]
            indent = self.indent(above)
            if indent is not None:
                first = above - indent
        return self.line_start(start) if first < 0 else first

    def _begin_by_lines(self, start: int) -> int:
        if self._data.endswith(b"\n\n", 0, start) or (lead := self._before(start)) is None:
            return start
        chain: list[int] = []
        inner = self._language.inner_docs
        while lead is not None and not self._data.startswith(inner, lead):
            chain.append(lead)
            lead = self._before(lead)
        return next((lead for lead in reversed(chain) if self.indent(lead) is not None), start)

    def indent(self, start: int) -> int | None:
        """Bytes of white space between the beginning of the line and this place; None: there is something else."""
        data = self._data
        if start == 0 or data[start - 1] == _LINE_END:
            return 0
        if data[start - 1] > _BLANK:
            return None
        least = start - _SPACE if start > _SPACE else 0
        line = data.rfind(b"\n", least, start) + 1
        if (line == 0 and least > 0) or data[line:start].strip(b" \t"):
            return None
        return start - line

    def line_start(self, start: int) -> int:
        """Where its line begins, if there is nothing but white space before it."""
        return start if self._data[start - 1] == _LINE_END else start - (self.indent(start) or 0)

    def _before(self, position: int) -> int | None:
        """The start of the one that ends right before."""
        data = self._data
        if position > 1 and data[position - 1] == _LINE_END and data[position - 2] > _BLANK:
            end = position - 1
        else:
            before = data[max(0, position - _SPACE) : position]
            text = before.rstrip()
            if not text or before.count(b"\n", len(text)) > 1:
                return None
            end = position - len(before) + len(text)
        found = self._by_end.get(end)
        return self._line_before(end) if found is None else found

    def _run(self, start: int, sign: bytes) -> int:
        """The start of the first of all such lines above, without looking at each as at a stranger."""
        data, inner = self._data, self._language.inner_docs
        end = -1 if data.startswith(inner, start) else data.rfind(b"\n", 0, start)
        while end > 0:
            above = data.rfind(b"\n", max(0, end - _LINE), end)
            line = data[max(above + 1, end - _LINE) : end].lstrip()
            if not line.startswith(sign) or line.startswith(inner):
                break
            start = end - len(line)
            end = above if above >= 0 else data.rfind(b"\n", 0, start)
        return start

    def _line_before(self, end: int) -> int | None:
        """A comment that is a line, or stands behind an attribute."""
        data, sign = self._data, self._language.line_comment or b""
        line = data[max(data.rfind(b"\n", max(0, end - _LINE), end) + 1, end - _LINE) : end]
        code = line.lstrip()
        if code.startswith(sign):
            return self._run(end - len(code), sign)
        return self._by_end.get(end - len(line) + len(line.partition(sign)[0].rstrip())) if self._by_end else None
