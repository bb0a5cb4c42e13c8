"""One run: how it stands while it goes on, its report when it is done."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import replace

from assay.compare import compare, compare_variants, figures
from assay.errors import AssayError
from assay.report.blocks import Block, Items, Note, Report
from assay.report.html import Link
from assay.report.html_blocks import section_html, verdict_html
from assay.report.markup import Markup, element, join
from assay.report.numbers import fixed, format_value
from assay.report.publish import build_report, find_baseline, rules_of
from assay.report.trend import steps_of
from assay.report.verdict import Compared
from assay.runs.folder import RESULTS, SUMMARY, RunFolder
from assay.runs.scored import of_run
from assay.viewer.pages.runs import VERDICTS, status_chip, when
from assay.viewer.parts import NOTHING, chip, link, nothing
from assay.viewer.question_list import called
from assay.viewer.visit import Content, Data, View, Visit, address, run_address


def data(visit: Visit) -> Data:
    run = visit.run
    listing = visit.desk.catalogue.listing(run)
    report = report_of(visit, run) if run.finished else None
    return {
        "view": "run",
        "run": listing.as_data(),
        "progress": msgspec.to_builtins(visit.desk.catalogue.progress(run)),
        "labels": sum(len(by_rater) for by_rater in visit.desk.answer_labels(run).values()),
        "command": run.manifest.get("command", []),
        "resume": None if run.finished else run.resume_command,
        "summary": run.summary if run.finished else None,
        "report": msgspec.to_builtins(report),
    }


def report_of(visit: Visit, run: RunFolder) -> Report:
    """Without its lists of questions, which have a page of their own."""
    files = (run.path / SUMMARY, run.path / RESULTS, visit.desk.places.baselines)
    return visit.desk.made.get(("report", run.name), files, lambda: _report(visit, run))


def _report(visit: Visit, run: RunFolder) -> Report:
    """As `assay report` makes it, against the latest baseline; nothing is written."""
    config, summary = visit.desk.places.config, run.summary
    now, rules = of_run(run), rules_of(config)
    comparison, refused = None, None
    try:
        before = find_baseline("latest", config, summary)
        comparison = compare(before, now, rules) if before else None
    except AssayError as fault:  # the run stands; only the comparison cannot be made
        refused = str(fault)
    names = summary.get("variants", ())
    variants = tuple(compare_variants(now, names, rules)) if len(names) > 1 else ()
    limits = figures({}, now.figures, config.comparison.limits)
    compared = Compared(comparison, tuple(figure for figure in limits if figure.exceeded), refused)
    steps = steps_of(run, config.path("runs"), config.path("baselines"))
    report = build_report(run, variants, compared, steps, questions=False)
    sections = [replace(s, blocks=tuple(b for b in s.blocks if not _is_listed(b))) for s in report.sections]
    return replace(report, sections=tuple(section for section in sections if section.blocks))


def _is_listed(block: Block) -> bool:
    """Questions, and the remark about those that a file has no room for: the page of questions has them all."""
    return isinstance(block, Items) or (isinstance(block, Note) and block.text.endswith(" in results.jsonl."))


def show(data: Data, _: Visit) -> Content:
    run = data["run"]
    head = element("div", *_facts(data), class_="facts")
    actions = element("p", *_actions(data), class_="actions")
    trail = (Link("Runs", "/runs"),)
    live = run_address(run["name"], "progress.json") if run["status"] != "complete" else ""
    if not data["report"]:
        body = join([head, actions, _going(data)])
        return Content(title=run["system"] or run["name"], subtitle=run["name"], body=body, trail=trail, live=live)
    report = msgspec.convert(data["report"], Report)
    sections = [section_html(section, number) for number, section in enumerate(report.sections, 1)]
    links = tuple(Link(section.title, f"#s{number}") for number, section in enumerate(report.sections, 1))
    lead = [verdict_html(report.verdict)] if report.verdict else []
    body = join([head, actions, *lead, *sections])
    return Content(title=report.title, subtitle=report.subtitle, body=body, links=links, trail=trail, live=live)


def _facts(data: Data) -> list[Markup]:
    run = data["run"]
    verdict = [chip(run["verdict"], VERDICTS.get(run["verdict"], "plain"))] if run["verdict"] else []
    facts = [run["kind"], when(run["created"]), run["corpus"], f"partial: {run['partial']}" if run["partial"] else None]
    return [status_chip(run["status"]), *verdict, *(element("span", fact) for fact in facts if fact)]


def _actions(data: Data) -> list[Markup]:
    run = data["run"]
    done, name = data["progress"]["done"], run["name"]
    variants = len((data["summary"] or {}).get("variants", ()))
    many = f"{done // variants:,}, {variants} variants" if variants > 1 else f"{done:,}"
    actions = [link(f"{called(run['kind']).capitalize()}s ({many})", run_address(name, "questions"), "button")]
    if run["kind"] == "rag":
        labelled = f" ({data['labels']:,} labels)" if data["labels"] else ""
        actions.append(link(f"Label answers{labelled}", run_address(name, "next"), "button"))
    if run["status"] == "complete":
        actions.append(link("Compare", address("/compare", {"now": name}), "button"))
    return actions


def _going(data: Data) -> Markup:
    """Of a run that is not finished."""
    progress = data["progress"]
    text = progress_text(progress)
    bar = NOTHING
    if progress["expected"]:
        bar = element("progress", text, value=progress["done"], max=progress["expected"])
    stopped = (
        nothing(f"No command is at work on it. Go on with: {data['resume']}")
        if progress["status"] == "incomplete"
        else NOTHING
    )
    return element("section", element("h2", "Progress"), bar, element("p", text, class_="progress"), stopped)


def progress_text(progress: dict[str, Any]) -> str:
    """`120 of 237 questions · 3.2 a second · 36 s left`."""
    of = f" of {progress['expected']:,}" if progress["expected"] else ""
    said = [f"{progress['done']:,}{of} results"]
    if progress["per_second"] is not None:
        said.append(f"{fixed(progress['per_second'], 1)} a second")
    if progress["seconds_left"] is not None:
        said.append(f"{format_value(progress['seconds_left'], 'seconds')} left")
    return " · ".join(said)


VIEW = View("/runs/{run}", data, show)
