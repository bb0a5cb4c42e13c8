"""`assay selftest`: proves the numbers on the user's machine, and can fail."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from ranking_vectors import BUILT_IN, FOLDER, files

from assay.cli.main import main
from assay.selftest import CHECKS, Outcome, measures, run_checks


def test_it_holds(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["selftest"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["check", "compared", "worst", "difference", "result", "against"]
    assert all(line.split("  ")[0] and " ok " in line for line in lines[1:-2])
    assert lines[-1] == f"{len(lines) - 3} of {len(lines) - 3} within 1e-09"


def test_every_measure_is_proved() -> None:
    proved = {outcome.name.partition("@")[0] for outcome in run_checks()}
    assert set(BUILT_IN) - proved == set()


def test_the_shipped_values_are_those_of_the_reference_programs() -> None:
    for path, text in files().items():
        shipped = path.read_text("utf-8")
        if path.suffix != ".json":
            assert shipped == text
            continue
        assert flat(json.loads(shipped)) == pytest.approx(flat(json.loads(text)), abs=1e-12, nan_ok=True)


def flat(expected: dict[str, dict[str, dict[str, float | None]]]) -> dict[tuple[str, str], float]:
    return {
        (name, query): np.nan if value is None else value
        for of in expected.values()
        for name, values in of.items()
        for query, value in values.items()
    }


def damaged(tmp_path: Path, old: str, new: str) -> Path:
    """The shipped vectors with one thing changed."""
    folder = tmp_path / "vectors"
    shutil.copytree(FOLDER, folder)
    text = (folder / "expected.json").read_text("utf-8")
    assert old in text
    (folder / "expected.json").write_text(text.replace(old, new, 1), "utf-8")
    return folder


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [("0.5,", "0.500001,", "1.0e-06"), ("null", "0.0", "undefined differs")],
    ids=["another value", "a value for undefined"],
)
def test_a_difference_is_shown_and_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], old: str, new: str, shown: str
) -> None:
    monkeypatch.setattr(measures, "VECTORS", damaged(tmp_path, old, new))
    assert main(["selftest"]) == 1
    lines = capsys.readouterr().out.splitlines()
    (wrong,) = [line for line in lines if "WRONG" in line]
    assert shown in wrong
    assert lines[-1].endswith(", 1 not")


def test_json_says_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["selftest", "--json"]) == 0
    records = json.loads(capsys.readouterr().out)
    assert all(record["ok"] and record["compared"] > 0 for record in records)


def test_a_check_can_be_added(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CHECKS, "_items", dict(CHECKS._items))

    @CHECKS.register("zero")
    def nothing_compared() -> list[Outcome]:
        return [Outcome("zero", "nobody", 0, 0.0)]

    assert list(nothing_compared()) == run_checks()[-1:]
    assert not run_checks()[-1].ok, "what compares nothing proves nothing"


def test_values_of_different_number_are_not_comparable() -> None:
    assert measures.difference(np.zeros(2), [0.0]) is None
