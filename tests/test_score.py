"""`assay score`: finished runs against judgements, with intervals and everything that was left out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.cli.main import main
from assay.trec.score import ScoreOptions, score_runs

QRELS = """\
q1 0 a 2
q1 0 b 1
q2 0 a 1
q3 0 a 0
q4 0 a 1
"""
RUN = """\
q1 Q0 a 1 9 t
q1 Q0 x 2 8 t
q1 Q0 b 3 7 t
q2 Q0 x 1 9 t
q2 Q0 a 2 8 t
q3 Q0 a 1 1 t
q9 Q0 a 1 1 t
"""
"""recall@1: q1 1/2, q2 0, q3 undefined, q4 missing, so 0: (1/2 + 0 + 0) / 3."""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.txt").write_text(QRELS)
    (tmp_path / "r.txt").write_text(RUN)
    (tmp_path / "better.txt").write_text(RUN + "q4 Q0 a 1 1 t\n")
    return tmp_path


def test_the_table_says_mean_interval_and_what_was_left_out(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "--qrels", "q.txt", "--run", "r.txt", "-m", "recall@1", "-m", "mrr,judged@5"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["q.txt: 4 queries, 5 judgements", "mean [95 % interval], n scored / n queries"]
    rows = {line.split()[0]: line for line in lines[3:7]}
    assert rows["measure"].split() == ["measure", "r.txt", "n"]
    assert "0.1667 [" in rows["recall@1"]
    assert rows["recall@1"].endswith("3 / 4")
    assert "0.5000 [" in rows["mrr"], "(1 + 1/2 + 0) / 3"
    assert "0.8889" not in rows["judged@5"]
    assert "0.7222 [" in rows["judged@5"], "(2/3 + 1/2 + 1) / 3"
    assert lines[7:] == [
        "! 1 query (q4) of the qrels not in r.txt: counted as nothing retrieved",
        "! 1 query (q9) of r.txt not in the qrels: left out",
        "! recall@1, mrr undefined for 1 query (q3): nothing is relevant",
        "! judged@5 undefined for 1 query (q4): nothing was retrieved",
    ]


def test_several_runs_stand_side_by_side(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "--qrels", "q.txt", "--run", "r.txt", "--run", "better.txt", "-m", "mrr,judged@5"]) == 0
    header, mrr, judged = capsys.readouterr().out.splitlines()[3:6]
    assert header.split() == ["measure", "r.txt", "better.txt", "n"]
    assert "0.5000 [" in mrr
    assert "0.8333 [" in mrr, "(1 + 1/2 + 1) / 3"
    assert judged.endswith("3 · 4 / 4")


def test_runs_of_the_same_name_are_told_apart_by_their_folders(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (files / "old").mkdir()
    (files / "old" / "r.txt").write_text(RUN)
    assert main(["score", "--qrels", "q.txt", "--run", "r.txt", "--run", "old/r.txt", "-m", "mrr"]) == 0
    assert capsys.readouterr().out.splitlines()[3].split() == ["measure", "r.txt", "old/r.txt", "n"]


def test_json_has_everything(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "--qrels", "q.txt", "--run", "r.txt", "-m", "recall@1", "--json", "--per-query"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["qrels"], found["n_queries"], found["n_judgements"]) == ("q.txt", 4, 5)
    assert found["options"] == {"level": 1, "seed": 0, "resamples": 2000, "confidence": 0.95}
    (run,) = found["runs"]
    measure = run["measures"]["recall@1"]
    assert measure["mean"] == pytest.approx(1 / 6)
    assert measure["low"] <= measure["mean"] <= measure["high"]
    assert (measure["n_scored"], measure["n_cases"]) == (3, 4)
    assert run["undefined"] == {"recall@1": "nothing is relevant"}
    assert (run["missing_queries"], run["unknown_queries"]) == (["q4"], ["q9"])
    assert {query: row["recall@1"] for query, row in run["per_query"].items()} == {
        "q1": 0.5, "q2": 0.0, "q3": None, "q4": 0.0,
    }  # fmt: skip


def test_per_query_values_are_tab_separated(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "--qrels", "q.txt", "--run", "r.txt", "-m", "recall@1,mrr", "--per-query"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:6] == [
        "run\tquery\trecall@1\tmrr",
        "r.txt\tq1\t0.5\t1.0",
        "r.txt\tq2\t0.0\t0.5",
        "r.txt\tq3\t\t",
        "r.txt\tq4\t0.0\t0.0",
        "",
    ]


def test_the_relevance_level_is_trec_evals(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """From grade 2 on only q1 has a relevant document, found first; nDCG counts every grade all the same."""
    arguments = ["score", "--qrels", "q.txt", "--run", "r.txt", "-m", "map,ndcg", "--relevance-level", "2"]
    assert main(arguments) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("· relevant from grade 2 on")
    assert (lines[4].split()[1], lines[4][-5:], lines[5][-5:]) == ("1.0000", "1 / 4", "3 / 4")


def test_the_usual_measures_when_none_is_named(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "--qrels", "q.txt", "--run", "r.txt"]) == 0
    rows = capsys.readouterr().out.splitlines()[4:9]
    assert [row.split()[0] for row in rows] == ["ndcg@10", "map", "mrr", "recall@10", "recall@100"]


def test_the_same_seed_gives_the_same_bytes(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (files / "q.txt").write_text("".join(f"q{n} 0 a 1\n" for n in range(30)))
    (files / "r.txt").write_text(
        "".join(f"q{n} Q0 {'a' if m == n % 5 else m} 0 {-m} t\n" for n in range(30) for m in range(5))
    )

    def printed(seed: int) -> str:
        assert main(["score", "--qrels", "q.txt", "--run", "r.txt", "-m", "mrr", "--json", "--seed", str(seed)]) == 0
        return capsys.readouterr().out

    assert printed(3) == printed(3)
    assert printed(3).replace('"seed": 3', "") != printed(4).replace('"seed": 4', "")


def test_settings_of_assay_yaml_hold(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (files / "assay.yaml").write_text("seed: 5\nstatistics:\n  confidence: 0.9\n")
    assert main(["score", "--qrels", "q.txt", "--run", "r.txt", "--json"]) == 0
    options = json.loads(capsys.readouterr().out)["options"]
    assert (options["seed"], options["confidence"]) == (5, 0.9)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--qrels", "nowhere", "--run", "r.txt"], "assay: nowhere: cannot be read: No such file or directory"),
        (["--qrels", "q.txt", "--run", "nowhere"], "assay: nowhere: cannot be read: No such file or directory"),
        (["--qrels", "q.txt", "--run", "q.txt"], "assay: q.txt:1: 4 columns in a line of a run file"),
        (["--qrels", "r.txt", "--run", "r.txt"], "assay: r.txt:1: 6 columns in a line of a qrels file"),
        (["--qrels", "q.txt", "--run", "other.txt"], "assay: no query of other.txt is in q.txt; expected the same"),
        (["--qrels", "q.txt", "--run", "r.txt", "-m", "ndgc@5"], "unknown measure 'ndgc'. Did you mean ndcg?"),
        (["--qrels", "q.txt", "--run", "r.txt", "-m", ","], "assay: --measure is ',', which names nothing"),
        (["--qrels", "q.txt", "--run", "r.txt", "-m", "page_recall@5"], "page_recall@5 is not computed from judged"),
        (["--qrels", "q.txt", "--run", "r.txt", "--relevance-level", "0"], "relevance level 0"),
        (["--qrels", ".", "--run", "r.txt"], "assay: .: no qrels in this folder"),
        (["--qrels", "q.txt", "--run", "."], "assay: .: cannot be read: Is a directory"),
        (["--run", "r.txt"], "--qrels"),
    ],
)
def test_a_fault_is_one_line(files: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], told: str) -> None:
    (files / "other.txt").write_text("q8 Q0 a 1 1 t\n")
    assert main(["score", *arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert told in printed.err
    assert printed.err.count("\n") == 1


def test_ids_that_would_act_on_the_terminal_are_shown_harmless(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = "q\x9b31m\u202e"
    (files / "r.txt").write_text(RUN + f"{name} Q0 a 1 1 t\n")
    assert main(["score", "--qrels", "q.txt", "--run", "r.txt", "-m", "mrr"]) == 0
    printed = capsys.readouterr().out
    assert "\x9b" not in printed
    assert "\u202e" not in printed


def test_the_library_door(files: Path) -> None:
    scores = score_runs(Path("q.txt"), [Path("r.txt")], ["mrr", "MRR", "map"], ScoreOptions(seed=1))
    assert [str(measure) for measure in scores.measures] == ["mrr", "map"]
    assert scores.runs[0].per_query(scores.queries, scores.measures)["q2"] == {"mrr": 0.5, "map": 0.5}


def test_a_seed_below_zero_is_one_line(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "--qrels", "q.txt", "--run", "r.txt", "--seed", "-1"]) == 2
    assert capsys.readouterr().err == "assay: --seed: seed is -1; expected a whole number >= 0\n"


def test_what_tells_a_pipeline_of_a_run_is_refused_for_files(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for flags in (["--ci"], ["--junit", "x.xml"]):
        assert main(["score", "--qrels", "q.txt", "--run", "r.txt", *flags]) == 2
        assert "--ci and --junit tell of a run that is judged again" in capsys.readouterr().err
