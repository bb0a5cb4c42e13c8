"""What can go wrong with a call: worth another try, the end of one case, or the end of the run."""

from __future__ import annotations

import re
from typing import Literal

import msgspec

from assay.errors import AssayError, IncompleteRun
from assay.llm.protocol import RetryInfo, Usage

FaultKind = Literal["rate_limited", "server", "timeout", "connection", "unreadable", "rejected"]

LONGEST_ASKED_WAIT = 120.0
"""Seconds. A service that asks for more patience has run out of quota: the run stops and can be resumed."""

_RETRIED = {408, 425, 429}
_HOPELESS = {401, 402, 403, 404}
_QUOTA = {"insufficient_quota", "billing_hard_limit_reached", "quota_exceeded"}
_EVERY_CALL = {"unsupported_parameter", "unsupported_value", "model_not_found", "invalid_api_key"}


_NO_MODEL = "Check the model's name and base_url"


class CallFault(Exception):
    """One call failed. Whether another may follow is in `retry`."""

    def __init__(self, kind: FaultKind, what: str, *, retry: bool = True, wait: float | None = None) -> None:
        super().__init__(what)
        self.kind, self.what, self.retry, self.wait = kind, what, retry, wait
        self.usage = Usage()


class LlmError(AssayError):
    """A request failed for good. The fault of one case: others may go on."""

    def __init__(self, what: str, *, where: str, kind: FaultKind, retry: RetryInfo) -> None:
        super().__init__(what, where=where)
        self.kind, self.retry = kind, retry


class FatalLlmError(AssayError):
    """No request to this model can succeed: a wrong key, a wrong name, a refused parameter. Ends the run."""


class QuotaSpent(IncompleteRun):
    """The service will not answer for a long time. Ends the run, which can be resumed."""


class MissingReply(AssayError):
    """Replaying, and the recording has no reply to this request."""


def fault_of_status(status: int, body: str, *, where: str, wait: float | None, hint: str | None) -> Exception:
    """What an HTTP status other than success means."""
    code, message = _told(body)
    wait = wait if wait is not None else _asked_in(body)
    what = f"answered {status}: {message}" if message else f"answered {status}"
    if code in _QUOTA or (status == 429 and wait is not None and wait > LONGEST_ASKED_WAIT):
        asked = f" (asks to wait {wait:.0f} s)" if wait else ""
        return QuotaSpent(f"{what}{asked}", where=where, hint="Resume the run when the quota allows it")
    if status in _RETRIED or status >= 500:
        return CallFault("rate_limited" if status == 429 else "server", what, wait=wait)
    no_model = status == 404 or code == "model_not_found" or _names_no_model(message)
    if status in _HOPELESS or code in _EVERY_CALL or no_model or _refuses_the_key(message):
        return FatalLlmError(what, where=where, hint=_NO_MODEL if no_model else _advice(code, hint))
    return CallFault("rejected", what, retry=False)


def _asked_in(body: str) -> float | None:
    """Google says how long to wait in the body: `"retryDelay": "17s"`."""
    found = re.search(r'"retryDelay"\s*:\s*"([0-9.]{1,9})s"', body)
    try:
        return float(found[1]) if found else None
    except ValueError:
        return None


def _told(body: str) -> tuple[str, str]:
    """The code and message of an error in OpenAI's form, or the beginning of whatever came."""
    try:
        data = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):
        data = None
    data = data[0] if isinstance(data, list) and data else data
    error = data.get("error", data) if isinstance(data, dict) else None
    if isinstance(error, dict):
        message = error.get("message") or error.get("detail") or error
        return str(error.get("code") or error.get("type") or ""), _short(str(message))
    return "", _short(body if error is None else str(error))


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 300 else f"{text[:300]}…"


def _names_no_model(message: str) -> bool:
    """Some services answer 400 where others answer 404."""
    low = message.lower()
    signs = ("not found", "does not exist", "invalid model", "unknown model", "not a valid model")
    return "model" in low and any(sign in low for sign in signs)


def _refuses_the_key(message: str) -> bool:
    """And 400 where others answer 401."""
    low = message.lower()
    return "api key" in low and any(sign in low for sign in ("invalid", "not valid", "incorrect"))


def _advice(code: str, hint: str | None) -> str:
    if code.startswith("unsupported_"):
        return "Set the parameter to null under llm.models in assay.yaml"
    return hint or "Check the key and the model's name"
