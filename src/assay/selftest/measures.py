"""The ranking measures against values of the reference programs, shipped in `vectors/`.

`qrels.txt` and `run.txt` have ties, graded and negative judgements, unjudged documents, a query that is not in the
run, one that is not in the qrels, one with nothing relevant, and more relevant documents than the cut-offs.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.files import read_json
from assay.metrics import Measure
from assay.selftest.checks import CHECKS, Outcome
from assay.trec import judge_file, read_pool
from assay.trec.tokens import decode

VECTORS = Path(__file__).parent / "vectors"


@CHECKS.register("measures")
def check_measures() -> Iterator[Outcome]:
    """Each measure of each query, from the files to the value."""
    pool = read_pool(VECTORS / "qrels.txt")
    judged = judge_file(VECTORS / "run.txt", pool).judged
    for reference, measures in read_json(VECTORS / "expected.json").items():
        for name, expected in measures.items():
            values = Measure.parse(name).compute(judged)
            wanted = [expected[decode(query)] for query in pool.queries]
            yield Outcome(name, reference, len(values), difference(values, wanted))


def difference(values: NDArray[np.float64], expected: list[float | None]) -> float | None:
    """The greatest one; None if one side is undefined where the other is not."""
    wanted = np.array(expected, np.float64)
    if len(values) != len(wanted) or (np.isnan(values) != np.isnan(wanted)).any():
        return None
    return float(np.nanmax(np.abs(values - wanted), initial=0.0))
