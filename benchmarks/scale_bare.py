"""The stages that work on documents as bare calls in one process, in a project folder: what `benchmarks.scale` holds
the workflow against."""

from __future__ import annotations

from pathlib import Path

from cosee.artifacts.settings.parsing import BuildSettings
from cosee.pipeline.config import read_config
from cosee.pipeline.paths import Paths
from cosee.pipeline.shards import sync_dataset
from cosee.stages.adapt import AdaptStage
from cosee.stages.answer import AnswerStage
from cosee.stages.build import BuildStage
from cosee.stages.enhance import EnhanceStage
from cosee.stages.index import IndexStage
from cosee.stages.questions import QuestionsStage


def main() -> int:
    """Run every stage over every document of the first dataset; a document that fails ends it."""
    config = read_config(Path("config/config.yaml"))
    run = next(iter(config.runs))
    dataset = config.datasets[0]
    method = config.runs[run].methods[0].label
    paths = Paths(run=run, method=method)
    documents = sorted(row.doc_id for rows in sync_dataset(paths, dataset, config.shard_pages).values() for row in rows)
    for stage, settings in (
        (AdaptStage(), config.adapt),
        (EnhanceStage(), config.enhance),
        (BuildStage(), BuildSettings()),
        (IndexStage(), config.index),
        (QuestionsStage(), config.index),
        (AnswerStage(), config.answer_settings(run, method)),
    ):
        for doc_id in documents:
            stage.run(paths.folder(dataset, doc_id), settings)  # type: ignore[attr-defined]
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
