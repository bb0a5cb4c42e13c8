"""The viewer's pages and their JSON twins, asked for over a real socket."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from viewer_project import Client, make, places, running, runs_of

from assay.runs.folder import RunFolder
from assay.viewer.catalogue import verdict_of

Shown = tuple[Path, Client]


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    folder = tmp_path_factory.mktemp("viewer")
    make(folder)
    with running(places(folder)) as client:
        yield folder, client


def path_of(run: RunFolder, page: str = "") -> str:
    name = run.name.replace("+", "%2B")
    return f"/runs/{name}/{page}" if page else f"/runs/{name}"


def question_paths(folder: Path) -> list[tuple[str, dict[str, str]]]:
    found = []
    for kind in ("rag", "retrieval", "lanes", "extraction"):
        run = runs_of(folder, kind)[0]
        found.append((path_of(run, "question"), {"id": run.results.read()[0]["case_id"]}))
    return found


@pytest.mark.parametrize(
    ("kind", "many", "word"),
    [
        ("rag", "Questions (40)", "question"),
        ("retrieval", "Questions (173, 2 variants)", "question"),
        ("extraction", "Samples (5)", "sample"),
        ("lanes", "Cases (17)", "case"),
    ],
)
def test_what_is_evaluated_is_called_by_its_name(shown: Shown, kind: str, many: str, word: str) -> None:
    folder, client = shown
    run = runs_of(folder, kind)[0]
    assert f">{many}</a>" in client.get(path_of(run)).text
    listed = client.get(path_of(run, "questions")).text
    assert f"<h1>{word.capitalize()}s</h1>" in listed
    assert f">{word}<" in listed
    one = client.get(path_of(run, "question"), {"id": run.results.read()[0]["case_id"]}).text
    assert f">{word.capitalize()}s</a>" in one


def test_a_sample_without_a_title_is_named_once(shown: Shown) -> None:
    folder, client = shown
    run = runs_of(folder, "extraction")[0]
    page = client.get(path_of(run, "question"), {"id": "crud/half"}).text
    assert '<h1>crud/half</h1><p class="subtitle"></p>' in page
    assert ">Time<" not in page, "nobody told one"
    assert client.get(path_of(run, "questions")).text.count(">crud/half<") == 1


def every_page(folder: Path) -> list[tuple[str, dict[str, str]]]:
    first, second = runs_of(folder, "rag")
    both = {"before": first.name, "now": second.name}
    id_ = first.results.read()[0]["case_id"]
    gold = {"id": "orrin:board-minutes-2025:governance:001:d3f40bb1"}
    pages: list[tuple[str, dict[str, str]]] = [
        ("/runs", {}),
        *((path_of(runs_of(folder, kind)[0]), {}) for kind in ("rag", "retrieval", "lanes", "extraction")),
        *((path_of(runs_of(folder, kind)[0], "questions"), {}) for kind in ("rag", "retrieval", "lanes", "extraction")),
        *question_paths(folder),
        ("/compare", {}),
        ("/compare", both),
        ("/compare/question", {**both, "id": id_}),
        ("/baselines", {}),
        ("/history", {}),
        ("/gold", {}),
        ("/gold/question", gold),
        ("/gold/gates", {}),
    ]
    return pages


def test_every_page_has_a_twin_and_its_own_headers(shown: Shown) -> None:
    folder, client = shown
    for path, query in every_page(folder):
        page = client.get(path, query)
        twin = client.get(f"{path}.json", query)
        assert (page.status, twin.status) == (200, 200), (path, page.text[-600:])
        assert page.headers["Content-Type"] == "text/html; charset=utf-8"
        assert twin.headers["Content-Type"].startswith("application/json")
        assert twin.data["view"], path
        for answer in (page, twin):
            assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'; ")
            assert "unsafe" not in answer.headers["Content-Security-Policy"]
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert answer.headers["Referrer-Policy"] == "same-origin"
            assert answer.headers["Cache-Control"] == "no-store"
            assert not [name for name in answer.headers if name.startswith("Access-Control")]


def test_every_link_of_every_page_leads_somewhere(shown: Shown) -> None:
    folder, client = shown
    links: set[str] = set()
    for path, query in every_page(folder):
        found = re.findall(r'(?:href|src)="(/[^"]*)"', client.get(path, query).text)
        links |= {unescape(link).partition("#")[0] for link in found[:60]}
    assert len(links) > 60
    broken = [link for link in sorted(links) if client.ask("GET", link).status not in (200, 303)]
    assert broken == []


def test_the_list_of_runs(shown: Shown) -> None:
    folder, client = shown
    data = client.json("/runs")
    assert data["total"] == data["found"] == 5
    assert [run["kind"] for run in data["runs"]] == ["lanes", "extraction", "rag", "rag", "retrieval"]
    assert data["choices"]["kind"] == {"rag": 2, "extraction": 1, "lanes": 1, "retrieval": 1}
    assert {run["status"] for run in data["runs"]} == {"complete"}
    retrieval = data["runs"][-1]
    assert set(retrieval["measures"]) == {"recall@5", "page_recall@5", "mrr@10", "ndcg@10"}
    summary = runs_of(folder, "retrieval")[0].summary
    best = summary["decision"]["variant"]
    assert retrieval["measures"]["recall@5"] == summary["metrics"][best]["recall@5"]["mean"]
    assert retrieval["system"] == best
    assert retrieval["verdict"] == ("passed" if summary["gates"][0]["passed"] else "failed")


def gate(severity: str, *, passed: bool) -> dict[str, object]:
    return {"severity": severity, "passed": passed}


@pytest.mark.parametrize(
    ("gates", "verdict"),
    [
        ([], "no gate"),
        ([gate("warning", passed=True)], "passed"),
        ([gate("warning", passed=True) | {"of_cases": True}], "no gate"),
        ([gate("warning", passed=False) | {"of_cases": True}], "warned"),
        ([gate("blocking", passed=True), gate("warning", passed=False)], "warned"),
        ([gate("blocking", passed=False), gate("warning", passed=False)], "failed"),
    ],
)
def test_a_list_tells_gates_as_the_report_does(gates: list[dict[str, object]], verdict: str) -> None:
    assert verdict_of({"errors": {"total": 0}, "gates": gates}) == verdict
    assert verdict_of({"errors": {"total": 1}, "gates": gates}) == "errors"


@pytest.mark.parametrize(
    ("query", "kinds"),
    [
        ({"kind": "rag"}, ["rag", "rag"]),
        ({"q": "EVENTS"}, []),
        ({"q": "lanes bm25"}, ["lanes"]),
        ({"sort": "kind", "size": "2"}, ["extraction", "lanes"]),
        ({"sort": "kind", "size": "2", "page": "3"}, ["retrieval"]),
        ({"sort": "kind", "size": "2", "page": "99"}, ["retrieval"]),
        ({"sort": "-kind", "size": "1"}, ["retrieval"]),
        ({"verdict": "no gate"}, ["lanes", "extraction", "rag", "rag"]),
    ],
)
def test_runs_are_filtered_sorted_and_paged(shown: Shown, query: dict[str, str], kinds: list[str]) -> None:
    assert [run["kind"] for run in shown[1].json("/runs", query)["runs"]] == kinds


@pytest.mark.parametrize(
    ("path", "query", "said"),
    [
        ("/runs", {"page": "0"}, "page is '0'; expected a whole number from 1 on"),
        ("/runs", {"page": "x"}, "page is 'x'"),
        ("/runs", {"size": "99999999999999"}, "size is"),
        ("/runs", {"sort": "colour"}, "cannot sort by 'colour'; there are: created, name"),
        ("/gold", {"colour": "red"}, "there is no filter 'colour'"),
        ("/gold/question", {}, "the address needs id=..."),
        ("/compare/question", {"id": "x"}, "the address needs before=..."),
    ],
)
def test_a_mistaken_address_is_told_in_one_line(shown: Shown, path: str, query: dict[str, str], said: str) -> None:
    page, twin = shown[1].get(path, query), shown[1].get(f"{path}.json", query)
    assert (page.status, twin.status) == (400, 400)
    assert twin.data["error"].startswith(said)
    assert twin.data["status"] == 400
    assert said in unescape(page.text)


def test_the_questions_of_a_run(shown: Shown) -> None:
    folder, client = shown
    run = runs_of(folder, "rag")[0]
    rows = run.results.read()
    path = path_of(run, "questions")
    data = client.json(path, {"size": 7})
    assert (data["total"], data["found"], data["pages"], len(data["questions"])) == (40, 40, 6, 7)
    assert [each["id"] for each in data["questions"]] == [row["case_id"] for row in rows[:7]]
    last = client.json(path, {"size": 7, "page": 6})
    assert [each["id"] for each in last["questions"]] == [row["case_id"] for row in rows[35:]]
    failed = [row["case_id"] for row in rows if row["judgment"]["verdict"] == "fail"]
    assert [e["id"] for e in client.json(path, {"outcome": "fail", "size": 100})["questions"]] == failed
    assert data["choices"]["outcome"]["fail"] == len(failed)


def test_questions_by_reason_segment_search_and_order(shown: Shown) -> None:
    folder, client = shown
    run = runs_of(folder, "rag")[0]
    rows, path = run.results.read(), path_of(run, "questions")

    def ids(**query: Any) -> list[str]:
        return [each["id"] for each in client.json(path, {"size": 100, **query})["questions"]]

    lost = run.summary["not_passed"][0]
    same = [entry["case_id"] for entry in run.summary["not_passed"] if entry["stage"] == lost["stage"]]
    assert ids(reason=lost["stage"]) == same
    hard = [row["case_id"] for row in rows if row["tags"]["difficulty"] == "hard"]
    assert ids(**{"tag.difficulty": "hard"}) == hard
    assert ids(q=rows[3]["question"].upper()) == [rows[3]["case_id"]]
    assert ids(q="no such words at all") == []
    scored = sorted(rows, key=lambda row: row["judgment"]["overall_score"])
    assert ids(sort="score")[0] == scored[0]["case_id"]
    assert ids(sort="-order") == [row["case_id"] for row in reversed(rows)]
    assert len(ids(sort="seconds")) == 40


def test_every_kind_has_outcomes(shown: Shown) -> None:
    folder, client = shown
    found = {}
    for kind in ("retrieval", "lanes", "extraction"):
        data = client.json(path_of(runs_of(folder, kind)[0], "questions"))
        found[kind] = data["choices"]
    assert found["lanes"]["outcome"] == {"found": 17}
    assert found["extraction"]["outcome"] == {"perfect": 3, "wrong": 2}
    assert found["extraction"]["reason"] == {"field start_time": 1, "not expected": 1}
    retrieval = runs_of(folder, "retrieval")[0]
    missed = sum(row["scores"]["hit@5"] == 0 for row in retrieval.results.read())
    assert found["retrieval"]["outcome"]["missed"] == missed
    assert sum(found["retrieval"]["reason"].values()) == missed
    assert found["retrieval"]["variant"] == {"bm25": 173, "vector": 173}


def test_one_question_has_everything(shown: Shown) -> None:
    folder, client = shown
    run = runs_of(folder, "rag")[0]
    rows = run.results.read()
    data = client.json(path_of(run, "question"), {"id": rows[1]["case_id"]})
    assert data["rows"] == [rows[1]]
    assert (data["place"], data["found"]) == (2, 40)
    assert data["previous"]["id"] == rows[0]["case_id"]
    assert data["next"]["id"] == rows[2]["case_id"]
    assert set(data["texts"]) == {passage["text"] for passage in rows[1]["context"]}
    assert all(data["texts"].values())
    page = unescape(client.get(path_of(run, "question"), {"id": rows[1]["case_id"]}).text)
    for text in (rows[1]["question"], rows[1]["answer"], rows[1]["judgment"]["reason"]):
        assert " ".join(text.split())[:60] in " ".join(page.split())


def test_next_and_previous_stay_within_the_filter(shown: Shown) -> None:
    folder, client = shown
    run = runs_of(folder, "rag")[0]
    failed = [row["case_id"] for row in run.results.read() if row["judgment"]["verdict"] == "fail"]
    data = client.json(path_of(run, "question"), {"id": failed[1], "outcome": "fail"})
    assert (data["previous"]["id"], data["next"]["id"]) == (failed[0], failed[2])
    passed = next(row["case_id"] for row in run.results.read() if row["judgment"]["verdict"] == "pass")
    outside = client.json(path_of(run, "question"), {"id": passed, "outcome": "fail"})
    assert outside["place"] is None
    assert outside["next"]["id"] in failed


def test_a_retrieval_question_shows_all_variants_and_their_chunks(shown: Shown) -> None:
    folder, client = shown
    run = runs_of(folder, "retrieval")[0]
    row = run.results.read()[0]
    data = client.json(path_of(run, "question"), {"id": row["case_id"]})
    assert [each["variant"] for each in data["rows"]] == ["bm25", "vector"]
    assert row["expected_ids"][0] in data["chunks"]
    assert data["chunks"][row["retrieved"]["ids"][0]]["text"]


def test_an_extraction_diff(shown: Shown) -> None:
    folder, client = shown
    page = client.get(path_of(runs_of(folder, "extraction")[0], "question"), {"id": "crud/half"}).text
    cells = re.findall(r"<tr[^>]*>(.*?)</tr>", page)
    texts = [[re.sub(r"<[^>]+>", "", cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)] for row in cells]
    wrong = next(row for row in texts if row[0] == "start_time" and "differs" in row[3])
    assert wrong[1:3] == ["2026-03-02T19:00:00", "2026-03-02T22:00:00"]
    assert ["title", "Lunch", "Lunch", "✓right"] in texts


def test_a_comparison(shown: Shown) -> None:
    folder, client = shown
    first, second = runs_of(folder, "rag")
    data = client.json("/compare", {"before": first.name, "now": second.name})
    assert data["comparison"]["common"] == 40
    rows = {row["measure"]: row for row in data["comparison"]["rows"]}
    assert rows["pass_rate"]["before"] == first.summary["metrics"]["pass_rate"]
    changed = [
        old["case_id"]
        for old, new in zip(first.results.read(), second.results.read(), strict=True)
        if (old["judgment"]["verdict"] == "pass") != (new["judgment"]["verdict"] == "pass")
    ]
    assert [flip["case_id"] for flip in data["flips"]] == changed
    baseline = client.json("/baselines")["baselines"][0]
    assert baseline["promoted_from"] == second.name
    against = client.json("/compare", {"before": baseline["file"], "now": first.name})
    assert against["comparison"]["before"] == baseline["file"]


def test_what_cannot_be_compared_is_said(shown: Shown) -> None:
    folder, client = shown
    names = {"before": runs_of(folder, "rag")[0].name, "now": runs_of(folder, "lanes")[0].name}
    assert "nothing to compare" in client.json("/compare", names)["why"]
    assert client.get("/compare", names).status == 200
    assert client.get("/compare.json", {"before": "nothing", "now": "nowhere"}).status == 404


def test_the_gold_set(shown: Shown) -> None:
    _, client = shown
    data = client.json("/gold", {"size": 5})
    assert (data["total"], len(data["questions"])) == (243, 5)
    assert {each["leaves"] for each in data["questions"]} == {46}
    impossible = client.json("/gold", {"hard_type": "FALSE_PREMISE", "size": 200})
    assert {each["hard_type"] for each in impossible["questions"]} == {"FALSE_PREMISE"}
    assert impossible["found"] == data["choices"]["hard_type"]["FALSE_PREMISE"]
    assert client.json("/gold", {"sample": "yes"})["found"] == data["sample"]
    assert client.json("/gold", {"q": "float plan"})["found"] >= 1
    one = client.json("/gold/question", {"id": data["questions"][0]["id"]})
    assert one["chunk"]["text"]
    assert one["faults"] == {}
    page = client.get("/gold/question", {"id": data["questions"][0]["id"]}).text
    assert page.count("<dt>") >= 46
    gates = client.json("/gold/gates")["verification"]
    assert gates["questions"] == 243
    assert len(gates["outcomes"]) > 10


def test_history_keeps_what_is_gone(shown: Shown) -> None:
    folder, client = shown
    data = client.json("/history")
    assert [entry["kind"] for entry in data["entries"]] == ["lanes", "extraction", "rag", "rag", "retrieval"]
    assert all(entry["is_here"] for entry in data["entries"])
    assert [entry["verdict"] for entry in data["entries"][:4]] == ["no gate"] * 4
    assert [entry["kind"] for entry in client.json("/history", {"kind": "rag"})["entries"]] == ["rag", "rag"]
    away = folder / "away"
    run = runs_of(folder, "lanes")[0]
    shutil.move(run.path, away)
    try:
        gone = client.json("/history")["entries"][0]
        assert (gone["is_here"], gone["verdict"]) == (False, "passed")
        assert client.json("/runs")["total"] == 4
        assert client.get(path_of(run)).status == 404
    finally:
        shutil.move(away, run.path)


def test_unknown_questions_and_pages(shown: Shown) -> None:
    folder, client = shown
    run = runs_of(folder, "rag")[0]
    for path in ("/nothing", "/assets/none.css", "/runs/", path_of(run, "nothing"), "/gold/question?id=nothing"):
        assert client.ask("GET", path).status == 404, path
    answer = client.get(path_of(run, "question") + ".json", {"id": "<b>x</b>"})
    assert (answer.status, answer.data["error"]) == (404, "the run has no question '<b>x</b>'")
    assert "<b>x</b>" not in client.get(path_of(run, "question"), {"id": "<b>x</b>"}).text
    assert client.ask("POST", "/runs").status == 405
