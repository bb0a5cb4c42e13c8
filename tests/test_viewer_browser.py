"""The viewer in a real browser: looked at, filtered, paged, compared, labelled, followed while a run goes on."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browser import Tab, aside, watched
from viewer_project import Client, make, places, running, runs_of

from assay.cli.main import main
from assay.files import dump_json, write_json
from assay.judges.labels import read_labels
from assay.runs.folder import RunFolder

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

Shown = tuple[Path, Client]
ATTACK = "<img src=x onerror=alert(1)><script>alert(2)</script>"


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    folder = tmp_path_factory.mktemp("browsed")
    aside(make, folder)
    with running(places(folder)) as client:
        yield folder, client


def address(shown: Shown, path: str) -> str:
    return f"{shown[1].guard.address}{path}"


def rag(shown: Shown) -> RunFolder:
    return runs_of(shown[0], "rag")[0]


def sign_in(shown: Shown, tab: Tab) -> Page:
    """By the address that the command prints."""
    page = tab.open(shown[1].entrance)
    assert page.url == address(shown, "/runs")
    return page


def arrived(page: Page, id_: str) -> None:
    """At the question, with its script at work: before that a key does nothing."""
    page.locator(".subtitle", has_text=id_).wait_for()
    page.wait_for_load_state()


def sideways(tab: Tab) -> bool:
    return tab.width() > int(tab.page.evaluate("window.innerWidth"))


def test_from_the_list_down_to_a_question(shown: Shown, tab: Tab) -> None:
    page = sign_in(shown, tab)
    assert page.locator("table.listing tbody tr").count() == 5
    page.locator("select[name=kind]").select_option("rag")
    page.wait_for_url("**/runs?*kind=rag*")
    assert page.locator("table.listing tbody tr").count() == 2
    page.locator("table.listing tbody a").last.click()
    assert page.locator("main h2").first.is_visible()
    page.get_by_role("link", name="Questions (40)").click()
    assert page.locator("output").inner_text() == "40 of 40"
    page.locator("table.listing tbody a").first.click()
    assert page.get_by_text("What the generator saw").is_visible()
    page.get_by_role("link", name="Runs").last.click()
    assert page.url == address(shown, "/runs")


def test_filter_search_sort_and_page(shown: Shown, tab: Tab) -> None:
    run = rag(shown)
    page = tab.open(address(shown, f"/runs/{run.name}/questions?size=10"))
    assert page.locator(".pager").inner_text().split("\n")[0] == "Page 1 of 4"
    page.get_by_role("link", name="Last").click()
    assert page.get_by_text("Page 4 of 4").is_visible()
    page.get_by_role("link", name="Previous").click()
    assert page.get_by_text("Page 3 of 4").is_visible()
    page.locator("select[name=outcome]").select_option("fail")
    page.wait_for_url("**outcome=fail*")
    assert set(page.locator("tbody .chip").all_inner_texts()) == {"✗fail"}
    assert "page=" not in page.url
    page.keyboard.press("/")
    page.keyboard.type(run.results.read()[0]["question"][:20])
    page.keyboard.press("Enter")
    page.wait_for_url("**q=*")
    page.get_by_role("link", name="Clear").click()
    assert page.locator("output").inner_text() == "40 of 40"
    page.get_by_role("columnheader", name="score").get_by_role("link").click()
    assert page.locator("th[aria-sort=ascending]").inner_text().startswith("score")


def test_compare_and_look_at_one_question_in_both(shown: Shown, tab: Tab) -> None:
    first, second = runs_of(shown[0], "rag")
    page = tab.open(address(shown, "/compare"))
    page.locator("select[name=before]").select_option(first.name)
    page.locator("select[name=now]").select_option(second.name)
    page.get_by_role("button", name="Compare").click()
    assert page.get_by_text("40 questions in common").first.is_visible()
    links = page.locator("table.listing tbody a")
    assert links.count() > 0
    links.first.click()
    assert page.locator(".sides > div").count() == 2
    boxes = [page.locator(".sides > div").nth(n).bounding_box() for n in (0, 1)]
    left, right = boxes
    assert left is not None
    assert right is not None
    assert left["x"] + left["width"] <= right["x"]


def labels_of(shown: Shown) -> Path:
    path = rag(shown).path / "labels.jsonl"
    path.unlink(missing_ok=True)
    return path


def test_answers_are_labelled_by_keys_alone(shown: Shown, tab: Tab) -> None:
    path = labels_of(shown)
    page = sign_in(shown, tab)
    page.goto(address(shown, f"/runs/{rag(shown).name}"))
    page.get_by_role("link", name="Label answers").click()
    page.wait_for_url("**queue=1")
    assert not page.locator(".judge .chip").is_visible()
    page.keyboard.press("1")  # without a name nothing is sent
    assert page.locator("input[name=rater]").evaluate("box => box.matches(':focus')")
    page.keyboard.type("Ana")
    page.keyboard.press("Tab")
    seen = []
    for key in ("1", "2", "3", "1", "2"):
        seen.append(re.search(r"[?&]id=([^&]+)", page.url)[1])  # type: ignore[index]
        page.locator("h1").click()
        page.keyboard.press(key)
        page.wait_for_url(lambda url, id_=f"id={seen[-1]}&": id_ not in url)  # type: ignore[misc]
    assert len(set(seen)) == 5
    labels = read_labels(path)
    assert [label.human.verdict for label in labels if label.human] == ["pass", "partial", "fail", "pass", "partial"]
    assert {label.rater for label in labels} == {"Ana"}
    page.keyboard.press("k")
    page.wait_for_url(lambda url: seen[-1] in url)
    assert page.locator(".judge .chip").first.is_visible()
    assert page.locator("input[value=partial]").is_checked()
    page.keyboard.press("u")
    page.wait_for_function("() => !document.querySelector('[name=withdrawn]')")
    assert len(read_labels(path)) == 4


def test_a_label_with_grades_and_a_note_is_read_by_the_check(
    shown: Shown, tab: Tab, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path, run = labels_of(shown), rag(shown)
    page = sign_in(shown, tab)
    id_ = run.results.read()[0]["case_id"]
    page.goto(address(shown, f"/runs/{run.name}/questions"))
    page.locator("table.listing tbody a").first.click()
    page.get_by_text("Grades, 1 to 5").click()
    page.locator("select[name=correctness]").select_option("2")
    page.locator("textarea").fill(f"it says {ATTACK}")
    page.locator("input[name=rater]").fill("Bo <b>")
    page.get_by_text("fail", exact=True).first.click()
    page.get_by_role("button", name="Save").click()
    page.locator("[name=withdrawn]").wait_for()
    (label,) = read_labels(path)
    assert label.human is not None
    assert (label.case_id, label.rater) == (id_, "Bo <b>")
    assert (label.human.verdict, label.human.correctness, label.note) == ("fail", 2, f"it says {ATTACK}")
    assert page.locator("select[name=correctness]").input_value() == "2"
    assert page.locator("input[name=rater]").input_value() == "Bo <b>"
    monkeypatch.chdir(shown[0])
    assert aside(main, ["judge", "check", run.name, "--json"]) in (0, 1)
    assert json.loads(capsys.readouterr().out)["n_labelled"] == 1


def test_a_label_that_is_refused_says_so_and_keeps_what_was_typed(shown: Shown, tab: Tab) -> None:
    path = labels_of(shown)
    page = sign_in(shown, tab)
    page.goto(address(shown, f"/runs/{rag(shown).name}/next"))
    page.locator("input[name=rater]").fill("Ana")
    page.locator("textarea").fill("only a note")
    page.get_by_role("button", name="Save").click()
    page.locator(".said.bad").wait_for()
    assert "a verdict or a grade is needed" in page.locator(".said.bad").inner_text()
    assert page.locator("textarea").input_value() == "only a note"
    assert not path.exists()
    tab.errors[:] = [error for error in tab.errors if "400" not in error]  # the browser tells a refusal as an error


def test_without_the_token_one_can_look_and_not_label(shown: Shown, tab: Tab) -> None:
    page = tab.open(address(shown, f"/runs/{rag(shown).name}/next"))
    assert page.locator("form.label").count() == 0
    assert page.get_by_text("open the address with the token").is_visible()


def test_gold_questions_are_labelled_too(shown: Shown, tab: Tab) -> None:
    path = shown[0] / "gold.labels.jsonl"
    page = sign_in(shown, tab)
    page.get_by_role("link", name="Gold set").click()
    page.wait_for_url("**/gold")  # with its scripts: a choice made before they are there waits for a button
    page.locator("select[name=hard_type]").select_option("FALSE_PREMISE")
    page.wait_for_url("**FALSE_PREMISE*")
    page.get_by_role("link", name=re.compile("Check the audit's sample")).click()
    page.wait_for_url("**queue=1")
    page.locator("input[name=rater]").fill("Ana")
    page.locator("textarea").fill("the chunk says otherwise")
    before = page.url
    page.locator("h1").click()
    page.keyboard.press("3")
    page.wait_for_url(lambda url: url != before)
    line = json.loads(path.read_text())
    assert (line["verdict"], line["rater"], line["note"]) == ("bad", "Ana", "the chunk says otherwise")


def test_walking_through_a_list_by_keys(shown: Shown, tab: Tab) -> None:
    run = rag(shown)
    failed = [row["case_id"] for row in run.results.read() if row["judgment"]["verdict"] == "fail"]
    page = tab.open(address(shown, f"/runs/{run.name}/questions?outcome=fail"))
    page.locator("table.listing tbody a").first.click()
    arrived(page, failed[0])
    for key, id_ in (("j", failed[1]), ("j", failed[2]), ("k", failed[1])):
        page.keyboard.press(key)
        arrived(page, id_)
    assert page.get_by_text(f"2 of {len(failed)}").is_visible()


def test_dark_and_light_are_remembered(shown: Shown, tab: Tab) -> None:
    page = tab.open(address(shown, "/runs"))
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.get_by_role("button", name="Dark").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != light
    page.get_by_role("link", name="History").click()
    page.get_by_role("button", name="Light").wait_for()


def test_every_page_fits_a_phone(shown: Shown, tab: Tab) -> None:
    first, second = runs_of(shown[0], "rag")
    id_ = first.results.read()[0]["case_id"]
    tab.page.set_viewport_size({"width": 375, "height": 740})
    sign_in(shown, tab)
    others = [runs_of(shown[0], kind)[0] for kind in ("retrieval", "lanes", "extraction")]
    paths = [
        "/runs",
        f"/runs/{first.name}",
        f"/runs/{first.name}/questions",
        f"/runs/{first.name}/question?id={id_}",
        *(f"/runs/{run.name.replace('+', '%2B')}" for run in others),
        *(f"/runs/{run.name.replace('+', '%2B')}/question?id={run.results.read()[0]['case_id']}" for run in others),
        f"/compare?before={first.name}&now={second.name}",
        f"/compare/question?before={first.name}&now={second.name}&id={id_}",
        "/baselines",
        "/history",
        "/gold",
        "/gold/question?id=orrin:board-minutes-2025:governance:001:d3f40bb1",
        "/gold/gates",
    ]
    for path in paths:
        page = tab.open(address(shown, path))
        assert page.locator("h1").is_visible()
        assert not sideways(tab), path


def test_a_run_is_followed_while_it_goes_on(shown: Shown, tab: Tab) -> None:
    source = rag(shown)
    lines = (source.path / "results.jsonl").read_bytes().splitlines(keepends=True)
    run = RunFolder(source.path.with_name("2026-03-03__going__p8__0b0b0b0b"))
    run.path.mkdir()
    write_json(run.path / "manifest.json", source.manifest)
    results = run.path / "results.jsonl"
    try:
        page = tab.open(address(shown, f"/runs/{run.name}"))
        assert "0 of 40 results" in page.locator("p.progress").inner_text()
        results.write_bytes(lines[0] + lines[1] + lines[2][:20])
        page.locator("p.progress", has_text="2 of 40 results").wait_for()
        with results.open("ab") as file:
            file.write(lines[2][20:] + lines[3])
        page.locator("p.progress", has_text="4 of 40 results").wait_for()
        page.get_by_role("link", name="Questions (4)").click()
        assert page.locator("table.listing tbody tr").count() == 4
        with results.open("ab") as file:
            file.writelines(lines[4:])
        page.locator("output", has_text="40 of 40").wait_for()
        page.goto(address(shown, f"/runs/{run.name}"))
        page.locator("p.progress", has_text="40 of 40 results").wait_for()
        for name in ("run_summary.json", "passages.jsonl"):
            shutil.copy(source.path / name, run.path / name)
        page.locator(".chip", has_text="complete").wait_for()
        page.locator("main .card").first.wait_for()
    finally:
        shutil.rmtree(run.path)
    assert tab.errors == []


def test_a_run_that_vanishes_is_told(shown: Shown, tab: Tab) -> None:
    source = rag(shown)
    path = source.path.with_name("2026-03-04__gone__p8__0c0c0c0c")
    path.mkdir()
    write_json(path / "manifest.json", source.manifest)
    page = tab.open(address(shown, f"/runs/{path.name}/questions"))
    page.get_by_text("No result yet.").wait_for()
    shutil.rmtree(path)
    page.get_by_text("This run is gone.").wait_for()
    tab.errors[:] = [error for error in tab.errors if "404" not in error]


def test_a_run_that_vanishes_while_its_page_is_renewed_is_told(shown: Shown, tab: Tab) -> None:
    source = rag(shown)
    path = source.path.with_name("2026-03-04__gone_too__p8__0e0e0e0e")
    path.mkdir()
    write_json(path / "manifest.json", source.manifest)

    def vanish(route: Route) -> None:
        shutil.rmtree(path, ignore_errors=True)
        route.continue_()

    where = address(shown, f"/runs/{path.name}/questions")
    page = tab.open(where)
    page.route(lambda url: url == where, vanish)  # gone between the question whether there is more and the more
    page.get_by_text("This run is gone.").wait_for()
    tab.errors[:] = [error for error in tab.errors if "404" not in error]


def test_hostile_text_is_text(shown: Shown, tab: Tab) -> None:
    source = rag(shown)
    path = source.path.with_name("2026-03-05__hostile__p8__0d0d0d0d")
    path.mkdir()
    write_json(path / "manifest.json", source.manifest)
    row = source.results.read()[0]
    row |= {"question": ATTACK, "answer": ATTACK, "expected_answer": ATTACK, "case_id": f"id{ATTACK}"}
    row |= {"tags": {ATTACK: ATTACK}}
    (path / "results.jsonl").write_text(dump_json(row) + "\n")
    try:
        tab.page.on("dialog", lambda dialog: tab.errors.append(dialog.message))
        page = tab.open(address(shown, f"/runs/{path.name}/questions"))
        page.locator("table.listing tbody a").click()
        assert page.locator("h1").inner_text() == ATTACK
        assert page.locator("main img, main script, h1 img").count() == 0
    finally:
        shutil.rmtree(path)


def test_everything_can_be_reached_by_the_keyboard(shown: Shown, tab: Tab) -> None:
    page = sign_in(shown, tab)
    page.goto(address(shown, f"/runs/{rag(shown).name}/next"))
    seen = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        seen.add(page.evaluate("(e => e.name || e.id || e.className || e.tagName)(document.activeElement)"))
    assert {"skip", "theme", "verdict", "note", "rater", "save", "next"} <= seen


def test_labelling_without_a_script(shown: Shown, browser: Browser) -> None:
    """The form's own way: a browser says from where it comes, and that must be enough."""
    run = rag(shown)
    context = browser.new_context(java_script_enabled=False)
    try:
        page = watched(context).open(shown[1].entrance)
        page.goto(address(shown, f"/runs/{run.name}/next"))
        id_ = page.locator(".subtitle").inner_text()
        page.fill("[name=rater]", "quiet")
        page.click("label.choice.partial")
        page.click("button.save")
        assert page.locator(".subtitle").inner_text() != id_
        assert "queue=1" in page.url
    finally:
        context.close()
    (label,) = [label for label in read_labels(run.path / "labels.jsonl") if label.rater == "quiet"]
    assert (label.case_id, label.human and label.human.verdict) == (id_, "partial")
