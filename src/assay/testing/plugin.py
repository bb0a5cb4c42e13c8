"""`pytest --assay assay.yaml`: options and hooks alone. Nothing else is loaded, and nothing done, unless asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

KINDS = ("retrieval", "run", "extract", "lanes")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("assay", "evaluations as tests")
    group.addoption("--assay", metavar="FILE", help="evaluate by these settings; each gate and regression is a test")
    group.addoption("--assay-kind", metavar="KIND", action="append", choices=KINDS, help=f"which: {', '.join(KINDS)}")
    group.addoption("--assay-run", metavar="RUN", help="evaluate nothing: a stored run, by path, name, id or last")
    group.addoption("--assay-cases", action="store_true", help="each case is a test too")


def settings_file(config: pytest.Config) -> Path | None:
    """The settings that were named; those of this folder where a stored run is asked for without any."""
    if not config.getoption("assay") and not config.getoption("assay_run"):
        return None
    return Path(config.getoption("assay") or "assay.yaml").absolute()


def pytest_configure(config: pytest.Config) -> None:
    """The settings file is collected like a file of tests."""
    path = settings_file(config)
    if path is None:
        return
    if not path.is_file():
        raise pytest.UsageError(f"--assay: no such file: {path}")
    if all(Path(word.partition("::")[0]).absolute() != path for word in config.args):
        config.args.append(str(path))


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if file_path != settings_file(parent.config):
        return None
    from assay.testing.items import SettingsFile

    found: pytest.Collector = SettingsFile.from_parent(parent, path=file_path)
    return found


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """With pytest-xdist: evaluated once, before the first worker; the workers read what is stored."""
    path = settings_file(node.config)
    if path is not None and not node.config.getoption("collectonly"):
        from assay.testing.evaluations import evaluated

        node.workerinput["assay_runs"] = [str(folder) for folder in evaluated(node.config, path)]


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Where the reports are."""
    if settings_file(config) is None:
        return
    from assay.testing.evaluations import FOLDERS

    for folder in config.stash.get(FOLDERS, []):
        terminalreporter.write_line(f"assay: {folder}/report.html")
