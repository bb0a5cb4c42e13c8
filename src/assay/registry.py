"""One door for everything that can be added: a decorator for built-ins, an entry point for third parties."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeVar

from assay.errors import AssayError, unknown_name

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")


class Registry(Generic[T]):
    """Names of one kind (retriever, embedder, reader, ...) and what they stand for.

    Built-ins live one to a file in `package` and are imported when first asked for; third parties use the entry
    point group `assay.<kind>` and are imported when asked for by name, so a broken one harms nobody else.
    """

    def __init__(self, kind: str, package: str) -> None:
        self.kind = kind
        self.package = package
        self._items: dict[str, T] = {}
        self._plugins: dict[str, EntryPoint] = {}
        self._imported = self._listed = False

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
        if name not in self:
            raise unknown_name(self.kind, name, self.names())
        if name not in self._items:
            self._items[name] = self._load(self._plugins[name])
        return self._items[name]

    def __contains__(self, name: str) -> bool:
        """Built-ins first: to list all plugins, every installed distribution must be looked at."""
        if name not in self._items:
            self._import_built_ins()
        if name not in self._items:
            self._list_plugins()
        return name in self._items or name in self._plugins

    def names(self) -> list[str]:
        self._import_built_ins()
        self._list_plugins()
        return sorted({*self._items, *self._plugins})

    def _import_built_ins(self) -> None:
        if self._imported:
            return
        import pkgutil
        from importlib import import_module

        package = import_module(self.package)
        for module in pkgutil.iter_modules(package.__path__):
            import_module(f"{self.package}.{module.name}")
        self._imported = True

    def _list_plugins(self) -> None:
        if self._listed:
            return
        from importlib.metadata import entry_points

        for entry in entry_points(group=f"assay.{self.kind}"):
            self._add_plugin(entry)
        self._listed = True

    def _add_plugin(self, entry: EntryPoint) -> None:
        """The same distribution may be seen twice on the path; two different ones must not share a name."""
        known = self._plugins.setdefault(entry.name, entry)
        if known.value != entry.value or entry.name in self._items:
            other = "a built-in" if entry.name in self._items else _distribution(known)
            raise AssayError(
                f"two {self.kind}s are called '{entry.name}': one of {_distribution(entry)}, one of {other}",
                hint="Uninstall or rename one of them",
            )

    def _load(self, entry: EntryPoint) -> T:
        try:
            item: T = entry.load()
        except Exception as fault:  # third-party code; its fault is told, not passed on
            raise AssayError(
                f"the {self.kind} plugin '{entry.name}' of {_distribution(entry)} does not load: {fault!r}"
            ) from fault
        return item


def _distribution(entry: EntryPoint) -> str:
    return f"package '{entry.dist.name}'" if entry.dist else f"'{entry.value}'"


def _same_origin(a: object, b: object) -> bool:
    """The same definition imported twice, as happens when a module is reloaded."""
    return getattr(a, "__qualname__", a) == getattr(b, "__qualname__", b) and getattr(a, "__module__", a) == getattr(
        b, "__module__", b
    )
