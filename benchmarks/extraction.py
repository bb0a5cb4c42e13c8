"""Matching and scoring against a bare loop: 100,000 samples of 5 × 5 calendar events.

The loop is what one would write without Assay: rapidfuzz for titles, scipy for the assignment, ISO times parsed once a
record, and a verdict on each field of the chosen pairs. All see the same records, in the same process, taking turns.
Assay's part also settles ties, so that the order of the records does not matter. It is measured twice: samples matched
together (`match_all`: outputs at hand with `--gold`, and a finished run scored again), and one at a time (`match`: as
they come from an extractor).

The goals: together not slower than the loop, the same counts, and memory that does not grow by more than a tenth
between a fifth of the samples and all of them. Exits with 1 beyond them.

    python benchmarks/extraction.py [--samples 100000] [--size 5]
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from time import process_time
from typing import Any

import numpy as np
from rapidfuzz.fuzz import token_set_ratio
from rapidfuzz.utils import default_process
from scipy.optimize import linear_sum_assignment

from assay.extraction.record_type import load_record_type
from assay.metrics.records import Counts, match, micro
from assay.metrics.records.many import match_all

Records = list[dict[str, Any]]
WORDS = (
    *("lunch", "dinner", "review", "planning", "dentist", "standup", "retro", "interview", "workshop", "rehearsal"),
    *("call", "visit", "tour", "budget", "roadmap", "with", "for", "the", "team", "Ana", "Oske", "Ilse", "Jonas"),
    *("marketing", "finance", "school", "parents", "garden", "harbour", "committee"),
)
WINDOW = 7200.0
GOAL, GROWTH = 1.0, 1.1
"""Of the time of the loop; of the memory at a fifth of the way."""
Triple = tuple[int, int, int]
"""Right, wrong, missed."""


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


def bare(expected: Records, actual: Records) -> Triple:
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


def loop(data: list[tuple[Records, Records]]) -> Triple:
    found = [bare(expected, actual) for expected, actual in data]
    return sum(each[0] for each in found), sum(each[1] for each in found), sum(each[2] for each in found)


def together(data: list[tuple[Records, Records]]) -> Triple:
    return _triple(Counts.of(found) for found in match_all(data, SCHEME, UTC))


def one_by_one(data: list[tuple[Records, Records]]) -> Triple:
    return _triple(Counts.of(match(expected, actual, SCHEME, UTC)) for expected, actual in data)


def _triple(counts: Iterable[Counts]) -> Triple:
    total = micro(counts)
    return total.true_positives, total.false_positives, total.false_negatives


SCHEME = load_record_type(None).scheme
WAYS: dict[str, Callable[[list[tuple[Records, Records]]], Triple]] = {
    "bare loop": loop,
    "assay, together": together,
    "assay, one by one": one_by_one,
}


def measure(number: int, size: int, block: int) -> tuple[dict[str, float], dict[str, Triple], list[int]]:
    """CPU seconds and counts of each way, and the peak of memory (MB) after each block."""
    seconds, counts, memory = dict.fromkeys(WAYS, 0.0), dict.fromkeys(WAYS, (0, 0, 0)), []
    for start in range(0, number, block):
        data = list(samples(min(block, number - start), size, seed=start))
        for name, way in WAYS.items():
            before = process_time()
            found = way(data)
            seconds[name] += process_time() - before
            known = counts[name]
            counts[name] = (known[0] + found[0], known[1] + found[1], known[2] + found[2])
        memory.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
    return seconds, counts, memory


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=100_000)
    parser.add_argument("--size", type=int, default=5)
    parser.add_argument("--block", type=int, default=5_000, help="samples at a time, the ways taking turns")
    given = parser.parse_args()
    seconds, counts, memory = measure(given.samples, given.size, given.block)
    base = seconds["bare loop"]
    print(f"{given.samples:,} samples of {given.size} × {given.size} records, CPU seconds")
    for name, spent in seconds.items():
        print(f"{name:>18} {spent:7.2f} s  {1e6 * spent / given.samples:6.1f} µs a sample  {spent / base:.2f} x")
    ratio, early = seconds["assay, together"] / base, memory[len(memory) // 5]
    print(f"right, wrong, missed: {', '.join(f'{name} {found}' for name, found in counts.items())}")
    print(f"peak memory: {early} MB at a fifth, {memory[-1]} MB at the end; the goal is at most {GROWTH:g} x")
    print(f"together is {ratio:.2f} x the bare loop; the goal is at most {GOAL:g} x")
    return 0 if ratio <= GOAL and len(set(counts.values())) == 1 and memory[-1] <= GROWTH * early else 1


if __name__ == "__main__":
    sys.exit(main())
