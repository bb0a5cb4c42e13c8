"""From the words of the command line to an order for a run."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from assay.config import Config, Pipeline
from assay.errors import AssayError
from assay.rag.evaluation import Order


def order_of(config: Config, arguments: argparse.Namespace) -> tuple[Config, Order]:
    """The settings with what was said on the command line, and the order."""
    config = _override(config, arguments)
    order = Order(
        config=config,
        gold=arguments.gold or config.path("gold"),
        index=_index(config, arguments),
        quick=arguments.quick,
        test=arguments.test,
        resume=arguments.resume,
        record=arguments.record,
        command=tuple(sys.argv[1:]),
    )
    return config, order


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
        workers=_positive(arguments.workers, "--workers") or options.workers,
    )
    return replace(config, run=run, llm=llm, seed=config.seed if arguments.seed is None else arguments.seed)


def judged_by(config: Config, judge: str | None) -> Config:
    """The settings with another judge, if one is named."""
    judging = config.run.judging
    return replace(config, run=replace(config.run, judging=replace(judging, judge=judge or judging.judge)))


def with_judge(config: Config, arguments: argparse.Namespace) -> Config:
    """For the commands that look at a judge. Judging again needs the judgments of a run."""
    if arguments.repeats and not arguments.run:
        raise AssayError("--repeats needs --run", hint="Name the run whose answers are judged again")
    if arguments.judge and not arguments.repeats:
        raise AssayError("--judge needs --repeats", hint="Without it no judge is asked")
    judging = config.run.judging
    given = judging.minimum_kappa if arguments.minimum_kappa is None else arguments.minimum_kappa
    judging = replace(judging, judge=arguments.judge or judging.judge, minimum_kappa=given)
    return replace(config, run=replace(config.run, judging=judging))


def _pipeline(pipeline: Pipeline, arguments: argparse.Namespace) -> Pipeline:
    if arguments.cloud != bool(arguments.endpoint):
        raise AssayError("--cloud and --endpoint go together", expected="--cloud --endpoint URL")
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
        precision_k=_positive(arguments.precision, "--precision") or pipeline.precision_k,
        recall_k=_positive(arguments.recall_k, "--recall-k") or pipeline.recall_k,
    )


def _positive(value: int | None, option: str) -> int | None:
    if value is not None and value < 1:
        raise AssayError(f"{option} is {value}", expected="a whole number from 1 on")
    return value


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
        model=_asked("model", pipeline.model or "none", reply).replace("none", "") or None,
        retriever=_asked("retriever", pipeline.retriever, reply),
        precision_k=_asked_number("passages the generator sees", pipeline.precision_k, reply),
    )
    judging = replace(options.judging, judge=_asked("judge", options.judging.judge, reply))
    workers = _asked_number("questions at once", options.workers, reply)
    config = replace(config, run=replace(options, pipeline=pipeline, judging=judging, workers=workers))
    return config, replace(order, config=config)


def _asked(what: str, default: str, reply: Callable[[str], str]) -> str:
    return reply(f"{what} [{default}]: ").strip() or default


def _asked_number(what: str, default: int, reply: Callable[[str], str]) -> int:
    said = _asked(what, str(default), reply)
    if not said.isdigit() or int(said) < 1:
        raise AssayError(f"{what} is '{said}'", expected="a whole number from 1 on")
    return int(said)
