"""One door for built-ins and third parties alike, tried with real packages on the path."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.registry import Registry

BUILT_INS = """
from toy.names import TOYS

@TOYS.register("ball", "globe")
def ball(): return "a ball"
"""
NAMES = """
from assay.registry import Registry
TOYS = Registry("toy", "toy")
"""


@pytest.fixture
def toys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Registry[Callable[[], str]]]:
    """A package with one built-in, as an installed distribution would have it."""
    import sys

    package = tmp_path / "toy"
    package.mkdir()
    for name, text in {"__init__": "", "names": NAMES, "ball": BUILT_INS}.items():
        (package / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    from importlib import import_module

    yield import_module("toy.names").TOYS
    for name in [name for name in sys.modules if name.split(".")[0] in {"toy", "third_party"}]:
        del sys.modules[name]


def install(folder: Path, distribution: str, entry: str, code: str = "") -> None:
    """A distribution as pip leaves it: a module and a .dist-info folder with its entry points."""
    info = folder / f"{distribution}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[assay.toy]\n{entry}\n")
    if code:
        (folder / "third_party.py").write_text(code)


def test_built_ins_are_found_by_their_file(toys: Registry[Callable[[], str]]) -> None:
    assert toys.get("ball")() == "a ball"
    assert toys.get("globe") is toys.get("ball")
    assert toys.names() == ["ball", "globe"]


def test_a_third_party_adds_one_by_entry_point(toys: Registry[Callable[[], str]], tmp_path: Path) -> None:
    install(tmp_path, "kites", "kite = third_party:kite", "def kite(): return 'a kite'\n")
    assert toys.names() == ["ball", "globe", "kite"]
    assert toys.get("kite")() == "a kite"
    assert toys.get("kite") is toys.get("kite")


@pytest.mark.parametrize(
    ("entry", "code", "told"),
    [
        ("kite = third_party:kite", "raise RuntimeError('no wind')", "RuntimeError('no wind')"),
        ("kite = third_party:kyte", "kite = 1", "AttributeError"),
        ("kite = absent_module:kite", "", "ModuleNotFoundError"),
    ],
)
def test_a_plugin_that_does_not_load_is_told_and_harms_nobody_else(
    toys: Registry[Callable[[], str]], tmp_path: Path, entry: str, code: str, told: str
) -> None:
    install(tmp_path, "kites", entry, code)
    assert toys.get("ball")() == "a ball"
    assert "kite" in toys.names()
    with pytest.raises(AssayError, match=r"the toy plugin 'kite' of package 'kites' does not load: ") as raised:
        toys.get("kite")
    assert told in str(raised.value)


def test_two_plugins_of_one_name_are_an_error_naming_both(toys: Registry[Callable[[], str]], tmp_path: Path) -> None:
    install(tmp_path, "kites", "kite = third_party:kite", "kite = 1")
    install(tmp_path, "dragons", "kite = third_party:dragon")
    with pytest.raises(AssayError, match=r"two toys are called 'kite'.*'(kites|dragons)'.*'(kites|dragons)'"):
        toys.names()


def test_a_plugin_cannot_take_the_name_of_a_built_in(toys: Registry[Callable[[], str]], tmp_path: Path) -> None:
    install(tmp_path, "kites", "ball = third_party:kite", "kite = 1")
    with pytest.raises(AssayError, match=r"two toys are called 'ball': one of package 'kites', one of a built-in"):
        toys.names()


def test_for_a_built_in_nobody_looks_at_the_plugins(toys: Registry[Callable[[], str]], tmp_path: Path) -> None:
    install(tmp_path, "kites", "ball = third_party:kite", "kite = 1")
    assert "ball" in toys
    assert toys.get("globe")() == "a ball"
    with pytest.raises(AssayError, match="two toys are called 'ball'"):
        assert "bat" not in toys


def test_an_unknown_name_offers_the_nearest(toys: Registry[Callable[[], str]]) -> None:
    with pytest.raises(AssayError, match=r"^unknown toy 'bal'\. Did you mean ball\?$"):
        toys.get("bal")


def test_two_built_ins_of_one_name_are_an_error() -> None:
    registry: Registry[Callable[[], int]] = Registry("toy", "toy")
    registry.register("a")(lambda: 1)

    def other() -> int:
        return 2

    with pytest.raises(AssayError, match="two toys are called 'a'"):
        registry.register("a")(other)


def test_a_reloaded_module_may_register_again() -> None:
    registry: Registry[Callable[[], int]] = Registry("toy", "toy")

    def make(value: int) -> Callable[[], int]:
        def toy() -> int:
            return value

        return toy

    registry.register("a")(make(1))
    registry.register("a")(make(2))
    assert registry.get("a")() == 2
