"""One question a line: JSON lines and CSV. The leaves are columns, or the user's columns are leaves."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from assay.errors import AssayError, offer, unknown_name
from assay.files import dump_json, list_lines, parse_json, read_jsonl, read_text
from assay.gold.formats.protocol import (
    ACCEPTED,
    FORMATS,
    Bundle,
    Format,
    Order,
    Raw,
    Written,
    blank,
    carried,
    gathered,
    several,
)
from assay.gold.formats.table import table_of
from assay.gold.leaves import LEAVES, Leaf
from assay.gold.schema import question_of
from assay.validation import shown

BY_PATH = {leaf.path: leaf for leaf in LEAVES}
GROUPS = frozenset(leaf.group for leaf in LEAVES if leaf.group)
_ANSWER, _ACCEPTED = "content.expected_answer", f"content.{ACCEPTED}"
SHORT = {leaf.key: leaf.path for leaf in LEAVES} | {"answer": _ANSWER, ACCEPTED: _ACCEPTED}
"""Names people give: `question`, `answer`, `chunk_id`."""


_LISTS = frozenset({"texts", "filled_texts", "numbers"})
_COMMA = re.compile(r"\s*\d+,\d+\s*")
"""A number as half of Europe's spreadsheets write it."""
_CHOICE = re.compile(r"(?:mcq\.)?choices\.([A-Z])")
"""An exam sheet has a column for each choice."""


def path_of(name: str) -> str | None:
    if choice := _CHOICE.fullmatch(name):
        return f"mcq.choices.{choice[1]}"
    return name if name in BY_PATH else SHORT.get(name)


def columns_of(order: Order) -> dict[str, str]:
    """The user's column → the leaf it stands for."""
    found = {}
    for leaf, column in order.columns.items():
        path = path_of(leaf)
        if path is None:
            raise unknown_name("leaf", leaf, [*BY_PATH, *SHORT])
        found[column] = path
    return found


def read_lines(path: Path, order: Order) -> Bundle:
    """A line is a whole question of schema v2, or flat."""
    names = columns_of(order)
    raws = []
    keys: dict[str, Any] = {}
    for number, (line, item) in enumerate(_items(path), 1):
        where = f"{path}:{line}"
        if not isinstance(item, dict):
            raise AssayError("not an object", where=where, expected="one question a line, or a list of them")
        if isinstance(item.get("content"), dict):
            raws.append((where, _whole(item, where, number)))
            continue
        item = _opened(item, names)
        keys.update(item)
        raws.append((where, _raised(item, names, where, number)))
    if keys:
        _check_map(names, keys, path)
    return _checked(raws, path)


def _items(path: Path) -> Iterator[tuple[int, Any]]:
    """Each with its line. A `.json` file holds a list, itself or as the one list of objects in it; else lines."""
    if path.suffix != ".json":
        return read_jsonl(path)
    text = read_text(path)
    try:
        data = parse_json(text, str(path))
    except AssayError:
        if text.lstrip().startswith("["):
            raise
        return read_jsonl(path)
    if rows_in(data) is None:
        raise AssayError(
            "no list of rows", where=str(path), expected="a list of objects, or an object with one such list"
        )
    key = () if isinstance(data, list) else (next(key for key, value in data.items() if value is rows_in(data)),)
    return list_lines(text, key)


def rows_in(data: Any) -> list[Raw] | None:
    """The list of objects that parsed JSON is, or that it holds one of."""
    lists = [data] if isinstance(data, list) else data.values() if isinstance(data, dict) else ()
    found = [each for each in lists if isinstance(each, list) and each and all(isinstance(one, dict) for one in each)]
    return found[0] if len(found) == 1 else None


def _opened(item: Raw, names: Mapping[str, str]) -> Raw:
    """With what the map names inside of others, `gold.doc`, under that name; the others are kept."""
    inside = {name: _inside(item, name) for name in names if name not in item and "." in name}
    return item | {name: value for name, value in inside.items() if value is not ABSENT}


def _inside(value: Any, path: str) -> Any:
    """What stands there; of a list, what stands there in each of its objects."""
    if not path:
        return value
    if isinstance(value, list):
        found = [each for each in (_inside(one, path) for one in value) if each is not ABSENT]
        return ABSENT if value and not found else found[0] if len(found) == 1 else found
    key, _, rest = path.partition(".")
    return _inside(value[key], rest) if isinstance(value, dict) and key in value else ABSENT


def _check_map(names: Mapping[str, str], keys: Mapping[str, Any], path: Path) -> None:
    """A column that no row has is a slip, and would leave its leaf empty throughout."""
    for name in names:
        if name not in keys:
            raise AssayError(f"--map names '{name}', which no row has", where=str(path), hint=offer(name, keys))


