"""One door for everything that can be added: a decorator for built-ins, an entry point for third parties."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from assay.errors import AssayError, unknown_name

T = TypeVar("T")


class Registry(Generic[T]):
    """Names of one kind (retriever, embedder, reader, ...) and what they stand for.

    Built-ins live one to a file in `package` and are imported when first asked for;
    third parties use the entry point group `assay.<kind>`.
    """

    def __init__(self, kind: str, package: str):
        self.kind = kind
        self.package = package
        self._items: dict[str, T] = {}
        self._complete = False

    def register(self, *names: str) -> Callable[[T], T]:
        """Decorator: make the item known under the given names."""

        def add(item: T) -> T:
            for name in names:
                known = self._items.get(name, item)
                if known is not item and not _same_origin(known, item):
                    raise AssayError(f"two {self.kind}s are called '{name}'")
                self._items[name] = item
            return item

        return add

    def get(self, name: str) -> T:
        """The item of that name; an unknown name is an error that offers the nearest ones."""
        if name not in self._items:
            self._load()
        if name not in self._items:
            raise unknown_name(self.kind, name, self._items)
        return self._items[name]

    def names(self) -> list[str]:
        self._load()
        return sorted(self._items)

    def _load(self) -> None:
        if self._complete:
            return
        import pkgutil
        from importlib import import_module

        package = import_module(self.package)
        for module in pkgutil.iter_modules(package.__path__):
            import_module(f"{self.package}.{module.name}")
        self._load_plugins()
        self._complete = True

    def _load_plugins(self) -> None:
        from importlib.metadata import entry_points

        for entry in entry_points(group=f"assay.{self.kind}"):
            try:
                item = entry.load()
            except Exception as fault:  # third-party code; its fault is told, not passed on
                raise AssayError(f"the {self.kind} plugin '{entry.name}' does not load: {fault!r}") from fault
            self._items.setdefault(entry.name, item)


def _same_origin(a: object, b: object) -> bool:
    """The same definition imported twice, as happens when a module is reloaded."""
    return getattr(a, "__qualname__", a) == getattr(b, "__qualname__", b) and getattr(a, "__module__", a) == getattr(
        b, "__module__", b
    )
