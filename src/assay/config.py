"""`assay.yaml`: every setting with its default, its meaning and its limits, in one place.

The same records validate the file, explain it (`assay init`) and document it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct, field

from assay.errors import AssayError
from assay.files import read_text

Positive = Annotated[int, Meta(ge=1)]
Share = Annotated[float, Meta(ge=0, le=1)]
NotNegative = Annotated[float, Meta(ge=0)]


class Contradiction(AssayError, ValueError):
    """Two settings that cannot both hold. A ValueError, because to those msgspec adds the place in the file."""


def _require(holds: bool, rule: str) -> None:
    """What the limits of a single setting cannot say."""
    if not holds:
        raise Contradiction(rule)


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of every block of settings."""


class Paths(Settings, frozen=True):
    """Where things are kept, relative to assay.yaml."""

    index: Annotated[str, Meta(description="the index, one SQLite file")] = "corpus.db"
    gold: Annotated[str, Meta(description="the gold set")] = "gold.json"
    runs: Annotated[str, Meta(description="one folder for each run")] = "runs"
    baselines: Annotated[str, Meta(description="promoted summaries, versioned")] = "baselines"
    cache: Annotated[str, Meta(description="embeddings and replies already paid for; may be deleted")] = ".assay/cache"


class Chunking(Settings, frozen=True):
    """How documents are cut: parents for context, children for search. Sizes are in words and punctuation marks."""

    parent_tokens: Annotated[Positive, Meta(description="size of a parent")] = 1024
    parent_overlap: Annotated[int, Meta(ge=0, description="shared by two neighbouring parents")] = 154
    child_tokens: Annotated[Positive, Meta(description="size of a child, the unit that is searched")] = 450
    child_overlap: Annotated[int, Meta(ge=0, description="shared by two neighbouring children")] = 68
    minimum_tokens: Annotated[int, Meta(ge=0, description="a shorter rest is joined to its neighbour")] = 30

    def __post_init__(self) -> None:
        _require(self.parent_overlap < self.parent_tokens, "parent_overlap must be less than parent_tokens")
        _require(self.child_overlap < self.child_tokens, "child_overlap must be less than child_tokens")
        _require(self.child_tokens <= self.parent_tokens, "child_tokens must not be more than parent_tokens")


class EmbedderOptions(Settings, frozen=True):
    """What turns text into vectors."""

    name: Annotated[str, Meta(description="wordllama (offline, in the install), openai or sentence-transformers")] = (
        "wordllama"
    )
    model: Annotated[str | None, Meta(description="model name, where the embedder has several")] = None
    endpoint: Annotated[str | None, Meta(description="base URL of an OpenAI-compatible service, for openai")] = None
    api_key_env: Annotated[str, Meta(description="environment variable that holds the key")] = "OPENAI_API_KEY"
    query_prefix: Annotated[str, Meta(description="put before each query, as some models want")] = ""
    document_prefix: Annotated[str, Meta(description="put before each chunk")] = ""
    batch_size: Annotated[Positive, Meta(description="texts in one call")] = 64


class IndexOptions(Settings, frozen=True):
    """How a corpus is made searchable."""

    language: Annotated[
        str, Meta(description="auto (each document by its own words) or a code for stemming: en, fr, de, ...")
    ] = "auto"
    chunking: Chunking = Chunking()


class Hybrid(Settings, frozen=True):
    """Reciprocal rank fusion: sum of weight / (constant + rank), ranks from 1."""

    constant: Annotated[Positive, Meta(description="the constant of the formula")] = 60
    bm25_weight: Annotated[float, Meta(ge=0, description="weight of the bm25 list")] = 0.5
    vector_weight: Annotated[float, Meta(ge=0, description="weight of the vector list")] = 0.5
    candidates: Annotated[Positive, Meta(description="taken from each list")] = 100

    def __post_init__(self) -> None:
        _require(self.bm25_weight + self.vector_weight > 0, "one of bm25_weight and vector_weight must be above 0")


class Rerank(Settings, frozen=True):
    """The optional second stage, written `+rerank` behind a variant."""

    name: Annotated[str, Meta(description="overlap (built in) or python:module:function")] = "overlap"
    candidates: Annotated[Positive, Meta(description="how many of the first stage are ranked again")] = 50


