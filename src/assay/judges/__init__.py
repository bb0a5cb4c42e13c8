"""What grades an answer: rubrics, the verdict rule, a model or formulas as judge, and how far they can be trusted."""

from assay.judges.judgment import DIMENSIONS, Answer, Grades, Judge, Judged, Judgment, Verdict
from assay.judges.llm_judge import LlmJudge, LlmJudgeOptions
from assay.judges.outcomes import Outcomes, outcomes
from assay.judges.reference import ReferenceJudge
from assay.judges.rubric import Rubric, load_rubric
from assay.judges.verdict import VerdictRule, judged_again, verdict_of

__all__ = [
    "DIMENSIONS",
    "Answer",
    "Grades",
    "Judge",
    "Judged",
    "Judgment",
    "LlmJudge",
    "LlmJudgeOptions",
    "Outcomes",
    "ReferenceJudge",
    "Rubric",
    "Verdict",
    "VerdictRule",
    "judged_again",
    "load_rubric",
    "outcomes",
    "verdict_of",
]
