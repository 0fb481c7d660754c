"""The best passages of each question, read with it by a cross-encoder when M2 runs, so that answering loads none."""

from __future__ import annotations

from cosee.artifacts import files
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.documents.doctree import split_id
from cosee.artifacts.documents.index import PassageScores, QuestionPassages
from cosee.index.document_index import DocumentIndex
from cosee.index.vectors import VectorView
from cosee.models.embedding.rerankers import PassageReranker
from cosee.text.tokens import query_weights


def passage_scores(
    reranker: PassageReranker, index: DocumentIndex, questions: list[Question], vectors: VectorView
) -> PassageScores:
    """Scores of the passages that are likeliest for each question.

    Passages are leaf chunks, images and tables: the ``reranker.settings.candidates`` best of each of both by words,
    and by vectors where there are any (``vectors``: the ``questions`` view).

    Raises:
        ModelError: the reranker failed.
    """
    texts = _passages(index)
    scored: dict[str, QuestionPassages] = {}
    for question in questions:
        ids = _candidates(index, question, vectors, reranker.settings.candidates, texts)
        values = reranker.scores(question.question, [texts[each] for each in ids])
        digest = files.sha256_bytes(question.question.encode("utf-8"))
        scored[question.question_id] = QuestionPassages(
            text_sha256=digest, scores=dict(sorted(zip(ids, values, strict=True)))
        )
    return PassageScores(model=reranker.name, revision=reranker.revision, questions=scored)


def _passages(index: DocumentIndex) -> dict[str, str]:
    """Record id -> what the reranker reads: the chunk under its heading, or what an image or table is indexed by."""
    titles: dict[str | None, str] = {
        split_id(each.node_id)[0]: each.title for each in index.coarse if each.role == "section"
    }
    chunks = {
        leaf.node_id: f"{titles.get(leaf.filters['parent_section'], '')}\n{leaf.raw_text}".strip()
        for leaf in index.leaves
    }
    return chunks | {each.node_id: each.dense_text for each in index.coarse if each.role != "section"}


def _candidates(
    index: DocumentIndex, question: Question, vectors: VectorView, count: int, texts: dict[str, str]
) -> list[str]:
    terms = query_weights(question.question)
    found = [hit for part in (index.sparse_leaf, index.sparse_coarse) for hit in part.search(terms, count)]
    vector = vectors.of(question.question_id, question.question)
    if vector is not None:
        views = [index.views[name] for name in ("leaf_raw", "coarse") if name in index.views]
        found += [hit for view in views for hit in view.search(vector, count)]
    return list(dict.fromkeys(each for each, _ in found if each in texts))
