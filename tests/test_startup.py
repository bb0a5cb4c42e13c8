"""Nothing heavy is loaded before it is needed."""

from __future__ import annotations

import subprocess
import sys

import pytest

from assay.cli.main import commands

HEAVY = {
    "aiohttp", "asyncio", "docx", "httpx", "msgspec", "numpy", "pydantic", "pypdfium2", "requests", "rich",
    "safetensors", "scipy", "sqlite3", "Stemmer", "tokenizers", "urllib.request", "wordllama", "yaml",
}  # fmt: skip


def loaded_by(code: str) -> set[str]:
    """The modules a fresh interpreter has after the code; what it had before, for coverage's sake, does not count."""
    script = f"import sys; before = set(sys.modules)\n{code}\nprint('LOADED', *sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split()[1:])


@pytest.mark.parametrize(
    "code",
    [
        "import assay",
        "from assay.cli.main import main; main(['--help'])",
        "from assay.cli.main import main; main(['--version'])",
        "from assay.cli.main import main; main(['no-such-command'])",
    ],
)
def test_start_up_loads_nothing_heavy(code: str) -> None:
    assert loaded_by(code) & HEAVY == set()


def test_no_command_loads_anything_heavy_before_it_runs() -> None:
    code = "from assay.cli.main import load, parser_of\n"
    code += "\n".join(f"parser_of('{name}', load('{name}')).format_help()" for name in commands())
    loaded = loaded_by(code)
    assert {f"assay.cli.{name}" for name in commands()} <= loaded
    assert loaded & HEAVY == set()


def test_the_probe_sees_what_is_loaded() -> None:
    assert {"msgspec", "assay.records"} <= loaded_by("import assay.records")
