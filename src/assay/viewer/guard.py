"""Who may ask: only a browser or program of this machine that asks for this very server, and writes with the token."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping

from msgspec import Struct

from assay.viewer.refusal import Refusal
from assay.viewer.shell import REFERRER, policy

HEADER = "X-Assay-Token"
HOST = "127.0.0.1"
NAMES = (HOST, "localhost")
"""Under which a browser of this machine finds the server."""


class Guard(Struct, frozen=True):
    """Knows its port and its token, which is new at each start."""

    port: int
    token: str

    @classmethod
    def new(cls, port: int) -> Guard:
        return cls(port, secrets.token_urlsafe(24))

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

    def is_token(self, given: str | None) -> bool:
        return given is not None and hmac.compare_digest(given.encode("utf-8", "replace"), self.token.encode())

    def check_write(self, headers: Mapping[str, str], given: str | None) -> None:
        """From a page of ours, and with the token. A program sends no origin."""
        origin = headers.get("Origin")
        if origin is not None and origin not in {f"http://{name}:{self.port}" for name in NAMES}:
            raise Refusal(403, "another site may not write here")
        if headers.get("Sec-Fetch-Site", "same-origin") not in {"same-origin", "none"}:
            raise Refusal(403, "another site may not write here")
        if not self.is_token(given):
            raise Refusal(403, "the token is wrong or missing: open the address that assay view has printed")


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