def _whole(item: Raw, where: str, number: int) -> Raw:
    """A question of schema v2 as it stands; one without an id is numbered."""
    id_, question = item.get("id"), item["content"].get("question")
    if not isinstance(question, str) or not question.strip():
        raise AssayError("has no question", where=where, expected="content.question, a text")
    if id_ is not None and (not isinstance(id_, str | int) or isinstance(id_, bool)):
        raise AssayError(f"id is {shown(id_)}", where=where, expected="a text")
    return {**item, "id": f"q{number:04d}" if id_ in {None, ""} else str(id_)}


def read_csv(path: Path, order: Order) -> Bundle:
    names = columns_of(order)
    raws = []
    header, rows = table_of(read_text(path), str(path))
    _check_map(names, dict.fromkeys(header), path)
    for number, (where, row) in enumerate(rows, 1):
        cells = {key: _cell(value, path_of(names.get(key, key))) for key, value in row.items()}
        raws.append((where, _raised({k: v for k, v in cells.items() if v is not ABSENT}, names, where, number)))
    return _checked(raws, path)


ABSENT = object()


def _checked(raws: list[tuple[str, Raw]], path: Path) -> Bundle:
    if not raws:
        raise AssayError("holds no question at all", where=str(path))
    seen: dict[str, str] = {}
    for where, raw in raws:
        if raw["id"] in seen:
            raise AssayError(f"id '{raw['id']}' occurs twice, first in {seen[raw['id']]}", where=where)
        seen[raw["id"]] = where
        question_of(raw, lambda _keys, where=where: where)  # type: ignore[misc]  # what could not be read back is told here
    return gathered(raw for _, raw in raws)


def _raised(item: Raw, names: Mapping[str, str], where: str, number: int) -> Raw:
    """A flat row as a question; columns nobody knows are kept as they are."""
    known: dict[str, Any] = {}
    rest: Raw = {}
    for key, value in item.items():
        path = names.get(key) or path_of(key)
        if path:
            known[path] = value
        else:
            rest[key] = value
    question = known.get("content.question")
    if not isinstance(question, str) or not question.strip():
        wanted = next((name for name, path in names.items() if path == "content.question"), "question")
        hint = "Say which one holds it with --map question=NAME"
        raise AssayError("has no question", where=where, expected=f"a column '{wanted}'", hint=hint)
    raw = blank(str(known.get("id") or f"q{number:04d}"), question)
    for path, value in known.items():
        if path in BY_PATH:
            put(raw, path, _fitted(value, BY_PATH[path]))
        elif value is not None and path != _ACCEPTED:
            put(raw, path, value)
    _take_answers(raw["content"], known, where)
    raw["id"] = str(known.get("id") or raw["id"])
    _name_the_right_choice(raw["mcq"], known)
    _say_whether_it_has_an_answer(raw, known, rest.get("answerable"))
    inside = [key for key in rest if key.rpartition(".")[0] in GROUPS]
    for key in inside:
        put(raw, key, rest[key])
    return raw | {key: value for key, value in rest.items() if key not in inside}


def _take_answers(content: Raw, known: Mapping[str, Any], where: str) -> None:
    """Of a list of answers the first is expected, and the others are right too."""
    given = [known.get(_ANSWER), known.get(_ACCEPTED)]
    if isinstance(given[0], list) or given[1]:
        answers = [_text(one) for value in given for one in (value if isinstance(value, list) else [value or ""])]
        if not all(isinstance(answer, str) for answer in answers):
            raise AssayError(f"answers are {shown(answers)}", where=where, expected="a text, or a list of texts")
        content |= several(answers)


def _say_whether_it_has_an_answer(raw: Raw, known: Mapping[str, Any], answerable: Any) -> None:
    """Of rows that say it the other way round, as cases do: `answerable`. The reason stays open if none is given."""
    content = raw["content"]
    if isinstance(answerable, bool) and "content.is_impossible" not in known:
        content["is_impossible"] = not answerable
    if content["is_impossible"] is True:
        content["expected_answer"] = content["expected_answer"] or ""
        if "classification.hard_type" not in known:
            raw["classification"]["hard_type"] = None


