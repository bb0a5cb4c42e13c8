"""Small real git repositories for tests."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path


class History:
    """A repository that is written commit by commit."""

    def __init__(self, path: Path):
        self.path = path
        path.mkdir()
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *arguments: str) -> str:
        identity = {"NAME": "A", "EMAIL": "a@example.org", "DATE": "2025-01-01T00:00:00Z"}
        people = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in identity.items()}
        environment = {**os.environ, **people, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        command = ["git", "-C", str(self.path), *arguments]
        return subprocess.run(command, check=True, capture_output=True, env=environment).stdout.decode().strip()

    def commit(self, message: str, **files: str | None) -> str:
        """Names are written with `__` for `/` and `_dot_` for `.`; None removes a file."""
        for name, text in files.items():
            self.write(name.replace("__", "/").replace("_dot_", "."), text)
        return self.save(message)

    def write(self, name: str, text: str | None) -> None:
        path = self.path / name
        if text is None:
            path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def save(self, message: str) -> str:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--cleanup=verbatim", "-m", message)
        return self.git("rev-parse", "HEAD")
