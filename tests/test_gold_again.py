"""The second round: what is missing is asked for once more, the same however often the build was stopped."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from example_corpus import copy_example
from test_gold_build import Stop, order_in, quiet, written

from assay.cli.main import main
from assay.config import Config, GoldOptions, load
from assay.corpus.index import Index
from assay.errors import IncompleteRun
from assay.gold.again import SecondRound, Standing, plan_again
from assay.gold.asking import Batch, messages
from assay.gold.balance import Choice, Option
from assay.gold.bench import Bench, Order, prepared
from assay.gold.build import build
from assay.gold.candidate import read_log
from assay.gold.exchange import write_prompts
from assay.gold.stratify import Strata, stratify
from assay.records import Chunk, Step

LABELS = {
    "explanation": "It says so.",
    "keywords": ["club"],
    "difficulty": 0.8,
    "question_type": "factual",
    "cognitive_level": "Remember",
    "reasoning_type": "single-hop",
    "answer_type": "extractive",
    "article_reference": None,
}


def spoiled(line: dict[str, Any]) -> dict[str, Any]:
    """The answers are in no chunk."""
    for question in line["reply"].get("questions", []):
        if "answer" in question:
            question["answer"] = f"Nobody knows before {question['answer']} 98765"
    return line


def asked_of(number: int, chunk: Chunk, kind: str) -> dict[str, Any]:
    sentence = max(re.split(r"(?<=[.!?])\s+", chunk.text.replace("\n", " ")), key=len)
    words = sorted({word.lower() for word in re.findall(r"[A-Za-z]{6,}", sentence)}, key=len)[-2:]
    asked = f"What does {chunk.source.rpartition('.')[0]} say in part {chunk.id[-4:]} on {' and '.join(words)}?"
    return LABELS | {
        "passage": number,
        "question": asked,
        "answer": sentence,
        "quote": sentence,
        "reasoning_class": kind,
    }


def reply_to(batch: Batch, bench: Bench) -> dict[str, Any]:
    if batch.kind == "unanswerable":
        return {"questions": []}
    kinds = [name for name, count in batch.classes.items() for _ in range(count)]
    chunks = [bench.shop.chunks[id_] for id_ in batch.chunks]
    pairs = zip(chunks, kinds, strict=False)
    return {"questions": [asked_of(number, chunk, kind) for number, (chunk, kind) in enumerate(pairs, 1)]}


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example, its first replies spoiled; what they leave missing is answered."""
    folder = copy_example(tmp_path_factory.mktemp("short"))
    lines = [json.loads(line) for line in (folder / "recording.jsonl").read_text("utf-8").splitlines()]
    lines[0] = spoiled(lines[0])
    write_script(folder, lines)
    with pytest.raises(IncompleteRun, match="the first round left missing"):
        build(order_in(folder, folder / "first"), quiet)
    with prepared(order_in(folder, folder / "first")) as bench:
        again = [batch for batch in bench.shop.batches if batch.id in bench.again]
        for batch in again:
            mark = re.search(r"<<<passage 1 \w+>>>", messages(batch, bench.shop.chunks)[1].content)
            assert mark
            lines.append({"contains": mark[0], "reply": reply_to(batch, bench)})
    write_script(folder, lines)
    return folder


def write_script(folder: Path, lines: list[dict[str, Any]]) -> None:
    (folder / "recording.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")


def without(short: Path, **changes: Any) -> Config:
    config = load(short / "gold-build.yaml")
    return msgspec.structs.replace(config, gold=msgspec.structs.replace(config.gold, **changes))


