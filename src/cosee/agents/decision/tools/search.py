"""Searches: by the text of the document's index, and by how its pages look."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

from pydantic import Field

from cosee.agents.decision.pages import page_object
from cosee.agents.decision.results import Error, Result
from cosee.agents.decision.thresholds import MAX_QUERY_CHARACTERS
from cosee.agents.decision.tool import Inputs, Output, Services, Tool, in_thread, tool
from cosee.agents.decision.tools.thresholds import MAX_PAGES_SKIPPED, SEARCH_RESULTS, VISUAL_RESULTS
from cosee.agents.decision.tree_data import TreeData
from cosee.agents.reading import search
from cosee.retrieval.ranking import Ranking


class SearchInputs(Inputs):
    """What to search for."""

    query: str = Field(
        min_length=1, max_length=MAX_QUERY_CHARACTERS, description="What to search for, in words of the document."
    )


class TextSearchInputs(SearchInputs):
    """What to search for, and how far down."""

    skip: int = Field(0, ge=0, le=MAX_PAGES_SKIPPED, description="Results to pass over: 5 gives the next five.")


@tool(
    "fast_vector_search",
    order=10,
    description="Quick search over the text and tables of the document. Use for facts, values, definitions, names.",
    status="Searching text chunks...",
    inputs=TextSearchInputs,
)
class FastVectorSearch(Tool):
    """The document's text and tables, by its dense and sparse index."""

    async def __call__(self, tree_data: TreeData, inputs: dict[str, Any]) -> AsyncIterator[Output]:
        """The best results, each the page that it stands on; or a recoverable error."""
        query, context = str(inputs["query"]), self.services.context
        ranking = await in_thread(_search, self.services, query)
        tree, first = context.tree, int(inputs["skip"])
        relevance = {hit.node_id: hit.score for hit in ranking.hits}
        told = context.client.told_of_document(self.services.question.question, [node.text for node in tree.nodes])
        found = [
            page_object(tree, page, relevance, score=score, found={**told, "rank": rank})
            for rank, (page, score) in enumerate(zip(ranking.pages, ranking.page_scores, strict=True), start=1)
            if score > 0 and rank > first
        ][: 2 * SEARCH_RESULTS]
        objects = [value for value in found if value is not None][:SEARCH_RESULTS]
        if not objects:
            what = "No further" if first else "No"
            yield Error(f"{what} text results for: {query}", suggestion="Try colqwen_visual_search, or broader words")
            return
        self.services.rankings.append(ranking)
        yield Result(
            objects,
            {"query": query, "source": tree.doc_id, "page": objects[0]["page_number"]},
            "text_results",
            "chunks",
            "Found {num_objects} text chunks for '{query}'. Top result from page {page}.",
        )


@tool(
    "colqwen_visual_search",
    order=20,
    description="Visual search over whole pages. Use for diagrams, charts, figures, layout and photographs; slower "
    "than fast_vector_search. What the pages show is then told by visual_interpretation.",
    status="Searching pages by their look...",
    inputs=SearchInputs,
)
class ColQwenVisualSearch(Tool):
    """Pages by their pictures, where the index has page vectors, else by the words that were read on them."""

    async def __call__(self, tree_data: TreeData, inputs: dict[str, Any]) -> AsyncIterator[Output]:
        """The three best pages with the names of their pictures; or a recoverable error."""
        query, services = str(inputs["query"]), self.services
        question, tree = services.question, services.context.tree
        question_id = question.question_id if query == question.question else None
        pages = services.context.retriever.page_images
        found = await in_thread(pages.search, query, question_id, VISUAL_RESULTS)
        if not found:
            yield Error(f"No visual matches for: {query}", suggestion="Try fast_vector_search for text content")
            return
        services.rankings.append(Ranking([], [page for page, _ in found], [score for _, score in found]))
        objects = [
            {
                "page_number": page,
                "page_label": tree.pages[page - 1].page_label,
                "image_path": services.context.page_image(page).name,
                "score": round(score, 6),
            }
            for page, score in found
        ]
        numbers = ", ".join(str(page) for page, _ in found)
        yield Result(
            objects,
            {
                "query": query,
                "source": tree.doc_id,
                "page_numbers": numbers,
                "kind": pages.kind_for(query, question_id),
            },
            "visual_pages",
            "colqwen_pages",
            "Found {num_objects} pages with visual matches for '{query}'. Pages: {page_numbers}.",
        )


def most_recent_pages(tree_data: TreeData) -> list[Mapping[str, Any]]:
    """The pages of the last visual search."""
    entries = tree_data.environment.find(ColQwenVisualSearch.name, "visual_pages")
    return list(entries[-1]["objects"]) if entries else []


def _search(services: Services, query: str) -> Ranking:
    """The question's own words are searched as every method does; others have no vector and are searched as words."""
    question, context = services.question, services.context
    return search(question, context) if query == question.question else context.retriever.search(query)
