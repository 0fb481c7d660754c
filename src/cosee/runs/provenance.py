"""What a run's figures were made from, and whether it is still the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cosee.artifacts import files
from cosee.artifacts.datasets.documents import current, load_sheet
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.results.metrics import Metrics
from cosee.evaluation.ablation import strategy_of
from cosee.pipeline.code_closure import stage_code
from cosee.pipeline.paths import ANSWER_STAGE, DATA_STAGES, INDEX_STAGES, Paths
from cosee.registry import METHODS
from cosee.runs import files as run_files


def code_of(paths: Paths, run: str, methods: Sequence[str], asked: Sequence[str]) -> dict[str, str]:
    """Stage -> the first digits of the sha256 of its code, of answers with the code of these methods.

    ``asked`` are the stages after the answers in which a model was asked: ``judge``, ``evidence``.
    """
    told = run_files.method_settings(paths, run)
    strategies = {strategy_of(told, method) for method in methods} & set(METHODS.names())
    stages = (*DATA_STAGES, *INDEX_STAGES, ANSWER_STAGE, "collect", *asked, "evaluate")
    used = {ANSWER_STAGE: sorted(strategies)}
    return {stage: stage_code(stage, used.get(stage, ())).sha256[:12] for stage in stages}


def input_hashes(paths: Paths, run: str, methods: Sequence[str], datasets: Sequence[str]) -> dict[str, str]:
    """Input below its root -> sha256, named as below the default roots; the order and the shards in which the
    documents came leave no mark."""
    inputs = {f"data/{dataset}/qa/questions.jsonl": paths.question_file(dataset) for dataset in datasets}
    for method in methods:
        name = f"{run}/predictions/{method}.jsonl"
        inputs[f"results/{name}"] = paths.results / name
    hashes = {name: files.sha256_file(path) for name, path in inputs.items() if path.exists()}
    for dataset in datasets:
        present = current(load_sheet(paths.sheet(dataset)))
        hashes[f"data/{dataset}/*/full.pdf"] = files.sha256_value(
            [[doc_id, present[doc_id].sha256] for doc_id in sorted(present)]
        )
    return hashes


def stale(paths: Paths, metrics: Metrics) -> Iterator[str]:
    """What has changed since the run's figures were made, a few words each; nothing where they stand."""
    before = metrics.provenance
    try:
        now = input_hashes(paths, metrics.run, metrics.method_order, metrics.datasets)
    except ArtifactError as error:
        yield str(error)
        return
    for dataset in metrics.datasets:
        for name, words in (("qa/questions.jsonl", "the questions"), ("*/full.pdf", "the documents")):
            if now.get(f"data/{dataset}/{name}") != before.data.get(f"data/{dataset}/{name}"):
                yield f"{words} of {dataset} changed"
    answers = [
        method
        for method in metrics.method_order
        if now.get(key := f"results/{metrics.run}/predictions/{method}.jsonl") != before.data.get(key)
    ]
    if answers:
        yield f"the answers of {', '.join(answers)} changed"
    asked = [name for name in ("judge", "evidence") if getattr(before, name) is not None]
    code = code_of(paths, metrics.run, metrics.method_order, asked)
    changed = [stage for stage, sha256 in code.items() if before.code.get(stage) != sha256]
    if changed:
        yield f"the code of {', '.join(changed)} changed"


def other_runs(paths: Paths, runs: Sequence[str]) -> list[str]:
    """Runs of the results folder that have figures and are not among ``runs``, by name."""
    found = (path.parent.name for path in paths.results.glob("*/metrics.json"))
    return sorted(name for name in found if name not in runs)