def test_what_is_missing_is_asked_for_from_chunks_not_yet_shown(short: Path, tmp_path: Path) -> None:
    once = build(order_in(short, tmp_path / "once", config=without(short, ask_again=False)), quiet)
    twice = build(order_in(short, tmp_path / "twice"), quiet)
    assert once.choice
    assert twice.choice
    assert len(once.choice.chosen) < len(twice.choice.chosen) <= 40
    assert twice.verification
    plan = msgspec.json.decode((tmp_path / "twice/build/second_round.json").read_bytes(), type=SecondRound)
    shown = {id_ for each in once.strata.strata for id_ in each.chosen}
    again = [id_ for each in plan.strata for id_ in each.chosen]
    assert again
    assert not shown & set(again)
    assert plan.missing == 40 - len(once.choice.chosen)
    log = read_log(tmp_path / "twice/build/generation_log.jsonl")
    batches = [line.batch for line in log if line.event == "batch"]
    assert len(batches) == len(set(batches)) > 5
    assert not (tmp_path / "once/build/second_round.json").exists()


@pytest.mark.parametrize("event", [0, 6, 7, 8, 9, 10, 12, 14, 16, 17])
def test_stopped_anywhere_and_resumed_it_gives_the_same_bytes(event: int, short: Path, tmp_path: Path) -> None:
    build(order_in(short, tmp_path / "whole"), quiet)
    seen = 0

    def stop(_step: Step) -> None:
        nonlocal seen
        if seen == event:
            raise Stop
        seen += 1

    with pytest.raises(Stop):
        build(order_in(short, tmp_path / "parts"), stop)
    build(order_in(short, tmp_path / "parts"), quiet)
    assert written(tmp_path / "parts") == written(tmp_path / "whole")


def test_a_first_round_is_not_proved_again_for_the_second(short: Path, tmp_path: Path) -> None:
    build(order_in(short, tmp_path), quiet)
    first, second = (json.loads((tmp_path / f"build/validated{n}.json").read_bytes())["verdicts"] for n in ("", "-2"))
    assert not {each["key"] for each in first} & {each["key"] for each in second}


def test_a_second_round_without_replies_can_be_done_without(short: Path, tmp_path: Path) -> None:
    copy_example(tmp_path)
    lines = (short / "recording.jsonl").read_text("utf-8").splitlines(keepends=True)
    original = (tmp_path / "recording.jsonl").read_text("utf-8").count("\n")
    (tmp_path / "recording.jsonl").write_text("".join(lines[:original]), "utf-8")
    order = order_in(tmp_path, tmp_path / "out")
    with pytest.raises(IncompleteRun, match="the first round left missing"):
        build(order, quiet)
    assert not order.out.exists()
    built = build(msgspec.structs.replace(order, partial=True), quiet)
    assert built.gold


def exchange(short: Path, folder: Path) -> Order:
    """All prompts of the first round answered by hand."""
    order = order_in(short, folder, config=without(short, model=None))
    answers(order, short)
    return order


def answers(order: Order, short: Path) -> int:
    """What the recording says to every prompt that is open, into the build."""
    script = [json.loads(line) for line in (short / "recording.jsonl").read_text("utf-8").splitlines()]
    with prepared(order) as bench:
        done = {line.batch for line in read_log(bench.shop.log) if line.event == "batch"}
        open_ = [batch for batch in bench.shop.batches if batch.id not in done]
        write_prompts(order.folder.parent / "prompts.jsonl", open_, bench.shop.chunks, "m")
    given = []
    for line in (order.folder.parent / "prompts.jsonl").read_text("utf-8").splitlines():
        prompt = json.loads(line)
        text = prompt["body"]["messages"][1]["content"]
        reply = next(each["reply"] for each in script if each["contains"] in text)
        given.append(json.dumps({"batch": prompt["custom_id"], "text": json.dumps(reply), "model": "m"}))
    with (order.folder / "answers.jsonl").open("a", encoding="utf-8") as file:
        file.write("".join(line + "\n" for line in given))
    return len(given)


def test_without_a_model_the_set_is_there_and_the_prompts_that_are_missing_too(short: Path, tmp_path: Path) -> None:
    order = exchange(short, tmp_path)
    first = build(order, quiet)
    assert first.choice
    assert first.gold
    assert first.remarks[-1].startswith(f"{40 - len(first.choice.chosen)} questions are missing: `assay gold prompts`")
    again = build(order, quiet)  # nobody answered: the same set, and the same remark
    assert (again.choice, again.remarks) == (first.choice, first.remarks)
    assert answers(order, short) > 0
    last = build(order, quiet)
    assert last.choice
    assert len(last.choice.chosen) > len(first.choice.chosen)
    assert last.second is None


