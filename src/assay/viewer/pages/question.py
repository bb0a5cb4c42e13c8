"""One question of a run: everything that is known of it, and what people say of its answer."""

from __future__ import annotations

from typing import Any

import msgspec

from assay.extraction.expense import Expenses as SampleExpenses
from assay.files import read_jsonl
from assay.rag.expense import Expenses
from assay.report.html import Link
from assay.report.markup import Markup, element, join
from assay.report.text import clip
from assay.runs.folder import FAILURES, RunFolder
from assay.runs.results import Row
from assay.viewer.choice import Choice
from assay.viewer.detail import extraction, rag, retrieval
from assay.viewer.label_form import answer_form, others
from assay.viewer.lines import Entry
from assay.viewer.parts import chip, folded, link, nothing
from assay.viewer.passages import chunks_of, seen_texts
from assay.viewer.question_list import ORDERS, Questions, around, called, filters_of
from assay.viewer.refusal import not_found
from assay.viewer.sample_text import sample_text
from assay.viewer.visit import Content, Data, View, Visit, run_address

TITLE = 400


def data(visit: Visit) -> Data:
    run = visit.run
    questions = Questions.of(visit, run)
    entries = entries_of(questions, visit.wanted("id"))
    entry = next((each for each in entries if each.variant == visit.query.get("of")), entries[0])
    rows = visit.desk.catalogue.lines(run).rows(entries)
    found = questions.chosen(Choice.of(visit.query, tuple(ORDERS)))
    before, behind, place = around(found, entry)
    labels = visit.desk.answer_labels(run).get(entry.case_id, {})
    return {
        "view": "question",
        "run": visit.desk.catalogue.listing(run).as_data(),
        "id": entry.case_id,
        "variant": entry.variant,
        "outcome": entry.outcome,
        "reasons": list(questions.reasons_of(entry)),
        "rows": rows,
        **extras(visit, run, rows),
        "labels": [msgspec.to_builtins(label) for label in labels.values()],
        "place": place,
        "found": len(found),
        "previous": key_of(before),
        "next": key_of(behind),
        "waiting": questions.waiting() if run.manifest["kind"] == "rag" else None,
    }


def entries_of(questions: Questions, id_: str) -> list[Entry]:
    """Those of every variant."""
    entries = [entry for entry in questions.entries if entry.case_id == id_]
    if not entries:
        raise not_found(f"the run has no question '{clip(id_, TITLE)}'")
    return entries


def key_of(entry: Entry | None) -> dict[str, str] | None:
    return None if entry is None else {"id": entry.case_id, "variant": entry.variant}


def extras(visit: Visit, run: RunFolder, rows: list[Row]) -> dict[str, Any]:
    """What stands in other files: passages, chunks, the failure's record, where it was lost."""
    kind, id_ = run.manifest["kind"], rows[0]["case_id"]
    if kind == "rag":
        lost = visit.desk.made.get(("lost", run.name), (run.path / "run_summary.json",), lambda: _lost(run))
        return {
            "texts": seen_texts(visit, run, rows),
            "lost": lost.get(id_),
            "cost": Expenses(run.manifest["config"])(rows[0]),
        }
    if kind == "extraction":
        return {"text": sample_text(visit, run, rows[0]), "cost": _sample_cost(run, rows[0])}
    ids = dict.fromkeys(
        id_ for row in rows for id_ in (*row["expected_ids"], *(row.get("retrieved") or {}).get("ids", ()))
    )
    path = run.path / FAILURES
    failures = visit.desk.made.get(("failures", run.name), (path,), lambda: _failures(path))
    return {"chunks": chunks_of(visit, run, ids), "failures": failures.get(id_, [])}


def _sample_cost(run: RunFolder, row: Row) -> float | None:
    """The summary knows which model was called; a run that goes on has none yet."""
    return SampleExpenses(run.summary)(row) if run.finished else None


def _lost(run: RunFolder) -> dict[str, Data]:
    return {entry["case_id"]: entry for entry in run.summary.get("not_passed", ())} if run.finished else {}


