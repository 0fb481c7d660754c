"""``metrics.json`` and ``metrics_summary.json``: what a run reached.

Shares are 0..1. A value that was not measured is null, never 0. Failed and missing answers score 0 and stay in
every denominator.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from cosee.artifacts.base import Artifact, Record

Cause = Literal[
    "right", "failed", "scorer", "answered_unanswerable", "extracted_wrong", "not_retrieved", "retrieved_not_read",
    "read_not_reasoned", "pages_unknown",
]  # fmt: skip
"""What became of a question: ``right``, or the stage at fault.

``failed``: there is no answer. ``scorer``: another certified scorer calls the answer right. ``answered_unanswerable``:
the document does not hold the answer, and one was given. ``extracted_wrong``: the method's own words hold the gold
answer, its short answer does not. ``not_retrieved``: a gold page that is needed was neither read nor among the first k
of the ranked pages, k the largest of recall@k. ``retrieved_not_read``: it was ranked, and not put before the model.
``read_not_reasoned``: every gold page that is needed was read. ``pages_unknown``: wrong, and the gold pages are not
known. Where any gold page will do, one is needed, else all are.
"""


class Interval(Record):
    """A 95 % bootstrap interval over documents."""

    low: float
    high: float


class Abstention(Record):
    """How well the method knows that a question has no answer."""

    unanswerable: int
    """Questions whose gold answer is an abstention."""
    abstained: int
    """Questions that the method abstained from."""
    precision: float | None = None
    """Share of its abstentions that were right; null without any."""
    recall: float | None = None
    """Share of the unanswerable questions it abstained from; null without any."""
    f1: float | None = None


class PageRetrieval(Record):
    """Ranked pages against the gold pages, over answerable questions whose gold pages are known. Keys are k."""

    questions: int
    recall: dict[str, float] = Field(default_factory=dict)
    """Mean share of the gold pages among the first k; where any gold page will do, whether one is among them."""
    recall_ceiling: dict[str, float] = Field(default_factory=dict)
    """The best recall@k that is possible with these gold pages; of hit, nDCG, precision and MRR it is 1."""
    hit: dict[str, float] = Field(default_factory=dict)
    """Share of questions with at least one gold page among the first k (hit@k)."""
    all_gold: dict[str, float] = Field(default_factory=dict)
    """Share of questions with every gold page among the first k."""
    all_gold_ceiling: dict[str, float] = Field(default_factory=dict)
    ndcg: dict[str, float] = Field(default_factory=dict)
    precision: dict[str, float] = Field(default_factory=dict)
    """Mean share of gold pages among the returned pages, at most k of them."""
    mrr: float | None = None
    """Mean of 1 / rank of the first gold page."""
    recall_interval: dict[str, Interval] = Field(default_factory=dict)


class CitedPages(Record):
    """The pages that answers cite against the gold pages: macro means over the same questions."""

    questions: int
    precision: float | None = None
    recall: float | None = None
    f1: float | None = None
    f1_interval: Interval | None = None
    right_answers: int = 0
    """Right answers among these questions."""
    right_wrong_evidence: float | None = None
    """Share of the right answers whose cited pages miss every gold page; one that cites nothing is among them."""
    unanswerable_uncited: float | None = None
    """Share of the unanswerable questions for which nothing was cited."""


class UsageMeans(Record):
    """Means a question."""

    calls: float = 0.0
    tokens_in: float = 0.0
    tokens_out: float = 0.0
    tokens_cached: float = 0.0
    images: float = 0.0


class OfficialScore(Record):
    """One measure of a published scorer on the questions that it can score, three ways (docs/scoring.md)."""

    questions: int
    strict: float
    """As published, on the answer as the method gave it."""
    normalised: float | None = None
    """As published, after our stated normalisation: one spelling of abstentions, plain numbers and lists."""
    corrected: float | None = None
    """After the normalisation, with the published scorer's faults corrected."""


