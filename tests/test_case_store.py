"""Cases on disk are the cases that were put there, in the order of their ids."""

from __future__ import annotations

import errno
import gc
import random
import resource
import tempfile
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from assay import on_disk
from assay.errors import AssayError
from assay.gold.case_store import CaseStore
from assay.records import Case, PageRef

CASES = [
    Case(
        id=f"q{number:04d}",
        question=f"Où est-ce ? {number}",
        expected={f"c{number}": 2, "d": 0},
        pages=(PageRef("a.pdf", number),),
        answer=None if number % 2 else "x" * number,
        answerable=bool(number % 3),
        tags={"difficulty": "easy"},
        lane="code",
    )
    for number in range(500)
]


@pytest.mark.parametrize("in_memory", [0, 1, 1 << 30])
def test_what_was_put_in_comes_out_sorted(monkeypatch: pytest.MonkeyPatch, in_memory: int) -> None:
    monkeypatch.setattr(on_disk, "_IN_MEMORY", in_memory)
    store = CaseStore(random.Random(0).sample(CASES, len(CASES)))
    assert (len(store), list(store), list(store)) == (500, CASES, CASES)
    assert (store[0], store[-1], store[7:9], store[498:600]) == (CASES[0], CASES[-1], (*CASES[7:9],), (*CASES[498:],))
    assert (CASES[3] in store, store.index(CASES[3])) == (True, 3)
    assert (store == CaseStore(CASES), store == CaseStore(CASES[1:]), store == CASES) == (True, False, False)
    with pytest.raises(IndexError):
        store[500]


def test_equal_ids_stay_in_their_order() -> None:
    twice = [Case(id="b", question="1"), Case(id="a", question="2"), Case(id="b", question="3")]
    assert [case.question for case in CaseStore(twice)] == ["2", "1", "3"]


def test_threads_may_read_at_once() -> None:
    store = CaseStore(CASES)
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(store.__getitem__, [*range(500)] * 4)) == CASES * 4


def test_what_has_no_form_on_disk_is_kept_all_the_same() -> None:
    odd = [Case(id="half", question="\ud83d"), Case(id="far", question="?", pages=(PageRef("a", 10**30),))]
    assert list(CaseStore([*odd, *CASES])) == [odd[1], odd[0], *CASES]


def test_none_at_all() -> None:
    assert (len(CaseStore([])), list(CaseStore([]))) == (0, [])


def test_a_full_disk_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> Any:
        raise OSError(errno.ENOSPC, "no space left on device")

    monkeypatch.setattr(on_disk, "_IN_MEMORY", 1)
    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    with pytest.raises(AssayError, match="no room for the questions: no space left on device") as fault:
        CaseStore(CASES)
    assert fault.value.hint == "Let TMPDIR name a folder with room"


def test_a_disk_that_becomes_full_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is still to be written must not fail once more when the store is forgotten."""
    monkeypatch.setattr(on_disk, "_IN_MEMORY", 1)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 13, before[1]))
    try:
        with pytest.raises(AssayError, match="no room for the questions: File too large"):
            CaseStore(CASES)
        gc.collect()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
