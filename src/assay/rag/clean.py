"""Rows without the user's keys: whatever a system or a judge says, the values of the environment's secrets stay out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from assay.evaluate import Named, Scorer
from assay.records import Case
from assay.runs.results import Row
from assay.systems.protocol import Output
from assay.systems.secrets import struck_everywhere, struck_out

KEYS = ("variant", "case_id", "question_id")
"""By these a row is found again: they are never changed."""


def clean_output(output: Output, secrets: Sequence[str]) -> Output:
    """What a system gave, before it is shown to a judge or to an embedder: they may be somebody else's service.

    The row is struck out all the same: so what is judged now is what is judged when the stored answers are again.
    """
    told = "\0".join([output.answer or "", *(passage.text or "" for passage in output.context or ())])
    if not any(secret in told for secret in secrets):
        return output
    context = output.context and tuple(
        replace(passage, text=passage.text and struck_out(passage.text, secrets)) for passage in output.context
    )
    return replace(output, answer=output.answer and struck_out(output.answer, secrets), context=context)


class Clean:
    """A scorer whose rows are clean, and counted."""

    def __init__(self, inner: Scorer[Case], secrets: list[str]) -> None:
        self._inner, self._secrets = inner, secrets
        self.rows = 0

    def __call__(self, system: Named, cases: Sequence[Case], outputs: Sequence[Any]) -> list[Row]:
        rows = [self._clean(row) for row in self._inner(system, cases, outputs)]
        self.rows += len(rows)
        return rows

    def _clean(self, row: Row) -> Row:
        if not self._secrets:
            return row
        struck: Row = struck_everywhere(row, self._secrets)
        return struck | {key: row[key] for key in KEYS if key in row}
