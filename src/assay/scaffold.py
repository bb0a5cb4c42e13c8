"""A new project: the settings with every one explained, and a tiny example that works as it is.

What is written about a setting comes from its record, so it can never go stale.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import msgspec
import yaml
from msgspec import Struct, inspect

from assay.config import FILE_NAME, Config, Settings
from assay.errors import AssayError
from assay.files import write_atomic

HEADER = """\
# Settings of Assay. Each stands here with its default: change what you need and delete the rest.
# Paths are relative to this file. `assay COMMAND --help` tells which options override a setting.
"""
NEXT_STEPS = (
    "assay index docs/ --out corpus.db",
    'assay search "when is the library open?"',
    "assay retrieval",
    "assay run",
)
_WIDTH = 110


class Setting(Struct, frozen=True, kw_only=True):
    """One setting: its name, its default (or that it must be given), what it means and what it may be."""

    name: str
    default: Any
    required: bool
    meaning: str
    allowed: str
    block: type[Settings] | None
    """The record of a setting that is a block itself, or a list or mapping of blocks."""


def settings_of(block: type[Settings]) -> list[Setting]:
    """The settings a user may give in that block, in their order."""
    info = inspect.type_info(block)
    assert isinstance(info, inspect.StructType)
    return [_setting(field) for field in info.fields if (block, field.name) != (Config, "root")]


def _setting(field: inspect.Field) -> Setting:
    kind, meaning = field.type, ""
    while isinstance(kind, inspect.Metadata):
        meaning = (kind.extra_json_schema or {}).get("description", meaning)
        kind = kind.type
    default = field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()
    inner = getattr(kind, "item_type", getattr(kind, "value_type", kind))
    return Setting(
        name=field.name,
        default=None if field.required else default,
        required=field.required,
        meaning=meaning,
        allowed=_allowed(inner),
        block=inner.cls if isinstance(inner, inspect.StructType) and issubclass(inner.cls, Settings) else None,
    )


def _allowed(kind: inspect.Type) -> str:
    """The limits of a value in words; of each value, where there are several."""
    if isinstance(kind, inspect.UnionType):
        return next(filter(None, map(_allowed, kind.types)), "")
    if isinstance(kind, inspect.LiteralType):
        return " or ".join(map(str, kind.values))
    if not isinstance(kind, inspect.IntType | inspect.FloatType):
        return ""
    if kind.ge is not None and kind.le is not None:
        return f"{kind.ge:g} to {kind.le:g}"
    limits = {"at least": kind.ge, "above": kind.gt, "at most": kind.le, "below": kind.lt}
    return " and ".join(f"{word} {limit:g}" for word, limit in limits.items() if limit is not None)


def settings_yaml() -> str:
    """`assay.yaml` with every setting at its default and explained."""
    return HEADER + "\n" + "\n".join(_block(Config(), "")).strip("\n") + "\n"


def _block(values: Settings, pad: str) -> Iterator[str]:
    """Blocks stand apart by an empty line on either side."""
    apart = False
    for setting in settings_of(type(values)):
        value = getattr(values, setting.name)
        if isinstance(value, Settings):
            lines = [f"{pad}# {summary(type(value))}", f"{pad}{setting.name}:", *_block(value, pad + "  ")]
        elif setting.block and isinstance(value, tuple) and value:
            entries = [line for item in value for line in _item(item, pad)]
            lines = [*_line(f"{pad}{setting.name}:", _comment(setting), pad), *entries]
        else:
            lines = list(_line(f"{pad}{setting.name}: {flow(value)}", _comment(setting), pad))
        alone = setting.block is not None
        yield from ["", *lines] if apart or alone else lines
        apart = alone


def summary(block: type[Settings]) -> str:
    """The first line of a block's description."""
    return (block.__doc__ or "").strip().partition("\n")[0]


def _item(item: Settings, pad: str) -> Iterator[str]:
    """A block as an entry of a list."""
    lines = list(_block(item, pad + "    "))
    yield f"{pad}  - {lines[0].strip()}"
    yield from lines[1:]


def _line(text: str, comment: str, pad: str) -> Iterator[str]:
    """The comment behind the value, or above it where the line would be too long."""
    if comment and len(text) + len(comment) + 4 > _WIDTH:
        yield f"{pad}# {comment}"
        yield text
    else:
        yield f"{text}  # {comment}" if comment else text


def _comment(setting: Setting) -> str:
    return f"{setting.meaning} ({setting.allowed})" if setting.allowed else setting.meaning


def flow(value: Any) -> str:
    """A value as YAML on one line."""
    plain = msgspec.to_builtins(value)
    return (
        yaml.safe_dump(plain, default_flow_style=True, allow_unicode=True, sort_keys=False, width=10_000)
        .removesuffix("...\n")
        .strip()
    )


def write_project(folder: Path, *, example: bool = True) -> list[Path]:
    """Settings, and a tiny example: documents, cases, .gitignore. Tells what was written; never overwrites a file."""
    contents = {Path(FILE_NAME): settings_yaml()}
    if example:
        contents |= dict(_starter(resources.files("assay") / "starter", Path()))
    if (folder / ".gitignore").exists():
        contents.pop(Path(".gitignore"), None)
    for name in contents:
        if (folder / name).exists():
            hint = "Nothing was written. Name another folder" + (", or use --settings-only" * (name.name != FILE_NAME))
            raise AssayError("exists already", where=str(folder / name), hint=hint)
    for name, text in contents.items():
        write_atomic(folder / name, text)
    return [folder / name for name in contents]


def _starter(folder: Traversable, path: Path) -> Iterator[tuple[Path, str]]:
    for entry in sorted(folder.iterdir(), key=lambda each: each.name):
        name = path / (".gitignore" if entry.name == "gitignore" else entry.name)
        if entry.is_dir():
            yield from _starter(entry, name)
        else:
            yield name, entry.read_text(encoding="utf-8")
