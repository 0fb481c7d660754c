"""A method's page: its figures by kind of question, where its answers were lost, what it cost, its settings."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from cosee.artifacts import files
from cosee.artifacts.results.metrics import Block
from cosee.report.causes import CAUSES
from cosee.report.charts import Share, difference_plot, share_plot, stack
from cosee.report.index_page import GROUPINGS
from cosee.report.site import Site
from cosee.report.views import RunView


def write_all(site: Site, run: RunView) -> None:
    """Write the page of every method of a run, each linked to its neighbours."""
    order = run.metrics.method_order
    for position, name in enumerate(order):
        path = site.method_path(run.name, name)
        root = "../" * path.count("/")
        metrics = run.metrics.methods[name]
        block = metrics.all
        site.page(
            path,
            "method.html",
            run=run.name,
            name=name,
            block=block,
            failed=block.failed,
            gold=name in run.gold,
            list_href=f"{root}index.html#questions&run={quote(run.name)}&method={quote(name)}",
            previous=root + site.method_path(run.name, order[position - 1]) if position else None,
            next=root + site.method_path(run.name, order[position + 1]) if position + 1 < len(order) else None,
            place=_place(run, name),
            causes=stack(name, block.causes, CAUSES),
            groups=[
                {"name": words, "plot": _groups(metrics.groups.get(key, {}))}
                for key, words in GROUPINGS.items()
                if len(metrics.groups.get(key, {})) > 1
            ],
            recall=_recall(block),
            ks=sorted(block.pages.recall, key=int),
            comparisons=_comparisons(site, run, name, root),
            exit_reasons=metrics.exit_reasons,
            models=metrics.models,
            config_hashes=metrics.config_hashes,
            settings=_settings(run, name),
            cost=run.costs.methods.get(name) if run.costs else None,
        )


def _place(run: RunView, name: str) -> tuple[int, int]:
    """The method's place by accuracy, and of how many."""
    values = {each: run.metrics.methods[each].all.accuracy or 0.0 for each in run.metrics.method_order}
    return 1 + sum(value > values[name] for value in values.values()), len(values)


def _groups(groups: dict[str, Block]) -> Any:
    return share_plot(
        [
            Share(
                name=name,
                value=block.accuracy,
                interval=block.accuracy_interval,
                mark=block.constant_accuracy,
                note=f"{block.questions:,}",
            )
            for name, block in groups.items()
        ]
    )


def _recall(block: Block) -> Any:
    pages = block.pages
    if not pages.recall:
        return None
    return share_plot(
        [
            Share(name=f"first {k}", value=pages.recall[k], mark=pages.recall_ceiling.get(k))
            for k in sorted(pages.recall, key=int)
        ]
    )


def _comparisons(site: Site, run: RunView, name: str, root: str) -> Any:
    """This method minus each other one."""
    rows = []
    for pair in run.metrics.comparisons:
        if name not in (pair.first, pair.second):
            continue
        turned = pair.second == name
        other = pair.first if turned else pair.second
        interval = pair.interval
        if interval is not None and turned:
            interval = interval.model_copy(update={"low": -interval.high, "high": -interval.low})
        better, worse = (pair.second_better, pair.first_better) if turned else (pair.first_better, pair.second_better)
        rows.append(
            Share(
                name=other,
                value=-pair.difference if turned else pair.difference,
                interval=interval,
                href=root + site.method_path(run.name, other),
                note=f"{better}, {worse}",
            )
        )
    return difference_plot(sorted(rows, key=lambda row: -(row.value or 0.0))) if rows else None


def _settings(run: RunView, name: str) -> list[tuple[str, str]]:
    """The method's settings as (dotted name, value), defaults included, empty ones left out."""

    def flat(prefix: str, value: Any) -> list[tuple[str, str]]:
        if isinstance(value, dict):
            return [
                row for key, each in sorted(value.items()) for row in flat(f"{prefix}.{key}" if prefix else key, each)
            ]
        text = value if isinstance(value, str) else files.canonical_json(value)
        return [] if value in (None, [], "") else [(prefix, text)]

    return flat("", dict(run.settings.get(name, {})))
