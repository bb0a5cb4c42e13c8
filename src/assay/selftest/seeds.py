"""The same seed gives the same intervals: twice here, and as on the machine the expected ones were made on."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.selftest.checks import CHECKS, Outcome
from assay.selftest.measures import difference
from assay.stats import bootstrap_intervals

SEED = 7
EXPECTED = (0.06214057551677539, 0.16786106973347353, 0.3526785714285715, 0.5413086516977205)


@CHECKS.register("seeds")
def check_seeds() -> Iterator[Outcome]:
    """The ends of two measures' intervals."""
    made, again = _ends(SEED), _ends(SEED)
    yield Outcome("intervals, again", "the same seed", len(made), 0.0 if made.tobytes() == again.tobytes() else None)
    yield Outcome("intervals", "shipped values", len(made), difference(made, list(EXPECTED)))


def _ends(seed: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    cases = np.arange(1, 41)
    matrix = np.column_stack((1 / cases, (cases % 7) / 7))
    matrix[::9, 1] = np.nan
    found = bootstrap_intervals(matrix, seed=seed)
    return np.array([end for interval in found for end in (interval.low, interval.high)], np.float64)
