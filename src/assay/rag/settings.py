"""Which settings change a score: they are a run's fingerprint, hold again when it is resumed, and are named where they
differ. How fast, how patiently and with whose key something is called changes none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from assay.config import Config
from assay.errors import AssayError

OF_CALLS = frozenset(
    {
        "timeout",
        "tries",
        "first_wait",
        "workers",
        "adaptive",
        "requests_per_minute",
        "tokens_per_minute",
        "token_env",
        "token_command",
        "api_key_env",
        "batch_size",
    }
)
OF_TRUST = frozenset({"labels", "minimum_kappa"})
OF_SEARCH = ("sources", "hybrid", "rerank", "code", "memory")
MASKED = "***"

Data = dict[str, Any]


def scoring(config: Config) -> dict[str, Data]:
    """By the part of the fingerprint they belong to."""
    run, data = config.run, _plain(config)
    used = {run.pipeline.model, run.judging.judge}
    searches = run.pipeline.system == "embedded"
    return {
        "pipeline": _without(data["run"]["pipeline"], OF_CALLS),
        "judge": _without(data["run"]["judging"], OF_TRUST),
        "retrieval settings": {key: data["retrieval"][key] for key in OF_SEARCH} if searches else {},
        "embedder": _without(data["embedder"], OF_CALLS),
        "models": {name: _without(data["llm"]["models"][name], OF_CALLS) for name in config.llm.models if name in used},
        "seed": {"seed": config.seed},
    }


def resumed(config: Config, stored: Mapping[str, Any], where: str) -> Config:
    """The settings a run was started with where they change a score, today's elsewhere."""
    data, run = _plain(config), stored["run"]
    data |= {key: stored[key] for key in ("client", "seed", "statistics")}
    _lay_over(data["embedder"], stored["embedder"], OF_CALLS)
    _lay_over(data["retrieval"], {key: stored["retrieval"][key] for key in OF_SEARCH})
    _lay_over(data["run"]["pipeline"], run["pipeline"], OF_CALLS)
    _lay_over(data["run"]["judging"], run["judging"], OF_TRUST)
    for name, options in stored["llm"]["models"].items():
        _lay_over(data["llm"]["models"].setdefault(name, {}), options, OF_CALLS)
    try:
        return msgspec.convert(data, Config)
    except msgspec.ValidationError as fault:
        hint = "It was started by another version; start a new run"
        raise AssayError(f"its settings cannot be read: {fault}", where=where, hint=hint) from None


def differences(before: Config, after: Config) -> list[str]:
    """Each setting that differs, as `precision_k 25 → 3`.

    What only one of the two has belongs to a system or a model that the other does not use, and that is named already.
    """
    old, new = (_leaves(scoring(config)) for config in (before, after))
    both = [path for path in old if path in new]
    return [f"{path[-1]} {_said(old[path])} → {_said(new[path])}" for path in both if old[path] != new[path]]


def _plain(config: Config) -> Data:
    data: Data = msgspec.to_builtins(config)
    return data


def _without(data: Data, names: frozenset[str]) -> Data:
    return {key: value for key, value in data.items() if key not in names}


def _lay_over(mine: Data, stored: Data, mine_first: frozenset[str] = frozenset()) -> None:
    """What was struck out of the stored settings, and what is not theirs to say, stays as it is."""
    for key, value in stored.items():
        if key in mine and (key in mine_first or (isinstance(value, str) and MASKED in value)):
            continue
        if isinstance(value, dict) and isinstance(mine.get(key), dict):
            _lay_over(mine[key], value)
        else:
            mine[key] = value


def _leaves(value: Any, path: tuple[str, ...] = ()) -> dict[tuple[str, ...], Any]:
    if not isinstance(value, dict):
        return {path: value}
    found: dict[tuple[str, ...], Any] = {}
    for key, item in value.items():
        found |= _leaves(item, (*path, key))
    return found


def _said(value: Any) -> str:
    return "none" if value is None else str(value)
