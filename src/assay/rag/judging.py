"""The judge the settings name."""

from __future__ import annotations

from pathlib import Path

from assay.config import Config, Judging
from assay.judges import Judge, LlmJudge, LlmJudgeOptions, ReferenceJudge, VerdictRule, load_rubric
from assay.judges.prompt import Limits
from assay.judges.words import Similarity
from assay.llm import Connections


def rule_of(judging: Judging) -> VerdictRule:
    return VerdictRule(pass_at=judging.pass_at, partial_at=judging.partial_at, never_pass_at=judging.never_pass_at)


def make_judge(config: Config, models: Connections, similarity: Similarity | None) -> Judge:
    """`reference` for formulas, anything else is a model."""
    judging = config.run.judging
    rule = rule_of(judging)
    if judging.judge == "reference":
        return ReferenceJudge(rule, similarity)
    model = models.model(judging.judge)
    rubric = load_rubric(str(Path(config.root) / judging.rubric) if judging.rubric else "default", judging.language)
    limits = Limits(context=judging.context_limit or 0)
    options = LlmJudgeOptions(name=str(model.spelling), parameters=model.request(()), rubric=rubric, limits=limits)
    return LlmJudge(model, options, rule)