class Http(Settings, frozen=True):
    """A retriever behind HTTP: POST {query, k} gives {results: [{id, score}]}."""

    token_env: Annotated[str | None, Meta(description="environment variable with a bearer token")] = None
    timeout: Annotated[float, Meta(gt=0, description="seconds for one call")] = 30.0
    workers: Annotated[Positive, Meta(description="calls at once")] = 8
    retries: Annotated[int, Meta(ge=0, le=10, description="further tries after a fault worth retrying")] = 4


class Gate(Settings, frozen=True):
    """A rule on a measure."""

    measure: Annotated[str, Meta(description="which measure")]
    at_least: Annotated[float, Meta(description="lower limit")]
    severity: Annotated[Literal["blocking", "warning"], Meta(description="blocking sets the exit code")] = "blocking"


class Decision(Settings, frozen=True):
    """What to do next, from the best variant's value of one measure."""

    measure: Annotated[str, Meta(description="which measure decides")] = "recall@5"
    good: Annotated[Share, Meta(description="from here on: good enough")] = 0.80
    tune: Annotated[Share, Meta(description="from here on: tune; below: fine-tune")] = 0.60
    good_text: Annotated[str, Meta(description="said when good")] = "Good enough as it is."
    tune_text: Annotated[str, Meta(description="said in between")] = (
        "Tune retrieval: chunking, hybrid weights, a reranker."
    )
    poor_text: Annotated[str, Meta(description="said below")] = "Fine-tune the embeddings."

    def __post_init__(self) -> None:
        _require(self.tune <= self.good, "tune must not be more than good")


class CodeFields(Settings, frozen=True):
    """What bm25 searches beside the text of a unit of code: a match there counts so many times one in the text."""

    symbol: Annotated[
        NotNegative,
        Meta(description="its name; 4 times that for the whole name, 8 times for class and method together"),
    ] = 0.5
    path: Annotated[NotNegative, Meta(description="the path of its file; 32 times that for the path as written")] = 0.25

    @property
    def weights(self) -> dict[str, float]:
        return {"symbol": self.symbol, "path": self.path}


class MemoryRanking(Settings, frozen=True):
    """Memories rank by relevance / best relevance + recency · 2^(−age / half_life_days) + priority · its own."""

    recency: Annotated[NotNegative, Meta(description="weight of a memory's date; 0: does not count")] = 0.0
    half_life_days: Annotated[float, Meta(gt=0, description="after so many days a date counts half")] = 30.0
    today: Annotated[
        str | None, Meta(description="ages are counted to this date (2026-01-31); null: that of the newest memory")
    ] = None
    priority: Annotated[NotNegative, Meta(description="weight of a memory's priority, 0 to 1; 0: does not count")] = 0.0
    candidates: Annotated[Positive, Meta(description="how many of the most relevant are ranked again")] = 100


class RetrievalOptions(Settings, frozen=True):
    """`assay retrieval`: does the right chunk come back, how high, and if not, why?"""

    variants: Annotated[
        tuple[str, ...],
        Meta(
            min_length=1,
            description="bm25, vector, hybrid, each also with +rerank; python:module:function, a URL, run:FILE",
        ),
    ] = ("bm25", "vector", "hybrid")
    k: Annotated[tuple[Positive, ...], Meta(min_length=1, description="cut-offs")] = (1, 3, 5, 10)
    measures: Annotated[
        tuple[str, ...], Meta(description="further measures, such as map or judged@10; the usual ones are always there")
    ] = ()
    depth: Annotated[
        Positive, Meta(description="how far a missed chunk is searched for where its rank is not simply counted")
    ] = 1000
    tolerance: Annotated[int, Meta(ge=0, description="pages to either side that count for page recall")] = 2
    page_match: Annotated[
        Literal["document", "page"], Meta(description="page: number alone, whatever the document (looser)")
    ] = "document"
    sources: Annotated[tuple[str, ...], Meta(description="search only in these documents; empty: all")] = ()
    hybrid: Hybrid = Hybrid()
    rerank: Rerank = Rerank()
    http: Http = Http()
    code: CodeFields = CodeFields()
    memory: MemoryRanking = MemoryRanking()
    gates: Annotated[tuple[Gate, ...], Meta(description="rules on the best variant")] = (
        Gate(measure="recall@5", at_least=0.80),
    )
    decision: Decision = Decision()


