"""The file exchange: prompts out in OpenAI's batch format, answers in from any model, tool or person.

Answers are kept in the build's folder; the build reads them as it would a model's reply, with the same rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from assay.errors import AssayError
from assay.files import append_line, dump_json, read_jsonl, read_text, write_atomic
from assay.gold.asking import Batch, messages
from assay.gold.generate import Given
from assay.gold.replies import schema_of
from assay.llm.batch import URL
from assay.llm.chat_completions import body_of
from assay.llm.protocol import ChatRequest
from assay.records import Chunk

ANSWERS = "answers.jsonl"
_TEXTS = ("content", "reply", "text", "answer")
"""Under which name a line without OpenAI's envelope may hold the reply."""


class Ingested(Struct, frozen=True, kw_only=True):
    """What a file of answers brought."""

    taken: int
    known: int
    """Were there already."""
    failed: dict[str, str]
    """Batches whose line holds a fault instead of a reply."""


def write_prompts(path: Path, batches: Iterable[Batch], chunks: Mapping[str, Chunk], model: str) -> int:
    """One line for each batch: what OpenAI's batch endpoint takes, and what a person can read."""
    lines = []
    for batch in batches:
        request = ChatRequest(
            model=model, messages=messages(batch, chunks), temperature=None, json_schema=schema_of(batch.kind)
        )
        body = body_of(request, "max_completion_tokens")
        lines.append(dump_json({"custom_id": batch.id, "method": "POST", "url": URL, "body": body}))
    write_atomic(path, "".join(line + "\n" for line in lines))
    return len(lines)


def ingest(path: Path, batches: Sequence[Batch], folder: Path) -> Ingested:
    """The answers of that file, checked to be answers to these batches, and kept in the folder."""
    ids = {batch.id for batch in batches}
    before = set(read_given(folder))
    failed: dict[str, str] = {}
    fresh: list[Given] = []
    for number, line in read_jsonl(path):
        where = f"{path}:{number}"
        name = _id(line, ids, where)
        text = _text(line, where)
        if isinstance(text, Fault):
            failed[name] = text.reason
        else:
            fresh.append(Given(name, text, _model(line)))
    new = [given for given in dict.fromkeys(fresh) if given not in before]
    for given in new:
        append_line(folder / ANSWERS, msgspec.json.encode(given).decode())
    return Ingested(taken=len(new), known=len(set(fresh)) - len(new), failed=failed)


def read_given(folder: Path) -> list[Given]:
    """The answers kept so far, in the order they came."""
    path = folder / ANSWERS
    if not path.exists():
        return []
    decode = msgspec.json.Decoder(Given).decode
    found = []
    for line in read_text(path).split("\n"):
        if line.strip():
            try:
                found.append(decode(line))
            except msgspec.MsgspecError:  # torn by a killed writer; its file can be ingested again
                continue
    return found


def by_batch(given: Iterable[Given]) -> dict[str, tuple[Given, ...]]:
    found: dict[str, tuple[Given, ...]] = {}
    for each in given:
        found[each.batch] = (*found.get(each.batch, ()), each)
    return found


class Fault(Struct, frozen=True):
    """A line that says that there is no reply."""

    reason: str


def _id(line: Any, ids: set[str], where: str) -> str:
    name = line.get("custom_id") if isinstance(line, dict) else None
    if not isinstance(name, str):
        raise AssayError("a line has no custom_id", where=where, expected='{"custom_id": …, "content": …}')
    if name not in ids:
        raise AssayError(
            f"custom_id '{name}' is no prompt of this build",
            where=where,
            hint="Give the options that the prompts were written with (--target, --language, --index, --seed); if the "
            "corpus or the settings changed since, write them again with gold prompts",
        )
    return name


def _text(line: Mapping[str, Any], where: str) -> str | Fault:
    """From OpenAI's envelope, or from a plain line: text, or the JSON object itself."""
    if "response" in line or "error" in line:
        return _from_envelope(line)
    found = next((line[name] for name in _TEXTS if name in line), None)
    if found is None:
        raise AssayError("a line has no reply", where=where, expected=f"one of {', '.join(_TEXTS)}, or response")
    return found if isinstance(found, str) else dump_json(found)


def _from_envelope(line: Mapping[str, Any]) -> str | Fault:
    response, error = line.get("response"), line.get("error")
    if error or not isinstance(response, dict):
        message = error.get("message", error) if isinstance(error, dict) else error
        return Fault(str(message or "no response"))
    if response.get("status_code") != 200:
        return Fault(f"answered {response.get('status_code')}")
    try:
        content = response["body"]["choices"][0]["message"]["content"]
    except (KeyError, IndexError, TypeError):
        return Fault("no choice in the response")
    return content if isinstance(content, str) and content else Fault("an empty reply")


def _model(line: Mapping[str, Any]) -> str:
    """Who wrote it, as far as the line says."""
    response = line.get("response")
    body = response.get("body") if isinstance(response, dict) else None
    named = body.get("model") if isinstance(body, dict) else line.get("model")
    return named if isinstance(named, str) and named else "unknown"
