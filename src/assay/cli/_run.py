"""From the words of the command line to an order for a run."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from assay.cli._settings import positive
from assay.config import Config, Pipeline
from assay.errors import AssayError
from assay.llm import price_of
from assay.rag.batches import Exchange
from assay.rag.bench import Order, select_cases
from assay.rag.evaluation import KIND
from assay.rag.settings import differences, resumed
from assay.runs.folder import find_run
from assay.runs.manifest import mask


def order_of(config: Config, arguments: argparse.Namespace) -> tuple[Config, Order]:
    """The settings with what was said on the command line, and the order."""
    check_values(arguments)
    if arguments.resume:
        return _resumed(config, arguments)
    given = _override(config, arguments)
    check_effect(given, arguments)
    order = Order(
        config=given,
        gold=arguments.gold or given.path("gold"),
        index=_index(given, arguments),
        quick=arguments.quick,
        test=arguments.test,
        record=arguments.record,
        command=tuple(sys.argv[1:]),
        overrides=tuple(differences(config, given)),
    )
    return given, order


def _resumed(config: Config, arguments: argparse.Namespace) -> tuple[Config, Order]:
    """A run goes on with its own settings; what the command line says otherwise is refused by name."""
    run = find_run(config.path("runs"), arguments.resume, KIND)
    data = run.manifest
    if data["kind"] != KIND or data.get("source"):
        what = f"judges {data['source']} again" if data.get("source") else f"is a {data['kind']} run"
        raise AssayError(what, where=run.name, hint=f"Go on with: {run.resume_command}")
    own = resumed(config, data["config"], str(run.path))
    given = _override(own, arguments)
    stored = data.get("order", {})
    differ = [*differences(own, given), *_other_selection(stored, arguments)]
    if differ:
        hint = "Start a new run, or leave these options out"
        raise AssayError(f"cannot resume: {', '.join(differ)}", where=str(run.path), hint=hint)
    check_effect(given, arguments)
    root, gold, index = Path(given.root), stored.get("gold"), stored.get("index")
    order = Order(
        config=given,
        gold=arguments.gold or (root / gold if gold else given.path("gold")),
        index=arguments.index or (root / index if index else None if stored else _index(given, arguments)),
        quick=stored.get("quick"),
        test=stored.get("test", False),
        resume=str(run.path),
        record=arguments.record,
        command=tuple(sys.argv[1:]),
        overrides=tuple(stored.get("overrides", ())),
    )
    return given, order


def _other_selection(stored: dict[str, Any], arguments: argparse.Namespace) -> list[str]:
    said = {"quick": arguments.quick, "test": arguments.test or None}
    return [
        f"{name} {stored.get(name) or 'none'} → {value}"
        for name, value in said.items()
        if value is not None and value != stored.get(name)
    ]


def check_values(arguments: argparse.Namespace) -> None:
    """Numbers that make no sense are told before anything is read."""
    for option, value in (("--quick", arguments.quick), ("--workers", arguments.workers)):
        positive(value, option)
    for option, value in (("--max-cost", arguments.max_cost), ("--max-time", arguments.max_time)):
        if value is not None and not value > 0:
            raise AssayError(f"{option} is {value:g}", expected="a number above 0")
    if arguments.seed is not None and arguments.seed < 0:
        raise AssayError(f"--seed is {arguments.seed}", expected="a whole number from 0 on")
    check_promotion(arguments)


def check_promotion(arguments: argparse.Namespace) -> None:
    if arguments.force and not arguments.update_baseline:
        raise AssayError("--force needs --update-baseline", hint="It promotes a partial run")


def check_effect(config: Config, arguments: argparse.Namespace) -> None:
    """An option that would change nothing for the chosen system is refused."""
    pipeline = config.run.pipeline
    kind = pipeline.system.partition(":")[0]
    if kind == "embedded":
        if arguments.precision and arguments.precision > pipeline.recall_k:
            what = f"--precision is {arguments.precision}, but only {pipeline.recall_k} candidates are retrieved"
            raise AssayError(what, hint="Raise --recall-k too")
        return
    given = {
        "--retriever": arguments.retriever,
        "--no-hybrid": arguments.no_hybrid,
        "--no-rerank": arguments.no_rerank,
        "--precision": arguments.precision if kind == "recorded" else None,
    }
    for option, value in given.items():
        if value:
            raise AssayError(f"{option} has no effect on {mask(pipeline.system)}", hint="Leave it out")
    if arguments.model and price_of(arguments.model, config.llm.prices) is None:
        what = f"--model only gives the price of what {mask(pipeline.system)} uses, and none is known"
        raise AssayError(what, where=arguments.model, hint="Give it under llm.prices in assay.yaml")


def check_whole(order: Order, arguments: argparse.Namespace) -> None:
    """Whether a sample may become a baseline is known before anything is spent on it."""
    if not arguments.update_baseline or arguments.force or not (order.quick or order.test):
        return
    gold, cases = select_cases(order)
    if len(cases) < len(gold.cases):
        what = f"a partial run is no baseline: {len(cases)} of {len(gold.cases)} questions"
        raise AssayError(what, hint="Promote it with --force, or leave --update-baseline out")


def exchange_of(arguments: argparse.Namespace) -> Exchange:
    """Batch files, if any are named."""
    return Exchange(take=tuple(arguments.batch_in or ()), write=arguments.batch_out)


def _override(config: Config, arguments: argparse.Namespace) -> Config:
    options = config.run
    judging = replace(options.judging, judge=arguments.judge or options.judging.judge)
    llm = replace(
        config.llm,
        max_cost=config.llm.max_cost if arguments.max_cost is None else arguments.max_cost,
        max_seconds=config.llm.max_seconds if arguments.max_time is None else arguments.max_time,
    )
    run = replace(
        options,
        pipeline=_pipeline(options.pipeline, arguments),
        judging=judging,
        workers=positive(arguments.workers, "--workers") or options.workers,
    )
    return replace(config, run=run, llm=llm, seed=config.seed if arguments.seed is None else arguments.seed)


def judged_by(config: Config, judge: str | None) -> Config:
    """The settings with another judge, if one is named."""
    judging = config.run.judging
    return replace(config, run=replace(config.run, judging=replace(judging, judge=judge or judging.judge)))


def with_judge(config: Config, arguments: argparse.Namespace) -> Config:
    """For the commands that look at a judge."""
    positive(arguments.repeats, "--repeats")
    judging = config.run.judging
    given = judging.minimum_kappa if arguments.minimum_kappa is None else arguments.minimum_kappa
    judging = replace(judging, minimum_kappa=given)
    return replace(config, run=replace(config.run, judging=judging))


def _pipeline(pipeline: Pipeline, arguments: argparse.Namespace) -> Pipeline:
    if arguments.cloud != bool(arguments.endpoint):
        raise AssayError("--cloud and --endpoint go together", expected="--cloud --endpoint URL")
    if arguments.endpoint and not arguments.endpoint.startswith(("http://", "https://")):
        raise AssayError(f"--endpoint is '{mask(arguments.endpoint)}'", expected="a URL, such as http://127.0.0.1:8080")
    if arguments.endpoint and arguments.system:
        raise AssayError("--endpoint and --system both name the system", hint="Leave one of them out")
    retriever = arguments.retriever or pipeline.retriever
    if arguments.no_hybrid:
        retriever = retriever.replace("hybrid", "vector")
    if arguments.no_rerank:
        retriever = retriever.removesuffix("+rerank")
    return replace(
        pipeline,
        system=arguments.endpoint or arguments.system or pipeline.system,
        model=arguments.model or pipeline.model,
        retriever=retriever,
        precision_k=positive(arguments.precision, "--precision") or pipeline.precision_k,
        recall_k=positive(arguments.recall_k, "--recall-k") or pipeline.recall_k,
    )


def _index(config: Config, arguments: argparse.Namespace) -> Path | None:
    """Only the embedded pipeline needs one; the others are diagnosed better with one."""
    if arguments.index:
        path: Path = arguments.index
        return path
    found = config.path("index")
    return found if config.run.pipeline.system == "embedded" or found.exists() else None


def ask(config: Config, order: Order, reply: Callable[[str], str] = input) -> tuple[Config, Order]:
    """The main settings with their defaults, to keep by Enter or change. Only on a terminal."""
    if not sys.stdin.isatty():
        raise AssayError("--interactive needs a terminal", hint="Say what to change by options instead")
    pipeline, options = config.run.pipeline, config.run
    pipeline = replace(
        pipeline,
        system=_asked("system", pipeline.system, reply),
        model=_asked_model(pipeline.model, reply),
        retriever=_asked("retriever", pipeline.retriever, reply),
        precision_k=_asked_number("passages the generator sees", pipeline.precision_k, reply),
    )
    judging = replace(options.judging, judge=_asked("judge", options.judging.judge, reply))
    workers = _asked_number("questions at once", options.workers, reply)
    changed = replace(config, run=replace(options, pipeline=pipeline, judging=judging, workers=workers))
    overrides = (*order.overrides, *differences(config, changed))
    return changed, replace(order, config=changed, overrides=overrides)


def _asked_model(default: str | None, reply: Callable[[str], str]) -> str | None:
    said = _asked("model", default or "none", reply)
    return None if said == "none" else said


def _asked(what: str, default: str, reply: Callable[[str], str]) -> str:
    return reply(f"{what} [{default}]: ").strip() or default


def _asked_number(what: str, default: int, reply: Callable[[str], str]) -> int:
    said = _asked(what, str(default), reply)
    if not said.isdigit() or int(said) < 1:
        raise AssayError(f"{what} is '{said}'", expected="a whole number from 1 on")
    return int(said)
