"""The benchmark of figures' and tables' words: each switch takes out or adds what it names, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.media_words import METHODS, group_of, report, variant
from tests.helpers.docling_documents import handbook, node, ref, said, where

from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.documents.content import PageInfo
from cosee.artifacts.settings.answer import RetrievalSettings
from cosee.artifacts.settings.index import IndexSettings
from cosee.index.build import build_index
from cosee.index.store import load_index
from cosee.parse.docling import content as docling
from cosee.retrieval.retriever import Retriever
from cosee.structure.enhance import enhance
from cosee.structure.tree.tree_builder import build_tree
from cosee.text.tokens import query_weights

PAGES = [PageInfo(page_idx=n, width=400, height=600) for n in range(2)]
SETTINGS = IndexSettings(embedder="none")


@pytest.fixture
def whole(tmp_path: Path) -> Retriever:
    raw = handbook()
    raw["texts"].append(node("texts/17", "text", [where(40, 300, 300, 320, 2)], **said("Table 1 tells of salinity.")))
    raw["body"]["children"].append(ref("texts/17"))
    tree = build_tree(enhance(docling.adapt(raw, "doc", pages=PAGES)))
    build_index(tree, tmp_path, SETTINGS, None)
    return Retriever(tree, load_index(tmp_path, tree), RetrievalSettings())


def found(retriever: Retriever, word: str) -> set[str]:
    """Types of the nodes that a word finds."""
    index, terms = retriever.index, query_weights(word)
    hits = [*index.sparse_coarse.search(terms, 9), *index.sparse_leaf.search(terms, 9)]
    return {retriever.tree.node(each.split("#")[0]).type for each, _ in hits}


@pytest.mark.parametrize(
    ("name", "word", "before", "after"),
    [
        ("captions", "rates", {"table", "caption"}, {"table"}),
        ("figure_words", "inlet", {"image", "caption"}, {"caption", "image"}),
        ("figure_words", "valve", {"image"}, set()),
        ("table_heads", "North", {"table"}, set()),
        ("table_heads", "4.1", {"table"}, {"table"}),
        ("table_cells", "4.1", {"table"}, set()),
        ("+mentions", "salinity", {"paragraph"}, {"paragraph", "table"}),
    ],
)
def test_each_switch_takes_out_or_adds_what_it_names(
    whole: Retriever, name: str, word: str, before: set[str], after: set[str]
) -> None:
    def media(types: set[str]) -> set[str]:
        return types - {"section"}

    assert media(found(whole, word)) == before
    assert media(found(variant(whole, name, SETTINGS, None), word)) == after


def test_questions_are_told_apart_by_their_evidence_and_compared_in_pairs() -> None:
    assert group_of({"evidence_sources": ["Table", "Pure-text (Plain-text)"]}) == "media"
    assert group_of({"evidence_sources": ["unlabelled"]}) == group_of({}) == "text"
    asked = [Question(question_id=key, doc_id=key, question="?") for key in ("a", "b", "c")]
    empty = {f"recall@{k}": 0.0 for k in (1, 3, 5, 10)} | {"mrr": 0.0}
    rows = {key: {name: dict(empty) for name in METHODS} for key in ("a", "b", "c")}
    rows["a"]["whole"]["recall@5"] = 1.0
    figures, paired = report(asked, {"a": "media", "b": "text", "c": "media"}, rows)
    assert figures["recall@5.media.whole"] == 0.5 and paired["recall@5.media.captions-whole"][0] == -0.5
    assert figures["recall@5.text.whole"] == 0.0
