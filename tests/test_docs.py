"""The documentation is true: generated pages are up to date, examples run and print what they say."""

from __future__ import annotations

import doctest
import re
import shutil
from pathlib import Path
from types import ModuleType

import pytest
import yaml
from console_blocks import ROOT, Step, agree, disagreements, refreshed, steps_of
from generate import documented, pages, texts

from assay.cli.main import parser_of
from assay.config import Config, Settings, load
from assay.metrics import MEASURES
from assay.rag.measures import measures_of
from assay.scaffold import settings_of

TEXTS = pytest.mark.parametrize("path", texts(), ids=lambda path: str(path.relative_to(ROOT)))
BUILT_IN = MEASURES.names()  # before an example registers one of its own
METRIC_PAGES = sorted((ROOT / "docs/metrics").glob("*.md"))


@pytest.mark.parametrize("path", pages(), ids=lambda path: path.name)
def test_a_generated_page_is_up_to_date(path: Path) -> None:
    assert path.read_text("utf-8") == pages()[path], "run: make docs"


@pytest.mark.parametrize(("name", "command"), list(documented()), ids=[name for name, _ in documented()])
def test_every_command_and_every_flag_is_documented(name: str, command: ModuleType) -> None:
    page = (ROOT / "docs/commands.md").read_text("utf-8")
    section = re.search(rf"^## `assay {name}\b.*?(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    assert section, f"{name} has no section"
    flags = [flag for action in parser_of(name, command)._actions for flag in action.option_strings]
    absent = [flag for flag in flags if flag not in {"-h", "--help"} and f"{flag}" not in section[0]]
    assert absent == []


def test_every_setting_is_documented() -> None:
    page = (ROOT / "docs/configuration.md").read_text("utf-8")

    def names(block: type[Settings]) -> list[str]:
        inner = [name for setting in settings_of(block) if setting.block for name in names(setting.block)]
        own = [setting.name for setting in settings_of(block) if not isinstance(setting.default, Settings)]
        return own + inner

    assert [name for name in names(Config) if f"| `{name}` |" not in page] == []


@TEXTS
def test_commands_print_what_the_text_says(path: Path) -> None:
    assert not disagreements(path.read_text("utf-8")), "run: make docs"


@TEXTS
def test_python_examples_run(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All blocks of one text, in order, in one namespace and in a folder with the examples.

    A block that begins with `>>>` is a session: what it shows must be what comes back.
    """
    text = path.read_text("utf-8")
    blocks = list(re.finditer(r"^```(?:python|pycon)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    if not blocks:
        return
    made_by_runs = shutil.ignore_patterns("runs", "baselines", "*.db", ".assay", "__pycache__", "gold-demo*")
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=made_by_runs)
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    for block in blocks:
        line = text.count("\n", 0, block.start(1))
        if block[1].startswith(">>>"):
            session(block[1], names, path, line)
        else:
            exec(compile("\n" * line + block[1], str(path), "exec"), names)


def session(source: str, names: dict[str, object], path: Path, line: int) -> None:
    """Run one; the names it makes are kept for the next."""
    test = doctest.DocTestParser().get_doctest(source, names, path.name, str(path), line)
    told: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=told.append, clear_globs=False)
    names.update(test.globs)
    assert told == []


@TEXTS
def test_links_lead_somewhere(path: Path) -> None:
    targets = re.findall(r"\]\((?!https?://|mailto:|#)([^)#\s]+)", path.read_text("utf-8"))
    assert [target for target in targets if not (path.parent / target).exists()] == []


@pytest.mark.parametrize("path", METRIC_PAGES, ids=lambda path: path.stem)
def test_a_metric_page_has_formula_edge_cases_an_example_that_runs_and_a_source(path: Path) -> None:
    text = path.read_text("utf-8")
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == ["Formula", "Edge cases", "Worked example", "Source"]
    assert "**What it tells.**" in text
    assert "```pycon\n>>> " in text


def test_every_measure_has_its_page() -> None:
    told = " ".join(path.read_text("utf-8").partition("## Edge cases")[0] for path in METRIC_PAGES)
    known = [*BUILT_IN, *measures_of(100)]
    assert [name for name in known if not re.search(rf"\b{name}\b", told) and name != "recall_at_100"] == []


@TEXTS
def test_settings_in_the_texts_are_settings(path: Path, tmp_path: Path) -> None:
    blocks = re.findall(r"^```yaml\n(.*?)^```$", path.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    for number, block in enumerate(blocks):
        file = tmp_path / f"{number}.yaml"
        file.write_text(block, encoding="utf-8")
        if next(iter(yaml.safe_load(block))) in Config.__struct_fields__:
            load(file)


def test_the_site_has_every_page() -> None:
    listed = re.findall(r"^([a-z][a-z/-]*)$", (ROOT / "docs/index.md").read_text("utf-8"), re.MULTILINE)
    pages = [str(path.relative_to(ROOT / "docs").with_suffix("")) for path in texts() if "docs" in path.parts]
    assert sorted(set(pages) - {"index"}) == sorted(listed), "list it in docs/index.md"


EXAMPLE = """\
Text.
```console
$ printf 'took %s ms, run %s\\n' 17 run_20260131_120000_0a1b2c3d
took 12 ms, run run_20251212_010101_ffffffff
$ cd examples && basename "$PWD"
examples
$ basename "$PWD" && echo 2 >&2 && false
...
3
```
```sh
$ exit 1
```
"""


def test_the_steps_of_a_text() -> None:
    assert steps_of(EXAMPLE)[1:] == [
        Step('cd examples && basename "$PWD"', 5, 6),
        Step('basename "$PWD" && echo 2 >&2 && false', 7, 9),
    ]


def test_a_true_text_is_left_alone_but_for_its_numbers() -> None:
    assert disagreements(EXAMPLE) == []
    assert "took 17 ms, run run_20260131_120000_0a1b2c3d\n" in refreshed(EXAMPLE)
    assert refreshed(refreshed(EXAMPLE)) == refreshed(EXAMPLE)


def test_a_false_text_is_found_and_mended() -> None:
    wrong = EXAMPLE.replace("\nexamples\n", "\nsomewhere else\nentirely\n")
    assert len(disagreements(wrong)) == 1
    assert refreshed(wrong) == refreshed(EXAMPLE)


@pytest.mark.parametrize(
    ("expected", "printed", "same"),
    [
        ("recall@5  0.81", "recall@5     0.74", True),
        ("recall@5 0.81", "precision@5 0.81", False),
        ("a\n...\nz", "a\nb\nc\nz", True),
        ("a\n...\nz", "a\nz", True),
        ("a\n...", "b\nc", False),
        ("a\n\nb", "a\nb", True),
        ("────── 3", "── 3", False),
        ("────── 3", "─── 4", True),
        ("", "anything", False),
        ("", "", True),
    ],
)
def test_what_counts_as_the_same_output(expected: str, printed: str, same: bool) -> None:
    assert agree(expected, printed) is same


def test_lines_between_left_out_ones_get_todays_numbers() -> None:
    text = "```console\n$ printf 'a 1\\nb 2\\nc 3\\nb 4\\n'\n...\nb 7\n...\nb 8\n```\n"
    assert disagreements(text) == []
    assert refreshed(text) == text.replace("b 7", "b 2").replace("b 8", "b 4")
