"""Agreement between raters, and rates corrected for a rater's known error: pure functions, seeded intervals."""

from assay.metrics.agreement.alpha import krippendorff_alpha
from assay.metrics.agreement.corrected import Errors, Labelled, prediction_powered_mean, rogan_gladen
from assay.metrics.agreement.distribution import Consistency, Distribution, consistency, distribution
from assay.metrics.agreement.estimate import Estimate
from assay.metrics.agreement.pairs import accuracy, cohen_kappa, confusion
from assay.metrics.agreement.rank import spearman

__all__ = [
    "Consistency",
    "Distribution",
    "Errors",
    "Estimate",
    "Labelled",
    "accuracy",
    "cohen_kappa",
    "confusion",
    "consistency",
    "distribution",
    "krippendorff_alpha",
    "prediction_powered_mean",
    "rogan_gladen",
    "spearman",
]
