"""Statistics: pure functions, seeded, numpy only."""

from assay.stats.correction import holm
from assay.stats.descriptive import mean, median, quantile
from assay.stats.intervals import Resampling, bootstrap_interval, bootstrap_intervals, intervals_of, wilson
from assay.stats.paired import PairedTest, mcnemar_exact, paired_interval, paired_test
from assay.stats.power import detectable_flips, minimum_detectable_effect
from assay.stats.verdicts import Verdict, is_flagged, verdict

__all__ = [
    "PairedTest",
    "Resampling",
    "Verdict",
    "bootstrap_interval",
    "bootstrap_intervals",
    "detectable_flips",
    "holm",
    "intervals_of",
    "is_flagged",
    "mcnemar_exact",
    "mean",
    "median",
    "minimum_detectable_effect",
    "paired_interval",
    "paired_test",
    "quantile",
    "verdict",
    "wilson",
]
