"""The workflow, the action and the GitLab job of the documentation: their shape, and every assay command in them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from assay.cli.main import load, parse, parser_of

FOLDER = Path(__file__).parent.parent / "docs/ci"
STEP = {"name", "id", "if", "uses", "run", "with", "env", "shell", "working-directory", "continue-on-error"}


def read(name: str) -> dict[str, Any]:
    """GitHub reads `on` as a word; YAML 1.1 takes it for true."""
    data: dict[Any, Any] = yaml.safe_load((FOLDER / name).read_text("utf-8"))
    return {"on" if key is True else key: value for key, value in data.items()}


def steps(name: str) -> list[dict[str, Any]]:
    data = read(name)
    found: list[dict[str, Any]] = data["jobs"]["assay"]["steps"] if "jobs" in data else data["runs"]["steps"]
    return found


def test_the_workflow_has_the_shape_of_one() -> None:
    data = read("assay.yml")
    assert data.keys() <= {"name", "on", "permissions", "concurrency", "jobs", "env", "defaults"}
    assert set(data["on"]) == {"pull_request", "push"}
    assert data["permissions"] == {"contents": "read"}
    (job,) = data["jobs"].values()
    assert job.keys() <= {"runs-on", "timeout-minutes", "env", "steps", "permissions", "strategy", "needs", "if"}


def test_the_action_has_the_shape_of_one() -> None:
    data = read("action.yml")
    assert data.keys() == {"name", "description", "inputs", "outputs", "runs"}
    assert data["runs"].keys() == {"using", "steps"}
    assert data["runs"]["using"] == "composite"
    assert all(entry.keys() == {"description", "default"} for entry in data["inputs"].values())
    assert all(entry.keys() == {"description", "value"} for entry in data["outputs"].values())
    used = set(re.findall(r"inputs\.(\w+)", (FOLDER / "action.yml").read_text("utf-8")))
    assert used == set(data["inputs"])
    ids = {step["id"] for step in steps("action.yml") if "id" in step}
    assert set(re.findall(r"steps\.(\w+)\.", str(data["outputs"]))) <= ids
    assert all("shell" in step for step in steps("action.yml") if "run" in step)


@pytest.mark.parametrize("name", ["assay.yml", "action.yml"])
def test_every_step_does_one_thing_and_says_which_version(name: str) -> None:
    for step in steps(name):
        assert step.keys() <= STEP
        assert ("run" in step) != ("uses" in step)
        if "uses" in step:
            assert re.fullmatch(r"actions/[\w-]+@v\d+", step["uses"])
        assert "${{" not in step.get("run", ""), "a value from outside goes through env, never into a script"


@pytest.mark.parametrize("name", ["assay.yml", "action.yml"])
def test_replies_are_cached_and_the_report_is_kept_whatever_happens(name: str) -> None:
    by_use = {step["uses"].partition("@")[0]: step for step in steps(name) if "uses" in step}
    assert {"path", "key", "restore-keys"} <= by_use["actions/cache"]["with"].keys()
    upload = by_use["actions/upload-artifact"]
    assert upload["if"] == "${{ !cancelled() }}"
    assert "runs/*/report.html" in upload["with"]["path"]


def test_the_gitlab_job() -> None:
    job = read("gitlab.yml")["assay"]
    assert job.keys() <= {"image", "variables", "cache", "script", "artifacts", "stage", "rules"}
    assert job["artifacts"]["when"] == "always"
    assert job["artifacts"]["reports"] == {"junit": "assay.xml"}
    assert any("--junit assay.xml" in line for line in job["script"])


def calls() -> Iterator[list[str]]:
    scripts = [step["run"] for name in ("assay.yml", "action.yml") for step in steps(name) if "run" in step]
    scripts += read("gitlab.yml")["assay"]["script"]
    for line in "\n".join(scripts).splitlines():
        if line.startswith("assay "):
            yield shlex.split(line.replace("$COMMAND", "run").replace('"${words[@]}"', "--quick 5"))[1:]


def test_every_assay_command_in_them_is_one() -> None:
    found = list(calls())
    assert {words[0] for words in found} == {"index", "retrieval", "run"}
    for words in found:
        arguments = parse(parser_of(words[0], load(words[0])), words[1:])
        assert words[0] == "index" or arguments.ci
