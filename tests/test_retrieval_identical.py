"""Questions that are documents of the corpus: BEIR's rule leaves each out of its own results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from small_project import CHUNKS, last, make

from assay.cli.main import main
from assay.records import Case, Fault, Ranking
from assay.retrieval.system import Variant
from assay.retrievers.protocol import Query, Request

TEXTS = {id_: text for id_, _, _, text in CHUNKS}
CASES = [
    {"id": "float-1", "question": TEXTS["float-1"], "expected_ids": ["float-2"]},
    {"id": "fees-1", "question": TEXTS["fees-1"], "expected_ids": ["fees-2"]},
    {"id": "other", "question": "What do lockers cost?", "expected_ids": ["fees-2"]},
]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    make(tmp_path)
    (tmp_path / "cases.json").write_text(json.dumps(CASES))
    return tmp_path


def evaluated(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    capsys.readouterr()
    assert main(["retrieval", "--k", "2", "--json", *words]) in (0, 1)
    summary: dict[str, Any] = json.loads(capsys.readouterr().out)
    return summary


def results(project: Path) -> dict[tuple[str, str], list[str]]:
    return {(row["variant"], row["case_id"]): row["retrieved"]["ids"] for row in last(project).results.read()}


@pytest.mark.parametrize("said", [["--ignore-identical-ids"], []])
def test_a_question_does_not_find_itself(said: list[str], project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Everything else stands as before, and one more comes in at the end; by flag or by setting."""
    if not said:
        with (project / "assay.yaml").open("a") as file:
            file.write("retrieval: {ignore_identical_ids: true}\n")
    evaluated(capsys, *said)
    without = results(project)
    (project / "assay.yaml").write_text("paths: {gold: cases.json}\n")
    summary = evaluated(capsys)
    before = results(project)
    assert all(before[variant, id_][0] == id_ for variant, id_ in before if id_ != "other")
    for (variant, id_), ids in without.items():
        rest = [each for each in before[variant, id_] if each != id_]
        assert (id_ not in ids, ids[: len(rest)]) == (True, rest)
    (warning,) = summary["warnings"]
    assert warning.startswith("2 of 3 questions share their id with a chunk that is not expected")
    assert warning.endswith("BEIR's own evaluation leaves it out; so does --ignore-identical-ids.")
    assert evaluated(capsys, "--ignore-identical-ids")["warnings"] == []


def test_figures_equal_those_of_trec_eval_on_lists_without_the_question(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import pytrec_eval

    plain = evaluated(capsys, "--variants", "bm25")["metrics"]["bm25"]["mrr@2"]["mean"]
    rows = last(project).results.read()
    run = {row["case_id"]: dict(zip(row["retrieved"]["ids"], row["retrieved"]["scores"], strict=True)) for row in rows}
    for id_, found in run.items():
        found.pop(id_, None)
    qrels = {case["id"]: dict.fromkeys(case["expected_ids"], 1) for case in CASES}
    wanted = pytrec_eval.RelevanceEvaluator(qrels, {"recip_rank"}).evaluate(run)
    mean = sum(each["recip_rank"] for each in wanted.values()) / len(CASES)
    summary = evaluated(capsys, "--variants", "bm25", "--k", "4", "--ignore-identical-ids")
    assert summary["metrics"]["bm25"]["mrr@4"]["mean"] == pytest.approx(mean, abs=1e-9)
    assert plain < mean


def test_a_question_that_expects_itself_is_warned_about(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """BEIR's rule looks at ids alone, so that such a question is lost."""
    (project / "cases.json").write_text(json.dumps([{**CASES[0], "expected_ids": ["float-1"]}, CASES[2]]))
    summary = evaluated(capsys, "--variants", "bm25", "--ignore-identical-ids")
    assert summary["metrics"]["bm25"]["recall@2"]["mean"] == 0.5
    assert summary["warnings"] == [
        "1 of 2 questions expect the chunk of their own id, which --ignore-identical-ids leaves out."
    ]
    entry = next(json.loads(line) for line in (last(project).path / "failures.jsonl").read_text().splitlines())
    assert (entry["case_id"], entry["rank"]) == ("float-1", None)


def test_triviality_is_measured_without_the_question(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By a search of its own where bm25 is no variant: then the same as where it is one."""
    shares = [
        evaluated(capsys, "--variants", variant, "--ignore-identical-ids")["health"]["trivial"]
        for variant in ("vector", "bm25")
    ]
    assert shares[0] == shares[1] > evaluated(capsys, "--variants", "bm25")["health"]["trivial"]


class Listing:
    """A retriever that gives the same list for every query, and can tell ranks in it where `ranked`."""

    name, scale, local = "listing", "points", True

    def __init__(self, *ids: str) -> None:
        self.ids = ids

    def search(self, queries: list[Query], request: Request) -> list[Ranking | Fault]:
        ids = self.ids[: request.k]
        return [Ranking(ids, tuple(float(-n) for n in range(len(ids))), self.scale) for _ in queries]


class Telling(Listing):
    def ranks(self, queries: list[Query], wanted: list[list[str]], request: Request) -> list[int | None]:
        places = {id_: rank for rank, id_ in enumerate(self.ids, 1)}
        return [min((places[id_] for id_ in ids if id_ in places), default=None) for ids in wanted]


@pytest.mark.parametrize("kind", [Listing, Telling])
@pytest.mark.parametrize(
    ("id_", "expected", "plain", "rank"),
    [
        ("a", "c", 3, 2),  # itself stands above
        ("d", "c", 3, 3),  # itself stands below
        ("z", "c", 3, 3),  # itself is not there
        ("a", "a", 1, None),  # itself is all that is expected
        ("a", "y", None, None),
    ],
)
def test_deep_ranks_do_not_count_the_question(
    kind: type[Listing], id_: str, expected: str, plain: int | None, rank: int | None
) -> None:
    case = Case(id=id_, question="?", expected={expected: 1})
    retriever: Any = kind("a", "b", "c", "d")
    assert Variant("v", retriever, Request(k=1)).ranks([case], 10) == [plain]
    assert Variant("v", retriever, Request(k=1), skip_own=True).ranks([case], 10) == [rank]


def test_a_fault_stays_one() -> None:
    class Broken(Listing):
        def search(self, queries: list[Query], request: Request) -> list[Ranking | Fault]:
            return [Fault("retrieve", "gone")] * len(queries)

    broken: Any = Broken()
    case = Case(id="a", question="?", expected={"b": 1})
    variant = Variant("v", broken, Request(k=1), skip_own=True)
    assert variant.answer([case]) == [Fault("retrieve", "gone")]
    assert variant.ranks([case], 10) == [None]
