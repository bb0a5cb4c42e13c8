"""What a page shows of rows that small runs seldom have: faults, tries, tokens, costs, texts that are lost."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from viewer_project import Client, make, places, running, runs_of

from assay.extraction.scoring import text_sha256
from assay.files import dump_json, write_json
from assay.rag.expense import Expenses
from assay.runs.folder import RunFolder
from assay.viewer.choice import ordered
from assay.viewer.memory import Memory

Shown = tuple[Path, Client]


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    folder = tmp_path_factory.mktemp("details")
    make(folder)
    with running(places(folder)) as client:
        yield folder, client


def copy_of(run: RunFolder, name: str, rows: list[Any], **manifest: Any) -> RunFolder:
    """An unfinished run beside it, with these rows."""
    copy = RunFolder(run.path.with_name(f"2026-01-01__{name}__p5__00000000"))
    copy.path.mkdir(exist_ok=True)
    write_json(copy.path / "manifest.json", run.manifest | manifest)
    (copy.path / "results.jsonl").write_text("".join(dump_json(row) + "\n" for row in rows), encoding="utf-8")
    return copy


def text_of(client: Client, path: str, query: dict[str, str]) -> str:
    """Of the page's own part, without markup."""
    page = client.get(path, query)
    assert page.status == 200
    inner = page.text.partition("<main")[2]
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", inner)).split())


def test_an_answer_that_failed_after_tries(shown: Shown) -> None:
    folder, client = shown
    run = runs_of(folder, "rag")[0]
    row = run.results.read()[0]
    failed = row | {
        "status": "error",
        "error": {"phase": "generation", "message": "503 from the service"},
        "answer": None,
        "judgment": None,
        "context": None,
        "retrieved": None,
        "scores": {},
        "tokens": {"prompt": 1000, "completion": 10, "thinking": 0, "cached": 0, "total": 1010},
        "retry_info": {"attempts": 3, "by_judge": 0, "recovered": False, "error": "503"},
    }
    copy = copy_of(run, "failed", [failed])
    told = text_of(client, f"/runs/{copy.name}/question", {"id": row["case_id"]})
    assert "generation: 503 from the service" in told
    assert "3 tries, in vain: 503" in told
    assert "1,000 10 0 0 1,010" in told
    assert "What the generator saw" not in told
    assert "Verdict – by nobody" in told
    assert "There is no answer to label." in told


def test_an_unanswerable_question_and_a_text_that_is_lost(shown: Shown) -> None:
    folder, client = shown
    run = runs_of(folder, "rag")[0]
    row = next(row for row in run.results.read() if row["answerable"])
    asked = row | {"answerable": False, "category": "FALSE_PREMISE", "truth": "There is no jetty."}
    asked["retry_info"] = {"attempts": 2, "by_judge": 1, "recovered": True, "error": "429"}
    asked["context"] = [{"id": None, "source": "a.md", "page": None, "text": "0000000000000000"}]
    asked["expected_ranks"] = [None, 2]
    told = text_of(client, f"/runs/{copy_of(run, 'asked', [asked]).name}/question", {"id": row["case_id"]})
    assert "None: the question cannot be answered (FALSE_PREMISE). There is no jetty." in told
    assert "2 tries, and came through: 429" in told
    assert "1. a.md (the text is not in passages.jsonl)" in told
    assert "Rank of what is expected: not found, 2" in told


def test_a_run_over_another_index_shows_ids_without_texts(shown: Shown) -> None:
    folder, client = shown
    run = runs_of(folder, "retrieval")[0]
    rows = run.results.read()[:1]
    other = copy_of(run, "other", rows, fingerprint=run.manifest["fingerprint"] | {"index": "0" * 64})
    data = client.json(f"/runs/{other.name}/question", {"id": rows[0]["case_id"]})
    assert data["chunks"] == {}
    assert rows[0]["retrieved"]["ids"][0] in text_of(client, f"/runs/{other.name}/question", {"id": rows[0]["case_id"]})
    failed = rows[0] | {"status": "error", "error": {"phase": "retrieve", "message": "timeout"}, "scores": {}}
    del failed["retrieved"], failed["rank"]
    broken = copy_of(run, "broken", [failed], fingerprint={})
    told = text_of(client, f"/runs/{broken.name}/question", {"id": rows[0]["case_id"]})
    assert "retrieve: timeout" in told
    listed = client.json(f"/runs/{broken.name}/questions")["questions"][0]
    assert (listed["outcome"], listed["score"]) == ("error", None)


