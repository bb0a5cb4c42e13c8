"""An evaluation of lanes from cases and indexes to a finished run folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

import msgspec
from msgspec import Struct

from assay.config import Config, Gate
from assay.corpus.index import Index
from assay.errors import AssayError, unknown_name
from assay.evaluate import Plan, Timing, evaluate
from assay.files import dump_json
from assay.lanes import misses
from assay.lanes.cases import Placed, in_lane, read_cases, sha256_of, unique
from assay.lanes.scoring import MEASURES, record_of, score_rows, undefined
from assay.lanes.system import LaneSystem
from assay.lanes.tasks import Cut, Task, make_tasks
from assay.records import Interval, Lane, Progress
from assay.retrieval import summary
from assay.retrievers.origins import origins
from assay.retrievers.variants import build
from assay.runs import history, manifest
from assay.runs.folder import FAILURES, RESULTS, RunFolder, find_run
from assay.runs.heading import gate_result, heading, history_entry, index_block, skipped_block
from assay.runs.results import ResultsFile, Row
from assay.runs.writing import writing

KIND = "lanes"
PRESENT = "expected ids in the index"


class Order(Struct, frozen=True, kw_only=True):
    """What to evaluate."""

    config: Config
    lane: Lane | None = None
    """None: all of them."""
    k: int | None = None
    """For every case, whatever it says itself."""
    cases: tuple[Path, ...] = ()
    builtin: tuple[Placed, ...] = ()
    index: Path | None = None
    """For the cases of the files; None: what a file says, or the index of the settings."""
    strict: bool = False
    resume: str | None = None
    command: tuple[str, ...] = ()


class Bench(Struct, frozen=True, kw_only=True):
    """Everything that is made from an order before the first search."""

    order: Order
    name: str
    cases: tuple[Placed, ...]
    tasks: tuple[Task, ...]
    indexes: Mapping[Path, Index]
    systems: tuple[LaneSystem, ...]

    @property
    def config(self) -> Config:
        return self.order.config


def evaluate_lanes(order: Order, progress: Progress) -> RunFolder:
    """Search, score, summarise; the folder holds it all."""
    started, now = perf_counter(), datetime.now(UTC)
    with ExitStack() as stack:
        bench = _prepare(order, stack)
        inputs = _inputs(bench)
        if order.resume:
            run = find_run(order.config.path("runs"), order.resume)
            run.require_same(inputs.fingerprint())
        else:
            data = manifest.build(inputs, order.config, list(order.command), now)
            data["rows"] = len(bench.tasks) * len(bench.systems)
            names = "+".join(["lanes", *(system.name for system in bench.systems)])
            run = RunFolder.create(order.config.path("runs"), data, names, max(task.k for task in bench.tasks))
        with writing(run, new=order.resume is None):
            results = ResultsFile(run.path / RESULTS, remember=True)
            timings = evaluate(
                Plan(cases=bench.tasks, systems=bench.systems, scorer=score_rows, results=results, progress=progress)
            )
            place = {system.name: number for number, system in enumerate(bench.systems)}
            results.finish(lambda row: (place[row["variant"]], row["case_id"]))
            _conclude(run, bench, results.read(), _execution(timings, now, started))
    return run


def _prepare(order: Order, stack: ExitStack) -> Bench:
    """Read and check everything, so that a mistake is told before any work is done."""
    given = [_about(placed, order.index) for path in order.cases for placed in read_cases(path)]
    cases = in_lane(unique([*order.builtin, *given]), order.lane)
    if not cases:
        where = f"in the lane {order.lane}" if order.lane else "at all"
        files = ", ".join(map(str, order.cases)) or None
        hint = "Name a file with --cases, or leave out --no-builtin"
        raise AssayError(f"there is no case {where}", where=files, hint=hint)
    for gate in order.config.lanes.gates:
        if gate.measure not in MEASURES:
            raise unknown_name("measure in lanes.gates", gate.measure, MEASURES)
    default = order.config.path("index")
    paths = sorted({placed.index or default for placed in cases})
    indexes = {path: stack.enter_context(Index.open(path)) for path in paths}
    cut = Cut(order.config.lanes.k, order.k)
    tasks = make_tasks(cases, indexes, default, cut)
    systems = tuple(
        LaneSystem(
            name=name,
            retrievers={path: build(name, order.config, index) for path, index in indexes.items()},
        )
        for name in dict.fromkeys(order.config.lanes.variants)
    )
    return Bench(order=order, name=_name(order), cases=cases, tasks=tasks, indexes=indexes, systems=systems)


def _about(placed: Placed, index: Path | None) -> Placed:
    """The index that was asked for goes before the one a file names."""
    return msgspec.structs.replace(placed, index=index) if index else placed


def _name(order: Order) -> str:
    """What baselines are found by: the case files, and the lane where it is one alone."""
    parts = [*(["builtin"] if order.builtin else []), *(path.name for path in order.cases)]
    return "+".join(parts) + (f" ({order.lane})" if order.lane else "")


def _inputs(bench: Bench) -> manifest.Inputs:
    config = bench.config
    prints = [index.fingerprint for index in bench.indexes.values()]
    return manifest.Inputs(
        kind=KIND,
        gold=sha256_of(bench.cases),
        index=prints[0] if len(prints) == 1 else manifest.digest(prints),
        settings={
            "retrieval settings": [msgspec.to_builtins(config.retrieval), _searched(bench)],
            "retriever files": origins(config.lanes.variants, config),
            "embedder": msgspec.to_builtins(config.embedder),
            "seed": config.seed,
        },
    )


def _searched(bench: Bench) -> dict[str, Any]:
    """The settings of lanes that change a result; files and gates do not."""
    lanes = msgspec.to_builtins(bench.config.lanes)
    kept = {key: value for key, value in lanes.items() if key not in {"cases", "gates"}}
    return kept | {"k": {task.id: task.k for task in bench.tasks}}


def _execution(timings: dict[str, Timing], now: datetime, started: float) -> dict[str, Any]:
    return {
        "timestamp": now.isoformat(timespec="seconds"),
        "duration": round(perf_counter() - started, 3),
        "workers": 1,
        "search": {
            name: {"seconds": round(timing.seconds, 4), "questions": timing.cases} for name, timing in timings.items()
        },
    }


def _conclude(run: RunFolder, bench: Bench, rows: Sequence[Row], execution: dict[str, Any]) -> None:
    """Misses, summary and history. The summary is written last: it says that the run is finished."""
    config, variants = bench.config, [system.name for system in bench.systems]
    table = summary.Table(rows, [task.case for task in bench.tasks], variants, MEASURES)
    means = table.means(config)
    missed = misses.collect(bench.systems, bench.tasks, rows, bench.indexes, config.retrieval.depth)
    run.write(FAILURES, "".join(dump_json(entry) + "\n" for entry in missed))
    best = summary.best_variant(means, "recall@k")
    data = _heading(run, bench) | {
        "variants": variants,
        "measures": list(MEASURES),
        "metrics": summary.as_data(means),
        "segments": msgspec.to_builtins(table.segments(config)),
        "gates": [_present(bench), *(summary.judge_gate(gate, means) for gate in config.lanes.gates)],
        "decision": {"measure": "recall@k", "variant": best, "value": means[best]["recall@k"].mean if best else None},
        "results": [record_of(row) for row in rows],
        "execution": execution,
        "errors": summary.errors_of(rows) | {"messages": summary.messages_of(rows)},
    }
    run.write_summary(data)
    history.record(config.path("runs"), history_entry(run, data, best, 0.0))


def _present(bench: Bench) -> dict[str, Any]:
    """Ids that were never indexed: a warning, or with --strict what fails the run."""
    expected = sum(len(task.expected_ids) for task in bench.tasks)
    missing = sum(len(task.missing) for task in bench.tasks)
    gate = Gate(measure=PRESENT, at_least=1.0, severity="blocking" if bench.order.strict else "warning")
    share = (expected - missing) / expected if expected else None
    result = gate_result(gate, Interval(share, None, None, expected - missing, expected)) | {"passed": not missing}
    # Unless it was asked for, that the cases fit the index does not make a search good.
    return result | {"of_cases": not bench.order.strict}


def _heading(run: RunFolder, bench: Bench) -> dict[str, Any]:
    return heading(run, ("gold", "index", "retrieval settings")) | {
        "partial": None,
        "skipped": skipped_block({task.id: reason for task in bench.tasks if (reason := undefined(task))}),
        "strict": bench.order.strict,
        "missing": [
            msgspec.to_builtins(entry) | {"told": str(entry)} for task in bench.tasks for entry in task.missing
        ],
        "indexes": [_index_data(index) for index in bench.indexes.values()],
        "corpus": {
            "name": bench.name,
            "sha256": run.manifest["fingerprint"]["gold"],
            "format": "lanes",
            "question_count": len(bench.tasks),
            "tested": len(bench.tasks),
            "distribution": summary.distribution([task.case for task in bench.tasks]),
        },
    }


def _index_data(index: Index) -> dict[str, Any]:
    return (index_block(index) or {}) | {"lanes": {lane: index.lanes.count(lane) for lane in sorted(set(index.lanes))}}
