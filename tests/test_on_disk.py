"""What stands on disk is what was put there, in its order."""

from __future__ import annotations

from typing import Any

import pytest

from assay.extraction.protocol import CalendarEvent, Sample
from assay.on_disk import OnDisk

ODD: list[Any] = [{"id": "half \ud800"}, {"n": 2**70}, {"n": 1, "f": 1.0, "none": None, "list": [1, [2.5, "x"]]}]


def test_it_reads_like_a_tuple() -> None:
    kept: OnDisk[Any] = OnDisk(dict, iter(ODD), "things")
    assert list(kept) == ODD
    assert (kept[0], kept[-1], kept[1:], len(kept)) == (ODD[0], ODD[-1], tuple(ODD[1:]), 3)
    assert kept == OnDisk(dict, ODD, "things")
    assert kept != OnDisk(dict, ODD[:2], "things")
    assert kept != ODD
    with pytest.raises(IndexError):
        kept[3]
    assert not OnDisk(dict, (), "things")


def test_a_sample_comes_back_as_it_was() -> None:
    event = CalendarEvent(id="e1", summary="Lunch", start="2026-03-02T12:00:00")
    samples = [
        Sample(id="a", text="Lunch?", calendar=(event,), expected=({"n": 1, "title": "Lunch"},), recorded=[{"x": 1}]),
        Sample(id="b", text="", expected=()),
        Sample(id="c", text="no truth \ud800"),
    ]
    assert list(OnDisk(Sample, samples, "the samples")) == samples
