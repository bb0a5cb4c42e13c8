"""The bearer token of an HTTP system: from an environment variable, and a fresh one when it was refused."""

from __future__ import annotations

import asyncio
import os

from assay.config import Pipeline
from assay.errors import AssayError

_SECONDS = 60.0


class Token:
    """Read when first needed. `refresh` is for the call that was refused: whoever comes later with the same old token
    gets the new one without asking for another."""

    def __init__(self, options: Pipeline, where: str, setting: str = "run.pipeline") -> None:
        self._setting = setting
        self._name, self._command, self._where = options.token_env, options.token_command, where
        self._lock = asyncio.Lock()
        self.value = self._read()
        self.known = {self.value}
        """Every value it has had: none of them may be shown."""

    async def refresh(self, refused: str) -> None:
        async with self._lock:
            if self.value == refused:
                self.value = await self._run() if self._command else self._read()
                self.known.add(self.value)

    def advice(self) -> str:
        """For who is refused."""
        if not self.known - {""}:
            name = self._name or f"one in {self._setting}.token_env"
            return f"No token was sent: {'set' if self._name else 'name'} {name}"
        source = "what run.pipeline.token_command prints" if self._command else f"the token in {self._name}"
        return f"Check {source}"

    def _read(self) -> str:
        return os.environ.get(self._name, "").strip() if self._name else ""

    async def _run(self) -> str:
        """What the program says on its other channel is not shown: it may hold what must not be."""
        program = self._command[0]
        try:
            process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
            )
        except OSError as fault:
            raise self._fault(f"'{program}' cannot be run: {fault.strerror}") from None
        try:
            async with asyncio.timeout(_SECONDS):
                printed, _ = await process.communicate()
        except TimeoutError:
            process.kill()
            await process.wait()
            raise self._fault(f"'{program}' gave no token within {_SECONDS:g} s") from None
        token = printed.decode("utf-8", "replace").strip()
        if process.returncode or not token or len(token.split()) != 1:
            raise self._fault(f"'{program}' gave no token (exit code {process.returncode})")
        return token

    def _fault(self, what: str) -> AssayError:
        return AssayError(what, where=self._where, hint="Check run.pipeline.token_command")
