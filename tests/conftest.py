"""Every test is offline, finds no settings of the machine it runs on, and gives the same result each time."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest
from browser import browser, tab
from hypothesis import settings

__all__ = ["browser", "tab"]

settings.register_profile("assay", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("assay")

_LOOPBACK = ("127.", "::1", "localhost", "0.0.0.0")


def _stay_on_this_machine(event: str, arguments: tuple[object, ...]) -> None:
    """A test that would leave the machine fails instead."""
    host: object = None
    if event == "socket.connect" and isinstance(arguments[1], tuple):
        host = arguments[1][0]
    elif event == "socket.getaddrinfo":
        host = arguments[0]
    name = host.decode() if isinstance(host, bytes) else host
    if isinstance(name, str) and not name.startswith(_LOOPBACK) and not name.endswith(".invalid"):
        raise AssertionError(f"a test tried to reach {name}")


sys.addaudithook(_stay_on_this_machine)


@pytest.fixture(autouse=True)
def _plain_surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key, no colour, a fixed width: what is printed depends on the input alone."""
    for name in [name for name in os.environ if name.endswith("_API_KEY") or name.startswith("ASSAY_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "100")


@pytest.fixture(autouse=True)
def _no_modules_of_others(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A user's module that a test wrote and loaded is gone for the next, which may call its own by the same name."""
    path = list(sys.path)
    yield
    sys.path[:] = path
    root = str(tmp_path_factory.getbasetemp())
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None) or "").startswith(root):
            del sys.modules[name]
