"""M2: vectors of one document's questions, so that answering loads no embedder."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from cosee.artifacts.base import load_rows
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.index import VectorMeta
from cosee.artifacts.questions import Question
from cosee.artifacts.settings.index import IndexSettings
from cosee.index.vectors import make_view, save_view
from cosee.models.base import ModelError
from cosee.models.embedders import encode_texts, load_embedder
from cosee.pipeline.job import run_stage
from cosee.pipeline.stage import DocFolder, StageFailure, StageResult


class QuestionsStage:
    """The document's questions -> ``questions.vectors.npy`` and ``questions.meta.json``, rows by question id.

    The vectors are made by the embedder that made the document's index; where that has none, they have no rows.
    """

    name = "questions"
    isolated = False

    def inputs(self, doc: DocFolder) -> Sequence[Path]:
        """The questions, and the index's own word for its embedder."""
        return [doc.questions, doc.index / "coarse.meta.json"]

    def run(self, doc: DocFolder, settings: IndexSettings) -> StageResult:
        """Embed every question of the document."""
        try:
            indexed = VectorMeta.load(doc.index / "coarse.meta.json")
            questions = load_rows(Question, doc.questions) if doc.questions.exists() else []
        except ArtifactError as error:
            raise StageFailure("bad_input", str(error)) from error
        identity = (indexed.embedder, indexed.revision, indexed.dimensions)
        try:
            embedder = None if indexed.embedder == "none" else load_embedder(settings.embedder, settings.precision)
            if indexed.embedder != "none":
                found = (embedder.name, embedder.revision, embedder.dimensions) if embedder else ("none", "", 0)
                if found != identity:
                    raise StageFailure(
                        "embedder_changed",
                        f"the index has vectors of {identity[0]} {identity[1]} with {identity[2]} dimensions, the "
                        f"configuration gives {found[0]} {found[1]} with {found[2]}; redo the index stage",
                    )
            ids, texts = [each.question_id for each in questions], [each.question for each in questions]
            encode = partial(encode_texts, embedder) if embedder else None
            view = make_view("questions", ids, texts, encode, identity)
        except (ModelError, ArtifactError) as error:
            raise StageFailure("embedder", str(error)) from error
        outputs = save_view(doc.index, view, faiss=False)
        return StageResult(outputs=outputs, counts={"questions": len(questions), "vectors": len(view.meta.ids)})


if __name__ == "__main__":
    raise SystemExit(run_stage(QuestionsStage(), IndexSettings))
