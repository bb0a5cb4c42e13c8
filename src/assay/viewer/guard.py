"""Who may ask: only a browser or program of this machine that asks for this very server, and writes with the token."""

from __future__ import annotations

import hmac
import logging
import secrets
from collections.abc import Callable, Mapping
from time import monotonic

from msgspec import Struct

from assay.viewer.refusal import Refusal
from assay.viewer.shell import REFERRER, policy

HEADER = "X-Assay-Token"
HOST = "127.0.0.1"
NAMES = (HOST, "localhost")
"""Under which a browser of this machine finds the server."""


TICKET_SECONDS = 60
_log = logging.getLogger(__name__)


class Ticket:
    """Lets one browser in, once and soon. A browser is opened by a command line, which everybody on the machine may
    read: what stands there must be worth nothing afterwards, as the token would not be."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self.code = secrets.token_urlsafe(24)
        self._clock, self._until, self._is_used = clock, clock() + TICKET_SECONDS, False

    def redeem(self, given: str | None) -> bool:
        if given is None or not _is_same(given, self.code) or self._clock() > self._until:
            return False
        if self._is_used:
            _log.warning("the address that the browser was given came twice: if it was not you, start assay view anew")
            return False
        self._is_used = True
        return True


class Guard(Struct, frozen=True):
    """Knows its port and its token, which is new at each start."""

    port: int
    token: str
    ticket: Ticket

    @classmethod
    def new(cls, port: int) -> Guard:
        return cls(port, secrets.token_urlsafe(24), Ticket())

    @property
    def cookie(self) -> str:
        """Cookies do not tell ports apart: each server has a name of its own."""
        return f"assay-token-{self.port}"

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self.port}"

    def check_host(self, host: str | None) -> None:
        """A page elsewhere whose name was pointed at this machine (DNS rebinding) comes with its own name."""
        if host not in {f"{name}:{self.port}" for name in NAMES}:
            raise Refusal(421, f"this is {self.address}")

    @property
    def entrance(self) -> str:
        """What a browser is opened with."""
        return f"{self.address}/?ticket={self.ticket.code}"

    def is_token(self, given: str | None) -> bool:
        return given is not None and _is_same(given, self.token)

    def check_read(self, headers: Mapping[str, str]) -> None:
        """A link elsewhere may lead here; a page elsewhere may not load or count what is here, not even blindly."""
        if headers.get("Sec-Fetch-Mode", "navigate") != "navigate":
            self._check_origin(headers, "another site may not read here")

    def check_write(self, headers: Mapping[str, str], given: str | None) -> None:
        """From a page of ours, and with the token. A program sends no origin."""
        self._check_origin(headers, "another site may not write here")
        if not self.is_token(given):
            raise Refusal(403, "the token is wrong or missing: open the address that assay view has printed")

    def _check_origin(self, headers: Mapping[str, str], what: str) -> None:
        origin = headers.get("Origin")
        if origin is not None and origin not in {f"http://{name}:{self.port}" for name in NAMES}:
            raise Refusal(403, what)
        if headers.get("Sec-Fetch-Site", "same-origin") not in {"same-origin", "none"}:
            raise Refusal(403, what)


def _is_same(given: str, secret: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), secret.encode())


def answer_headers() -> dict[str, str]:
    """With every answer. Nothing of ours is kept by a browser, framed, guessed at or told to others."""
    return {
        "Content-Security-Policy": f"{policy()}; frame-ancestors 'none'",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": REFERRER,
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Cache-Control": "no-store",
    }