def _failures(path: Any) -> dict[str, list[Data]]:
    found: dict[str, list[Data]] = {}
    for _, entry in read_jsonl(path) if path.exists() else ():
        found.setdefault(entry["case_id"], []).append(entry)
    return found


def show(data: Data, visit: Visit) -> Content:
    run = data["run"]
    name = run["name"]
    body = _SHOWN.get(run["kind"], _retrieval)(data, visit)
    row = data["rows"][0]
    title = row.get("question") or row.get("description") or data["id"]
    trail = (
        Link("Runs", "/runs"),
        Link(run["system"] or name, run_address(name)),
        Link(f"{called(run['kind']).capitalize()}s", run_address(name, "questions", filters_of(visit.query))),
    )
    subtitle = data["id"] if data["id"] != title else ""
    return Content(title=clip(title, TITLE), subtitle=subtitle, body=join([_steps(data, visit), body]), trail=trail)


def _steps(data: Data, visit: Visit) -> Markup:
    """Previous and next of the list one came from; of the queue there is no previous."""
    name = data["run"]["name"]
    in_queue = "queue" in visit.query
    steps = []
    if data["previous"] and not in_queue:
        steps.append(link("Previous", _beside(data["previous"], visit, name), "previous"))
    if data["place"] and not in_queue:
        steps.append(element("span", f"{data['place']:,} of {data['found']:,}"))
    if in_queue:
        steps.append(link("Next unlabelled", run_address(name, "next", {"after": data["id"]}), "next"))
    elif data["next"]:
        steps.append(link("Next", _beside(data["next"], visit, name), "next"))
    if data["waiting"] is not None and in_queue:
        steps.append(element("span", f"{data['waiting']:,} unlabelled"))
    return element("div", *steps, class_="pager", role="navigation", aria_label="Questions")


def _beside(key: dict[str, str], visit: Visit, name: str) -> str:
    kept = {each: visit.query[each] for each in ("queue", "blind") if each in visit.query}
    query = {**filters_of(visit.query), **kept, "id": key["id"], "of": key["variant"]}
    return run_address(name, "question", query)


def _rag(data: Data, visit: Visit) -> Markup:
    row, name = data["rows"][0], data["run"]["name"]
    mine = next((label for label in data["labels"] if label.get("rater", "") == visit.rater), None)
    in_queue = "queue" in visit.query
    then = run_address(name, "next", {"after": data["id"]}) if in_queue and not mine else visit.with_query()
    form = nothing("There is no answer to label.")
    if row["answer"] is not None:
        form = answer_form(visit, run_address(name, "labels"), data["id"], mine, then)
    seen = mine is not None or not visit.may_label or row["answer"] is None or visit.query.get("blind") == "0"
    verdict = join([rag.judged(row, data["lost"]), others(data["labels"], visit.rater)])
    judge = folded(
        "The judge" if seen else "The judge, hidden until you have labelled", verdict, is_open=seen, class_="judge"
    )
    aside = element("aside", element("h2", "Your label"), form, judge)
    rest = element("div", rag.found(row, data), class_="rest")
    return element("div", element("div", rag.answer(row), class_="said"), aside, rest, class_="split")


def _extraction(data: Data, _: Visit) -> Markup:
    return join(
        [
            part
            for row in data["rows"]
            for part in (
                element("p", chip(data["outcome"]), class_="facts"),
                extraction.sample(row, data["cost"]),
                extraction.records(row),
            )
        ]
        + [extraction.text(data["text"])]
    )


def _retrieval(data: Data, _: Visit) -> Markup:
    failures = {failure["variant"]: failure for failure in data["failures"]}
    variants = [retrieval.variant(row, failures.get(row["variant"]), data["chunks"]) for row in data["rows"]]
    return join([retrieval.question(data["rows"][0], data["chunks"]), element("div", *variants, class_="beside")])


_SHOWN = {"rag": _rag, "extraction": _extraction}
VIEW = View("/runs/{run}/question", data, show)
