"""How often do 95 % intervals hold the true mean? Assay's, and the usual bootstrap ones beside it.

    python benchmarks/interval_coverage.py [--datasets 4000]

Each row draws that many data sets from a known population. "percentile" and "BCa" are
the textbook bootstrap intervals from the same number of resamples. Prints the tables of docs/statistics.md.

Goals, for 95 % intervals: at least 0.92 in every row from 50 questions on, 0.90 below that and for 10 documents or
more, 0.93 for differences from 50 questions on; and the worst row of all is better than the textbook's. A row is known
only to within twice its standard error, which counts in its favour. Exits with 1 if one is missed.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from assay.records import Interval
from assay.stats import bootstrap_intervals, paired_interval
from assay.stats.resample import bootstrap_means

Floats = NDArray[np.float64]
Draw = Callable[[int, int, np.random.Generator], Floats]
BLOCK, RESAMPLES = 100, 1000
MANY, MOST, FEW, DIFFERENT = 50, 0.92, 0.90, 0.93
"""From how many questions on the stricter goal holds; that goal, the one below, the one for differences."""
DOCUMENTS = 10
RANKS = np.array([1, 1 / 2, 1 / 3, 1 / 4, 1 / 5, 1 / 10, 0])


def share(p: float) -> tuple[str, Draw, float]:
    return f"0 or 1, true mean {p}", lambda n, m, rng: (rng.random((n, m)) < p).astype(float), p


def ranks(*weights: float) -> tuple[str, Draw, float]:
    mean = float(RANKS @ weights)
    return f"reciprocal ranks, true mean {mean:.2f}", lambda n, m, rng: rng.choice(RANKS, (n, m), p=weights), mean


SINGLE = [
    *(share(p) for p in (0.5, 0.8, 0.9, 0.95, 0.98)),
    ranks(0.15, 0.10, 0.10, 0.05, 0.05, 0.05, 0.50),
    ranks(0.60, 0.10, 0.05, 0.05, 0.02, 0.08, 0.10),
    ranks(0.90, 0.05, 0.02, 0.01, 0.005, 0.005, 0.01),
]


def holds(intervals: list[Interval], truth: float) -> float:
    inside = [i.low is not None and i.high is not None and i.low <= truth <= i.high for i in intervals]
    return sum(inside) / len(inside)


def textbook(data: Floats, truth: float, seed: int) -> tuple[float, float]:
    """Coverage of the percentile and of the BCa interval (Efron 1987) over the columns."""
    normal, means = NormalDist(), bootstrap_means(data, np.ones_like(data), seed, RESAMPLES)
    hits = np.zeros(2)
    for column, drawn in zip(data.T, means.T, strict=True):
        centre, spread = column.mean(), column - column.mean()
        below = (np.sum(drawn < centre - 1e-12) + np.sum(np.abs(drawn - centre) <= 1e-12) / 2) / RESAMPLES
        bias = normal.inv_cdf(min(max(below, 1 / RESAMPLES), 1 - 1 / RESAMPLES))
        squares = float(spread @ spread)
        skew = float(np.sum(spread**3)) / (6 * squares**1.5) if squares else 0.0
        z = [bias + normal.inv_cdf(tail) for tail in (0.025, 0.975)]
        levels = [normal.cdf(bias + shifted / (1 - skew * shifted)) for shifted in z]
        for place, (low, high) in enumerate((np.quantile(drawn, (0.025, 0.975)), np.quantile(drawn, levels))):
            hits[place] += low - 1e-12 <= truth <= high + 1e-12
    return float(hits[0]) / len(data.T), float(hits[1]) / len(data.T)


def single(datasets: int, rng: np.random.Generator) -> list[tuple[int, Floats]]:
    """The number of questions and the coverage of each kind of interval, row by row."""
    found = []
    print("| values | n | Assay | percentile | BCa |\n|---|---|---|---|---|")
    for name, draw, truth in SINGLE:
        for n in (10, 20, 50, 100, 200):
            rows = []
            for seed in range(datasets // BLOCK):
                data = draw(n, BLOCK, rng)
                ours = holds(bootstrap_intervals(data, seed=seed, resamples=RESAMPLES), truth)
                rows.append((ours, *textbook(data, truth, seed)))
            found.append((n, np.mean(rows, axis=0)))
            print(f"| {name} | {n} | " + " | ".join(f"{value:.3f}" for value in found[-1][1]) + " |")
    return found


def clustered(datasets: int, rng: np.random.Generator) -> list[tuple[int, float]]:
    """Documents of about five questions each; questions of a document share part of their luck (beta-binomial)."""
    found = []
    print("\n| 0 or 1, true mean | correlation | documents | by document | as if independent |\n|---|---|---|---|---|")
    for p in (0.5, 0.8, 0.95):
        for correlation in (0.05, 0.3):
            for documents in (5, 10, 20, 50):
                rows = []
                for seed in range(datasets // BLOCK):
                    labels = np.repeat(np.arange(documents), rng.geometric(1 / 5, documents))
                    strength = (1 - correlation) / correlation
                    luck = rng.beta(p * strength, (1 - p) * strength, (documents, BLOCK))
                    data = (rng.random((labels.size, BLOCK)) < luck[labels]).astype(float)
                    whole, alone = (
                        bootstrap_intervals(data, seed=seed, clusters=labels),
                        bootstrap_intervals(data, seed=0),
                    )
                    rows.append((holds(whole, p), holds(alone, p)))
                by_document, independent = np.mean(rows, axis=0)
                found.append((documents, float(by_document)))
                print(f"| {p} | {correlation} | {documents} | {by_document:.3f} | {independent:.3f} |")
    return found


def differences(datasets: int, rng: np.random.Generator) -> list[tuple[int, float]]:
    rows = []
    print("\n| share that flipped | true difference | n | Assay |\n|---|---|---|---|")
    for flipped, truth in ((0.05, 0.0), (0.05, 0.03), (0.1, 0.06), (0.3, 0.0), (0.3, 0.1)):
        for n in (20, 50, 100, 200):
            gain = (flipped + truth) / 2
            drawn = rng.choice([1.0, -1.0, 0.0], (datasets // 4, n), p=[gain, flipped - gain, 1 - flipped])
            pairs = [np.column_stack((row < 0, row > 0)).astype(float) for row in drawn]
            found = [paired_interval(pair, seed=seed, resamples=RESAMPLES) for seed, pair in enumerate(pairs)]
            rows.append((n, holds(found, truth)))
            print(f"| {flipped} | {truth} | {n} | {rows[-1][1]:.3f} |")
    return rows


def goal(what: str, found: Sequence[float], least: float, datasets: int) -> bool:
    """Whether the worst row reaches it, as far as that many data sets can tell."""
    doubt = 2 * math.sqrt(least * (1 - least) / datasets)
    met = min(found) >= least - doubt
    print(f"{what}: worst {min(found):.3f}, goal at least {least:.2f} (± {doubt:.3f}){'' if met else ' MISSED'}")
    return met


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--datasets", type=int, default=4000, help="per row")
    datasets = max(BLOCK, parser.parse_args().datasets)
    rng = np.random.default_rng(0)
    alone, together, apart = single(datasets, rng), clustered(datasets, rng), differences(datasets, rng)
    for rows, count in (("the first two tables", datasets), ("the third", datasets // 4)):
        print(f"{count} data sets a row in {rows}: 0.95 is known to ± {2 * math.sqrt(0.95 * 0.05 / count):.3f}.")
    ours, percentile, bca = (min(row[place] for _, row in alone) for place in range(3))
    print(f"worst row of all: {ours:.3f}; textbook: {percentile:.3f} and {bca:.3f}")
    met = [
        goal(f"from {MANY} questions on", [row[0] for n, row in alone if n >= MANY], MOST, datasets),
        goal("fewer questions", [row[0] for n, row in alone if n < MANY], FEW, datasets),
        goal(f"by document, from {DOCUMENTS} on", [value for n, value in together if n >= DOCUMENTS], FEW, datasets),
        goal(f"differences, from {MANY} questions on", [v for n, v in apart if n >= MANY], DIFFERENT, datasets // 4),
        ours > max(percentile, bca),
    ]
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
