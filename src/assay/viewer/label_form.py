"""Forms to label an answer or a gold question. They work without a script; with one, keys 1, 2, 3 do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.judges.judgment import DIMENSIONS
from assay.report.markup import Markup, element, join, void
from assay.viewer.parts import NOTHING
from assay.viewer.visit import Visit

Keys = Sequence[tuple[str, str]]
"""A key and the verdict it gives."""
ANSWER_KEYS: Keys = (("1", "pass"), ("2", "partial"), ("3", "fail"))
GOLD_KEYS: Keys = (("1", "good"), ("3", "bad"))


def refused() -> Markup:
    """For those who came without the token."""
    return element(
        "p",
        "To label, open the address with the token that assay view has printed.",
        class_="note",
    )


def answer_form(visit: Visit, action: str, id_: str, label: Mapping[str, Any] | None, then: str) -> Markup:
    """`label`: the one this person gave before. `then`: where to go on afterwards."""
    if not visit.may_label:
        return refused()
    human = (label or {}).get("human") or {}
    grades = element("div", *(_grade(name, human.get(name)) for name in DIMENSIONS), class_="grades")
    inner = (_verdicts(ANSWER_KEYS, human.get("verdict")), _folded_grades(grades, human), *_rest(visit, label))
    return _form((action, id_, then), inner, ANSWER_KEYS, undo=label is not None)


def gold_form(visit: Visit, action: str, id_: str, label: Mapping[str, Any] | None, then: str) -> Markup:
    if not visit.may_label:
        return refused()
    inner = (_verdicts(GOLD_KEYS, (label or {}).get("verdict")), *_rest(visit, label))
    return _form((action, id_, then), inner, GOLD_KEYS, undo=label is not None)


def _form(about: tuple[str, str, str], inner: Sequence[Markup], keys: Keys, *, undo: bool) -> Markup:
    """`about`: where it is sent, the question's id, where to go on."""
    action, id_, then = about
    hidden = [void("input", type="hidden", name=name, value=value) for name, value in (("id", id_), ("then", then))]
    marks = ", ".join(f"{key} {verdict}" for key, verdict in keys)
    said = f"Keys: {marks}; j, k next, previous; u takes back; n the note"
    back = element("button", "Take back", type="submit", name="withdrawn", value="true", formnovalidate="")
    return element(
        "form",
        *hidden,
        *inner,
        element(
            "p", element("button", "Save", type="submit", class_="save"), back if undo else NOTHING, class_="actions"
        ),
        element("p", said, class_="keys"),
        class_="label",
        method="post",
        action=action,
        aria_label="Your label",
    )


def _verdicts(keys: Keys, chosen: str | None) -> Markup:
    choices = [
        element(
            "label",
            void(
                "input",
                type="radio",
                name="verdict",
                value=verdict,
                data_key=key,
                checked="" if verdict == chosen else None,
            ),
            element("kbd", key),
            element("span", verdict),
            class_=f"choice {verdict}",
        )
        for key, verdict in keys
    ]
    return element("fieldset", element("legend", "Your verdict"), *choices, class_="verdicts")


def _folded_grades(grades: Markup, human: Mapping[str, Any]) -> Markup:
    given = any(human.get(name) is not None for name in DIMENSIONS)
    return element("details", element("summary", "Grades, 1 to 5"), grades, open="" if given else None)


def _grade(name: str, chosen: float | None) -> Markup:
    options = [element("option", "–", value="")]
    options += [
        element("option", str(grade), value=grade, selected="" if grade == chosen else None) for grade in range(1, 6)
    ]
    return element("label", f"{name} ", element("select", *options, name=name))


def _rest(visit: Visit, label: Mapping[str, Any] | None) -> tuple[Markup, ...]:
    note = element(
        "label",
        element("span", "Why"),
        element("textarea", (label or {}).get("note", ""), name="note", rows=2, maxlength=4000),
        class_="wide",
    )
    name = void(
        "input",
        type="text",
        name="rater",
        value=visit.rater,
        required="",
        maxlength=60,
        autocomplete="off",
        spellcheck="false",
    )
    return note, element("label", element("span", "Your name"), name, class_="wide")


def others(labels: Sequence[Mapping[str, Any]], rater: str) -> Markup:
    """What other people said."""
    told = [
        element("li", f"{each['rater'] or 'somebody'}: {_said(each)}") for each in labels if each.get("rater") != rater
    ]
    return join([element("h3", "Other people"), element("ul", *told)]) if told else NOTHING


def _said(label: Mapping[str, Any]) -> str:
    human = label.get("human") or {"verdict": label.get("verdict")}
    grades = ", ".join(f"{name} {human[name]:g}" for name in DIMENSIONS if human.get(name) is not None)
    return " · ".join(filter(None, (human.get("verdict"), grades, label.get("note"))))
