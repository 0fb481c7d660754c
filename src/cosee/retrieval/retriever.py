"""The retriever of one document: from a question to ranked nodes and pages."""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from cosee.artifacts.documents.doctree import DocTree, split_id
from cosee.artifacts.documents.index import PassageScores
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.results.prediction import Retrieved
from cosee.artifacts.settings.answer import Facets, RetrievalSettings
from cosee.index.document_index import DocumentIndex
from cosee.index.features import units_in
from cosee.index.references import LabelIndex, PartIndex
from cosee.index.store import load_index
from cosee.index.vectors import VectorView, load_view
from cosee.retrieval import fusion
from cosee.retrieval.chunks import Chunk, rank_chunks
from cosee.retrieval.exclusions import EXCLUSIONS, without_excluded
from cosee.retrieval.expansion import Expander
from cosee.retrieval.intent import Intent, detect_intent
from cosee.retrieval.model_views import ModelViews, load_passage_scores
from cosee.retrieval.named_sections import named_sections
from cosee.retrieval.node_facts import DocumentFacts
from cosee.retrieval.page_chances import chances
from cosee.retrieval.page_images import PageImageSearch, load_page_vectors
from cosee.retrieval.page_index import pages_of
from cosee.retrieval.page_links import PageLinks
from cosee.retrieval.page_ranking import Named, PageRanker
from cosee.retrieval.page_weights import PageWeights
from cosee.retrieval.question_parts import merged, parts_of
from cosee.retrieval.ranking import Ranking
from cosee.retrieval.recall import Allowed, dense_recall, sparse_recall
from cosee.retrieval.rerank import Reranker
from cosee.retrieval.rewriting import Query, plain_query, rewritten_query
from cosee.retrieval.thresholds import ANCHORS, EXPANDED_HITS, NAMED_RELATIONS, RERANK_WEIGHTS
from cosee.retrieval.word_pairs import Pair

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Ranking", "Retriever"]


@dataclass(frozen=True)
class _PreparedQuestion:
    """A question made ready: no ``terms`` without the sparse channel, no ``vector`` without the dense one."""

    text: str
    intent: Intent
    terms: Mapping[str, float]
    own_terms: Mapping[str, float]
    pairs: Sequence[Pair]
    vector: np.ndarray | None
    named: Named
    channels: Sequence[str]


