"""When two names mean one document: `docs/Guide.pdf` and `guide.pdf` do, `a/readme.md` and `b/readme.md` do not."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable


def parts(name: str) -> tuple[str, ...]:
    """The path's components, folded: case, Unicode form and the kind of slash do not matter."""
    folded = unicodedata.normalize("NFC", name).casefold().replace("\\", "/")
    return tuple(part for part in folded.split("/") if part not in {"", "."})


def same_document(a: str, b: str) -> bool:
    """Equal, or one is the end of the other's path. Never a substring match."""
    return a == b or _ends(parts(a), parts(b))


def _ends(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    short = min(len(a), len(b))
    return short > 0 and a[-short:] == b[-short:]


class Documents:
    """The documents of a corpus, found by the names people give them."""

    def __init__(self, sources: Iterable[str]) -> None:
        self._by_file: dict[str, list[str]] = defaultdict(list)
        for source in sorted(set(sources)):
            self._by_file[(parts(source) or ("",))[-1]].append(source)

    def find(self, name: str) -> str | None:
        """The one document meant; None when there is none, or when several could be meant."""
        candidates = self._by_file.get((parts(name) or ("",))[-1], [])
        if name in candidates:
            return name
        found = [source for source in candidates if same_document(source, name)]
        return found[0] if len(found) == 1 else None
