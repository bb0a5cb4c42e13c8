"""Batch files: the same requests at half the price, without a live connection.

`write_batch` writes the file that OpenAI's Batch API (and those that follow it) take. When the service has done its
work, `read_batch` reads what came back, and `keep` puts it into the reply cache: the next run finds every reply there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from assay.errors import AssayError
from assay.files import read_jsonl, write_atomic
from assay.llm.chat_completions import body_of, reply_of
from assay.llm.faults import CallFault
from assay.llm.fingerprint import parts_of
from assay.llm.protocol import ChatReply, ChatRequest
from assay.llm.store import Entry, ReplyStore
from assay.llm.structured import Unparsed, parse_json_reply

URL = "/v1/chat/completions"


class BatchResult(Struct, frozen=True, kw_only=True):
    """Replies by id; nothing that was asked is left out: it failed with a reason, or it is missing."""

    replies: dict[str, ChatReply]
    failed: dict[str, str]
    missing: tuple[str, ...]


def address_of(request: ChatRequest, provider: str = "openai", identity: str = "") -> str:
    """A request's id in a batch file: its address in the reply cache."""
    return parts_of(provider, identity, request).address


def write_batch(
    path: Path, requests: Iterable[ChatRequest], *, provider: str = "openai", identity: str = ""
) -> dict[str, ChatRequest]:
    """Each request once, under its address. The requests by that address, for `read_batch`."""
    by_address = {address_of(request, provider, identity): request for request in requests}
    field = "max_tokens" if identity else "max_completion_tokens"
    lines = [
        msgspec.json.encode({"custom_id": address, "method": "POST", "url": URL, "body": body_of(request, field)})
        for address, request in by_address.items()
    ]
    write_atomic(path, b"".join(line + b"\n" for line in lines))
    return by_address


def read_batch(
    paths: Iterable[Path], requests: Mapping[str, ChatRequest], known: Callable[[str], bool] = lambda _: False
) -> BatchResult:
    """The result file and the error file of a batch, in any order of lines. What is known was taken in before."""
    replies: dict[str, ChatReply] = {}
    failed: dict[str, str] = {}
    for path in paths:
        for number, line in read_jsonl(path):
            where = f"{path}:{number}"
            name = str(line.get("custom_id")) if isinstance(line, dict) else ""
            if name not in requests and known(name):
                continue
            if name not in requests:
                raise AssayError(f"custom_id {name!r} was not asked for", where=where, expected="results of this batch")
            if name in replies or name in failed:
                raise AssayError(f"custom_id '{name}' is given twice", where=where)
            outcome = _outcome(line, requests[name])
            if isinstance(outcome, str):
                failed[name] = outcome
            else:
                replies[name] = outcome
    missing = tuple(name for name in requests if name not in replies and name not in failed)
    return BatchResult(replies=replies, failed=failed, missing=missing)


def _outcome(line: dict[str, Any], request: ChatRequest) -> ChatReply | str:
    response = line.get("response")
    error = line.get("error")
    if error or not isinstance(response, dict):
        return str(error.get("message", error) if isinstance(error, dict) else error or "no response")
    if response.get("status_code") != 200:
        return f"answered {response.get('status_code')}: {response.get('body')}"
    try:
        reply = reply_of(msgspec.json.encode(response.get("body")), request)
    except CallFault as fault:
        return fault.what
    if request.json_schema is not None:
        parsed = parse_json_reply(reply.text, request.json_schema.schema)
        if isinstance(parsed, Unparsed):
            return f"unreadable reply: {parsed.reason}"
    return reply


async def keep(
    result: BatchResult, requests: Mapping[str, ChatRequest], store: ReplyStore, *, provider: str, identity: str = ""
) -> None:
    """Puts the replies into the cache; what failed or is missing is asked for by the next run."""
    for address, reply in result.replies.items():
        request = requests[address]
        await store.put(Entry(address, request.label, parts_of(provider, identity, request), reply))
