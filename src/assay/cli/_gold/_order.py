"""From the words of the command line to an order for a build."""

from __future__ import annotations

import argparse
import asyncio
import shlex
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from assay.config import Config, load
from assay.errors import AssayError
from assay.gold.bench import PHASES, Order, prepared
from assay.gold.estimate import estimate_build
from assay.gold.exchange import by_batch, ingest, read_given
from assay.gold.generate import missing
from assay.gold.people import keep_csv
from assay.report.blocks import Report
from assay.report.gold_build import estimate_report
from assay.report.text import are, counted, was


def order_of(arguments: argparse.Namespace) -> Order:
    config = _override(load(arguments.config), arguments)
    out = arguments.gold or config.path("gold")
    return Order(
        config=config,
        index=arguments.index or config.path("index"),
        out=out,
        folder=arguments.folder or out.with_suffix(".build"),
        today=datetime.now(UTC).date().isoformat(),
        partial=getattr(arguments, "partial", False),
        fresh=getattr(arguments, "fresh", False),
        until=getattr(arguments, "until", None) or PHASES[-1],
    )


def _override(config: Config, arguments: argparse.Namespace) -> Config:
    options = config.gold
    if arguments.target is not None and arguments.target < 1:
        raise AssayError(f"--target is {arguments.target}", expected="a whole number from 1 on")
    if arguments.seed is not None and arguments.seed < 0:
        raise AssayError(f"--seed is {arguments.seed}", expected="a whole number from 0 on")
    options = replace(
        options,
        target=arguments.target or options.target,
        language=arguments.language or options.language,
        model=getattr(arguments, "model", None) or options.model,
    )
    max_cost = getattr(arguments, "max_cost", None)
    llm = config.llm if max_cost is None else replace(config.llm, max_cost=max_cost)
    return replace(config, gold=options, llm=llm, seed=config.seed if arguments.seed is None else arguments.seed)


def given_options(arguments: argparse.Namespace) -> str:
    """What was said of the build, to be said again: other options are another build."""
    names = ("config", "index", "target", "language", "gold", "folder", "seed")
    pairs = ((name, getattr(arguments, name)) for name in names)
    return "".join(f" --{name} {shlex.quote(str(value))}" for name, value in pairs if value is not None)


def forecast_of(order: Order) -> tuple[Report, dict[str, Any]]:
    """What the build will ask and cost, as a report and as data. Phase 0 is done for it."""
    with prepared(order) as bench:
        estimate = asyncio.run(estimate_build(bench))
        strata = bench.strata
    data = {"target": strata.target, "remarks": strata.remarks, "estimate": estimate.as_data() if estimate else None}
    return estimate_report(estimate, strata), data


def ingest_into(order: Order, path: Path) -> dict[str, Any]:
    """A file of answers, or a person's CSV, into the folder of the build; what that leaves to be answered."""
    with prepared(order) as bench:
        if path.suffix.lower() == ".csv":
            kept = keep_csv(path, order.folder, bench.index, order.config.gold.strata)
            number = kept.questions
            state = f"{was(number)} known" if kept.known else f"{are(number)} taken"
            told = [f"{counted(number, 'question')} of a person {state}"]
            return {"questions": number, "known": kept.known, "failed": {}, "said": told}
        found = ingest(path, bench.shop.batches, order.folder)
        given = by_batch(read_given(order.folder))
        open_ = missing(replace(bench.shop, given=given))
    taken = f"{counted(found.taken, 'answer')} {are(found.taken)} taken, {found.known} {was(found.known)} known"
    said = [f"{taken}; {counted(len(open_), 'prompt')} {are(len(open_))} still open"]
    said += [f"{name}: {reason}" for name, reason in found.failed.items()]
    unreadable = {batch.id for batch in open_} & given.keys()
    said += [f"{name}: cannot be read; write it again with gold prompts" for name in sorted(unreadable)]
    failed = found.failed | dict.fromkeys(sorted(unreadable), "cannot be read")
    return {"taken": found.taken, "known": found.known, "open": len(open_), "failed": failed, "said": said}
