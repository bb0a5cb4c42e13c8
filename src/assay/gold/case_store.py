"""Cases that stand on disk, in the order of their ids."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator

from assay.on_disk import OnDisk
from assay.records import Case


class CaseStore(OnDisk[Case]):
    """Sorted by id."""

    def __init__(self, cases: Iterable[Case]) -> None:
        ids: list[str] = []

        def noted() -> Iterator[Case]:
            for case in cases:
                ids.append(case.id)
                yield case

        super().__init__(Case, noted(), "the questions")
        self._order = array("q", sorted(range(len(ids)), key=ids.__getitem__))

    def _read(self, place: int) -> Case:
        return super()._read(self._order[place])
