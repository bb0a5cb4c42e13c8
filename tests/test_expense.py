"""What a question or a sample cost, as the report shows it when it is opened."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import extraction_project
import pytest
from judged_project import make_judged
from small_project import last

from assay.cli.main import main
from assay.extraction.expense import Expenses
from assay.files import dump_json, write_json
from assay.report.extraction.samples import samples_of
from assay.report.numbers import call_dollars
from assay.report.rag.questions import question_item

TOKENS = {"prompt": 1_000_000, "completion": 100_000, "thinking": 0, "cached": 0, "total": 1_100_000}
MODELS = {"m": {"model": "openai/test", "base_url": None}, "openai/test": {"model": None, "base_url": None}}
"""Settings by a name of one's own, and by the model's."""
LLM = {"models": MODELS, "prices": {"openai/test": {"input": 1.0, "output": 2.0}}}


@pytest.mark.parametrize(
    ("dollars", "text"),
    [(None, "–"), (0.0, "$0.000000"), (1.2, "$1.200000"), (0.000123, "$0.000123"), (0.0000001, "<$0.000001")],
)
def test_a_single_call_is_told_to_a_ten_thousandth_of_a_cent(dollars: float | None, text: str) -> None:
    assert call_dollars(dollars) == text


@pytest.mark.parametrize(
    ("paid", "told"),
    [
        ({"answer": 0.0, "judge": 0.0}, None),
        ({"answer": 1.2, "judge": 0.3}, (("answer", "$1.200000"), ("judge", "$0.300000"), ("total", "$1.500000"))),
        ({"answer": None, "judge": 0.3}, (("answer", "–"), ("judge", "$0.300000"), ("total", "–"))),
    ],
)
def test_a_question_tells_its_cost(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    paid: dict[str, float | None],
    told: tuple[tuple[str, str], ...] | None,
) -> None:
    """A million tokens at 1 and a hundred thousand at 2 dollars a million; what is free is not worth a word."""
    monkeypatch.chdir(tmp_path)
    make_judged(tmp_path)
    assert main(["run", "--quiet"]) == 0
    row = last(tmp_path).results.read()[0]
    item = question_item(row, None, {}, paid)
    assert [facts.pairs for facts in item.facts if facts.title == "Cost"] == ([told] if told else [])


def test_the_report_of_a_run_counts_with_the_prices_of_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    make_judged(tmp_path, llm={"prices": LLM["prices"]})
    bot = tmp_path / "bot.py"
    bot.write_text(bot.read_text() + TELLING)
    settings = (tmp_path / "assay.yaml").read_text()
    (tmp_path / "assay.yaml").write_text(settings.replace("python:bot:answer", "python:bot:telling"))
    assert main(["run", "--quiet"]) == 0
    summary = last(tmp_path).summary
    assert summary["cost"]["total_cost_usd"] == pytest.approx(5 * 1.2)
    page = (last(tmp_path).path / "report.html").read_text()
    assert '"$1.200000"' in page


TELLING = """

def telling(question):
    usage = {"prompt_tokens": 1_000_000, "completion_tokens": 100_000}
    return answer(question) | {"usage": usage, "model": "openai/test"}
"""


@pytest.mark.parametrize(
    ("called", "named", "tokens", "dollars"),
    [
        ("m", None, TOKENS, 1.2),
        ("openai/test", None, TOKENS, 1.2),
        (None, "openai/test", TOKENS, 1.2),
        (None, None, TOKENS, None),
        ("nobody/knows", None, TOKENS, None),
        ("m", None, None, None),
    ],
)
def test_what_a_sample_cost(called: str | None, named: str | None, tokens: Any, dollars: float | None) -> None:
    summary = {"model": called, "config": {"llm": LLM, "extraction": {"model": named}}}
    assert Expenses(summary)({"tokens": tokens, "model": None}) == dollars


def test_a_sample_tells_its_cost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    extraction_project.make(tmp_path)
    assert main(["extract", "--system", "recorded", "--quiet"]) == 0
    run = last(tmp_path)
    paid, free = run.results.read()[:2]
    rows = [paid | {"tokens": TOKENS}, free | {"tokens": None}]
    (run.path / "results.jsonl").write_text("".join(dump_json(row) + "\n" for row in rows))
    write_json(
        run.path / "run_summary.json", run.summary | {"model": "m", "config": run.summary["config"] | {"llm": LLM}}
    )
    calls = [facts.pairs for item in samples_of(run).scored for facts in item.facts if facts.title == "Call"]
    assert [dict(pairs).get("cost") for pairs in calls] == ["$1.200000", None]


def test_what_nobody_told_has_no_line_in_the_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The bot tells neither passages nor tokens nor phases: no dashes for those, but a word on what is missing."""
    monkeypatch.chdir(tmp_path)
    make_judged(tmp_path)
    assert main(["run", "--quiet"]) == 0
    written = (last(tmp_path).path / "report.md").read_text()
    assert "Not measured: retrieval, rerank, generation." in written
    assert "No tokens are known: no model was asked, or none told." in written
    assert "the system does not tell what it retrieves." in written
    assert "No question has a value of: recall_at_100, mrr, faithfulness, groundedness, citation_precision" in written
    assert "| Pass or partial " in written
    assert "unanswerable" not in written.partition("## Answered or refused")[2].partition("##")[0].partition("|")[2]
    assert "None that needs a look; all are in the report." in capsys.readouterr().out