class Pipeline(Settings, frozen=True):
    """What `assay run` puts under test."""

    system: Annotated[
        str, Meta(description="embedded (index + retriever + model), python:module:name, a URL, recorded:FILE")
    ] = "embedded"
    retriever: Annotated[str, Meta(description="of the embedded pipeline; +rerank adds the second stage")] = "hybrid"
    model: Annotated[
        str | None, Meta(description="that writes the answers, provider/model; null: sentences are quoted, no model")
    ] = None
    prompt: Annotated[str | None, Meta(description="a prompt file of your own for the embedded pipeline")] = None
    recall_k: Annotated[Positive, Meta(description="candidates before reranking; recall and mrr are over these")] = 100
    precision_k: Annotated[Positive, Meta(description="passages the generator sees")] = 25
    timeout: Annotated[float, Meta(gt=0, description="seconds for one call of a Python or HTTP system")] = 120.0
    tries: Annotated[int, Meta(ge=1, le=10, description="of one call of an HTTP system, for faults that may pass")] = 5
    first_wait: Annotated[float, Meta(ge=0, description="seconds before the second try, then doubled")] = 2.0
    token_env: Annotated[str | None, Meta(description="environment variable with a bearer token for HTTP")] = None
    token_command: Annotated[
        tuple[str, ...], Meta(description="program that prints a fresh token, run once after a 401; empty: none")
    ] = ()


class Judging(Settings, frozen=True):
    """What grades the answers."""

    judge: Annotated[str, Meta(description="reference (formulas, no model) or provider/model")] = "reference"
    rubric: Annotated[str | None, Meta(description="a rubric file of your own; null: the one shipped")] = None
    language: Annotated[str, Meta(description="of the rubric: en or fr")] = "en"
    context_limit: Annotated[
        Positive | None, Meta(description="characters of context shown to the judge, cut with a mark; null: all")
    ] = None
    pass_at: Annotated[float, Meta(ge=1, le=5, description="overall score from which on an answer passes")] = 4.0
    partial_at: Annotated[float, Meta(ge=1, le=5, description="overall score from which on it is partial")] = 3.0
    never_pass_at: Annotated[
        float, Meta(ge=0, le=5, description="no pass with a correctness of this or less; 0: no such rule")
    ] = 2.0
    archetypes: Annotated[
        str, Meta(description="rules, or provider/model: also asked what kind a failure is that no rule decides")
    ] = "rules"
    labels: Annotated[
        str | None, Meta(description="people's labels (JSONL): the run then says how far its judge can be trusted")
    ] = None
    minimum_kappa: Annotated[
        float, Meta(ge=-1, le=1, description="agreement with them below which the judge may warn but not gate")
    ] = 0.6


class RunOptions(Settings, frozen=True):
    """`assay run`: the whole pipeline, judged, timed, costed, against a baseline."""

    workers: Annotated[Positive, Meta(description="questions at once")] = 8
    pipeline: Pipeline = Pipeline()
    judging: Judging = Judging()
    gates: Annotated[tuple[Gate, ...], Meta(description="rules on the run's metrics, such as pass_rate")] = ()
    good: Annotated[Share, Meta(description="pass rate from which on the status is good")] = 0.85
    fair: Annotated[Share, Meta(description="pass rate from which on it is fair; below: poor")] = 0.70
    error_limit: Annotated[
        Share, Meta(description="share of failed questions above which the run is partial and no baseline")
    ] = 0.05


class LanesOptions(Settings, frozen=True):
    """`assay lanes`: documents, memories and code, each searched in its own lane."""

    variants: Annotated[tuple[str, ...], Meta(min_length=1, description="retrievers, as under retrieval")] = ("bm25",)
    k: Annotated[Positive, Meta(description="cut-off of a case that has none of its own")] = 5
    cases: Annotated[tuple[str, ...], Meta(description="case files (JSON), relative to assay.yaml")] = ()
    gates: Annotated[
        tuple[Gate, ...], Meta(description="rules on the best variant: recall@k, mrr@k, p@k, hit@k, ndcg@k")
    ] = ()


Band = tuple[Share, Share, Share]
"""Lowest share allowed, the share asked for, highest share allowed."""


