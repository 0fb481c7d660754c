"""One method answered with several seeds: its figures as mean and spread."""

from __future__ import annotations

import statistics
from collections.abc import Collection, Mapping, Sequence

from cosee.artifacts.results.metrics import Block, MethodMetrics, SeedGroup, Spread

FIGURES = (
    "accuracy", "f1", "answerable_accuracy", "answered_accuracy", "coverage", "exact_match", "token_f1", "anls",
    "quote_verified",
)  # fmt: skip
"""Figures of a block that are spread over seeds, beside page recall, MRR, cited pages and abstention."""


def groups_of(methods: Mapping[str, object], seeded: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Name -> labels: the seeds of one method under its name, where its first label stands; others by themselves."""
    names = {label: name for name, labels in seeded.items() if len(labels) > 1 for label in labels}
    groups: dict[str, list[str]] = {}
    for label in methods:
        groups.setdefault(names.get(label, label), []).append(label)
    return groups


def seed_groups(
    methods: Mapping[str, MethodMetrics], seeded: Mapping[str, Mapping[str, int]], measures: Collection[str] = ()
) -> list[SeedGroup]:
    """The spread of every method with several seeds; ``seeded`` is name -> label -> seed, ``measures`` further ones."""
    groups = []
    for name, seeds in seeded.items():
        labels = [label for label in methods if label in seeds]
        if len(labels) > 1:
            blocks = [_figures(methods[label].all, measures) for label in labels]
            groups.append(
                SeedGroup(
                    method=name,
                    labels=labels,
                    seeds=[seeds[label] for label in labels],
                    figures={
                        figure: spread([value for block in blocks if (value := block[figure]) is not None])
                        for figure in blocks[0]
                        if all(block.get(figure) is not None for block in blocks)
                    },
                )
            )
    return groups


def spread(values: Sequence[float]) -> Spread:
    """Mean, sample standard deviation and range of at least one value."""
    return Spread(
        mean=round(statistics.fmean(values), 6),
        sd=round(statistics.stdev(values), 6) if len(values) > 1 else None,
        low=min(values),
        high=max(values),
    )


def _figures(block: Block, measures: Collection[str] = ()) -> dict[str, float | None]:
    figures: dict[str, float | None] = {name: getattr(block, name) for name in FIGURES}
    figures |= {name: block.measures.get(name) for name in measures}
    figures |= {f"page_recall@{k}": value for k, value in block.pages.recall.items()}
    return figures | {
        "page_mrr": block.pages.mrr,
        "cited_page_f1": block.cited_pages.f1,
        "right_wrong_evidence": block.cited_pages.right_wrong_evidence,
        "abstain_precision": block.abstention.precision,
        "abstain_recall": block.abstention.recall,
        "tokens_in": block.usage.tokens_in,
        "tokens_out": block.usage.tokens_out,
    }
