"""M2: the index of one document from its tree."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

from cosee.artifacts.doctree import DocTree
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.settings.index import IndexSettings
from cosee.index.build import build_index
from cosee.models.base import ModelError
from cosee.models.embedders import load_embedder
from cosee.pipeline.job import run_stage
from cosee.pipeline.stage import DocFolder, StageFailure, StageResult

LOGGER = logging.getLogger(__name__)


class IndexStage:
    """``doctree.mm.json`` -> every file in ``indexes/<dataset>/<doc_id>/``.

    Where the configured model's weights are not on this machine the index is sparse only: the row stays ``ok``, counts
    ``embedder_missing``, says so in its message, and the vector files name the embedder ``none``.
    """

    name = "index"
    isolated = False

    def inputs(self, doc: DocFolder) -> Sequence[Path]:
        """The tree."""
        return [doc.data / "doctree.mm.json"]

    def run(self, doc: DocFolder, settings: IndexSettings) -> StageResult:
        """Build, write and check the index."""
        try:
            tree = DocTree.load(doc.data / "doctree.mm.json")
        except ArtifactError as error:
            raise StageFailure("no_tree", str(error)) from error
        try:
            embedder = load_embedder(settings.embedder, settings.precision)
            outputs, counts = build_index(tree, doc.index, settings, embedder)
        except ModelError as error:
            raise StageFailure("embedder", str(error)) from error
        except ArtifactError as error:
            raise StageFailure("index_unsound", str(error)) from error
        message = None
        if embedder is None and settings.embedder != "none":
            counts["embedder_missing"] = 1
            message = (
                f"sparse only: the weights of {settings.embedder!r} are not here; fetch them with "
                f"'python -m cosee.models.weights --fetch {settings.embedder}' and redo the index stage"
            )
            LOGGER.warning("%s: %s", doc.doc_id, message)
        return StageResult(outputs=outputs, message=message, counts=counts)


if __name__ == "__main__":
    raise SystemExit(run_stage(IndexStage(), IndexSettings))