class Balance(Settings, frozen=True):
    """How a gold set is mixed, as [lowest, asked for, highest]: by choosing questions, never by relabelling one."""

    unanswerable: Annotated[Band, Meta(description="share of the set without an answer in the corpus")] = (
        0.25,
        0.30,
        0.33,
    )
    fact_single: Annotated[Band, Meta(description="share of the answerable that ask for one fact")] = (0.40, 0.46, 0.50)
    summary: Annotated[Band, Meta(description="share of the answerable that ask to sum up")] = (0.15, 0.22, 0.25)
    reasoning: Annotated[Band, Meta(description="share of the answerable that ask to reason")] = (0.10, 0.18, 0.20)
    fact_single_limit: Annotated[
        Share, Meta(description="fact_single stays below this share even where its band cannot be reached")
    ] = 0.60
    hard: Annotated[
        Share, Meta(description="least share of hard questions (difficulty 0.7 or more), of all and of the answerable")
    ] = 0.10
    keep: Annotated[
        Share, Meta(description="a band is given up, and told, if it would leave less than this share of the questions")
    ] = 0.5

    def __post_init__(self) -> None:
        for name in ("unanswerable", "fact_single", "summary", "reasoning"):
            low, aim, high = getattr(self, name)
            _require(low <= aim <= high, f"{name} must be [lowest, asked for, highest] in this order")


class GoldGate(Settings, frozen=True):
    """What differs from a gate's own severity and limits."""

    severity: Annotated[
        Literal["blocking", "warning", "off"] | None, Meta(description="blocking sets the exit code; null: its own")
    ] = None
    limits: Annotated[
        dict[str, float], Meta(description="by the names that `assay gold verify --gates` shows, as {similarity: 0.95}")
    ] = {}


class GoldOptions(Settings, frozen=True):
    """`assay gold`: questions made from chunks, checked, chosen, and gated."""

    target: Annotated[Positive, Meta(description="questions wanted")] = 600
    model: Annotated[
        str | None, Meta(description="that writes the questions, provider/model; null: file exchange alone")
    ] = None
    language: Annotated[str, Meta(description="of the questions: auto (as their chunk), en or fr")] = "auto"
    strata: Annotated[
        dict[str, str],
        Meta(description="name: pattern on the source's name, as {rules: '*rules*'}; empty: by document"),
    ] = {}
    floor: Annotated[int, Meta(ge=0, description="questions each stratum gets at least, where it can give them")] = 3
    minimum_tokens: Annotated[int, Meta(ge=0, description="a shorter chunk gets no question")] = 50
    batch_size: Annotated[int, Meta(ge=1, le=30, description="chunks in one prompt")] = 25
    per_chunk: Annotated[int, Meta(ge=1, le=3, description="answerable questions of one chunk, at most")] = 3
    oversample: Annotated[
        float, Meta(ge=1, le=5, description="candidates asked for, as a multiple of what is wanted: some are refused")
    ] = 1.4
    ask_again: Annotated[bool, Meta(description="ask once more for what is missing when too few questions pass")] = True
    balance: Balance = Balance()
    gates: Annotated[
        dict[str, GoldGate], Meta(description="changes to the gates by id, as {G5-2: {severity: warning}}")
    ] = {}


class ExtractionOptions(Settings, frozen=True):
    """`assay extract`: are the right records pulled out of a text, all of them and nothing else?"""

    samples: Annotated[str, Meta(description="folder of name.txt beside name.expected.json")] = "samples"
    system: Annotated[
        str | None,
        Meta(
            description="llm, rules, recorded, recorded:FILE, python:module:function, a URL; "
            "null: llm if there is a model, else rules"
        ),
    ] = None
    model: Annotated[str | None, Meta(description="that extracts, provider/model; null: no model is called")] = None
    prompt: Annotated[str | None, Meta(description="a prompt file of your own for llm; null: the one shipped")] = None
    record: Annotated[str | None, Meta(description="record type, a YAML file; null: calendar events")] = None
    level: Annotated[
        str | None, Meta(description="strict, moderate or relaxed for every sample; null: as each sample says")
    ] = None
    fields: Annotated[
        tuple[str, ...], Meta(description="fields that must be right beside those of the record type, as location")
    ] = ()
    workers: Annotated[Positive, Meta(description="samples at once")] = 4
    delay: Annotated[NotNegative, Meta(description="seconds from one call to the next, for free tiers")] = 0.0
    timeout: Annotated[float, Meta(gt=0, description="seconds for one call of a Python or HTTP extractor")] = 120.0
    tries: Annotated[int, Meta(ge=1, le=10, description="of one HTTP call, for faults that may pass")] = 5
    first_wait: Annotated[float, Meta(ge=0, description="seconds before the second try, then doubled")] = 2.0
    token_env: Annotated[str | None, Meta(description="environment variable with a bearer token for HTTP")] = None
    bins: Annotated[Positive, Meta(description="of the reliability curve, where confidence is a number")] = 10
    minimum: Annotated[
        Positive, Meta(description="records below which the accuracy of a level of confidence is not judged")
    ] = 10
    summary: Annotated[bool, Meta(description="let the model write what goes wrong, where there is a model")] = True
    summary_model: Annotated[str | None, Meta(description="that writes the summary; null: the one that extracts")] = (
        None
    )
    reports: Annotated[str, Meta(description="folder of the Markdown reports, benchmark_DATE.md")] = "reports"
    error_limit: Annotated[
        Share, Meta(description="share of failed samples above which the run is partial and no baseline")
    ] = 0.05
    gates: Annotated[tuple[Gate, ...], Meta(description="rules on precision, recall, f1, micro_f1, ...")] = ()


