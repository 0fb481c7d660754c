"""M2: the index of one document from its tree."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.settings.index import IndexSettings, PageEmbedderSettings
from cosee.index.build import build_index
from cosee.index.page_encoding import page_vectors
from cosee.index.page_vectors import save_multi_vectors
from cosee.models.base import VLMClient
from cosee.models.calls import ModelError
from cosee.models.embedding.choice import configured_embedder, weights_advice
from cosee.models.embedding.page_embedders import load_page_embedder
from cosee.models.journal import JournaledClient
from cosee.models.registry import MODELS_FILE, load_models, open_client
from cosee.models.weights import lacked as weights_lacked
from cosee.pipeline.job import run_stage
from cosee.pipeline.stage import DocFolder, Part, StageFailure, StageResult
from cosee.runs.model import entry_parts

LOGGER = logging.getLogger(__name__)


class IndexStage:
    """``doctree.mm.json`` -> every file in ``indexes/<dataset>/<doc_id>/``.

    Where the configured model's weights are not on this machine the index is sparse only: the row stays ``ok``, counts
    ``embedder_missing``, says so in its message, and ``index.meta.json`` names the embedder ``none``. A row whose
    vectors were computed in bfloat16 counts ``bfloat16``.

    With ``index.summaries: llm`` a model writes summaries; its calls are journaled in
    ``indexes/<dataset>/.journal/index/``. With ``index.page_embedder`` the pages' pictures get vectors; a page that
    cannot be rendered has none, and the row's message says which.
    """

    name = "index"
    isolated = False

    def __init__(self, models_file: Path = MODELS_FILE) -> None:
        self.models_file = models_file
        self._clients: dict[str, VLMClient] = {}

    def inputs(self, doc: DocFolder, settings: IndexSettings) -> Sequence[Path | Part]:
        """The tree, the PDF whose pages a page embedder sees, and the entries of models that write or embed."""
        models = entry_parts(self.models_file, [settings.summary_model, settings.embedding_model])
        return [doc.data / "doctree.mm.json", doc.data / "full.pdf", *models]

    def run(self, doc: DocFolder, settings: IndexSettings) -> StageResult:
        """Build, write and check the index."""
        try:
            tree = DocTree.load(doc.data / "doctree.mm.json")
        except ArtifactError as error:
            raise StageFailure("no_tree", str(error)) from error
        try:
            embedder = configured_embedder(settings, self.models_file)
            outputs, counts = build_index(tree, doc.index, settings, embedder, self._summary_client(doc, settings))
            messages = []
            if settings.page_embedder.model_path is not None:
                pictures, seen, warnings = _page_vectors(doc, tree, settings.page_embedder)
                outputs, counts, messages = [*outputs, *pictures], {**counts, "pages_seen": seen}, warnings[:3]
        except ModelError as error:
            raise StageFailure("model", str(error), _folders(settings)) from error
        except ArtifactError as error:
            raise StageFailure("index_unsound", str(error)) from error
        lacked: list[str] = []
        if embedder is not None and embedder.precision == "bfloat16":
            counts["bfloat16"] = 1
        if embedder is None and settings.embedder != "none":
            counts["embedder_missing"] = 1
            lacked.append(weights_lacked(settings.embedder))
        for message in messages:
            LOGGER.warning("%s: %s", doc.doc_id, message)
        if lacked:
            messages.append(f"sparse only: it is searched by its words alone, for {weights_advice(settings)}")
        return StageResult(outputs=outputs, message="; ".join(messages) or None, counts=counts, lacked=lacked)

    def _summary_client(self, doc: DocFolder, settings: IndexSettings) -> VLMClient | None:
        """The journaled client of ``summary_model``, opened on first use; None where no model writes summaries."""
        name = settings.summary_model
        if name is None:
            return None
        if name not in self._clients:
            self._clients[name] = open_client(name, load_models(self.models_file))
        return JournaledClient(self._clients[name], doc.index.parent / ".journal" / self.name / f"{doc.doc_id}.jsonl")


def _folders(settings: IndexSettings) -> list[str]:
    """The folders of models that the settings name, of which one may not be there yet."""
    named = (settings.embedder_folder, settings.page_embedder.model_path)
    return [f"folder:{folder}" for folder in named if folder is not None]


def _page_vectors(doc: DocFolder, tree: DocTree, settings: PageEmbedderSettings) -> tuple[list[Path], int, list[str]]:
    """The files of the page-image view, the pages that have vectors, and warnings."""
    embedder = load_page_embedder(settings)
    assert embedder is not None
    vectors, warnings = page_vectors(embedder, doc.data / "full.pdf", [page.page_idx for page in tree.pages])
    return save_multi_vectors(doc.index, vectors), len(vectors.meta.ids), warnings


if __name__ == "__main__":
    raise SystemExit(run_stage(IndexStage(), IndexSettings))
