"""M2: vectors of one document's questions, so that answering loads no embedder."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from cosee.artifacts.base import load_rows
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.documents.index import IndexManifest, MultiVectorMeta
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.settings.answer import RetrievalSettings
from cosee.artifacts.settings.index import IndexSettings
from cosee.index.page_encoding import question_vectors
from cosee.index.page_vectors import save_multi_vectors
from cosee.index.store import MANIFEST
from cosee.index.vectors import make_view, save_view
from cosee.models.calls import ModelError
from cosee.models.embedding.choice import configured_embedder, weights_advice
from cosee.models.embedding.embedders import encode_texts
from cosee.models.embedding.page_embedders import load_page_embedder
from cosee.models.embedding.rerankers import load_reranker
from cosee.models.registry import MODELS_FILE
from cosee.models.weights import lacked as weights_lacked
from cosee.pipeline.job import run_stage
from cosee.pipeline.stage import DocFolder, Part, StageFailure, StageResult
from cosee.retrieval.passage_scores import passage_scores
from cosee.retrieval.retriever import Retriever
from cosee.runs.model import entry_parts


class QuestionsStage:
    """The document's questions -> ``questions.vectors.npy`` and ``questions.meta.json``, rows by question id.

    The vectors are made by the embedder that made the document's index, in the same precision; where that has none,
    or its weights are not here, they have no rows; those of a question over several documents by the configured one,
    and no other files. With
    ``index.page_embedder`` also ``question_pages.*``, for the page-image view; with ``index.reranker`` also
    ``passage_scores.json``.
    """

    name = "questions"
    isolated = False

    def __init__(self, models_file: Path = MODELS_FILE) -> None:
        self.models_file = models_file

    def inputs(self, doc: DocFolder, settings: IndexSettings) -> Sequence[Path | Part]:
        """The questions, the tree, what is sealed over every file of the index (a reranker reads many of them), and
        the entry of the embedder where a server has it."""
        models = entry_parts(self.models_file, [settings.embedding_model])
        if doc.is_collection:
            return [doc.questions, *models]
        tree, pages = doc.data / "doctree.mm.json", doc.index / "page_vectors.meta.json"
        return [doc.questions, tree, doc.index / MANIFEST, pages, *models]

    def run(self, doc: DocFolder, settings: IndexSettings) -> StageResult:
        """Embed every question of the document."""
        try:
            indexed = None if doc.is_collection else IndexManifest.load(doc.index / MANIFEST)
            questions = load_rows(Question, doc.questions) if doc.questions.exists() else []
        except ArtifactError as error:
            raise StageFailure("bad_input", str(error)) from error
        try:
            alike = settings
            if indexed is not None:
                alike = settings.model_copy(update={"precision": indexed.precision or settings.precision})
            sparse = indexed is not None and indexed.embedder == "none"
            embedder = None if sparse else configured_embedder(alike, self.models_file)
            missing = embedder is None and not sparse and settings.embedder != "none"
            found = (embedder.name, embedder.revision, embedder.dimensions) if embedder else ("none", "", 0)
            identity = (indexed.embedder, indexed.revision, indexed.dimensions) if indexed else found
            if not sparse and not missing and found != identity:
                raise StageFailure(
                    "embedder_changed",
                    f"the index has vectors of {identity[0]} {identity[1]} with {identity[2]} dimensions, the "
                    f"configuration gives {found[0]} {found[1]} with {found[2]}; redo the index stage",
                )
            ids, texts = [each.question_id for each in questions], [each.question for each in questions]
            encode = partial(encode_texts, embedder) if embedder else None
            view = make_view("questions", ids, texts, encode, identity)
            outputs = save_view(doc.index, view)
            if not doc.is_collection:
                outputs += _page_questions(doc, settings, ids, texts)
                outputs += _passage_scores(doc, settings, questions)
        except ModelError as error:
            folders = (settings.embedder_folder, settings.page_embedder.model_path, settings.reranker.model_path)
            lacked = [f"folder:{folder}" for folder in folders if folder is not None]
            raise StageFailure("model", str(error), lacked) from error
        except ArtifactError as error:
            raise StageFailure("bad_input", str(error)) from error
        counts = {"questions": len(questions), "vectors": len(view.meta.ids)}
        if not missing:
            return StageResult(outputs=outputs, counts=counts)
        return StageResult(
            outputs=outputs,
            message=f"sparse only: its questions are searched by their words alone, for {weights_advice(settings)}",
            counts={**counts, "embedder_missing": 1},
            lacked=[weights_lacked(settings.embedder)],
        )


def _page_questions(doc: DocFolder, settings: IndexSettings, ids: list[str], texts: list[str]) -> list[Path]:
    """The questions' vectors for the page-image view, where the document's pages have vectors."""
    meta = doc.index / "page_vectors.meta.json"
    if not meta.exists():
        return []
    indexed = MultiVectorMeta.load(meta)
    embedder = load_page_embedder(settings.page_embedder)
    found = (embedder.name, embedder.revision) if embedder else ("none", "")
    if embedder is None or found != (indexed.model, indexed.revision):
        raise StageFailure(
            "embedder_changed",
            f"the pages have vectors of {indexed.model} {indexed.revision}, the configuration gives {found[0]} "
            f"{found[1]}; redo the index stage",
        )
    return save_multi_vectors(doc.index, question_vectors(embedder, ids, texts))


def _passage_scores(doc: DocFolder, settings: IndexSettings, questions: list[Question]) -> list[Path]:
    """What the reranker says of the pages that each question may need, where one is configured.

    Which pages these are is told by a search with the default settings: those of a run are not known here.
    """
    reranker = load_reranker(settings.reranker)
    path = doc.index / "passage_scores.json"
    path.unlink(missing_ok=True)
    if reranker is None:
        return []
    retriever = Retriever.load(DocTree.load(doc.data / "doctree.mm.json"), doc.index, RetrievalSettings())
    passage_scores(reranker, retriever, questions).save(path)
    return [path]


if __name__ == "__main__":
    raise SystemExit(run_stage(QuestionsStage(), IndexSettings))