class Corpus(Settings, frozen=True):
    """One of several corpora that are checked in one call."""

    index: Annotated[str, Meta(description="its index")]
    gold: Annotated[str, Meta(description="its questions")]


class Prices(Settings, frozen=True):
    """US dollars for a million tokens."""

    input: Annotated[float, Meta(ge=0, description="prompt tokens")]
    output: Annotated[float, Meta(ge=0, description="completion tokens")]
    thinking: Annotated[NotNegative | None, Meta(description="thinking tokens; null: as output")] = None
    cached: Annotated[NotNegative | None, Meta(description="cached prompt tokens; null: as input")] = None


class ModelOptions(Settings, frozen=True):
    """How one language model is called."""

    model: Annotated[str | None, Meta(description="provider/model, where the entry has a name of its own")] = None
    base_url: Annotated[str | None, Meta(description="of the service; null: the provider's own")] = None
    api_key_env: Annotated[
        str | None, Meta(description="variable with the key; null: the provider's usual one, for its own URL alone")
    ] = None
    timeout: Annotated[float, Meta(gt=0, description="seconds for one call")] = 60.0
    workers: Annotated[
        Positive | None, Meta(description="calls at once, at most; null: as many as questions or samples at once")
    ] = None
    adaptive: Annotated[bool, Meta(description="fewer at once when the service says 429, then more again")] = True
    requests_per_minute: Annotated[Positive | None, Meta(description="limit of the account; null: none")] = None
    tokens_per_minute: Annotated[Positive | None, Meta(description="limit of the account; null: none")] = None
    tries: Annotated[int, Meta(ge=1, le=10, description="of one request, for faults that may pass")] = 5
    first_wait: Annotated[float, Meta(ge=0, description="seconds before the second try, then doubled")] = 2.0
    temperature: Annotated[NotNegative | None, Meta(description="null: not sent, for models that refuse it")] = 0.0
    max_tokens: Annotated[Positive | None, Meta(description="longest reply; null: the service decides")] = None
    seed: Annotated[int | None, Meta(description="sent to the model, where it takes one")] = None
    reasoning_effort: Annotated[str | None, Meta(description="minimal, low, medium, high, where known")] = None
    extra: Annotated[dict[str, Any], Meta(description="further parameters, sent as they are")] = {}


class LlmOptions(Settings, frozen=True):
    """Language models, written provider/model: openai/gpt-5-mini, gemini/…, anthropic/…, local/…, scripted/FILE."""

    cache: Annotated[
        Literal["record", "replay", "off"],
        Meta(description="record: a known request is not sent again; replay: nothing is sent at all; off"),
    ] = "record"
    recording: Annotated[
        str | None, Meta(description="replies kept in a file that can be committed, relative to assay.yaml")
    ] = None
    models: Annotated[
        dict[str, ModelOptions], Meta(description="settings by provider/model, or by a name of your own with `model`")
    ] = {}
    prices: Annotated[
        dict[str, Prices], Meta(description="by model, before the price library: {input, output, thinking, cached}")
    ] = {}
    max_cost: Annotated[NotNegative | None, Meta(description="US dollars after which a run stops; null: none")] = None
    max_seconds: Annotated[NotNegative | None, Meta(description="after which a run stops; null: none")] = None


