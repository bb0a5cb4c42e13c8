"""A real browser for tests of pages: `tab` opens one, and says what went wrong in it.

Debian's Chromium, or whatever ASSAY_BROWSER names, driven by Playwright. Where either is absent the tests are skipped
and say why; a browser that is named and is not there is an error.

While a browser is open its event loop lives in the test's thread, and `asyncio.run` is refused there: make runs in a
fixture that comes before `tab`, or with `aside`.
"""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import pytest
from msgspec import Struct, field

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

T = TypeVar("T")

NAMED = os.environ.get("ASSAY_BROWSER")
EXECUTABLE = NAMED or shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
HERE = ("file", "data", "blob", "about")
LOOPBACK = ("127.0.0.1", "localhost", "::1")


class Tab(Struct):
    """A page and everything it did that a report must not do."""

    page: Page
    errors: list[str] = field(default_factory=list)
    """What the console was told as an error or a warning, and exceptions nobody caught."""
    outside: list[str] = field(default_factory=list)
    """Requests that would have left the machine; none of them did."""

    def open(self, place: Path | str) -> Page:
        """A file or an address, loaded."""
        self.page.goto(place.as_uri() if isinstance(place, Path) else place)
        return self.page

    def width(self) -> int:
        """How wide the page is, however much of it is seen: more than the window means scrolling sideways."""
        found: int = self.page.evaluate("document.documentElement.scrollWidth")
        return found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One for a file of tests; each test has a tab of its own, which remembers nothing of the others."""
    playwright = pytest.importorskip("playwright.sync_api", reason="pip install playwright: no browser can be driven")
    if EXECUTABLE is None:
        pytest.skip("no Chromium here: apt install chromium, or name another in ASSAY_BROWSER")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=EXECUTABLE, args=list(ARGUMENTS))
        yield opened
        opened.close()


@pytest.fixture
def tab(browser: Browser) -> Iterator[Tab]:
    """A fresh tab. Its test fails in the end if the page complained or asked for anything outside."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    opened = watched(context)
    yield opened
    context.close()
    assert opened.errors == []
    assert opened.outside == []


def watched(context: BrowserContext) -> Tab:
    """A new tab of a context, listened to."""
    tab = Tab(context.new_page())
    tab.page.set_default_timeout(30_000)
    tab.page.on("console", lambda said: tab.errors.append(said.text) if said.type in ("error", "warning") else None)
    tab.page.on("pageerror", lambda error: tab.errors.append(str(error)))
    tab.page.on("request", lambda request: tab.outside.append(request.url) if is_outside(request.url) else None)
    context.route(is_outside, lambda route: route.abort())
    return tab


def is_outside(address: str) -> bool:
    parts = urlsplit(address)
    return parts.scheme not in HERE and parts.hostname not in LOOPBACK


def aside(work: Callable[..., T], *given: Any) -> T:
    """What the work gives, done in a thread of its own, where `asyncio.run` may be called."""
    done: list[T] = []
    thread = threading.Thread(target=lambda: done.append(work(*given)))
    thread.start()
    thread.join()
    return done[0]
