"""The HTML report in a real browser: what a person does with it works, and nothing leaves the machine."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browser import Tab, aside, watched
from msgspec.structs import replace
from report_samples import HOSTILE, every_field, rich, small

from assay.report.blocks import Item, Items, Section
from assay.report.html import to_html
from assay.report.text import one_line, visible

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SCHEME = "getComputedStyle(document.documentElement).colorScheme"
FOCUSED = "document.activeElement.closest('details')?.querySelector('code').textContent"
SHOWN = ".rows > details"
OUTPUT = ".controls output"
OUTSIDE = """() => [...document.querySelectorAll("svg.chart")].flatMap((svg) => {
  const box = svg.getBoundingClientRect();
  return [...svg.querySelectorAll("text")]
    .filter((text) => {
      const own = text.getBoundingClientRect();
      const wide = own.left < box.left - 2 || own.right > box.right + 2;
      return wide || own.top < box.top - 2 || own.bottom > box.bottom + 2;
    })
    .map((text) => `${svg.querySelector("title").textContent}: ${text.textContent}`);
})"""
"""Labels that stand out of their pictures."""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(to_html(rich()), "utf-8")
    return path


def write(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


def ids(page: Page) -> list[str]:
    return page.locator(f"{SHOWN} > summary > code").all_text_contents()


def test_the_tab_hears_of_complaints_and_of_requests_that_would_leave(tab: Tab, tmp_path: Path) -> None:
    text = "<img src='https://elsewhere.invalid/x.png'><script>console.error('no'); missing()</script>"
    tab.open(write(tmp_path / "bad.html", text))
    assert tab.outside == ["https://elsewhere.invalid/x.png"]
    assert any(text == "no" for text in tab.errors)
    assert any("missing is not defined" in text for text in tab.errors)
    tab.outside.clear()
    tab.errors.clear()


def test_work_that_needs_an_event_loop_is_done_aside(tab: Tab) -> None:
    assert aside(asyncio.run, asyncio.sleep(0, "done")) == "done"


def test_it_opens_from_a_disk_with_its_verdict_on_top(tab: Tab, file: Path) -> None:
    page = tab.open(file)
    assert page.locator("h1").inner_text() == rich().title
    assert page.locator("main section").count() == 3
    verdict = page.get_by_role("region", name="In short")
    assert verdict.locator(".word").inner_text() == "✗Fail"
    assert verdict.locator(".card").count() == 3
    box = verdict.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] < 500, "it is read without scrolling"


def test_questions_are_filtered_and_counted(tab: Tab, file: Path) -> None:
    page = tab.open(file)
    assert page.locator(OUTPUT).inner_text() == "9 of 9"
    page.get_by_label("verdict", exact=True).select_option(label="fail (3)")
    assert ids(page) == ["q0", "q3", "q6"]
    page.get_by_label("difficulty", exact=True).select_option(label="hard (4)")
    assert ids(page) == ["q3"]
    assert page.locator(OUTPUT).inner_text() == "1 of 9"


def test_questions_are_searched_by_any_word_with_or_without_accents(tab: Tab, file: Path) -> None:
    page = tab.open(file)
    search = page.get_by_role("searchbox")
    search.fill("ELODIE number 4")
    assert ids(page) == ["q4"]
    search.fill("float-plans.md-p007")
    assert ids(page) == ["q7"], "the ids of passages are searched too"
    search.fill("nothing like it")
    assert ids(page) == []
    page.keyboard.press("Escape")
    assert len(ids(page)) == 9


def test_a_question_opens_to_everything(tab: Tab, file: Path) -> None:
    page = tab.open(file)
    page.get_by_text("Who signs float plan number 4").click()
    case = page.locator(".case")
    assert case.locator(".fields dt").all_text_contents() == ["Question", "Answer"]
    assert case.locator("h4").all_text_contents() == [
        "Grades",
        "Time",
        "Context as the generator saw it",
        "Retrieved (rrf)",
    ]
    assert case.locator(".facts").first.inner_text().split() == ["correctness", "4", "clarity", "5"]
    found = case.locator(".ranking").last
    assert found.locator("summary").inner_text().split() == [
        *("1", "float-plans.md-p004", "float-plans.md", "p.", "2", "expected", "seen", "0.0164")
    ]
    text = found.get_by_text("Passage 4: the duty officer")
    assert not text.is_visible()
    found.locator("summary").click()
    assert text.is_visible()


def test_the_keyboard_is_enough(tab: Tab, file: Path) -> None:
    page = tab.open(file)
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.type") == "search"
    page.keyboard.press("ArrowDown")
    assert page.evaluate(FOCUSED) == "q0"
    page.keyboard.press("j")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("k")
    assert page.evaluate(FOCUSED) == "q1"
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid", "where one is can be seen"
    page.keyboard.press("Enter")
    assert page.locator(f"{SHOWN}[open] code").first.inner_text() == "q1"
    page.wait_for_selector(f"{SHOWN}[open] > :not(summary) *")  # filled when it opens, a moment later
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    assert page.locator(f"{SHOWN}[open]").count() == 0
    assert page.evaluate(FOCUSED) == "q1"


def test_a_question_has_an_address(tab: Tab, file: Path) -> None:
    page = tab.open(f"{file.as_uri()}#q=q5")
    assert page.locator(f"{SHOWN}[open] > summary code").inner_text() == "q5"
    page.get_by_text("Who signs float plan number 2").click()
    page.wait_for_function("location.hash === '#q=q2'")
    page.get_by_label("verdict", exact=True).select_option(label="fail (3)")
    page.evaluate("location.hash = '#q=q8'")
    page.wait_for_selector(f"{SHOWN}[open] code:text-is('q8')")
    page.evaluate("location.hash = '#q=%E0%A4%A'")
    page.evaluate("location.hash = '#q=unknown'")


def test_what_changed_leads_to_its_question(tab: Tab, tmp_path: Path) -> None:
    report = rich()
    flips = Items((Item("q5", "mrr 1.000 → 0.000", {}, (), "bad", about="q5"), Item("gone", "", {}, (), about="q99")))
    whole = replace(report, sections=(Section("Flips", (flips,)), *report.sections))
    page = tab.open(write(tmp_path / "flips.html", to_html(whole)))
    flip, lost = page.locator("#s1 .rows > details").all()
    flip.locator("summary").click()
    flip.get_by_role("link", name="The question, with everything about it").click()
    assert page.locator("#s4 .rows > details[open] > summary code").inner_text() == "q5"
    assert page.evaluate(FOCUSED) == "q5"
    lost.locator("summary").click()
    lost.locator(".case").wait_for()
    assert lost.get_by_role("link").count() == 1, "to itself: its question is not in the page"
    page.goto("about:blank")
    page = tab.open(f"{(tmp_path / 'flips.html').as_uri()}#q=q5")
    assert page.locator("#s1 .rows > details[open]").count() == 0, "an address is that of the question"


def test_a_long_list_grows_as_one_reads_on(tab: Tab, tmp_path: Path) -> None:
    page = tab.open(write(tmp_path / "long.html", to_html(rich(450))))
    assert page.locator(SHOWN).count() == 200
    page.get_by_role("button", name="Show 200 more of 250").click()
    assert page.locator(SHOWN).count() == 400
    assert page.locator(".more").text_content() == "Show the last 50"
    page.locator(f"{SHOWN} > summary").last.focus()
    page.keyboard.press("j")
    assert page.evaluate(FOCUSED) == "q400"
    assert page.locator(SHOWN).count() == 450
    assert not page.locator(".more").is_visible()
    page.goto("about:blank")
    page = tab.open(f"{(tmp_path / 'long.html').as_uri()}#q=q449")
    assert page.locator(f"{SHOWN}[open]").is_visible()


def test_its_theme_is_switched_and_remembered(tab: Tab, file: Path) -> None:
    page = tab.open(file)
    assert page.evaluate(SCHEME) == "light dark"
    page.get_by_role("button", name="Switch to dark").click()
    page.reload()
    assert page.evaluate(SCHEME) == "dark"
    page.get_by_role("button", name="Switch to light").click()
    assert page.evaluate(SCHEME) == "light"


def test_a_browser_that_forbids_storage_switches_all_the_same(tab: Tab, file: Path) -> None:
    forbid = "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('no', 'SecurityError'); }})"
    tab.page.add_init_script(forbid)
    page = tab.open(file)
    page.locator("#theme").click()
    assert page.evaluate(SCHEME) == "dark"


@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_scrolls_sideways_and_no_label_leaves_its_picture(tab: Tab, file: Path, width: int) -> None:
    tab.page.set_viewport_size({"width": width, "height": 740})
    page = tab.open(f"{file.as_uri()}#q=q4")
    page.locator(".ranking summary").first.click()
    assert tab.width() <= width
    assert page.evaluate(OUTSIDE) == []


def test_every_picture_has_a_name_and_a_description(tab: Tab, file: Path) -> None:
    page = tab.open(file)
    for picture in page.locator("svg.chart").all():
        assert picture.get_attribute("role") == "img"
        named = (picture.get_attribute("aria-labelledby") or "").split()
        assert all(page.locator(f"[id='{each}']").text_content() for each in named)
        assert len(named) == 2


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_text(tab: Tab, tmp_path: Path, text: str) -> None:
    tab.page.on("dialog", lambda dialog: tab.errors.append(dialog.message))
    page = tab.open(write(tmp_path / "hostile.html", to_html(every_field(text))))
    for row in page.locator(f"{SHOWN} > summary").all():
        row.click()
    shown = page.locator(".case .fields dd").first.text_content()
    assert shown == visible(text)
    assert one_line(page.locator(".ranking p").first.text_content() or "") == one_line(text) or not text
    foreign = page.locator(
        "main :is(img, iframe, script:not([type='application/json']), [onclick], [onload], b[class=''])"
    )
    assert foreign.count() == 0
    assert page.title() == one_line(text) or not text.strip()


def test_on_paper_there_are_no_controls_and_what_is_open_stays_open(tab: Tab, file: Path) -> None:
    page = tab.open(f"{file.as_uri()}#q=q4")
    page.emulate_media(media="print")
    for hidden in ("nav", "#theme", ".controls", ".skip"):
        assert not page.locator(hidden).first.is_visible()
    assert page.locator(".case").is_visible()
    assert page.locator(".verdict").is_visible()
    assert page.evaluate(SCHEME) == "light"
    assert page.pdf(format="A4").startswith(b"%PDF")


def test_without_scripts_the_failures_can_be_read(browser: Browser, file: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    tab = watched(context)
    page = tab.open(file)
    rows = page.locator("noscript details")
    assert rows.count() == 3
    rows.first.locator("summary").click()
    answer = page.locator("noscript dd").nth(1)
    assert answer.text_content() == "The officer of day 0."
    assert answer.is_visible()
    assert not page.locator(".controls").is_visible()
    assert page.locator(".verdict").is_visible()
    context.close()
    assert (tab.errors, tab.outside) == ([], [])


def test_a_report_without_a_list_or_a_verdict_is_quiet(tab: Tab, tmp_path: Path) -> None:
    page = tab.open(write(tmp_path / "small.html", to_html(small())))
    page.keyboard.press("j")
    page.keyboard.press("/")
    assert page.locator(".verdict").count() == 0
