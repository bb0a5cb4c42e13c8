"""What a visitor is told instead of a page."""

from __future__ import annotations


class Refusal(Exception):
    """A status code and one line. What stands in it is shown, escaped; never a traceback."""

    def __init__(self, status: int, what: str) -> None:
        self.status, self.what = status, what
        super().__init__(what)


def not_found(what: str) -> Refusal:
    return Refusal(404, what)


def mistaken(what: str) -> Refusal:
    return Refusal(400, what)
