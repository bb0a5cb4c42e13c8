"""A whole build over the example corpus: what it gives, and that stopping it anywhere changes nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
from example_corpus import copy_example, example_folder

from assay.cli.main import main
from assay.config import Config, load
from assay.errors import AssayError, IncompleteRun
from assay.gold.bench import PHASES, Order
from assay.gold.build import Built, build
from assay.gold.candidate import read_log
from assay.gold.folder import REJECTED
from assay.gold.leaves import present
from assay.llm.budget import BudgetSpent
from assay.records import Step


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_example(tmp_path_factory.mktemp("example"))


def order_in(example: Path, folder: Path, **changes: Any) -> Order:
    config: Config = load(example / "gold-build.yaml")
    given: dict[str, Any] = {
        "config": config,
        "index": example / "corpus.db",
        "out": folder / "gold.json",
        "folder": folder / "build",
        "today": "2026-11-15",
    }
    return Order(**given | changes)


def quiet(_step: Step) -> None:
    """No progress."""


@pytest.fixture(scope="module")
def whole(example: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Built, dict[str, bytes]]:
    """A build that was never stopped, and every byte it wrote."""
    folder = tmp_path_factory.mktemp("whole")
    return build(order_in(example, folder), quiet), written(folder)


def written(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# --- what it gives -----------------------------------------------------------------------------------------------


def test_the_demo_gives_a_set_that_every_gate_accepts(whole: tuple[Built, dict[str, bytes]]) -> None:
    built, files = whole
    assert built.verification
    assert [(each.gate, each.failures) for each in built.verification.outcomes if each.status != "passed"] == []
    data = json.loads(files["gold.json"])
    assert data["version"]["question_count"] == len(data["questions"]) == 40
    assert data["version"]["unanswerable_count"] == 12
    assert sum(data["version"]["strata"].values()) == data["version"]["target"] == 40
    assert {present(question) for question in data["questions"]} == {46}
    assert built.choice
    assert [each.name for each in built.choice.targets if not each.reached] == []


def test_every_candidate_is_in_the_log_with_chunk_prompt_model_and_reason(
    whole: tuple[Built, dict[str, bytes]], tmp_path: Path
) -> None:
    _, files = whole
    (tmp_path / "log").write_bytes(files["build/generation_log.jsonl"])
    lines = read_log(tmp_path / "log")
    candidates = {line.key: line for line in lines if line.event == "candidate"}
    decisions = {line.key: line for line in lines if line.event == "decision"}
    assert {line.key for line in candidates.values() if line.accepted} == decisions.keys()
    assert sum(bool(line.accepted) for line in decisions.values()) == 40
    for line in (*candidates.values(), *decisions.values()):
        assert line.chunk_id
        assert line.prompt
        assert line.model == "scripted/recording.jsonl"
    assert all(line.reason for line in decisions.values())
    assert all(line.gate for line in decisions.values() if not line.accepted)


def test_rejected_questions_are_kept_with_gate_and_reason(whole: tuple[Built, dict[str, bytes]]) -> None:
    rejected = json.loads(whole[1]["build/rejected_questions.json"])
    assert rejected
    for each in rejected:
        assert each["gate"].startswith("G")
        assert each["reason"]
        assert each["candidate"]["question"]


def test_ids_are_made_of_corpus_source_category_place_and_hash(whole: tuple[Built, dict[str, bytes]]) -> None:
    for question in json.loads(whole[1]["gold.json"])["questions"]:
        corpus, source, category, seq, digest = question["id"].split(":")
        assert (corpus, source) == ("orrin", question["provenance"]["docs"][0].rsplit(".", 1)[0])
        assert category == question["classification"]["category"]
        assert seq.isdigit()
        assert len(digest) == 8


def test_ids_do_not_depend_on_what_else_is_in_the_set(
    example: Path, whole: tuple[Built, dict[str, bytes]], tmp_path: Path
) -> None:
    """Another mix from the same replies: what is in both sets has the same id."""
    mix = msgspec.structs.replace(load(example / "gold-build.yaml").gold.balance, fact_single=(0.2, 0.3, 0.4), hard=0.3)
    build(order_in(example, tmp_path, config=with_gold(example, balance=mix, ask_again=False)), quiet)
    old = {q["content"]["question"]: q["id"] for q in json.loads(whole[1]["gold.json"])["questions"]}
    new = {q["content"]["question"]: q["id"] for q in json.loads((tmp_path / "gold.json").read_text())["questions"]}
    assert old.keys() != new.keys()
    shared = old.keys() & new.keys()
    assert len(shared) > 10
    assert all(old[question] == new[question] for question in shared)


# --- stopped and resumed -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("phase", PHASES[:-1])
def test_a_build_can_be_done_phase_by_phase(
    phase: str, example: Path, whole: tuple[Built, dict[str, bytes]], tmp_path: Path
) -> None:
    build(order_in(example, tmp_path, until=phase), quiet)
    files = written(tmp_path)
    build(order_in(example, tmp_path, today="2027-01-01"), quiet)
    assert written(tmp_path) == whole[1]
    assert any(name.endswith(REJECTED) for name in files) == (phase in {"validation", "enrichment"})


class Stop(BaseException):
    """As a Ctrl-C would."""


@pytest.mark.parametrize("event", [1, 3, 6, 7, 8, 9])
def test_stopped_at_any_sign_of_progress_and_resumed_it_gives_the_same_bytes(
    event: int, example: Path, whole: tuple[Built, dict[str, bytes]], tmp_path: Path
) -> None:
    seen = 0

    def stop(_step: Step) -> None:
        nonlocal seen
        if seen == event:
            raise Stop
        seen += 1

    with pytest.raises(Stop):
        build(order_in(example, tmp_path), stop)
    build(order_in(example, tmp_path), quiet)
    assert written(tmp_path) == whole[1]


@pytest.mark.parametrize("name", ["generation_log.jsonl", "enriched.json"])
def test_a_file_that_is_gone_is_made_again(
    name: str, example: Path, whole: tuple[Built, dict[str, bytes]], tmp_path: Path
) -> None:
    for path, data in whole[1].items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(data)
    (tmp_path / "build" / name).unlink()
    build(order_in(example, tmp_path), quiet)
    assert written(tmp_path) == whole[1]


def test_killed_while_a_model_is_asked(example: Path, whole: tuple[Built, dict[str, bytes]], tmp_path: Path) -> None:
    """A real process, ended by a signal it cannot catch; the log then holds the first batches."""
    copy_example(tmp_path)
    lines = [json.loads(line) for line in (example / "recording.jsonl").read_text("utf-8").splitlines()]
    lines[2]["delay"] = 30
    (tmp_path / "recording.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    log = tmp_path / "out" / "build" / "generation_log.jsonl"
    script = (
        "import sys; sys.path.insert(0, sys.argv[1]); from pathlib import Path; import test_gold_build as t; "
        "t.build(t.order_in(Path(sys.argv[2]), Path(sys.argv[2]) / 'out'), t.quiet)"
    )
    command = [sys.executable, "-c", script, str(Path(__file__).parent), str(tmp_path)]
    with subprocess.Popen(command, start_new_session=True) as process:
        deadline = time.monotonic() + 20
        while (not log.exists() or log.read_bytes().count(b'"event":"batch"') < 2) and time.monotonic() < deadline:
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGKILL)
    assert log.read_bytes().count(b'"event":"batch"') == 2
    build(order_in(example, tmp_path / "out"), quiet)
    assert written(tmp_path / "out") == whole[1]


# --- what it refuses ---------------------------------------------------------------------------------------------


def with_gold(example: Path, **changes: Any) -> Config:
    config = load(example / "gold-build.yaml")
    return msgspec.structs.replace(config, gold=msgspec.structs.replace(config.gold, **changes))


def test_without_a_model_it_says_what_to_set_and_offers_the_exchange(example: Path, tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="no model is set to write the questions") as fault:
        build(order_in(example, tmp_path, config=with_gold(example, model=None)), quiet)
    assert "gold.model" in str(fault.value)
    assert "assay gold prompts" in str(fault.value)
    assert not (tmp_path / "gold.json").exists()


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("chunk_strata.json", "strata"),
        ("validated.json", "verdicts"),
        ("enriched.json", "questions"),
        ("selection.json", "chosen"),
        ("build.json", "date"),
    ],
)
def test_a_file_of_a_phase_that_was_edited_wrongly_is_named(
    name: str, key: str, whole: tuple[Built, dict[str, bytes]], example: Path, tmp_path: Path
) -> None:
    for path, data in whole[1].items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(data)
    file = tmp_path / "build" / name
    content = json.loads(file.read_bytes())
    del content[key]
    file.write_text(json.dumps(content))
    with pytest.raises(AssayError, match=f"{name}: not what"):
        build(order_in(example, tmp_path), quiet)


def test_strata_alone_do_not_bind_the_next_build_to_their_options(example: Path, tmp_path: Path) -> None:
    """A dry run with 40 questions, then one with 30: nothing was asked, nothing is lost."""
    build(order_in(example, tmp_path, until="strata"), quiet)
    other = order_in(example, tmp_path, config=with_gold(example, target=30), until="strata")
    assert build(other, quiet).strata.target == 30


def test_a_folder_of_another_build_is_never_mixed_in(example: Path, tmp_path: Path) -> None:
    build(order_in(example, tmp_path, until="questions"), quiet)
    other = order_in(example, tmp_path, config=with_gold(example, target=30))
    with pytest.raises(AssayError, match=r"holds another build: gold.target was 40, is 30\. Give"):
        build(other, quiet)
    build(msgspec.structs.replace(other, fresh=True, until="strata"), quiet)
    assert json.loads((tmp_path / "build" / "chunk_strata.json").read_text())["target"] == 30


def test_fresh_deletes_nothing_but_builds(example: Path, tmp_path: Path) -> None:
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "thesis.txt").write_text("mine")
    with pytest.raises(AssayError, match="not the folder of a build"):
        build(order_in(example, tmp_path, fresh=True), quiet)
    assert (tmp_path / "build" / "thesis.txt").exists()


def test_a_batch_without_reply_leaves_the_build_incomplete(example: Path, tmp_path: Path) -> None:
    copy_example(tmp_path)
    lines = (example / "recording.jsonl").read_text("utf-8").splitlines(keepends=True)
    (tmp_path / "recording.jsonl").write_text("".join(lines[1:]))
    with pytest.raises(IncompleteRun, match=r"1 of 5 batches got no reply"):
        build(order_in(tmp_path, tmp_path), quiet)
    assert not (tmp_path / "gold.json").exists()
    built = build(order_in(tmp_path, tmp_path, partial=True), quiet)
    assert built.choice
    assert {each.name for each in built.choice.targets if not each.reached} >= {"questions"}


def test_what_could_not_be_reached_is_explained(example: Path, tmp_path: Path) -> None:
    mix = msgspec.structs.replace(load(example / "gold-build.yaml").gold.balance, hard=0.9)
    built = build(order_in(example, tmp_path, config=with_gold(example, balance=mix)), quiet)
    assert built.choice
    told = {each.name: each.reason for each in built.choice.targets if not each.reached}
    assert told.keys() == {"hard", "hard among the answerable"}
    assert all((reason or "").endswith("of the good questions are hard") for reason in told.values())


def test_a_budget_stops_it_and_it_goes_on(example: Path, tmp_path: Path) -> None:
    config = load(example / "gold-build.yaml")
    llm = msgspec.structs.replace(config.llm, max_seconds=0.0)
    with pytest.raises(BudgetSpent):
        build(order_in(example, tmp_path, config=msgspec.structs.replace(config, llm=llm)), quiet)
    built = build(order_in(example, tmp_path), quiet)
    assert built.gold


def test_another_language_than_there_are_prompts_for_is_refused(example: Path, tmp_path: Path) -> None:
    with pytest.raises(AssayError, match=r"gold.language is 'de'; expected auto or en or fr"):
        build(order_in(example, tmp_path, config=with_gold(example, language="de")), quiet)


# --- the command -------------------------------------------------------------------------------------------------


def test_the_command(example: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copy_example(tmp_path)
    config = ["--config", str(tmp_path / "gold-build.yaml")]
    assert main(["gold", "build", *config, "--dry-run", "--json"]) == 0
    estimate = json.loads(capsys.readouterr().out)["estimate"]
    assert (estimate["calls"], estimate["cost_usd"]) == (29, 0.0)
    assert main(["gold", "build", *config]) == 0
    shown = capsys.readouterr()
    assert "in the set" in shown.out
    assert shown.err.index("Estimated cost") < shown.err.index("[5/5] questions")
    assert "[60/60] validation" in shown.err
    assert main(["gold", "verify", *config, str(tmp_path / "gold-demo.json")]) == 0
    for suffix in ("json", "md", "html"):
        assert (tmp_path / f"gold-demo.report.{suffix}").stat().st_size > 1000
    capsys.readouterr()
    assert main(["gold", "build", *config, "--quiet", "--json"]) == 0
    again = capsys.readouterr()
    assert json.loads(again.out)["chosen"] == 40
    assert again.err == ""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["gold", "biuld"], "unknown subcommand 'biuld'. Did you mean build?"),
        (["gold", "build", "--target", "0"], "--target is 0; expected a whole number from 1 on"),
        (["gold", "build", "--index", "none.db"], "none.db: no such index"),
        (
            ["gold", "build", "--targt", "9"],
            "gold build: unknown option '--targt'. Did you mean --target?",
        ),
    ],
)
def test_mistakes_on_the_command_line(
    words: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(words) == 2
    assert message in capsys.readouterr().err


def test_the_recording_is_what_its_script_writes() -> None:
    command = [sys.executable, str(example_folder() / "make_recording.py"), "--check"]
    assert subprocess.run(command, check=False).returncode == 0, "run: python examples/orrin/make_recording.py"