class Block(Record):
    """The figures of one method on one set of questions."""

    questions: int
    """All questions of the set."""
    scored: int
    """Those with a gold answer: the denominator of every score."""
    documents: int
    statuses: dict[str, int] = Field(default_factory=dict)
    """Questions by the status of their answer: ok, partial, failed, skipped, missing."""
    accuracy: float | None = None
    """Mean of the scorer ``accuracy`` (MMLongBench-Doc's rules after a stated normalisation)."""
    accuracy_interval: Interval | None = None
    """Null for a single document, which says nothing about others."""
    f1: float | None = None
    """MMLongBench-Doc's F1: recall over answerable questions, precision over questions not abstained from."""
    f1_interval: Interval | None = None
    answerable_accuracy: float | None = None
    """Accuracy over the answerable questions only."""
    answered_accuracy: float | None = None
    """Accuracy over the answerable questions that were answered at all."""
    coverage: float | None = None
    """Share of questions with an answer that is no abstention."""
    exact_match: float | None = None
    token_f1: float | None = None
    anls: float | None = None
    constant_accuracy: float | None = None
    """Accuracy of always answering 'Not answerable' to these questions."""
    majority_accuracy: float | None = None
    """Accuracy of always giving their most frequent gold answer."""
    official: dict[str, OfficialScore] = Field(default_factory=dict)
    """``<scorer>@<version> <measure>`` -> published score."""
    abstention: Abstention
    pages: PageRetrieval
    cited_pages: CitedPages
    causes: dict[Cause, int] = Field(default_factory=dict)
    """Where answers were lost, each scored question once: ``right`` or the stage at fault (``scorer``,
    ``extracted_wrong``, ``not_retrieved``, ``retrieved_not_read``, ``read_not_reasoned`` ...)."""
    quotes: int = 0
    """Quotes given as support."""
    quote_verified: float | None = None
    """Share of the quotes that stand on the page they name."""
    unverified_places: int = 0
    """Places given as support that could not be held against the document's text, as where only a picture shows it;
    their quotes are not among ``quotes``."""
    usage: UsageMeans = UsageMeans()
    measures: dict[str, float] = Field(default_factory=dict)
    """Means of the method's own and of further registered measures, over the answers that have them."""
    measure_intervals: dict[str, Interval] = Field(default_factory=dict)
    """Of the further registered measures."""

    @property
    def failed(self) -> int:
        """Answers that failed or are missing."""
        return sum(self.statuses.get(status, 0) for status in ("failed", "skipped", "missing"))


class MeasureNote(Record):
    """What a reader must know of a registered measure."""

    description: str
    version: str
    citation: str = ""
    better: Literal["higher", "lower"] | None = None
    digits: int = Field(3, ge=0, le=6)
    """Those after the point where people read it."""


class MethodMetrics(Record):
    """One method of a run: overall, and by groups of questions."""

    all: Block
    groups: dict[str, dict[str, Block]] = Field(default_factory=dict)
    """Grouping (dataset, source_dataset, answer_format, evidence_source, evidence_pages) -> value -> figures."""
    config_hashes: list[str] = Field(default_factory=list)
    """Configuration hashes of its answers; more than one means that they were made with different settings."""
    models: list[str] = Field(default_factory=list)
    """``name@revision`` of the models that answered."""
    exit_reasons: dict[str, int] = Field(default_factory=dict)


class Comparison(Record):
    """Two methods on the same questions: accuracy of ``first`` minus accuracy of ``second``.

    A method answered with several seeds takes part once, under its name without the seed: a question's score is then
    the mean over its seeds.
    """

    first: str
    second: str
    difference: float
    interval: Interval | None = None
    """Paired bootstrap over documents; not corrected for the number of pairs."""
    first_better: int
    second_better: int
    ties: int
    first_only_right: int = 0
    """Questions that only ``first`` has right (a score of at least 0.5)."""
    second_only_right: int = 0
    mcnemar_p: float | None = None
    """Exact two-sided McNemar test of these two counts; it takes questions as independent."""
    mcnemar_p_holm: float | None = None
    """The same after Holm's correction for all pairs of the run."""


class Reference(Record):
    """A row that the methods are read against."""

    name: Literal["constant", "majority", "oracle"]
    """``constant`` always answers 'Not answerable', ``majority`` always the most frequent gold answer; ``oracle`` is
    the best method of the run that was given the gold pages."""
    method: str | None = None
    """The method of the run that gave the figures; null where they were computed from the questions alone."""
    figures: Block | None = None
    """Null where the row was not run; ``note`` says how to get it."""
    note: str = ""


class Spread(Record):
    """A figure over seeds."""

    mean: float
    sd: float | None = None
    """Sample standard deviation; null for a single seed."""
    low: float
    """The smallest value."""
    high: float


