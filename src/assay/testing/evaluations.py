"""Evaluations by the settings alone, as the commands without options do them; once for a whole test session."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from assay.config import Config, load
from assay.errors import AssayError
from assay.files import read_text
from assay.runs.folder import RunFolder, find_run

FOLDERS = pytest.StashKey[list[Path]]()
COMMAND = ("pytest", "--assay")


def evaluated(config: pytest.Config, path: Path) -> list[Path]:
    """The folders of the runs: those of the controlling process, a stored one, or made now."""
    if FOLDERS not in config.stash:
        given = getattr(config, "workerinput", {}).get("assay_runs")
        config.stash[FOLDERS] = [Path(each) for each in given] if given is not None else _runs(config, path)
    return config.stash[FOLDERS]


def _runs(config: pytest.Config, path: Path) -> list[Path]:
    settings = load(path)
    stored = config.getoption("assay_run")
    if stored:
        return [find_run(settings.path("runs"), stored, finished=True).path]
    kinds = config.getoption("assay_kind") or kinds_of(path, settings)
    return [EVALUATIONS[kind](settings).path for kind in dict.fromkeys(kinds)]


def kinds_of(path: Path, settings: Config) -> list[str]:
    """What the file speaks of and has the questions or samples for."""
    root, gold = Path(settings.root), settings.path("gold").exists()
    ready = {
        "retrieval": gold,
        "run": gold,
        "extraction": (root / settings.extraction.samples).is_dir(),
        "lanes": bool(settings.lanes.cases),
    }
    named = yaml.safe_load(read_text(path)) or {}
    found = [NAMES.get(block, block) for block, there in ready.items() if there and block in named]
    if not found and not gold:
        hint = "Name one with --assay-kind retrieval|run|extract|lanes"
        raise AssayError("the settings name no evaluation that can be done", where=str(path), hint=hint)
    return found or ["retrieval"]


NAMES = {"extraction": "extract"}


def _retrieval(settings: Config) -> RunFolder:
    from assay.retrieval.evaluation import Order, evaluate_retrieval

    index = settings.path("index")
    alone = all(variant.startswith("run:") for variant in settings.retrieval.variants)
    order = Order(
        config=settings,
        gold=settings.path("gold"),
        index=None if alone and not index.exists() else index,
        command=COMMAND,
    )
    return evaluate_retrieval(order, lambda _: None)


def _run(settings: Config) -> RunFolder:
    from assay.rag.bench import Order
    from assay.rag.evaluation import run_rag

    index = settings.path("index")
    needed = settings.run.pipeline.system == "embedded" or index.exists()
    order = Order(config=settings, gold=settings.path("gold"), index=index if needed else None, command=COMMAND)
    return run_rag(order, lambda _: None)


def _extract(settings: Config) -> RunFolder:
    from assay.extraction.bench import Order
    from assay.extraction.evaluation import run_extraction

    samples = Path(settings.root) / settings.extraction.samples
    return run_extraction(Order(config=settings, samples=samples, command=COMMAND))


def _lanes(settings: Config) -> RunFolder:
    from assay.lanes.corpora import builtin_cases
    from assay.lanes.evaluation import Order, evaluate_lanes

    cases = tuple(Path(settings.root) / name for name in settings.lanes.cases)
    return evaluate_lanes(
        Order(config=settings, cases=cases, builtin=builtin_cases(settings), command=COMMAND), lambda _: None
    )


EVALUATIONS: dict[str, Callable[[Config], RunFolder]] = {
    "retrieval": _retrieval,
    "run": _run,
    "extract": _extract,
    "lanes": _lanes,
}