def test_rows_that_could_not_be_scored(shown: Shown) -> None:
    folder, client = shown
    run = runs_of(folder, "lanes")[0]
    row = run.results.read()[0]
    none = row | {"status": "undefined", "scores": {"recall@k": None}, "reason": "no id is expected"}
    half = row | {"case_id": "half", "scores": {"recall@k": 0.5}}
    lost = row | {"case_id": "lost", "scores": {"recall@k": 0.0}}
    copy = copy_of(run, "scored", [none, half, lost])
    found = client.json(f"/runs/{copy.name}/questions")["questions"]
    assert [each["outcome"] for each in found] == ["not scored", "partly found", "missed"]
    assert "no id is expected" in text_of(client, f"/runs/{copy.name}/question", {"id": row["case_id"]})


def test_samples_without_a_sidecar_with_faults_and_with_more_fields(shown: Shown) -> None:
    folder, client = shown
    run = runs_of(folder, "extraction")[0]
    rows = {row["case_id"]: row for row in run.results.read()}
    loose = rows["hard/invented"] | {"scored": False, "extra": [], "pairs": [], "missed": []}
    error = rows["loose"] | {"status": "error", "error": {"phase": "extract", "message": "no reply"}, "attempts": 3}
    more = rows["crud/right"]
    more["tokens"] = {"prompt": 100, "completion": 50, "thinking": 0, "cached": 0, "total": 1150}
    more["actual"][0] |= {"confidence": "high", "attendees": ["Ana"], "empty": None}
    missed = rows["crud/half"] | {"pairs": [], "missed": [0], "extra": []}
    copy = copy_of(run, "samples", [loose, error, more, missed])
    path = f"/runs/{copy.name}/question"
    assert "Record 1, not scored" in text_of(client, path, {"id": "hard/invented"})
    told = text_of(client, path, {"id": "loose"})
    assert "no reply" in told
    assert "Tries 3" in told
    assert 'attendees – ["Ana"] ' in text_of(client, path, {"id": "crud/right"})
    assert "Tokens 1,150 Cost –" in text_of(client, path, {"id": "crud/right"})
    assert "Cost" not in told
    assert "Missed field expected extracted is action create – ✗ missed" in text_of(client, path, {"id": "crud/half"})
    priced = copy.manifest["config"]["llm"] | {"prices": {"mine": {"input": 1000, "output": 2000}}}
    config = copy.manifest["config"] | {
        "llm": priced,
        "extraction": copy.manifest["config"]["extraction"] | {"model": "mine"},
    }
    write_json(copy.path / "run_summary.json", run.summary | {"config": config})
    assert "Tokens 1,150 Cost $0.200000" in text_of(client, path, {"id": "crud/right"})
    outcomes = {e["id"]: e["outcome"] for e in client.json(f"/runs/{copy.name}/questions")["questions"]}
    assert outcomes == {"hard/invented": "not scored", "loose": "error", "crud/right": "perfect", "crud/half": "wrong"}


@pytest.mark.parametrize("kind", ["retrieval", "extraction", "lanes"])
def test_a_question_of_every_kind_in_two_runs(shown: Shown, kind: str) -> None:
    folder, client = shown
    run = runs_of(folder, kind)[0]
    first, *_, other = sorted({row["case_id"] for row in run.results.read()})
    query = {"before": run.name, "now": run.name, "id": first}
    data = client.json("/compare/question", query)
    assert data["before"] == data["now"]
    assert client.get("/compare/question", query).text.count("<h2>") >= 2
    data = client.json("/compare/question", query | {"was": other})
    assert (data["before"]["id"], data["now"]["id"]) == (other, first)


def test_runs_of_different_judges_are_compared_on_request(shown: Shown) -> None:
    folder, client = shown
    first, second = runs_of(folder, "rag")
    path = second.path / "run_summary.json"
    saved = path.read_bytes()
    summary = json.loads(saved)
    summary["identity"]["judge"] = "another"
    path.write_text(json.dumps(summary))
    query = {"before": first.name, "now": second.name}
    try:
        assert "different judges" in client.json("/compare", query)["why"]
        page = client.get("/compare", query).text
        assert "different_judges=1" in page
        assert client.json("/compare", {**query, "different_judges": "1"})["comparison"]["common"] == 40
    finally:
        path.write_bytes(saved)