def test_the_estimate_announces_it(short: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["gold", "build", "--config", str(short / "gold-build.yaml"), "--dry-run"]
    assert main([*words, "--json"]) == 0
    estimate = json.loads(capsys.readouterr().out)["estimate"]
    assert estimate["again"]["calls"] == estimate["calls"] == sum(each["calls"] for each in estimate["forecasts"])
    assert main(words) == 0
    assert "what is missing is asked for once more" in " ".join(capsys.readouterr().out.split())


# --- the plan ----------------------------------------------------------------------------------------------------


def option(id_: str, stratum: str, **changes: Any) -> Option:
    given: dict[str, Any] = {
        "id": id_,
        "stratum": stratum,
        "chunk_id": "c",
        "hard_type": "ANSWERABLE",
        "reasoning_class": "summary",
        "question_type": "factual",
        "cognitive_level": "Apply",
        "difficulty": 0.1,
    }
    return Option(**given | changes)


def standing(strata: Strata, good: list[Option], repeats: tuple[str, ...] = ()) -> Standing:
    chosen = tuple(each.id for each in good if each.id not in repeats)
    return Standing(strata=strata, good=tuple(good), choice=Choice(chosen=chosen, left={}, targets=(), repeats=repeats))


def full(strata: Strata) -> list[Option]:
    """Just what was wanted."""
    found = []
    for stratum in strata.strata:
        found += [option(f"{stratum.name}-{n}", stratum.name) for n in range(stratum.answerable)]
        found += [
            option(f"{stratum.name}-u{n}", stratum.name, hard_type="AMBIGUOUS", reasoning_class="adversarial")
            for n in range(stratum.unanswerable)
        ]
    return found


def test_only_what_is_missing_is_planned(short: Path) -> None:
    options = GoldOptions(target=12, floor=1)
    with Index.open(short / "corpus.db") as index:
        strata = stratify(index, options, 0, "")
        whole = full(strata)
        assert plan_again(index, options, 0, standing(strata, whole)) is None
        first = max(strata.strata, key=lambda each: each.unanswerable)
        gone = next(each.id for each in whole if each.stratum == first.name and not each.answerable)
        for missing in (
            standing(strata, [each for each in whole if each.id != gone]),
            standing(strata, whole, repeats=(gone,)),
        ):
            plan = plan_again(index, options, 0, missing)
            assert plan
            assert plan.missing == 1
            absent = {each.name: each.unanswerable for each in plan.strata if each.unanswerable}
            assert absent == {first.name: 1}
            (one,) = (each for each in plan.strata if each.unanswerable)
            assert len(one.chosen_unanswerable) == 2  # 1.4 of them, rounded up
            assert not set(one.chosen_unanswerable) & set(first.chosen_unanswerable)


def test_classes_that_are_missing_are_asked_for_alone(short: Path) -> None:
    """All were summaries: nothing but the other classes is wanted."""
    options = GoldOptions(target=12, floor=1)
    with Index.open(short / "corpus.db") as index:
        strata = stratify(index, options, 0, "")
        plan = plan_again(index, options, 0, standing(strata, full(strata)[1:]))
    assert plan
    assert plan.classes["summary"] == 0
    assert all(count > 0 for name, count in plan.classes.items() if name != "summary")


def test_nothing_is_planned_where_every_chunk_was_shown(short: Path) -> None:
    options = GoldOptions(target=12, floor=1)
    with Index.open(short / "corpus.db") as index:
        strata = stratify(index, options, 0, "")
        every = tuple(index.ids)
        shown = tuple(msgspec.structs.replace(each, chosen=every, chosen_unanswerable=every) for each in strata.strata)
        shown_strata = msgspec.structs.replace(strata, strata=shown)
        assert plan_again(index, options, 0, standing(shown_strata, full(strata)[1:])) is None
