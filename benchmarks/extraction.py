"""Matching and scoring against a bare loop: 100,000 samples of 5 × 5 calendar events.

The loop is what one would write without Assay: rapidfuzz for titles, scipy for the assignment, ISO times parsed once a
record, and a verdict on each field of the chosen pairs. Both see the same records, in the same process, taking turns.
Assay's part also settles ties, so that the order of the records does not matter.

    python benchmarks/extraction.py [--samples 100000] [--size 5]
"""

from __future__ import annotations

import argparse
import random
import resource
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from time import process_time
from typing import Any

import numpy as np
from rapidfuzz.fuzz import token_set_ratio
from rapidfuzz.utils import default_process
from scipy.optimize import linear_sum_assignment

from assay.extraction.record_type import load_record_type
from assay.metrics.records import Counts, match

Records = list[dict[str, Any]]
WORDS = (
    *("lunch", "dinner", "review", "planning", "dentist", "standup", "retro", "interview", "workshop", "rehearsal"),
    *("call", "visit", "tour", "budget", "roadmap", "with", "for", "the", "team", "Ana", "Oske", "Ilse", "Jonas"),
    *("marketing", "finance", "school", "parents", "garden", "harbour", "committee"),
)
WINDOW = 7200.0


def samples(number: int, size: int, seed: int) -> Iterator[tuple[Records, Records]]:
    """Expected events, and predictions: shuffled, some times moved, some titles changed, some events invented."""
    draw = random.Random(seed)
    start = datetime(2026, 3, 2, 8, tzinfo=UTC)
    for _ in range(number):
        expected = [_event(draw, start) for _ in range(size)]
        actual = [_changed(draw, event, start) for event in expected]
        draw.shuffle(actual)
        yield expected, actual


def _event(draw: random.Random, start: datetime) -> dict[str, Any]:
    begin = start + timedelta(minutes=15 * draw.randrange(2000))
    return {
        "action": draw.choices(("create", "update", "delete"), (8, 1, 1))[0],
        "title": " ".join(draw.sample(WORDS, 3)),
        "start_time": begin.isoformat(),
        "end_time": (begin + timedelta(hours=1)).isoformat(),
        "location": draw.choice(("Room Alder", "Café Nord", "online")),
    }


def _changed(draw: random.Random, event: dict[str, Any], start: datetime) -> dict[str, Any]:
    chance = draw.random()
    if chance < 0.6:
        return dict(event)
    if chance < 0.75:
        return event | {"title": event["title"].upper() + " meeting"}
    if chance < 0.9:
        begin = datetime.fromisoformat(event["start_time"]) + timedelta(hours=draw.choice((1, 5)))
        return event | {"start_time": begin.isoformat()}
    return _event(draw, start)


def bare(expected: Records, actual: Records) -> tuple[int, int, int]:
    """Right, wrong, missed; and as Assay does, which fields of each pair are right."""
    ready = [_ready(event) for event in expected]
    given = [_ready(event) for event in actual]
    cost = np.zeros((len(ready), len(given)))
    for row, one in enumerate(ready):
        for column, other in enumerate(given):
            title = 1 - token_set_ratio(one[1], other[1]) / 100
            begin, end = abs(one[2] - other[2]), abs(one[3] - other[3])
            far = begin / (begin + WINDOW) + end / (end + WINDOW)
            cost[row, column] = 100.0 * (one[0] != other[0]) + title + far
    right = 0
    for row, column in zip(*linear_sum_assignment(cost), strict=True):
        one, other = ready[row], given[column]
        verdicts = {
            "action": one[0] == other[0],
            "title": token_set_ratio(one[1], other[1]) >= 80,
            "start_time": abs(one[2] - other[2]) <= WINDOW,
            "end_time": abs(one[3] - other[3]) <= WINDOW,
            "location": token_set_ratio(one[4], other[4]) >= 80,
        }
        right += verdicts["action"] and verdicts["title"] and verdicts["start_time"] and verdicts["end_time"]
    return right, len(given) - right, len(ready) - right


def _ready(event: dict[str, Any]) -> tuple[str, str, float, float, str]:
    begin, end = datetime.fromisoformat(event["start_time"]), datetime.fromisoformat(event["end_time"])
    title, place = default_process(event["title"]), default_process(event["location"])
    return event["action"], title, begin.timestamp(), end.timestamp(), place


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=100_000)
    parser.add_argument("--size", type=int, default=5)
    parser.add_argument("--block", type=int, default=5_000, help="samples at a time, the two taking turns")
    given = parser.parse_args()
    scheme = load_record_type(None).scheme
    seconds = {"bare": 0.0, "assay": 0.0}
    loop, ours, memory = (0, 0, 0), Counts(), []
    for block in range(0, given.samples, given.block):
        data = list(samples(min(given.block, given.samples - block), given.size, seed=block))
        start = process_time()
        for expected, actual in data:
            found = bare(expected, actual)
            loop = (loop[0] + found[0], loop[1] + found[1], loop[2] + found[2])
        middle = process_time()
        for expected, actual in data:
            ours += Counts.of(match(expected, actual, scheme, UTC))
        seconds["bare"] += middle - start
        seconds["assay"] += process_time() - middle
        memory.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
    print(f"{given.samples:,} samples of {given.size} × {given.size} records, CPU seconds")
    for name, spent in seconds.items():
        print(f"{name:>6} {spent:7.2f} s  {1e6 * spent / given.samples:6.1f} µs a sample")
    print(f"ratio  {seconds['assay'] / seconds['bare']:.2f}")
    print(
        f"right, wrong, missed: bare {loop}, assay {(ours.true_positives, ours.false_positives, ours.false_negatives)}"
    )
    print(f"peak memory: {memory[0]} MB after the first block, {memory[-1]} MB after the last")


if __name__ == "__main__":
    main()