class Retriever:
    """Searches one document's index; see ``Retriever.load``."""

    def __init__(
        self,
        tree: DocTree,
        index: DocumentIndex,
        settings: RetrievalSettings,
        questions: VectorView | None = None,
        page_weights: PageWeights | None = None,
        page_images: PageImageSearch | None = None,
    ) -> None:
        self.tree = tree
        self.index = index
        self.settings = settings
        self._page_weights = page_weights or PageWeights()
        self._questions = questions
        self._facts = DocumentFacts(tree)
        self._labels = LabelIndex(tree, (tree.node(node_id) for node_id in index.node_ids))
        self.page_images = page_images or PageImageSearch(tree, index)
        self._model_views = ModelViews(self.page_images)
        indexed = set(index.node_ids)
        self._sections = [node for node in tree.of_type("section") if node.id in indexed]

    @classmethod
    def load(
        cls, tree: DocTree, index_folder: Path, settings: RetrievalSettings, page_weights: PageWeights | None = None
    ) -> Retriever:
        """Read and check the index of ``tree``, with the vectors of the document's questions where they are.

        What the settings leave out (sections, OCR's text) is neither in the retriever nor in its ``tree``.

        Raises:
            ArtifactError: the index is missing, damaged, of another tree, or of another embedder than the questions'.
        """
        index = load_index(index_folder, tree)
        passages = load_passage_scores(index_folder, tree)
        tree, index = without_excluded(tree, index, settings)
        page_images = PageImageSearch(tree, index, *load_page_vectors(index_folder))
        retriever = cls(tree, index, settings, page_weights=page_weights, page_images=page_images)
        if passages is not None and (settings.ocr or not any("ocr" in node.flags for node in tree.nodes)):
            retriever = retriever.with_passage_scores(passages)
        if not (index_folder / "questions.meta.json").exists():
            return retriever
        return retriever.with_questions(load_view(index_folder, "questions"), index_folder)

    def with_questions(self, questions: VectorView, folder: Path) -> Retriever:
        """The same document with the vectors of questions that M2 wrote to ``folder``.

        Raises:
            ArtifactError: they are of another embedder than the document's.
        """
        theirs = (questions.meta.embedder, questions.meta.revision, questions.meta.dimensions)
        ours = self.index.identity
        if theirs != ours:
            raise ArtifactError(
                f"{folder}: questions were embedded by {theirs[0]} {theirs[1]} with {theirs[2]} dimensions, the "
                f"document by {ours[0]} {ours[1]} with {ours[2]}; redo the questions stage"
            )
        other = copy.copy(self)
        other._questions = questions
        return other

    def with_passage_scores(self, passages: PassageScores) -> Retriever:
        """The same document with what a reranker said of its pages."""
        other = copy.copy(self)
        other._model_views = ModelViews(self.page_images, passages)
        return other

    def with_settings(self, settings: RetrievalSettings) -> Retriever:
        """The same document under other settings; what was worked out about it is shared.

        Raises:
            ValueError: they differ in what is searched at all, which is settled when the index is loaded.
        """
        if any(getattr(self.settings, name) != getattr(settings, name) for name in EXCLUSIONS):
            raise ValueError(f"{', '.join(EXCLUSIONS)} take effect where the index is loaded")
        _ = self._pages, self._expander, self._parts
        other = copy.copy(self)
        other.settings = settings
        return other

    @cached_property
    def _parts(self) -> PartIndex:
        return PartIndex(self._sections)

    @cached_property
    def _pages(self) -> PageRanker:
        return PageRanker(self.tree, self.index, self.page_images.page_index, self._page_weights)

    @cached_property
    def _expander(self) -> Expander:
        return Expander(self.tree, self.index)

    def search(
        self,
        text: str,
        *,
        question_id: str | None = None,
        channels: Sequence[str] | None = None,
        facets: Facets | None = None,
    ) -> Ranking:
        """Rank the document's nodes and pages for ``text``.

        ``question_id`` names the vector that M2 made of this very text; without it (a rewritten question) the dense
        channel is left out, since answering loads no embedder. ``channels`` restricts to some of the configured ones.
        ``facets``, else those of the settings, restrict the hits, and the pages to those with a node that passes.
        """
        facets = self.settings.facets if facets is None else facets
        asked = self._prepared(text, question_id, channels)
        found = self._ranking(asked, facets)
        if self.settings.question_parts and "sparse" in asked.channels:
            parts = [self._prepared(part, None, ["sparse"]) for part in parts_of(asked.text)]
            found = merged(found, [self._ranking(part, facets) for part in parts]) if parts else found
        wanted, only = self._wanted(channels), self._facet_test(facets) is not None
        weights = self._page_weights
        found = self._model_views.join(found, text, question_id, wanted, self.settings, weights.read, only=only)
        if not self.settings.page_views:
            return found
        return replace(found, page_chances=chances(found.page_scores, found.page_parts, weights))

    def _ranking(self, asked: _PreparedQuestion, facets: Facets) -> Ranking:
        allowed = self._facet_test(facets)
        hits = self._hits(asked, allowed)
        only = None if allowed is None else self._pages_with(allowed, facets)
        if not self.settings.page_views:
            return _pages_of_hits(self.tree, hits, only)
        ranked = self._pages.rank(self._views(asked, hits), only, linked=self.settings.second_pages)
        return Ranking(
            hits,
            [row.page_idx + 1 for row in ranked],
            [row.share for row in ranked],
            [row.parts for row in ranked],
        )

    def page_views(self, text: str, *, question_id: str | None = None) -> dict[str, np.ndarray]:
        """Each view of the pages for ``text`` that reads a page by itself, before it is weighted, in the order of the
        tree's pages."""
        asked = self._prepared(text, question_id, None)
        return self._views(asked, self._hits(asked, self._facet_test(self.settings.facets)))

    @property
    def page_links(self) -> PageLinks:
        """What pages lead to."""
        return self._pages.links

    def _views(self, asked: _PreparedQuestion, hits: Sequence[Retrieved]) -> dict[str, np.ndarray]:
        return self._pages.views(asked.terms, asked.own_terms, asked.pairs, asked.vector, asked.named, hits)

    def _wanted(self, channels: Sequence[str] | None) -> list[str]:
        return [each for each in (channels or self.settings.channels) if each in self.settings.channels]

    def _prepared(self, text: str, question_id: str | None, channels: Sequence[str] | None) -> _PreparedQuestion:
        wanted = self._wanted(channels)
        vector = self.question_vector(text, question_id) if "dense" in wanted else None
        query = plain_query(text)
        if self.settings.rewriting:
            query = rewritten_query(text, self._pages.vocabulary, finance=self.settings.finance)
        intent = detect_intent(query, self.tree)
        if not self.settings.named_places:
            intent = replace(intent, labels=(), pages=())
        return _PreparedQuestion(
            text=query.text,
            intent=intent,
            terms=query.terms if "sparse" in wanted else {},
            own_terms=query.own_terms,
            pairs=query.pairs,
            vector=vector,
            named=self._named(query, intent),
            channels=[name for name, on in (("dense", vector is not None), ("sparse", "sparse" in wanted)) if on],
        )

    def _named(self, query: Query, intent: Intent) -> Named:
        labelled = [each for mention in intent.labels for each in self._labels.resolve(mention)[:1]]
        sections = named_sections(query.text, self._sections, self._parts) if self.settings.named_places else []
        return Named(intent.pages, frozenset(labelled), frozenset(sections), query.statements)

    def _pages_with(self, allowed: Callable[[str], bool], facets: Facets) -> set[int]:
        """0-based pages in the facets' range with a node that passes."""
        first, last = facets.pages or (1, len(self.tree.pages))
        return {
            page
            for node_id in self.index.node_ids
            if allowed(node_id)
            for page in pages_of(self.tree.node(node_id))
            if first <= page + 1 <= last
        }

    def search_chunks(
        self, text: str, *, question_id: str | None = None, channels: Sequence[str] | None = None, count: int = 10
    ) -> list[Chunk]:
        """The best chunks that the settings' facets let pass, by words and vectors alone; see ``rank_chunks``."""
        wanted = self._wanted(channels)
        vector = self.question_vector(text, question_id) if "dense" in wanted else None
        allowed = self._facet_test(self.settings.facets)
        return rank_chunks(self.tree, self.index, text, vector, wanted, count, allowed)

    def question_vector(self, text: str, question_id: str | None) -> np.ndarray | None:
        """The vector that M2 made of this very text; None where it made none."""
        return None if self._questions is None else self._questions.of(question_id, text)

    def _facet_test(self, facets: Facets) -> Allowed:
        return None if facets == Facets() else _facet_test(self.tree, self.index.units, facets)

    def _hits(self, asked: _PreparedQuestion, allowed: Allowed) -> list[Retrieved]:
        """What the channels find and the question names, fused, expanded, and the best ``2 * rerank_k`` reranked; the
        best ``rerank_k`` of these."""
        limit = self.settings.recall_k
        dense = dense_recall(self.index, asked.vector, limit, allowed) if asked.vector is not None else {}
        sparse = sparse_recall(self.index, asked.terms, limit, allowed)
        nodes = asked.named.nodes | asked.named.sections
        named = frozenset(each for each in nodes if allowed is None or allowed(each))
        candidates = dict.fromkeys([*dense, *sparse, *sorted(named)])
        content = {each: sum(found[each].score for found in (dense, sparse) if each in found) for each in candidates}
        best = sorted(content, key=lambda each: (-content[each], each))[:ANCHORS]
        anchors = [self._facts.of(each) for each in best if content[each] > 0]
        prior = fusion.TreePrior(anchors)

        def score_parts(node_id: str) -> dict[str, float]:
            facts, near, match = self._facts.of(node_id), dense.get(node_id), sparse.get(node_id)
            variant = split_id(near.record_id)[1] if near else None
            affordances = self.index.affordances.get(node_id, {})
            bonus = fusion.intent_bonus(facts.node, asked.intent, affordances, variant, node_id in named)
            return {
                "dense": near.score if near else 0.0,
                "bm25f": match.score if match else 0.0,
                "tree_prior": prior.of(facts),
                "intent_bonus": bonus,
            }

        parts = {each: score_parts(each) for each in candidates}
        scores = self._fused(parts, asked.channels)
        relations = self._neighbours(scores, allowed) if self.settings.expansion else {}
        new = {each: score_parts(each) for each in relations if each not in parts}
        parts.update(new)
        # Ranks depend on all candidates, a weighted mean on the node alone.
        changed = parts if self.settings.fusion == "rrf" else new
        scores |= self._fused(changed, asked.channels)
        reranker = Reranker(asked.intent, named, anchors[0] if anchors else None)
        kept = sorted(parts, key=lambda each: (each not in named, -scores[each], each))[: 2 * self.settings.rerank_k]
        hits = [self._hit(each, scores[each], parts[each], reranker, relations.get(each, [])) for each in kept]
        hits.sort(key=lambda hit: (-hit.score, hit.node_id))
        return hits[: self.settings.rerank_k]

    def _neighbours(self, scores: Mapping[str, float], allowed: Allowed) -> dict[str, list[str]]:
        """Node -> what it is to the best of the scored nodes."""
        relations: dict[str, list[str]] = {}
        for source in sorted(scores, key=lambda each: (-scores[each], each))[:EXPANDED_HITS]:
            for node_id, relation in self._expander.neighbours(source).items():
                if allowed is None or allowed(node_id):
                    relations.setdefault(node_id, []).append(f"{relation} of {source}")
        return relations

    def _fused(self, parts: Mapping[str, Mapping[str, float]], active: Sequence[str]) -> dict[str, float]:
        if self.settings.fusion == "weighted":
            shares = fusion.factors(self.settings.weights, active)
            return {each: fusion.weighted(part, shares) for each, part in parts.items()}
        names = [name for name, channel in (("dense", "dense"), ("bm25f", "sparse")) if channel in active]
        rankings = [{each: part[name] for each, part in parts.items() if part[name] > 0} for name in names]
        ranks = fusion.reciprocal_ranks(rankings)
        return {each: ranks.get(each, 0.0) for each in parts}

    def _hit(
        self, node_id: str, fused: float, parts: dict[str, float], reranker: Reranker, relations: Sequence[str]
    ) -> Retrieved:
        facts = self._facts.of(node_id)
        reasons: list[str] = []
        score = fused
        if self.settings.rerank:
            features = reranker.features(facts, self.index.affordances.get(node_id, {}))
            score += sum(RERANK_WEIGHTS[name] * value for name, value in features.items())
            reasons = [name for name, value in features.items() if value > 0]
        return Retrieved(
            node_id=node_id,
            page=facts.node.page_idx + 1,
            score=round(score, 6),
            parts={**parts, "fused": fused},
            reasons=[*reasons, *relations[:NAMED_RELATIONS]],
            path=list(facts.sections),
        )