def test_questions_that_changed_are_filtered(shown: Shown) -> None:
    folder, client = shown
    first, second = runs_of(folder, "rag")
    query = {"before": first.name, "now": second.name}
    every = client.json("/compare", query)
    for change, count in every["choices"]["change"].items():
        assert client.json("/compare", {**query, "change": change})["found"] == count
    assert client.json("/compare", {**query, "q": "no such id"})["found"] == 0
    both = {"before": first.name, "now": first.name}
    assert client.json("/compare", both)["total"] == 0
    assert "None." in text_of(client, "/compare", both)


def test_a_run_without_a_fair_baseline_has_its_report(shown: Shown) -> None:
    folder, client = shown
    (path,) = (folder / "baselines").glob("*.json")
    saved = path.read_bytes()
    try:
        path.write_text(json.dumps(json.loads(saved) | {"tags": {}, "scores": {}}))
        other = runs_of(folder, "rag")[1]
        assert "no question in common" in text_of(client, f"/runs/{other.name}", {})
    finally:
        path.write_bytes(saved)


def test_leaves_that_do_not_count_are_named(shown: Shown) -> None:
    folder, client = shown
    path = folder / "gold.json"
    saved = path.read_bytes()
    gold = json.loads(saved)
    question = gold["questions"][0]
    question["classification"]["cognitive_level"] = "Dream"
    question["content"] |= {"is_impossible": True, "expected_answer": ""}
    question["provenance"]["chunk_id"] = "nowhere"
    path.write_text(json.dumps(gold))
    try:
        data = client.json("/gold/question", {"id": question["id"]})
        assert "classification.cognitive_level" in data["faults"]
        assert data["chunk"] is None
        told = text_of(client, "/gold/question", {"id": question["id"]})
        assert "None: it cannot be answered." in told
        assert "Dream (" in told
        assert client.json("/gold", {"sort": "leaves"})["questions"][0]["id"] == question["id"]
    finally:
        path.write_bytes(saved)


def test_a_gold_question_without_an_index(shown: Shown) -> None:
    folder, client = shown
    id_ = json.loads((folder / "gold.json").read_text("utf-8"))["questions"][0]["id"]
    index = folder / "corpus.db"
    saved = index.read_bytes()
    try:
        index.write_bytes(b"no database")
        assert client.json("/gold/question", {"id": id_})["chunk"] is None
        run = runs_of(folder, "retrieval")[0]
        assert client.json(f"/runs/{run.name}/question", {"id": run.results.read()[0]["case_id"]})["chunks"] == {}
        assert client.get("/gold/gates").status == 409
        index.unlink()
        assert client.json("/gold/question", {"id": id_})["chunk"] is None
    finally:
        index.write_bytes(saved)


TOKENS = {"prompt": 1_000_000, "completion": 100_000, "thinking": 0, "cached": 0, "total": 1_100_000}


def config_of(system: str, model: str | None, judge: str = "reference") -> dict[str, Any]:
    models = {"m": {"model": "openai/test", "base_url": "http://127.0.0.1:1"}}
    return {
        "run": {"pipeline": {"system": system, "model": model}, "judging": {"judge": judge}},
        "llm": {"models": models, "prices": {"openai/test": {"input": 1.0, "output": 2.0}}},
    }


@pytest.mark.parametrize(
    ("config", "tokens", "model", "dollars"),
    [
        (config_of("embedded", None), None, None, (0.0, 0.0)),
        (config_of("embedded", "m"), TOKENS, None, (1.2, 0.0)),
        (config_of("embedded", "m", "m"), TOKENS, None, (1.2, 1.2)),
        (config_of("embedded", "m", "openai/test"), TOKENS, None, (1.2, 1.2)),
        (config_of("embedded", "m", "nobody/knows"), None, None, (None, None)),
        (config_of("http", "openai/test"), TOKENS, None, (1.2, 0.0)),
        (config_of("http", None), TOKENS, "test", (1.2, 0.0)),
        (config_of("http", None), TOKENS, None, (None, 0.0)),
    ],
)
def test_what_an_answer_cost(
    config: dict[str, Any], tokens: Any, model: str | None, dollars: tuple[float | None, float | None]
) -> None:
    """A million tokens at 1 and a hundred thousand at 2 dollars a million."""
    row = {"tokens": tokens, "judge_tokens": tokens, "llm_metadata": {"model": model}}
    assert tuple(Expenses(config)(row).values()) == dollars


