"""What is done with a label that was sent, and which question comes next."""

from __future__ import annotations

import msgspec

from assay.runs.folder import LABELS
from assay.viewer.labels import AnswerMark, GoldMark, gold_labels_path, keep_answer_mark, keep_gold_mark, parse_mark
from assay.viewer.question_list import Questions, chance
from assay.viewer.refusal import Refusal, mistaken, not_found
from assay.viewer.visit import Data, Visit, address, run_address


def mark_answer(visit: Visit, data: Data) -> Data:
    """Keeps it beside the run."""
    mark: AnswerMark = parse_mark(data, AnswerMark)
    run = visit.run
    if run.manifest["kind"] != "rag":
        raise mistaken("only answers can be labelled, and this run has none")
    lines = visit.desk.catalogue.lines(run)
    entry = next((each for each in lines.entries() if each.case_id == mark.id), None)
    if entry is None:
        raise not_found("the run has no such question")
    label = keep_answer_mark(run.path / LABELS, mark, lines.rows([entry])[0])
    return {"view": "label", "rater": mark.rater, "label": msgspec.to_builtins(label)}


def mark_gold(visit: Visit, data: Data) -> Data:
    """Keeps it beside the gold set."""
    from assay.viewer.gold_set import gold_of

    mark: GoldMark = parse_mark(data, GoldMark)
    shown = gold_of(visit)
    if shown.gold is None:
        raise mistaken("only a gold set of schema v2 can be labelled: assay gold audit reads no other")
    if mark.id not in shown.places:
        raise not_found("the gold set has no such question")
    verdict = keep_gold_mark(gold_labels_path(visit.desk.places.gold), mark)
    return {"view": "label", "rater": mark.rater, "label": msgspec.to_builtins(verdict)}


def next_answer(visit: Visit) -> str:
    """The next in the queue behind `after`, from its beginning at the end; the list when nothing is left."""
    run = visit.run
    if run.manifest["kind"] != "rag":
        raise Refusal(404, "only answers can be labelled, and this run has none")
    queue = Questions.of(visit, run).queue()
    after = visit.query.get("after", "")
    behind = [entry for entry in queue if after and chance(entry.case_id) > chance(after)]
    found = next((entry for entry in [*behind, *queue] if entry.case_id != after), None)
    if found is None:
        return run_address(run.name, "questions", {"label": "labelled"})
    return run_address(run.name, "question", {"id": found.case_id, "of": found.variant, "queue": "1"})


def next_gold(visit: Visit) -> str:
    """The next of the audit's sample that this person has not looked at."""
    from assay.viewer.gold_set import gold_of

    gold, labels = gold_of(visit), visit.desk.gold_labels()
    sample = [id_ for id_ in gold.sample if visit.rater not in labels.get(id_, {})]
    after = visit.query.get("after", "")
    place = gold.sample.index(after) if after in gold.sample else -1
    behind = [id_ for id_ in sample if gold.sample.index(id_) > place]
    found = next((id_ for id_ in [*behind, *sample] if id_ != after), None)
    if found is None:
        return address("/gold", {"sample": "yes"})
    return address("/gold/question", {"id": found, "queue": "1"})
