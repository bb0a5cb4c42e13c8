"""Run folders: names, the checkpoint, going on, baselines, history."""

from __future__ import annotations

import json
import multiprocessing
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from assay.config import Config
from assay.errors import AssayError, IncompleteRun
from assay.runs import history, manifest
from assay.runs.baselines import all_baselines, latest, promote
from assay.runs.folder import SUMMARY, RunFolder, all_runs, find_run
from assay.runs.naming import BaselineName, folder_name, model_in, new_run_id
from assay.runs.results import ResultsFile

NOW = datetime(2026, 3, 9, 14, 5, 6, tzinfo=UTC)


def row(case: str, *, variant: str = "bm25", status: str = "ok", value: float | None = 1.0) -> dict[str, Any]:
    scores = {"recall@5": value} if status == "ok" else {}
    return {"variant": variant, "case_id": case, "status": status, "tags": {}, "scores": scores}


def test_names() -> None:
    run_id = new_run_id(NOW)
    assert run_id.startswith("run_20260309_140506_")
    assert len(run_id) == len("run_20260309_140506_") + 8
    assert folder_name("run_20260309_140506_0a1b2c3d", "org/model", 25) == "2026-03-09__org_model__p25__0a1b2c3d"
    assert folder_name("run_20260309_140506_0a1b2c3d", "../../x", 5) == "2026-03-09__.._.._x__p5__0a1b2c3d"


@pytest.mark.parametrize(
    ("model", "k", "told"),
    [("http://a:1/s", 5, "http___a_1_s"), ("bm25+vector", None, "bm25+vector"), ("a__p7__b", 5, "a__p7__b")],
)
def test_the_model_is_read_back_from_the_name_of_a_folder(model: str, k: int | None, told: str) -> None:
    assert model_in(folder_name("run_20260309_140506_0a1b2c3d", model, k)) == told
    assert model_in("renamed") == "renamed"


def test_a_baseline_name_parses_back() -> None:
    name = BaselineName("acme_v2", 10, "2026-03-09", 358)
    assert str(name) == "baseline_acme_v2_v10__2026-03-09__q358.json"
    assert BaselineName.parse(Path(str(name))) == name
    assert BaselineName.parse(Path("baseline_acme.json")) is None


def test_a_torn_last_line_is_done_again(tmp_path: Path) -> None:
    results = ResultsFile(tmp_path / "results.jsonl")
    assert results.read() == []
    results.append([row("a"), row("b")])
    whole = results.path.read_bytes()
    for cut in range(whole.index(b"\n") + 1, len(whole)):
        results.path.write_bytes(whole[:cut])
        assert results.recover() == {("bm25", "a")}
        assert results.path.read_bytes().endswith(b"\n")


def test_a_line_torn_in_the_middle_is_a_fault(tmp_path: Path) -> None:
    results = ResultsFile(tmp_path / "results.jsonl")
    results.path.write_text('{"variant": "bm\n{}\n')
    with pytest.raises(AssayError, match=r"results\.jsonl:1: not JSON"):
        results.read()


def test_failed_cases_are_tried_again(tmp_path: Path) -> None:
    results = ResultsFile(tmp_path / "results.jsonl")
    results.append([row("a", status="error"), row("b")])
    assert results.recover() == {("bm25", "b")}
    results.append([row("a")])
    assert [(kept["case_id"], kept["status"]) for kept in results.read()] == [("b", "ok"), ("a", "ok")]


def test_the_finished_file_is_the_same_whatever_the_order(tmp_path: Path) -> None:
    first, second = ResultsFile(tmp_path / "1.jsonl"), ResultsFile(tmp_path / "2.jsonl")
    rows = [row("b"), row("a"), row("c", variant="vector")]
    first.append(rows)
    for one in reversed(rows):
        second.append([one])
    for results in (first, second):
        results.finish(lambda r: (r["variant"], r["case_id"]))
    assert first.path.read_bytes() == second.path.read_bytes()