def test_the_cost_is_shown(shown: Shown) -> None:
    folder, client = shown
    run = runs_of(folder, "rag")[0]
    row = run.results.read()[0] | {"tokens": TOKENS}
    config = run.manifest["config"]
    config["run"]["pipeline"]["model"] = "m"
    config["llm"] |= config_of("embedded", "m")["llm"]
    copy = copy_of(run, "paid", [row], config=config)
    told = text_of(client, f"/runs/{copy.name}/question", {"id": row["case_id"]})
    assert "cost US dollars answer $1.200000 judge $0.000000" in told


def test_values_without_a_key_stand_last_whichever_way() -> None:
    values = [3, None, 1, 2]
    assert ordered(values, lambda value: value, descending=False) == [1, 2, 3, None]
    assert ordered(values, lambda value: value, descending=True) == [3, 2, 1, None]
    assert ordered(values, None, descending=True) == [2, 1, None, 3]


def test_memory_keeps_the_last_few_and_makes_each_once(tmp_path: Path) -> None:
    made: list[str] = []
    memory = Memory(2)

    def make_of(key: str) -> str:
        made.append(key)
        return key.upper()

    def get(key: str) -> str:
        return memory.get(key, (tmp_path / key,), lambda: make_of(key))

    assert [get(key) for key in ("a", "b", "a", "c", "a", "b")] == ["A", "B", "A", "C", "A", "B"]
    assert made == ["a", "b", "c", "b"]
    (tmp_path / "a").write_text("new")
    get("a")
    assert made[-1] == "a"
    begun, go = Event(), Event()

    def slow() -> int:
        begun.set()
        go.wait()
        made.append("slow")
        return 1

    threads = [Thread(target=lambda: memory.get("slow", (), slow)) for _ in range(4)]
    for thread in threads:
        thread.start()
    begun.wait()
    go.set()
    for thread in threads:
        thread.join()
    assert made.count("slow") == 1


def test_a_sample_is_shown_with_its_text_as_long_as_that_is_the_same(shown: Shown) -> None:
    folder, client = shown
    run = runs_of(folder, "extraction")[0]
    row = next(row for row in run.results.read() if row["text_sha256"])
    path, page, query = folder / f"samples/{row['case_id']}.txt", f"/runs/{run.name}/question", {"id": row["case_id"]}
    saved = path.read_text("utf-8")
    try:
        assert client.json(page, query)["text"] == saved
        assert " ".join(saved.split()) in text_of(client, page, query)
        path.write_text(saved + " and more", encoding="utf-8")
        assert client.json(page, query)["text"] is None
        path.unlink()
        assert client.json(page, query)["text"] is None
    finally:
        path.write_text(saved, encoding="utf-8")


@pytest.mark.parametrize(
    ("samples", "case_id"),
    [
        ("samples", "../secret"),
        ("samples", "link"),
        ("samples", "nul\0"),
        ("..", "secret"),
        ("/", "secret"),
        ("nul\0", "secret"),
        (None, "secret"),
    ],
)
def test_no_text_from_outside_the_samples(shown: Shown, samples: str | None, case_id: str) -> None:
    """The digest fits, so that only the place can be what refuses."""
    folder, client = shown
    secrets = [folder / "secret.txt", folder.parent / "secret.txt"]
    for path in secrets:
        path.write_text("secret", encoding="utf-8")
    (folder / "samples/link.txt").unlink(missing_ok=True)
    (folder / "samples/link.txt").symlink_to(secrets[0])
    try:
        run = runs_of(folder, "extraction")[0]
        row = run.results.read()[0] | {"case_id": case_id, "text_sha256": text_sha256("secret")}
        copy = copy_of(run, "outside", [row], order={"record": None, "samples": samples})
        assert client.json(f"/runs/{copy.name}/question", {"id": case_id})["text"] is None
    finally:
        for path in (*secrets, folder / "samples/link.txt"):
            path.unlink()