def _text(value: Any) -> Any:
    """A number as text, where text is wanted: ids and answers are often written as numbers."""
    return dump_json(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def _fitted(value: Any, leaf: Leaf) -> Any:
    """Where the schema has a list, one document or page is a list of one, and none an empty one."""
    if _is_text(leaf) and not leaf.values:
        return _text(value)
    if not _LISTS.intersection(leaf.kinds) or isinstance(value, list):
        return value
    if value is None:
        return None if leaf.nullable else []
    if isinstance(value, str) and "numbers" in leaf.kinds:
        parts = [part.strip() for part in re.split("[;,]", value)]
        return [int(part) if part.isdecimal() else part for part in parts]
    return [value]


def _name_the_right_choice(mcq: Any, known: Mapping[str, Any]) -> None:
    """Of a sheet with a column for each choice: the right answer is the choice that its letter names."""
    if any(map(_CHOICE.fullmatch, known)) and mcq.get("correct_answer") is None:
        mcq["correct_answer"] = (mcq["choices"] or {}).get(mcq.get("mcq_answer"))


def put(raw: Raw, path: str, value: Any) -> None:
    *groups, key = path.split(".")
    holder = raw
    for group in groups:
        if not isinstance(holder.get(group), dict):
            holder[group] = {}
        holder = holder[group]
    holder[key] = value


def get(raw: Raw, path: str) -> Any:
    holder: Any = raw
    for key in path.split("."):
        if not isinstance(holder, dict) or key not in holder:
            return ABSENT
        holder = holder[key]
    return holder


def _is_text(leaf: Leaf | None) -> bool:
    return leaf is not None and set(leaf.kinds) <= {"text", "filled", "date"}


def _may_be_empty(leaf: Leaf) -> bool:
    """Whether an empty cell stands for an empty text, and not for null."""
    return leaf.kinds == ("text",) and not leaf.nullable and not leaf.values


def _cell(cell: str, path: str | None) -> Any:
    """Text leaves as they stand; all else is JSON where it is JSON. An empty cell is null or an empty text.

    In a column nobody knows only what would be written in the same way is JSON: 1.50, 1e5 and NaN stay what they are.
    """
    leaf = BY_PATH.get(path or "")
    if cell == "":
        return ABSENT if leaf is None else "" if _may_be_empty(leaf) else None
    if cell == '""':
        return ""
    if path in {_ANSWER, _ACCEPTED}:
        return _answers_in(cell)
    if _is_text(leaf) or _CHOICE.fullmatch(path or ""):
        return cell
    try:
        decimal = leaf is not None and leaf.kinds == ("number",) and _COMMA.fullmatch(cell)
        value = json.loads(cell.replace(",", ".") if decimal else cell, parse_constant=_refuse)
        return value if leaf is not None or dump_json(value) == cell else cell
    except ValueError:
        return [part.strip() for part in cell.split(";")] if leaf and "texts" in "".join(leaf.kinds) else cell


def _answers_in(cell: str) -> str | list[str]:
    """A JSON list of texts is several answers; every other cell is one, as it stands."""
    try:
        value = json.loads(cell) if cell.startswith("[") else None
    except (ValueError, RecursionError):
        return cell
    return value if isinstance(value, list) and value and all(isinstance(each, str) for each in value) else cell


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is not JSON")


def _shown(value: Any, path: str) -> str:
    leaf = BY_PATH.get(path)
    if value is ABSENT or (value is None and leaf is not None):
        return ""
    if isinstance(value, str) and path == _ANSWER and _cell(value, path) != value:
        return dump_json([value])  # that looks like a list of answers
    return value if isinstance(value, str) and _cell(value, path) == value else dump_json(value)


def write_lines(bundle: Bundle, order: Order) -> Written:  # noqa: ARG001
    return Written({"": "".join(dump_json(raw) + "\n" for raw in carried(bundle))})


def write_csv(bundle: Bundle, order: Order) -> Written:
    """A column for each leaf, then one for each key that schema v2 does not know."""
    names = {path: column for column, path in columns_of(order).items()}
    paths = [path for path in BY_PATH if path != "provenance.annales_source"]
    raws = carried(bundle)
    rest = list(dict.fromkeys(path for raw in raws for path in _unknown(raw)))
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([names.get(path, path) for path in (*paths, *rest)])
    for raw in raws:
        writer.writerow([_shown(get(raw, path), path) for path in (*paths, *rest)])
    return Written({"": file.getvalue()})


def _unknown(raw: Raw, prefix: str = "") -> Iterator[str]:
    """Paths of keys that the schema does not have, beside its groups and inside them."""
    for key, value in raw.items():
        path = f"{prefix}{key}"
        if path in GROUPS and isinstance(value, dict):
            yield from _unknown(value, f"{path}.")
        elif path not in BY_PATH:
            yield path


FORMATS.register("jsonl")(Format(name="jsonl", read=read_lines, write=write_lines))
FORMATS.register("csv")(Format(name="csv", read=read_csv, write=write_csv))