def test_a_full_disk_ends_the_run_as_incomplete_and_tears_nothing(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    process = context.Process(target=_write_until_full, args=(str(tmp_path / "results.jsonl"),))
    process.start()
    process.join(60)
    assert process.exitcode == 3
    lines = (tmp_path / "results.jsonl").read_bytes().split(b"\n")
    assert lines[-1] == b""
    assert all(json.loads(line) for line in lines[:-1])


def _write_until_full(path: str) -> None:
    import resource
    import signal

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
    results = ResultsFile(Path(path))
    try:
        for number in range(10_000):
            results.append([row(str(number)), row(f"{number}b")])
    except IncompleteRun as fault:
        raise SystemExit(fault.exit_code if "--resume" in str(fault) else 1) from None


def test_a_full_disk_while_the_results_are_sorted_keeps_them_as_they_are(tmp_path: Path) -> None:
    results = ResultsFile(tmp_path / "results.jsonl")
    results.append([row("b"), row("a")])
    before = results.path.read_bytes()
    process = multiprocessing.get_context("spawn").Process(target=_sort_without_room, args=(str(results.path),))
    process.start()
    process.join(60)
    assert process.exitcode == 3
    assert results.path.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["results.jsonl"]


def _sort_without_room(path: str) -> None:
    import resource
    import signal

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20, 20))
    try:
        ResultsFile(Path(path)).finish(lambda r: r["case_id"])
    except IncompleteRun as fault:
        raise SystemExit(fault.exit_code if "--resume" in str(fault) else 1) from None


def make_run(root: Path, *, client: str = "acme", partial: str | None = None, name: str = "gold.json") -> RunFolder:
    inputs = manifest.Inputs(kind="retrieval", gold="g", index="i", settings={"k": [5]})
    config = Config(client=client)
    data = manifest.build(inputs, config, ["retrieval", "--gold", "https://user:secret@host/x"], datetime.now(UTC))
    run = RunFolder.create(root, data, "bm25", 5)
    run.results.append([row("a"), row("b", value=None)])
    metrics = {"bm25": {"recall@5": {"mean": 1.0, "low": None, "high": None, "n_scored": 1, "n_cases": 2}}}
    summary = {
        "run_id": data["run_id"],
        "kind": "retrieval",
        "client": client,
        "partial": partial,
        "identity": {},
        "corpus": {"name": name, "question_count": 3, "tested": 2},
        "decision": {"variant": "bm25"},
        "metrics": metrics,
    }
    (run.path / SUMMARY).write_text(json.dumps(summary))
    return run


def test_runs_are_found_by_path_name_id_and_last(tmp_path: Path) -> None:
    first, second = make_run(tmp_path), make_run(tmp_path)
    assert [run.name for run in all_runs(tmp_path)] == [first.name, second.name]
    for name in ("last", second.name, str(second.path), second.manifest["run_id"], second.name[-8:]):
        assert find_run(tmp_path, name) == second
    with pytest.raises(AssayError, match="no run 'nothing'"):
        find_run(tmp_path, "nothing")
    with pytest.raises(AssayError, match="none yet"):
        find_run(tmp_path / "empty", "last")


