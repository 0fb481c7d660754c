"""What a job may take: memory and GPUs of a scheduler, and its share of the run's budget."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, TypeVar

from cosee.artifacts.settings.answer import RunBudget
from cosee.artifacts.settings.index import IndexSettings, PageEmbedderSettings, RerankerSettings
from cosee.models.entries import Entry, LocalEntry
from cosee.pipeline.config import Config

Job = TypeVar("Job")

JOB_MEMORY_MB = 1000
"""What a job takes beside its documents."""


@dataclass(frozen=True)
class Resources:
    """The requests of the jobs of a configuration. ``models`` are the entries of config/models.yaml."""

    config: Config
    models: Mapping[str, Entry]

    def memory_mb(self, threads: int, attempt: int) -> int:
        """Memory in MB that a parsing job asks a cluster for: half of what its documents may take, all of it next time.

        So a document over its limit costs a row, not the job: the last attempt has room for the limit.
        """
        return (self.config.limits.memory_mb + JOB_MEMORY_MB) * threads * attempt // 2

    def gpus(self, model: str | None) -> int:
        """GPUs of a job with this model of config/models.yaml.

        A model on ``device: cpu``, behind a server or none at all asks for none.
        """
        entry = self.models.get(model) if model is not None else None
        return entry.gpus if isinstance(entry, LocalEntry) else 0

    def index_gpus(self) -> int:
        """GPUs of an index job: for its summary model, its embedder, or its page embedder."""
        settings = self.config.index
        return max(self.gpus(settings.summary_model), _gpus_of(settings.page_embedder), _embedder_gpus(settings))

    def question_gpus(self) -> int:
        """GPUs of a questions job: for its embedder, its page embedder, or its reranker."""
        settings = self.config.index
        return max(_embedder_gpus(settings), _gpus_of(settings.page_embedder), _gpus_of(settings.reranker))

    def run_gpus(self, run: str) -> int:
        """GPUs of an answer job of a run."""
        settings = self.config.runs[run]
        return max(self.gpus(settings.model), self.gpus(settings.fallback_model))


def _gpus_of(model: PageEmbedderSettings | RerankerSettings) -> int:
    return int(model.model_path is not None and model.device != "cpu")


def _embedder_gpus(settings: IndexSettings) -> int:
    return int(settings.device != "cpu" and settings.embedder not in ("none", "served"))


def share_out(budget: RunBudget, questions: Mapping[Job, int]) -> dict[Job, RunBudget]:
    """Each job's share of a run's budget, by its questions.

    Whole calls and tokens add up to the budget exactly, whatever the order of ``questions``.
    """
    total = sum(questions.values())
    whole = {name: value for name in ("calls", "tokens") if (value := getattr(budget, name)) is not None}
    parts: dict[str, list[int]] = {
        name: _whole_shares(value, questions.values(), total) for name, value in whole.items()
    }
    shares = {}
    for place, (job, count) in enumerate(questions.items()):
        given: dict[str, Any] = {name: values[place] for name, values in parts.items()}
        if budget.money is not None:
            given["money"] = round(budget.money * count / total, 9) if total else 0.0
        shares[job] = RunBudget(**given)
    return shares


def _whole_shares(value: int, counts: Iterable[int], total: int) -> list[int]:
    """Whole shares of ``value`` in proportion to ``counts``: differences of rounded sums."""
    sums = [value * reached // total if total else 0 for reached in accumulate(counts, initial=0)]
    return [after - before for before, after in zip(sums, sums[1:], strict=False)]
