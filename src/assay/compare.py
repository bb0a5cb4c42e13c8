"""Run × baseline → comparison: paired by question, corrected for many measures, noise told from regression."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from assay.config import Comparison as Thresholds
from assay.config import Statistics
from assay.errors import AssayError, unknown_name
from assay.runs.column import Values, plain
from assay.runs.scored import FIGURES, Scored
from assay.runs.wording import renamed, reworded, with_ids
from assay.stats import (
    Verdict,
    holm,
    is_flagged,
    minimum_detectable_effect,
    paired_interval,
    paired_test,
    verdict,
)

Sample = tuple[list[str], NDArray[np.float64]]
"""Cases, and their values before and now."""
IDENTITY = {
    "gold": "the gold sets",
    "index": "the indexes",
    "retrieval settings": "the settings of retrieval",
    "judge": "the judges",
    "verdict rule": "the verdict rules",
    "record type": "the record types or their levels",
}
LOWER_IS_BETTER = {"fail_rate", "error_rate"}
_NOT_COMPARED = ("p_max@", "field.")
"""What no change of the system can move, and the parts of a record, of which the whole is compared: each measure more
makes it harder to show that another one changed."""
NEUTRAL = {"partial_rate"}
"""More or fewer of these is neither better nor worse."""


class Row(Struct, frozen=True, kw_only=True):
    """One measure of one variant, before and now."""

    variant: str
    measure: str
    before: float | None
    now: float | None
    delta: float | None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    """Corrected for all measures of the variant (Holm)."""
    pairs: int = 0
    detectable: float | None = None
    """The smallest difference this many questions can show."""
    threshold: float = 0.0
    counts: bool = False
    """Whether the settings name a threshold for it: only then may it be a regression."""
    flagged: bool = False
    verdict: Verdict = "no evidence either way"

    @property
    def regression(self) -> bool:
        """Worse, beyond chance, by enough to matter, in a measure that matters."""
        return self.counts and self.flagged and self.verdict == "worse"


class Flip(Struct, frozen=True):
    """A question whose outcome changed."""

    variant: str
    case_id: str
    before: float
    now: float
    tags: dict[str, str]
    was: str = ""
    """Its id before, where that was another."""


class Figure(Struct, frozen=True, kw_only=True):
    """A number of the whole run, before and now: no question has one of its own, so nothing can be tested."""

    name: str
    before: float | None
    now: float | None
    limit: float | None = None

    @property
    def delta(self) -> float | None:
        """Without the noise of floating point: what is equal to twelve places did not change."""
        return None if self.before is None or self.now is None else round(self.now - self.before, 12)

    @property
    def exceeded(self) -> bool:
        return self.limit is not None and self.now is not None and round(self.now, 9) > round(self.limit, 9)


class Comparison(Struct, frozen=True, kw_only=True):
    """Two sets of scores, side by side."""

    before: str
    now: str
    warnings: tuple[str, ...]
    """What differs between the two besides what is compared; said first."""
    rows: tuple[Row, ...]
    flips: tuple[Flip, ...]
    flip_measure: str
    figures: tuple[Figure, ...] = ()
    common: int
    only_before: int
    only_now: int

    @property
    def regressions(self) -> tuple[Row, ...]:
        return tuple(row for row in self.rows if row.regression)

    @property
    def exceeded(self) -> tuple[Figure, ...]:
        """Latency or cost beyond its limit."""
        return tuple(figure for figure in self.figures if figure.exceeded)

    @property
    def failed(self) -> bool:
        return bool(self.regressions or self.exceeded)


class Rules(Struct, frozen=True, kw_only=True):
    """When a difference counts."""

    thresholds: Thresholds = Thresholds()
    statistics: Statistics = Statistics()
    seed: int = 0
    different_judges: bool = False
    """Compare even what was not judged by the same judge."""


def compare(before: Scored, now: Scored, rules: Rules) -> Comparison:
    """All measures both have, variant by variant, over the questions both have."""
    if before.kind != now.kind:
        raise AssayError(f"'{before.label}' is about {before.kind}, '{now.label}' about {now.kind}: nothing to compare")
    if before.identity.get("judge") != now.identity.get("judge") and not rules.different_judges:
        hint = "Judge one of them again (assay score RUN --judge ...), or say --allow-different-judges"
        raise AssayError(f"'{before.label}' and '{now.label}' were judged by different judges", hint=hint)
    names = renamed(before, now)
    before = with_ids(before, names)
    common = before.tags.keys() & now.tags.keys()
    if not common:
        raise AssayError(f"'{before.label}' and '{now.label}' have no question in common: nothing to compare")
    pairs = _variant_pairs(before, now)
    flip = next((m for m in rules.thresholds.flips if any(m in by_measure for by_measure in now.scores.values())), "")
    rows, flips = [], []
    for name, (old, new) in pairs.items():
        rows += compare_measures(name, before.scores[old], now.scores[new], _clusters(now, before, rules), rules)
        flips += _flips(name, (before.values(old, flip), now.values(new, flip)), now, names)
    return Comparison(
        before=before.label,
        now=now.label,
        warnings=(*_warnings(before, now, pairs), *_about_ids(len(names), len(reworded(before, now)))),
        rows=tuple(rows),
        flips=tuple(flips),
        flip_measure=flip,
        figures=_figures(before, now, rules),
        common=len(common),
        only_before=len(before.tags.keys() - now.tags.keys()),
        only_now=len(now.tags.keys() - before.tags.keys()),
    )


def _figures(before: Scored, now: Scored, rules: Rules) -> tuple[Figure, ...]:
    return figures(before.figures, now.figures, rules.thresholds.limits)


def figures(
    before: Mapping[str, float | None], now: Mapping[str, float | None], limits: Mapping[str, float]
) -> tuple[Figure, ...]:
    """Latency and cost with their limits; before may be empty. A limit on something else is a mistake."""
    for name in limits:
        if name not in FIGURES:
            raise unknown_name("limit in comparison.limits", name, FIGURES)
    names = dict.fromkeys([*now, *before])
    return tuple(
        Figure(name=name, before=before.get(name), now=now.get(name), limit=limits.get(name)) for name in names
    )


def compare_variants(scored: Scored, variants: Sequence[str], rules: Rules) -> list[Comparison]:
    """The first variant against each of the others, within one run."""
    first, *others = variants
    return [
        compare(_alone(scored, first, other), _alone(scored, other, other), rules)
        for other in others
        if first in scored.scores and other in scored.scores
    ]


def _alone(scored: Scored, variant: str, name: str) -> Scored:
    return Scored(
        label=variant,
        kind=scored.kind,
        identity=scored.identity,
        scores={name: scored.scores[variant]},
        tags=scored.tags,
    )


def _variant_pairs(before: Scored, now: Scored) -> dict[str, tuple[str, str]]:
    """Variants of the same name; where each side has just one, those two whatever their names."""
    common = [name for name in now.scores if name in before.scores]
    if common:
        return {name: (name, name) for name in common}
    if len(before.scores) == len(now.scores) == 1:
        (old,), (new,) = before.scores, now.scores
        return {f"{old} → {new}": (old, new)}
    there, here = ", ".join(before.scores) or "none", ", ".join(now.scores) or "none"
    raise AssayError(f"no variant in common: '{before.label}' has {there}; '{now.label}' has {here}")


def _warnings(before: Scored, now: Scored, pairs: Iterable[str]) -> tuple[str, ...]:
    said = [f"{what} differ" for key, what in IDENTITY.items() if before.identity.get(key) != now.identity.get(key)]
    apart = len(before.tags.keys() ^ now.tags.keys())
    if apart:
        said.append(f"questions in only one of the two, left out: {apart}")
    bare = (_without_scores(before) | _without_scores(now)) & before.tags.keys() & now.tags.keys()
    if bare:
        said.append(f"{len(bare)} without scores in one of the two (failed, or no truth to score by), not compared")
    left = sorted((before.scores.keys() ^ now.scores.keys()) - set(pairs))
    if left and all("→" not in pair for pair in pairs):
        said.append(f"only in one of the two: {', '.join(left)}")
    return tuple(said)


def _about_ids(renamed: int, reworded: int) -> list[str]:
    said = [f"ids of {renamed} differ from before: these were found by their wording"] if renamed else []
    return said + (
        [f"the wording of {reworded} differs from before: these were paired by their id"] if reworded else []
    )


def _without_scores(scored: Scored) -> set[str]:
    """Questions that failed in every variant, and samples of an extraction without a sidecar."""
    known = {case for by_measure in scored.scores.values() for values in by_measure.values() for case in values}
    return set(scored.tags) - known


def _clusters(now: Scored, before: Scored, rules: Rules) -> dict[str, str] | None:
    """Case → document, when documents are what is drawn."""
    if rules.statistics.cluster == "none":
        return None
    tags = before.tags | now.tags
    return {case: by_name.get(rules.statistics.cluster, "unknown") for case, by_name in tags.items()}


def compare_measures(
    variant: str,
    before: Mapping[str, Values],
    now: Mapping[str, Values],
    clusters: dict[str, str] | None,
    rules: Rules,
) -> list[Row]:
    """One row for each measure of either side, p-values corrected over those that both have."""
    measures = [measure for measure in dict.fromkeys([*now, *before]) if not measure.startswith(_NOT_COMPARED)]
    samples = [_paired(before.get(measure, {}), now.get(measure, {})) for measure in measures]
    family = [_hypothesis(pairs) for _, pairs in samples]
    alpha = rules.statistics.alpha / max(1, len(set(family)))
    drafts = [
        _draft(measure, sample, clusters, rules, alpha) for measure, sample in zip(measures, samples, strict=True)
    ]
    # Measures that are multiples of each other (recall@5 and p@5 with one expected chunk) are one test, not two.
    tested = {key: draft.p for key, draft in zip(family, drafts, strict=True)}
    adjusted = dict(zip(tested, holm(list(tested.values())), strict=True))
    rows = [_judged(variant, draft, adjusted[key], rules) for key, draft in zip(family, drafts, strict=True)]
    return [_one_sided(row, before, now) if not row.pairs else row for row in rows]


def _one_sided(row: Row, before: Mapping[str, Values], now: Mapping[str, Values]) -> Row:
    """A measure that only one side has: its mean there, nothing on the other side, no difference."""
    return msgspec.structs.replace(row, before=_mean(before.get(row.measure, {})), now=_mean(now.get(row.measure, {})))


def _mean(values: Values) -> float | None:
    known = [value for value in values.values() if value is not None]
    return sum(known) / len(known) if known else None


def _hypothesis(pairs: NDArray[np.float64]) -> bytes:
    """Equal for measures whose differences are the same up to a factor."""
    differences = pairs[:, 1] - pairs[:, 0]
    largest = np.max(np.abs(differences), initial=0.0)
    scaled: NDArray[np.float64] = np.round(differences / largest, 9) if largest > 0 else differences
    return (scaled + 0.0).tobytes()


def _draft(measure: str, sample: Sample, clusters: dict[str, str] | None, rules: Rules, alpha: float) -> Row:
    """The row before correction: `p` is that of this measure alone."""
    cases, pairs = sample
    statistics, labels = rules.statistics, [clusters[case] for case in cases] if clusters else None
    test = paired_test(pairs, seed=rules.seed, resamples=statistics.permutations, clusters=labels)
    interval = paired_interval(
        pairs, seed=rules.seed, resamples=statistics.resamples, confidence=statistics.confidence, clusters=labels
    )
    return Row(
        variant="",
        measure=measure,
        before=float(pairs[:, 0].mean()) if cases else None,
        now=float(pairs[:, 1].mean()) if cases else None,
        delta=interval.mean,
        low=interval.low,
        high=interval.high,
        p=test.p,
        pairs=test.n_pairs,
        detectable=minimum_detectable_effect(pairs, alpha=alpha, power=statistics.power, clusters=labels),
    )


def _paired(before: Values, now: Values) -> Sample:
    """The cases scored on both sides, sorted by id, and their two values."""
    before, now = plain(before), plain(now)
    cases = sorted(c for c in before.keys() & now.keys() if before[c] is not None and now[c] is not None)
    pairs = np.array([(before[case], now[case]) for case in cases], dtype=np.float64).reshape(-1, 2)
    return cases, pairs


def _judged(variant: str, draft: Row, p: float | None, rules: Rules) -> Row:
    threshold = threshold_of(draft.measure, rules.thresholds)
    return msgspec.structs.replace(
        draft,
        variant=variant,
        p=p,
        threshold=rules.thresholds.default_threshold if threshold is None else threshold,
        counts=threshold is not None,
        flagged=is_flagged(draft.delta, rules.thresholds.default_threshold if threshold is None else threshold),
        verdict=_verdict(draft, p, rules.statistics.alpha),
    )


def _verdict(draft: Row, p: float | None, alpha: float) -> Verdict:
    if draft.measure in NEUTRAL:
        return "no evidence either way"
    return verdict(draft.delta, p, higher_is_better=draft.measure not in LOWER_IS_BETTER, alpha=alpha)


def threshold_of(measure: str, thresholds: Thresholds) -> float | None:
    """That of the measure itself or of its family (recall@5: recall; recall_at_50: recall_at_100)."""
    family = "recall_at_100" if measure.startswith("recall_at_") else measure.partition("@")[0]
    table = thresholds.thresholds
    return table.get(measure, table.get(family))


def _flips(variant: str, values: tuple[Values, Values], scored: Scored, names: Mapping[str, str]) -> list[Flip]:
    (before, now), flips = values, []
    old_ids = {new: old for old, new in names.items()}
    for case in sorted(before.keys() & now.keys()):
        old, new = before[case], now[case]
        if old is not None and new is not None and old != new:
            flips.append(Flip(variant, case, old, new, scored.tags.get(case, {}), old_ids.get(case, "")))
    return flips
