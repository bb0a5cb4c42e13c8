"""Lists of runs and baselines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.report.blocks import Column, Note, Report, Row, Section, Table

MEASURES = (
    "recall@5",
    "page_recall@5",
    "mrr@10",
    "ndcg@10",
    "recall@k",
    "mrr@k",
    "pass_rate",
    "overall_score_avg",
    "precision",
    "recall",
    "f1",
)


def history_report(entries: Sequence[Mapping[str, Any]]) -> Report:
    return _report("History", entries, ("timestamp", "kind", "run", "best", "questions"), "No run is finished yet.")


def baselines_report(entries: Sequence[Mapping[str, Any]]) -> Report:
    names = ("version", "client", "kind", "corpus", "date", "best", "questions", "file")
    return _report("Baselines", entries, names, "No baseline yet: promote a run with assay baselines --promote last.")


def _report(title: str, entries: Sequence[Mapping[str, Any]], names: Sequence[str], empty: str) -> Report:
    if not entries:
        return Report(title, "", (Section(title, (Note(empty),)),))
    shown = [name for name in MEASURES if any(name in entry["metrics"] for entry in entries)]
    columns = (*(Column(name) for name in names), *(Column(name, "share") for name in shown))
    rows = tuple(
        Row((*(entry[name] for name in names), *(entry["metrics"].get(name) for name in shown))) for entry in entries
    )
    return Report(title, f"{len(entries)} shown", (Section(title, (Table(columns, rows),)),))
