"""What a run was made from: settings as given and as resolved, hashes, versions, seed."""

from __future__ import annotations

import hashlib
import re
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from assay import __version__
from assay.config import Config
from assay.files import dump_json
from assay.runs.naming import new_run_id
from assay.systems.secrets import looks_secret, secrets_of, struck_everywhere, struck_out

PACKAGES = ("numpy", "msgspec", "PyStemmer", "tokenizers", "safetensors", "wordllama", "aiohttp", "pypdfium2")


class Inputs(Struct, frozen=True, kw_only=True):
    """What the result depends on, by hash; two runs with equal inputs give equal results."""

    kind: str
    gold: str
    index: str | None
    settings: dict[str, Any]
    """The part of the resolved settings that can change a score."""

    def fingerprint(self) -> dict[str, Any]:
        parts = {key: digest(value) for key, value in self.settings.items()}
        return {"kind": self.kind, "gold": self.gold, "index": self.index, "code": code_fingerprint(self.kind)} | parts


def build(inputs: Inputs, config: Config, given: list[str], now: datetime) -> dict[str, Any]:
    """The manifest, before a single case is run."""
    secrets = secrets_of(config)
    return {
        "schema_version": 1,
        "kind": inputs.kind,
        "run_id": new_run_id(now),
        "created": now.isoformat(timespec="milliseconds"),
        "client": config.client,
        "seed": config.seed,
        "fingerprint": inputs.fingerprint(),
        "command": [struck_out(mask(word), secrets) for word in given],
        "config": config_as_data(config),
        "environment": environment(),
    }


def config_as_data(config: Config) -> dict[str, Any]:
    """Without keys: not those of the environment, of URLs, or among the further parameters of a model."""
    data: dict[str, Any] = _masked(msgspec.to_builtins(msgspec.structs.replace(config, root=".")))
    for options in data["llm"]["models"].values():
        options["extra"] = _without_values(options["extra"])
    struck: dict[str, Any] = struck_everywhere(data, secrets_of(config))
    return struck


@cache
def environment() -> dict[str, Any]:
    """The same for a whole process, and so is the code it runs."""
    import platform

    return {
        "assay": __version__,
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "packages": {name: _version(name) for name in PACKAGES},
    }


def digest(value: Any) -> str:
    return hashlib.sha256(dump_json(value).encode()).hexdigest()[:16]


SHARED = ("metrics", "retrievers", "embedders")
CODE = {"rag": ("rag", "systems", "judges", "llm"), "retrieval": ("retrieval",)}
"""Whose results depend on which parts of the package, beside the shared ones; a kind is its own part otherwise."""


@cache
def code_fingerprint(kind: str) -> str:
    """Hash of the source that makes the results: a checkpoint belongs to the code that wrote it."""
    package = Path(__file__).parent.parent
    total = hashlib.sha256(__version__.encode())
    for folder in (*SHARED, *CODE.get(kind, (kind,))):
        for path in sorted((package / folder).rglob("*.py")):
            total.update(path.read_bytes())
    return total.hexdigest()[:16]


def mask(text: str) -> str:
    """A password or a key in a URL never reaches the disk."""
    text = re.sub(r"(\w+://)[^/@\s]+@", r"\1***@", text)
    return _QUERY.sub(_masked_parameter, text) if "://" in text else text


_QUERY = re.compile(r"(?P<name>[?&][^=&#\s]+=)(?P<value>[^&#\s]+)")
_PARAMETERS = {"sig", "signature", "code", "auth", "authorization", "apikey", "accesskey"}


def _masked_parameter(found: re.Match[str]) -> str:
    secret = _is_secret(found["name"][1:-1])
    return f"{found['name']}***" if secret else found[0]


def _is_secret(name: str) -> bool:
    return looks_secret(name) or name.lower() in _PARAMETERS


def _without_values(value: Any) -> Any:
    """What is called key, token or the like is sent, and not written down."""
    if isinstance(value, dict):
        return {key: "***" if _is_secret(key) and item else _without_values(item) for key, item in value.items()}
    return [_without_values(item) for item in value] if isinstance(value, list) else value


def _masked(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _masked(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_masked(item) for item in value]
    return mask(value) if isinstance(value, str) else value


def _version(package: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return None