def _pages_of_hits(tree: DocTree, hits: Sequence[Retrieved], only: Collection[int] | None) -> Ranking:
    """Pages ranked by their best hit; ``hits`` come best first. ``only``: of these 0-based pages."""
    best: dict[int, float] = {}
    for hit in hits:
        for page in pages_of(tree.node(hit.node_id)):
            if only is None or page in only:
                best.setdefault(page + 1, hit.score)
    return Ranking(list(hits), list(best), [min(1.0, score) for score in best.values()])


def _facet_test(tree: DocTree, units: Mapping[str, set[str]], facets: Facets) -> Callable[[str], bool]:
    """Whether a node passes the facets. ``units``: node -> the units that it uses."""
    wanted_units = {unit for each in facets.units for unit in (units_in(f"1 {each}") or [each])}
    first, last = facets.pages or (1, len(tree.pages))

    def passes(node_id: str) -> bool:
        node = tree.node(node_id)
        return (
            (facets.pages is None or any(first <= page + 1 <= last for page in pages_of(node)))
            and (not facets.levels or node.level in facets.levels)
            and (not facets.roles or node.type in facets.roles)
            and (not facets.chart_types or not {node.kind, node.chart_form}.isdisjoint(facets.chart_types))
            and (not facets.units or not wanted_units.isdisjoint(units.get(node_id, ())))
        )

    return passes