def test_resuming_with_another_config_is_refused_by_name(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    same = manifest.Inputs(kind="retrieval", gold="g", index="i", settings={"k": [5]})
    run.require_same(same.fingerprint())
    other = manifest.Inputs(kind="retrieval", gold="another", index="i", settings={"k": [5, 10]})
    with pytest.raises(AssayError, match="cannot resume: gold, k changed"):
        run.require_same(other.fingerprint())


def test_a_run_that_is_not_finished_has_no_summary(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    (run.path / SUMMARY).unlink()
    with pytest.raises(AssayError, match="not finished"):
        _ = run.summary


def test_a_password_in_a_url_never_reaches_the_disk(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    assert all(b"secret" not in path.read_bytes() for path in run.path.iterdir())
    assert "https://***@host/x" in run.manifest["command"]


def test_an_unwritable_folder_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("a file, not a folder")
    with pytest.raises(AssayError, match=r"cannot write the run.*paths\.runs"):
        make_run(tmp_path / "runs")


def test_version_ten_is_newer_than_version_two(tmp_path: Path) -> None:
    run = make_run(tmp_path / "runs")
    for _ in range(10):
        promote(run, tmp_path / "baselines", today=date(2026, 3, 9))
    assert [baseline.name.version for baseline in all_baselines(tmp_path / "baselines")] == list(range(1, 11))
    newest = latest(tmp_path / "baselines", "acme", "retrieval", "gold.json")
    assert newest is not None
    assert newest.path.name == "baseline_acme_v10__2026-03-09__q2.json"
    assert newest.data["baseline_version"] == 10
    assert "run_id" not in newest.data
    assert newest.data["scores"] == {"bm25": {"recall@5": {"a": 1.0, "b": None}}}


def test_latest_is_of_that_client_kind_and_corpus(tmp_path: Path) -> None:
    root = tmp_path / "baselines"
    for client, corpus in (("acme", "gold.json"), ("acme", "other.json"), ("beta", "gold.json")):
        promote(make_run(tmp_path / "runs", client=client, name=corpus), root, today=date(2026, 3, 9))
    found = latest(root, "acme", "retrieval", "gold.json")
    assert found is not None
    assert (found.name.client, found.name.version) == ("acme", 1)
    assert latest(root, "acme", "rag", "gold.json") is None
    assert [baseline.name.client for baseline in all_baselines(root, "beta")] == ["beta"]


def test_a_partial_run_is_promoted_only_by_force(tmp_path: Path) -> None:
    run = make_run(tmp_path / "runs", partial="10 of 200 questions")
    with pytest.raises(AssayError, match=r"10 of 200 questions.*--force"):
        promote(run, tmp_path / "baselines", today=date(2026, 3, 9))
    assert promote(run, tmp_path / "baselines", today=date(2026, 3, 9), force=True).name.version == 1


@pytest.mark.parametrize(("taken", "client"), [("baselines", "acme"), ("elsewhere", "x" * 250)])
def test_a_baseline_that_cannot_be_written_says_where(tmp_path: Path, taken: str, client: str) -> None:
    """A file stands where the folder should be; a name is too long for the disk."""
    run = make_run(tmp_path / "runs", client=client)
    (tmp_path / taken).write_text("")
    with pytest.raises(AssayError, match=r"/baselines: cannot be written: (File exists|File name too long)$"):
        promote(run, tmp_path / "baselines", today=date(2026, 3, 9))


def test_history_is_read_back_by_kind(tmp_path: Path) -> None:
    assert history.read(tmp_path) == []
    history.record(tmp_path, {"kind": "retrieval", "n": 1})
    history.record(tmp_path, {"kind": "extraction", "n": 2})
    assert [entry["n"] for entry in history.read(tmp_path)] == [1, 2]
    assert [entry["n"] for entry in history.read(tmp_path, "extraction")] == [2]


def _promote_once(run: str, root: str) -> None:
    promote(RunFolder(Path(run)), Path(root), today=date(2026, 3, 9))


def test_two_who_promote_at_once_get_two_versions(tmp_path: Path) -> None:
    run = make_run(tmp_path / "runs")
    context = multiprocessing.get_context("spawn")
    arguments = (str(run.path), str(tmp_path / "baselines"))
    processes = [context.Process(target=_promote_once, args=arguments) for _ in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0, 0, 0, 0]
    assert [baseline.name.version for baseline in all_baselines(tmp_path / "baselines")] == [1, 2, 3, 4]
    assert not list((tmp_path / "baselines").glob(".*"))
