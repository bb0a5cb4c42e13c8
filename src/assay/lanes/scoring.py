"""Results of a search in a lane → rows: the engine's scores, and the record people read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.evaluate import Named
from assay.lanes.tasks import Task
from assay.metrics import Measure, judge
from assay.metrics.ranking.measures import defined
from assay.records import Fault, Ranking
from assay.retrieval.system import first_rank
from assay.runs.results import Row

FAMILIES = ("recall", "p", "p_max", "mrr", "hit", "ndcg")
MEASURES = tuple(f"{family}@k" for family in FAMILIES)
"""Each at the case's own k, which stands in its row."""
NOTHING_EXPECTED = "no id is expected"
NOTHING_LEFT = "no expected id is in the index"
RECORD = (
    "case_id", "lane", "k", "top_ids", "expected_ids", "hits", "missing_expected_ids",
    "precision_at_k", "recall_at_k", "mrr", "source",
)  # fmt: skip
"""The fields of a result."""


def score_rows(system: Named, cases: Sequence[Task], outputs: Sequence[Ranking | Fault]) -> list[Row]:
    """Rankings → rows of the results file."""
    return [row_of(system.name, task, output) for task, output in zip(cases, outputs, strict=True)]


def row_of(variant: str, task: Task, output: Ranking | Fault) -> Row:
    row: Row = {
        "variant": variant,
        "case_id": task.id,
        "status": "ok",
        "question": task.case.question,
        "tags": task.case.tags,
        "lane": task.lane,
        "k": task.k,
        "expected_ids": list(task.expected_ids),
        "missing_expected_ids": list(task.missing_ids),
        "source": task.source,
    }
    if isinstance(output, Fault):
        error = {"phase": output.phase, "message": output.message}
        return row | _measured([], [], {}) | {"status": "error", "error": error, "scores": {}}
    top = list(output.ids[: task.k])
    scores = score(top, task)
    hits = [id_ for id_ in top if id_ in task.case.expected]
    row |= _measured(top, hits, scores) | {"scores": scores, "rank": first_rank(top, task.case.expected_ids)}
    row["retrieved"] = {"scale": output.scale, "ids": top, "scores": list(output.scores[: task.k])}
    if not task.case.expected:
        row |= {"status": "undefined", "reason": undefined(task)}
    return row


def undefined(task: Task) -> str | None:
    """Why a case cannot be scored; None: it can."""
    if task.case.expected:
        return None
    return NOTHING_LEFT if task.expected_ids else NOTHING_EXPECTED


def score(top: Sequence[str], task: Task) -> dict[str, float | None]:
    """Every measure at the task's k; None where nothing can be expected."""
    judged = judge([top], [task.case.expected])
    return {f"{family}@k": defined(Measure(family, task.k).compute(judged))[0] for family in FAMILIES}


def _measured(top: list[str], hits: list[str], scores: Mapping[str, float | None]) -> Row:
    return {
        "top_ids": top,
        "hits": hits,
        "precision_at_k": scores.get("p@k"),
        "recall_at_k": scores.get("recall@k"),
        "mrr": scores.get("mrr@k"),
        "max_precision_at_k": scores.get("p_max@k"),
    }


def record_of(row: Row) -> Row:
    """The result as it is told: the record, with the variant, the status and the reachable precision."""
    extra = ("variant", "status", "max_precision_at_k", "reason", "error")
    return {key: row[key] for key in (*RECORD, *extra) if key in row}
