"""People's labels joined with a run's judgments: how far its judge can be trusted, and whether it may gate."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from assay.config import Config, EmbedderOptions, Judging
from assay.corpus.documents import same_document
from assay.embedders.cache import cached
from assay.errors import AssayError
from assay.judges.judgment import DIMENSIONS, Judgment
from assay.judges.labels import MARKS, Label, Marks, read_labels
from assay.judges.trust import TrustReport, check
from assay.judges.words import Similarity
from assay.llm import connect
from assay.rag.again import models_of, stored_case, stored_output
from assay.rag.judging import make_judge, rule_of
from assay.rag.subject import answer_of
from assay.runs.folder import LABELS, RunFolder, find_run
from assay.runs.passages import PassageStore
from assay.runs.results import Row
from assay.stats import Resampling

JUDGED = ("pass_rate", "partial_rate", "fail_rate", "acceptable_rate", "overall_score_avg", *DIMENSIONS)
"""Measures that are the judge's opinion."""


def trust_of(labels: Sequence[Label], config: Config) -> TrustReport:
    plan = Resampling(seed=config.seed, resamples=config.statistics.resamples, confidence=config.statistics.confidence)
    return check(labels, plan, rule_of(config.run.judging))


def labelled(given: Path, run: str | None, config: Config) -> tuple[Path, RunFolder | None]:
    """The file of labels and the run they are about: a file and perhaps a run, or a labelled run alone."""
    runs = config.path("runs")
    if run or given.suffix in (".jsonl", ".json") or given.is_file():
        return given, find_run(runs, run) if run else None
    found = find_run(runs, str(given), "rag")
    path = found.path / LABELS
    if not path.exists():
        raise AssayError("nobody has labelled its answers yet", where=str(found.path), hint="Label some in: assay view")
    return path, found


def require_both(labels: Sequence[Label], path: Path, run: RunFolder | None) -> None:
    """Where no answer has marks of both there is nothing to check, and nobody wants a page of dashes."""
    if not any(label.human and label.judge for label in labels):
        hint = f"Its case ids must be those of {run.name}" if run else "Take the judge's marks from a run: --run last"
        raise AssayError("no answer is marked by a person and by the judge", where=str(path), hint=hint)


def labels_of(path: Path, rows: Iterable[Row]) -> list[Label]:
    """The labels of the file with the run's own judgments; questions nobody labelled count for the corrected rate."""
    judged = {row["case_id"]: row for row in rows if row["status"] == "ok"}
    given = read_labels(path)
    joined = [_joined(label, judged[label.case_id]) if label.case_id in judged else label for label in given]
    seen = {label.case_id for label in given}
    return [*joined, *(_joined(Label(case_id=id_), row) for id_, row in judged.items() if id_ not in seen)]


def _joined(label: Label, row: Row) -> Label:
    return replace(label, judge=_marks(row["judgment"]), answer=row["answer"], evidence_rank=_evidence_rank(row))


def _evidence_rank(row: Row) -> int | None:
    """Where in the context the first passage stands that the answer is expected from. None: it is not there."""
    for rank, passage in enumerate(row["context"] or (), 1):
        if row["expected_ids"] and passage["id"] is not None:
            if passage["id"] in row["expected_ids"]:
                return rank
        elif any(same_document(name, passage["source"] or "") for name in row["expected_sources"]):
            return rank
    return None


def _marks(judgment: dict[str, object]) -> Marks:
    return Marks(**{name: judgment.get(name) for name in MARKS})  # type: ignore[arg-type]


def repeat_judgments(run: RunFolder, labels: Sequence[Label], config: Config, times: int) -> list[Label]:
    """The same answers judged again, to see how steady the judge is. Only those with a label: each is a paid call."""
    wanted = {label.case_id for label in labels if label.human is not None}
    rows = {row["case_id"]: row for row in run.results.rows() if row["case_id"] in wanted and row["status"] == "ok"}
    again = asyncio.run(_repeat(run, rows, judged_as(run, config), times))
    return [replace(label, repeats=tuple(again.get(label.case_id, ()))) for label in labels]


def judged_as(run: RunFolder, config: Config) -> Config:
    """The settings with judge, rule and embedder of the run; keys, limits and the cache are those of now."""
    if run.summary["kind"] != "rag":
        raise AssayError(f"a {run.summary['kind']} run has no judgments", where=str(run.path))
    old = run.summary["config"]
    judging = msgspec.convert(old["run"]["judging"], Judging)
    judging = replace(judging, labels=config.run.judging.labels, minimum_kappa=config.run.judging.minimum_kappa)
    return replace(
        config,
        embedder=msgspec.convert(old["embedder"], EmbedderOptions),
        run=replace(config.run, judging=judging),
        llm=replace(config.llm, models=config.llm.models | models_of(old)),
    )


async def _repeat(run: RunFolder, rows: dict[str, Row], config: Config, times: int) -> dict[str, list[Marks]]:
    found: dict[str, list[Marks]] = {}
    texts = PassageStore(run.path).read()
    async with connect(config) as models:
        judge = make_judge(config, models, Similarity(cached(config.embedder, config.path("cache"))))
        if judge.fingerprint != run.summary["judge"]["fingerprint"]:
            raise AssayError(
                f"the judge '{judge.name}' is not the one it was when it judged '{run.name}'",
                hint=f"Its rubric or prompt has changed; judge the run again first: assay score {run.name}",
            )
        for id_, row in rows.items():
            answer = answer_of(stored_case(row), stored_output(row, texts))
            judged = [await judge.judge(answer, number) for number in range(1, times + 1)]
            found[id_] = [_graded(one.judgment) for one in judged if one.judgment.status == "ok"]
    return found


def _graded(judgment: Judgment) -> Marks:
    return Marks(**{name: getattr(judgment, name) for name in MARKS})