class SeedGroup(Record):
    """One method answered with several seeds."""

    method: str
    """Its name without the seed."""
    labels: list[str]
    seeds: list[int]
    figures: dict[str, Spread]
    """Figure of a block (``accuracy``, ``f1``, ``page_recall@5`` ...) -> its spread over the seeds."""


class DocumentProblem(Record):
    """A document that a stage did not process in full."""

    dataset: str
    doc_id: str
    stage: str
    status: str
    reason: str | None = None
    message: str | None = None


class DocumentCounts(Record):
    """Documents by stage and status, from the ledgers."""

    documents: int
    pages: int
    statuses: dict[str, int] = Field(default_factory=dict)
    """Documents by their worst status over all stages; one that a stage has no row for is failed."""
    stages: dict[str, dict[str, int]] = Field(default_factory=dict)
    problems: list[DocumentProblem] = Field(default_factory=list)


class Provenance(Record):
    """What the figures were made from."""

    config_hash: str
    """sha256 of the evaluation's settings, methods and datasets."""
    code_version: str
    """Start of the hash over the evaluation's code."""
    code: dict[str, str] = Field(default_factory=dict)
    """Stage -> start of the hash over its code."""
    configurations: dict[str, list[str]] = Field(default_factory=dict)
    """Method -> sha256 of the settings that its answers were made with; several where they were mixed."""
    models: dict[str, list[str]] = Field(default_factory=dict)
    """Method -> ``name@revision`` of the models that answered."""
    versions: dict[str, str] = Field(default_factory=dict)
    """Python and installed packages that decide figures -> version."""
    judge: str | None = None
    """``name@revision`` of the model that judged; null where rules alone scored."""
    evidence: str | None = None
    """``name@revision`` of the model that was asked whether evidence carries the answers; null where none was."""
    data: dict[str, str] = Field(default_factory=dict)
    """Input path below the working folder -> sha256; ``data/<dataset>/*/full.pdf`` stands for all its documents: the
    sha256 of the canonical JSON list of their ids with their sha256."""
    scorers: dict[str, str] = Field(default_factory=dict)
    """Scorer -> version and source."""
    mode: str
    """How the headline accuracy is scored, in words."""


class Metrics(Artifact):
    """``results/<run>/metrics.json``."""

    schema_name: ClassVar[str] = "cosee.metrics"
    schema_version: ClassVar[int] = 2

    run: str
    datasets: list[str]
    provenance: Provenance
    documents: DocumentCounts
    method_order: list[str]
    """The methods in the order of the configuration; methods with all their modules are read against
    the first."""
    methods: dict[str, MethodMetrics]
    measures: dict[str, MeasureNote] = Field(default_factory=dict)
    """Registered measures whose means stand in the blocks' ``measures``."""
    references: list[Reference] = Field(default_factory=list)
    seeds: list[SeedGroup] = Field(default_factory=list)
    comparisons: list[Comparison] = Field(default_factory=list)
    notes: list[str] = Field(default_factory=list)
    """What a reader must know: answers that belong to no question, doubles, mixed configurations."""


class RunSummary(Record):
    """One run in ``metrics_summary.json``."""

    datasets: list[str]
    provenance: Provenance
    documents: DocumentCounts
    methods: dict[str, Block]
    """Method -> overall figures."""
    by_source_dataset: dict[str, dict[str, Block]]
    """Method -> source dataset -> figures."""
    measures: dict[str, MeasureNote] = Field(default_factory=dict)
    references: list[Reference] = Field(default_factory=list)
    seeds: list[SeedGroup] = Field(default_factory=list)
    comparisons: list[Comparison]
    notes: list[str]
    counts: dict[str, dict[str, int]]
    """``documents`` and ``questions`` (over all methods) -> status -> number; a missing answer counts as failed."""
    failure_shares: dict[str, float]
    """``documents`` and ``questions`` -> share that is failed or skipped."""
    within_budget: bool


class MetricsSummary(Artifact):
    """``results/metrics_summary.json``, keyed by run."""

    schema_name: ClassVar[str] = "cosee.metrics_summary"
    schema_version: ClassVar[int] = 2

    failure_budget: float
    """Share of failures that is accepted, 0..1."""
    within_budget: bool
    runs: dict[str, RunSummary]
