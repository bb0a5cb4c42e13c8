"""The HTML report in a real browser: what a person does with it works, and nothing leaves the machine."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from browser import Tab, aside
from report_samples import small

from assay.report.html import to_html


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "report.html"
    path.write_text(to_html(small()), "utf-8")
    return path


def test_the_tab_hears_of_complaints_and_of_requests_that_would_leave(tab: Tab, tmp_path: Path) -> None:
    path = tmp_path / "bad.html"
    path.write_text(
        "<img src='https://elsewhere.invalid/x.png'><script>console.error('no'); missing()</script>", "utf-8"
    )
    tab.open(path)
    assert tab.outside == ["https://elsewhere.invalid/x.png"]
    assert any(text == "no" for text in tab.errors)
    assert any("missing is not defined" in text for text in tab.errors)
    tab.outside.clear()
    tab.errors.clear()


def test_work_that_needs_an_event_loop_is_done_aside(tab: Tab) -> None:
    assert aside(asyncio.run, asyncio.sleep(0, "done")) == "done"


def test_it_opens_from_a_disk(tab: Tab, file: Path) -> None:
    page = tab.open(file)
    assert page.locator("h1").inner_text() == small().title
    assert page.locator("main section").count() == len(small().sections)


def test_its_theme_is_switched_and_remembered(tab: Tab, file: Path) -> None:
    page = tab.open(file)
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "light dark"
    page.locator("#theme").click()
    page.reload()
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"


def test_a_phone_does_not_scroll_sideways(tab: Tab, file: Path) -> None:
    tab.page.set_viewport_size({"width": 360, "height": 740})
    tab.open(file)
    assert tab.width() <= 360