THRESHOLDS = {
    "recall": 0.01,
    "page_recall": 0.01,
    "hit": 0.01,
    "mrr": 0.02,
    "pass_rate": 0.02,
    "fail_rate": 0.02,
    "acceptable_rate": 0.02,
    "partial_rate": 0.05,
    "recall_at_100": 0.01,
    "overall_score_avg": 0.1,
    "precision": 0.02,
    "f1": 0.02,
}


class Comparison(Settings, frozen=True):
    """When a difference between two runs is flagged. A regression is flagged *and* statistically real."""

    thresholds: Annotated[
        dict[str, Annotated[float, Meta(ge=0)]],
        Meta(description="smallest difference that matters, by measure (ndcg@10) or family (recall)"),
    ] = field(default_factory=lambda: dict(THRESHOLDS))
    default_threshold: Annotated[
        float, Meta(ge=0, description="of every other measure: flagged from here on, but never a regression")
    ] = 0.02
    flips: Annotated[tuple[str, ...], Meta(description="whose changes are listed question by question")] = (
        "hit@5",
        "hit@k",
        "pass_rate",
    )
    limits: Annotated[
        dict[str, NotNegative],
        Meta(
            description="largest value allowed, such as {latency_p95: 8, cost_per_question_usd: 0.01}; beyond: exit 1"
        ),
    ] = {}


class Statistics(Settings, frozen=True):
    """Intervals and tests. The seed is kept in every run."""

    confidence: Annotated[float, Meta(gt=0, lt=1, description="of the intervals")] = 0.95
    resamples: Annotated[int, Meta(ge=100, description="of bootstrap intervals")] = 2000
    permutations: Annotated[int, Meta(ge=1000, description="of the tests between runs, where not all can be tried")] = (
        10_000
    )
    cluster: Annotated[
        Literal["none", "source"],
        Meta(description="source: resample documents instead of questions"),
    ] = "none"
    alpha: Annotated[float, Meta(gt=0, lt=1, description="below this corrected p-value a difference is real")] = 0.05
    power: Annotated[float, Meta(gt=0, lt=1, description="of the smallest difference that could be shown")] = 0.80


class Config(Settings, frozen=True):
    """Everything."""

    client: Annotated[str, Meta(pattern=r"^[A-Za-z0-9_.-]+$", description="whose corpus; part of file names")] = (
        "default"
    )
    seed: Annotated[int, Meta(ge=0, description="of everything random")] = 0
    paths: Paths = Paths()
    index: IndexOptions = IndexOptions()
    embedder: EmbedderOptions = EmbedderOptions()
    retrieval: RetrievalOptions = RetrievalOptions()
    lanes: LanesOptions = LanesOptions()
    run: RunOptions = RunOptions()
    extraction: ExtractionOptions = ExtractionOptions()
    gold: GoldOptions = GoldOptions()
    llm: LlmOptions = LlmOptions()
    comparison: Comparison = Comparison()
    statistics: Statistics = Statistics()
    corpora: Annotated[
        dict[str, Corpus], Meta(description="several corpora for `assay retrieval --corpora`, each {index, gold}")
    ] = {}
    root: Annotated[str, Meta(description="folder of assay.yaml; not written by hand")] = field(default=".")

    def path(self, name: str) -> Path:
        """A path of the `paths` block, from the folder of assay.yaml."""
        value: str = getattr(self.paths, name)
        return Path(self.root) / value


FILE_NAME = "assay.yaml"


def load(path: Path | None = None) -> Config:
    """The given file, or `assay.yaml` here, or the defaults."""
    if path is None:
        path = Path(FILE_NAME)
        if not path.exists():
            return Config()
    return msgspec.structs.replace(parse(read_text(path), str(path)), root=str(path.parent))


def parse(text: str, where: str) -> Config:
    """Validated settings; a fault names file and line, and the nearest key."""
    from assay.validation import convert
    from assay.yaml_source import Source

    source = Source(text, where)
    data = _without_empty_blocks(source.data, Config())
    return convert(data, Config, source.place, hidden=frozenset({"root"}))


def _without_empty_blocks(data: Any, defaults: Settings) -> Any:
    """A block whose settings are all deleted or commented out is null in YAML: its defaults hold."""
    if data is None:
        return {}
    if not isinstance(data, dict):
        return data
    blocks = {name: value for name, value in msgspec.structs.asdict(defaults).items() if isinstance(value, Settings)}
    return {key: _without_empty_blocks(value, blocks[key]) if key in blocks else value for key, value in data.items()}
