"""How many to check, which, and what is proved: against scipy, against brute force, and through the command."""

from __future__ import annotations

import json
from fractions import Fraction
from math import comb
from pathlib import Path

import pytest
from gold_sets import clean, gold_file, index
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, binom, hypergeom

from assay.cli.main import main
from assay.errors import AssayError
from assay.gold.audit import AuditOptions, Verdict, conclude, plan, read_verdicts
from assay.stats.exact import (
    binomial_cdf,
    clopper_pearson_upper,
    hypergeometric_cdf,
    hypergeometric_upper,
    sample_size,
)


@given(st.integers(1, 400), st.data(), st.floats(0.5, 0.999))
def test_the_bound_is_that_of_scipy(n: int, data: st.DataObject, confidence: float) -> None:
    bad = data.draw(st.integers(0, n))
    expected = 1.0 if bad == n else float(beta.ppf(confidence, bad + 1, n - bad))
    assert clopper_pearson_upper(bad, n, confidence) == pytest.approx(expected, abs=1e-9)


@given(st.integers(1, 200), st.data())
def test_the_distributions_are_those_of_scipy(population: int, data: st.DataObject) -> None:
    bad, n = data.draw(st.integers(0, population)), data.draw(st.integers(0, population))
    x = data.draw(st.integers(0, n))
    assert hypergeometric_cdf(x, population, bad, n) == pytest.approx(float(hypergeom.cdf(x, population, bad, n)))
    p = data.draw(st.floats(0, 1))
    assert binomial_cdf(x, population, p) == pytest.approx(float(binom.cdf(x, population, p)), abs=1e-9)


@pytest.mark.parametrize(
    ("population", "max_bad", "confidence", "allowed"),
    [(600, 0.05, 0.95, 0), (600, 0.05, 0.95, 2), (40, 0.05, 0.95, 0), (243, 0.10, 0.90, 1), (5, 0.05, 0.95, 0)],
)
def test_the_sample_is_as_small_as_can_be(population: int, max_bad: float, confidence: float, allowed: int) -> None:
    """The first n, counted up, at which one bad item too many would go unseen with at most 1 − confidence."""
    bad = int(max_bad * population + 1e-9) + 1
    misses = (float(hypergeom.cdf(allowed, population, bad, n)) for n in range(allowed + 1, population + 1))
    expected = next(
        (n for n, miss in enumerate(misses, allowed + 1) if miss <= 1 - confidence),
        population,
    )
    assert sample_size(population, max_bad, confidence, allowed) == expected


def unseen(found: int, population: int, bad: int, n: int) -> Fraction:
    """P(at most so many found), exactly: ties with the level do occur."""
    ways = sum(comb(bad, k) * comb(population - bad, n - k) for k in range(found + 1))
    return Fraction(ways, comb(population, n))


@given(st.integers(1, 60), st.data())
def test_the_bound_for_a_finite_set_is_that_of_counting(population: int, data: st.DataObject) -> None:
    n = data.draw(st.integers(1, population))
    found = data.draw(st.integers(0, n))
    possible = range(found, population - (n - found) + 1)
    expected = max((bad for bad in possible if unseen(found, population, bad, n) > Fraction(5, 100)), default=found)
    upper = hypergeometric_upper(found, n, population, 0.95)
    assert upper == expected
    assert upper / population <= clopper_pearson_upper(found, n, 0.95) + 1 / population


def test_the_sample_is_stratified_and_seeded(tmp_path: Path) -> None:
    gold = gold_file(clean(), tmp_path)
    options = AuditOptions(max_bad=0.2)
    first = plan(gold, options)
    assert first.sample == plan(gold, options).sample
    assert first.sample != plan(gold, AuditOptions(max_bad=0.2, seed=1)).sample
    assert 0 < sum(id_ >= "q14" for id_ in first.sample) < len(first.sample)


def test_only_the_whole_sample_proves(tmp_path: Path) -> None:
    audit = plan(gold_file(clean(), tmp_path), AuditOptions(max_bad=0.2))
    good = [Verdict(id=id_, verdict="good") for id_ in audit.sample]
    assert conclude(audit, good).proved
    assert not conclude(audit, good[:-1]).proved
    one = conclude(audit, [*good[:-1], Verdict(id=audit.sample[-1], verdict="bad", note="wrong page")])
    assert not one.proved
    assert one.bad == audit.sample[-1:]
    other = next(f"q{n:02d}" for n in range(20) if f"q{n:02d}" not in audit.sample)
    outside = conclude(audit, [*good, Verdict(id=other, verdict="bad")])
    assert (outside.outside, outside.bad) == (1, ())


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ([{"id": "q99", "verdict": "good"}], ":1: unknown question 'q99'"),
        ([{"id": "q01", "verdict": "fine"}], ":1: verdict is 'fine'; expected bad or good"),
        (
            [{"id": "q01", "verdict": "good"}, {"id": "q01", "verdict": "bad"}],
            ":2: the question 'q01' has two verdicts",
        ),
    ],
)
def test_verdicts_that_make_no_sense(lines: list[dict[str, str]], told: str, tmp_path: Path) -> None:
    path = tmp_path / "verdicts.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    with pytest.raises(AssayError) as caught:
        read_verdicts(path, gold_file(clean(), tmp_path))
    assert told in str(caught.value)


def test_a_sheet_that_is_half_filled_and_a_short_word_on_unknown_ids(tmp_path: Path) -> None:
    path, gold = tmp_path / "verdicts.jsonl", gold_file(clean(), tmp_path)
    path.write_text('{"id": "q01", "verdict": ""}\n', encoding="utf-8")
    assert [each.verdict for each in read_verdicts(path, gold)] == [None]
    path.write_text('{"id": "nothing like it", "verdict": "good"}\n', encoding="utf-8")
    with pytest.raises(AssayError) as caught:
        read_verdicts(path, gold)
    assert len(str(caught.value)) < 60 + len(str(path)) + len("unknown question 'nothing like it'")


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold_file(clean(), tmp_path)
    gold, sheet = str(tmp_path / "gold.json"), tmp_path / "sheet.jsonl"
    given = ["gold", "audit", gold, "--max-bad", "0.2"]
    assert main([*given, "--sheet", str(sheet), "--index", str(index().path)]) == 0
    lines = [json.loads(line) for line in sheet.read_text("utf-8").splitlines()]
    assert all(line["chunk"] and line["verdict"] is None for line in lines)
    filled = "".join(json.dumps(line | {"verdict": "good"}) + "\n" for line in lines)
    sheet.write_text(filled, encoding="utf-8")
    capsys.readouterr()
    assert main([*given, "--verdicts", str(sheet), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["proved"] is True
    lines[0] |= {"verdict": "bad", "note": "two answers"}
    spoiled = "".join(
        json.dumps({"verdict": "good"} | {k: v for k, v in each.items() if v is not None}) + "\n" for each in lines
    )
    sheet.write_text(spoiled, encoding="utf-8")
    assert main([*given, "--verdicts", str(sheet)]) == 1
    told = capsys.readouterr().out
    assert "It is not proved" in told
    assert "(two answers)" in " ".join(told.split())
