"""Several documents as one: one tree, whose pages and ids tell them apart, and one retriever, which asks each of them.

Methods read the tree and search as they do in one document. The documents stand one after the other: the pages of the
second follow the last page of the first, ``d2.p_7`` is node ``p_7`` of the second, and each document is a section of
the first level. ``CollectionRetriever.to_documents`` puts a method's answer back into the documents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import accumulate
from typing import Any

from cosee.artifacts.datasets.names import COLLECTION
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.documents.doctree import ROOT_ID, DocTree, Node
from cosee.artifacts.documents.index import DenseCoarse, DenseLeaf, GraphEdge
from cosee.artifacts.documents.unread import unread_sentences
from cosee.artifacts.results.prediction import Prediction, Retrieved
from cosee.artifacts.settings.answer import Facets
from cosee.index.document_index import DocumentIndex
from cosee.retrieval.chunks import Chunk
from cosee.retrieval.collection.rows import title_of
from cosee.retrieval.page_images import PageImageSearch, PageViewKind
from cosee.retrieval.ranking import Ranking
from cosee.retrieval.retriever import Retriever


@dataclass(frozen=True)
class Chosen:
    """A document that is searched for a question, with the chance that it holds the answer, 0..1."""

    name: str
    """As the question's dataset names it."""
    retriever: Retriever
    chance: float


class JoinedPages:
    """Where each document's pages and nodes are among those of all."""

    def __init__(self, trees: Sequence[DocTree]) -> None:
        self.trees = trees
        self.offsets = [0, *accumulate(len(tree.pages) for tree in trees)]

    def page(self, number: int, page: int) -> int:
        """The page of all for a page (1-based both) of a document, by its place."""
        return self.offsets[number] + page

    def of_page(self, page: int) -> tuple[int, int] | None:
        """A document's place and its page for a page of all (1-based both); None for no page."""
        if not 1 <= page <= self.offsets[-1]:
            return None
        number = next(place for place in range(len(self.trees)) if page <= self.offsets[place + 1])
        return number, page - self.offsets[number]

    def from_documents(self, row: Prediction, names: Sequence[str]) -> Prediction:
        """An answer about documents, in their order by name, as one about all: the reverse of a retriever's
        ``to_documents``."""
        support = []
        for piece in row.support:
            number = names.index(piece.doc_id or names[0])
            own = None if piece.node_id is None else qualified(number, piece.node_id)
            support.append(piece.model_copy(update={"node_id": own, "page": self.page(number, piece.page)}))
        read = None if row.read is None else [self.page(names.index(name), page) for name, page in row.read]
        return row.model_copy(update={"support": support, "read_pages": read})


def qualified(number: int, node_id: str) -> str:
    """The id among all for an id (with or without suffix) of a document, by its place."""
    return f"d{number + 1}.{node_id}"


def _own(node_id: str) -> str:
    """A document's own id of a node of all."""
    return node_id if node_id == ROOT_ID else node_id.partition(".")[2]


def joined_tree(documents: Sequence[tuple[str, DocTree]]) -> DocTree:
    """One tree of documents, each with its name."""
    pages = JoinedPages([tree for _, tree in documents])
    nodes: list[Node] = []
    tops = [qualified(number, tree.root.id) for number, (_, tree) in enumerate(documents)]
    infos = []
    for number, (name, tree) in enumerate(documents):
        offset = pages.offsets[number]
        for page in tree.pages:
            label = f"{name}, page {page.page_label or page.page_idx + 1}"
            infos.append(page.model_copy(update={"page_idx": page.page_idx + offset, "page_label": label}))
        top, *others = (_moved(node, number, offset) for node in tree.nodes)
        section = {"type": "section", "parent": ROOT_ID, "title": title_of(tree), "text": title_of(tree), "level": 1}
        nodes += [top.model_copy(update=section), *others]
    root = Node(id=ROOT_ID, type="document", parent=None, children=tops, page_idx=0,
                page_span=(0, max(0, len(infos) - 1)))  # fmt: skip
    language = documents[0][1].language if len({tree.language for _, tree in documents}) == 1 else None
    return DocTree.model_construct(
        doc_id=COLLECTION, title=None, language=language, pages=infos, nodes=[root, *nodes], dropped=[],
        quality=documents[0][1].quality,
    )  # fmt: skip


def _moved(node: Node, number: int, offset: int) -> Node:
    in_all = partial(qualified, number)
    first, last = node.page_span
    return node.model_copy(
        update={
            "id": in_all(node.id),
            "parent": None if node.parent is None else in_all(node.parent),
            "children": list(map(in_all, node.children)),
            "caption_ids": list(map(in_all, node.caption_ids)),
            "caption_of": None if node.caption_of is None else in_all(node.caption_of),
            "members": list(map(in_all, node.members)),
            "page_idx": node.page_idx + offset,
            "page_span": (first + offset, last + offset),
            "regions": [
                region.model_copy(update={"page_idx": region.page_idx + offset}) if offset else region
                for region in node.regions
            ],
            "level": node.level + 1,
        }
    )


@dataclass(frozen=True)
class _JoinedIndex(DocumentIndex):
    """The records and edges of the documents' indexes, for methods; what searches read stays with each document."""

    parts: Sequence[DocumentIndex] = ()

    @cached_property
    def coarse(self) -> list[DenseCoarse]:
        """The sections, figures and tables of all documents."""
        return self._all("coarse", ("node_id",))

    @cached_property
    def leaves(self) -> list[DenseLeaf]:
        """The chunks of all documents."""
        return self._all("leaves", ("node_id", "orig_node_id"))

    @cached_property
    def edges(self) -> list[GraphEdge]:
        """The edges of all documents."""
        return self._all("edges", ("src", "dst"))

    def _all(self, name: str, fields: Sequence[str]) -> list[Any]:
        return [
            record.model_copy(update={field: qualified(number, getattr(record, field)) for field in fields})
            for number, part in enumerate(self.parts)
            for record in getattr(part, name)
        ]


class _JoinedPageImages(PageImageSearch):
    """The page-image views of the documents, their scores weighted as the documents are."""

    def __init__(self, members: Sequence[tuple[PageImageSearch, float]], pages: JoinedPages) -> None:
        self._members, self._joined = members, pages

    def kind_for(self, text: str, question_id: str | None = None) -> PageViewKind:
        """That of the first document."""
        return self._members[0][0].kind_for(text, question_id)

    def scores(self, text: str, question_id: str | None = None) -> dict[int, float]:
        """0-based page of all -> its score."""
        return {
            self._joined.offsets[number] + page: score * weight
            for number, (member, weight) in enumerate(self._members)
            for page, score in member.scores(text, question_id).items()
        }


class CollectionRetriever(Retriever):
    """The retriever of several documents."""

    def __init__(self, members: Sequence[Chosen], missing: Mapping[str, str], *, in_turns: bool) -> None:
        """``members``: the documents, the likeliest first, at least one. ``missing``: documents that the question is
        about and that could not be searched -> why. ``in_turns``: the question compares them, so that each gives its
        best page before any gives its second."""
        self.members, self.missing, self.in_turns = members, missing, in_turns
        self.settings = members[0].retriever.settings
        trees = [each.retriever.tree for each in members]
        self.pages = JoinedPages(trees)
        self.tree = joined_tree([(each.name, each.retriever.tree) for each in members])
        first, *_ = indexes = [each.retriever.index for each in members]
        self.index = _JoinedIndex(
            first.folder, first.manifest, first.views, first.sparse_coarse, first.sparse_leaf, {}, indexes
        )
        best = max(each.chance for each in members) or 1.0
        self._weights = [1.0 if in_turns else each.chance / best for each in members]
        self.page_images = _JoinedPageImages(
            [(each.retriever.page_images, weight) for each, weight in zip(members, self._weights, strict=True)],
            self.pages,
        )

    def placed(self, question: Question) -> Question:
        """The question with its gold pages among those of all; those of documents that are not read are left out."""
        names = [each.name for each in self.members]
        pages = [self.pages.page(names.index(name), page) for name, page in question.gold_pages if name in names]
        return question.model_copy(update={"evidence_pages": pages, "evidence_documents": []})

    def search(
        self,
        text: str,
        *,
        question_id: str | None = None,
        channels: Sequence[str] | None = None,
        facets: Facets | None = None,
    ) -> Ranking:
        """Search each document, and rank the nodes and pages of all: a page by the chance of its document times its
        share in it."""
        found = [
            each.retriever.search(text, question_id=question_id, channels=channels, facets=facets)
            for each in self.members
        ]
        pages = [row for number, ranking in enumerate(found) for row in self._pages_of(number, ranking)]
        pages.sort(key=self._order)
        hits = [
            hit.model_copy(
                update={
                    "node_id": qualified(number, hit.node_id),
                    "page": self.pages.page(number, hit.page),
                    "score": round(hit.score * self._weights[number], 6),
                    "path": [qualified(number, each) for each in hit.path],
                }
            )
            for number, ranking in enumerate(found)
            for hit in ranking.hits
        ]
        hits.sort(key=lambda hit: (-hit.score, hit.node_id))
        return Ranking(
            hits[: max(len(ranking.hits) for ranking in found)],
            [self.pages.page(row.number, row.page) for row in pages],
            [row.score for row in pages],
            [row.parts for row in pages] if all(ranking.page_parts for ranking in found) else [],
            [row.needed for row in pages] if all(ranking.page_chances for ranking in found) else [],
            least=len(self.members) if self.in_turns else 1,
        )

    def _pages_of(self, number: int, ranking: Ranking) -> list[_Page]:
        """The pages of one document's ranking, in its order: none counts less than one that it stands before."""
        chance = 1 / len(self.members) if self.in_turns else self.members[number].chance
        scores = list(accumulate(reversed(ranking.page_scores), max))[::-1]
        parts = ranking.page_parts or [{}] * len(scores)
        # A document that is compared is needed in any case.
        document_needed = 1.0 if self.in_turns else chance
        needed = [round(document_needed * each, 6) for each in ranking.page_chances]
        needed += [0.0] * (len(scores) - len(needed))
        return [
            _Page(number, page, rank, round(chance * score, 6), each, need)
            for rank, (page, score, each, need) in enumerate(zip(ranking.pages, scores, parts, needed, strict=False))
        ]

    def _order(self, row: _Page) -> tuple[float, int, int]:
        return (row.rank, row.number, 0) if self.in_turns else (-row.score, row.number, row.rank)

    def search_chunks(
        self, text: str, *, question_id: str | None = None, channels: Sequence[str] | None = None, count: int = 10
    ) -> list[Chunk]:
        """The best chunks of all, their scores weighted as the documents are; those of compared ones in turns."""
        rows = [
            (rank, number, Chunk(
                qualified(number, each.chunk_id), qualified(number, each.node_id), self.pages.page(number, each.page),
                round(each.score * self._weights[number], 6), each.text,
            ))
            for number, member in enumerate(self.members)
            for rank, each in enumerate(
                member.retriever.search_chunks(text, question_id=question_id, channels=channels, count=count)
            )
        ]  # fmt: skip
        rows.sort(key=lambda row: (row[0], row[1]) if self.in_turns else (-row[2].score, row[1]))
        return [chunk for _, _, chunk in rows[:count]]

    def as_event(self) -> dict[str, Any]:
        """The documents as a trace tells them: where each begins among all pages, and its chance."""
        return {
            "documents": [
                {"doc_id": each.name, "first_page": 1 + offset, "chance": each.chance}
                for each, offset in zip(self.members, self.pages.offsets, strict=False)
            ],
            "missing": self.missing,
            "in_turns": self.in_turns,
        }

    def to_documents(self, row: Prediction) -> Prediction:
        """An answer about the joined tree as one about the documents: their names, pages and ids."""
        names = [each.name for each in self.members]
        retrieved = [self.pages.of_page(page) for page in row.retrieved_pages]
        read = [self.pages.of_page(page) for page in row.read_pages or ()]
        support = []
        for piece in row.support:
            number, page = self.pages.of_page(piece.page) or (0, piece.page)
            label = self.pages.trees[number].pages[page - 1].page_label
            own = None if piece.node_id is None else _own(piece.node_id)
            support.append(
                piece.model_copy(update={"doc_id": names[number], "node_id": own, "page": page, "page_label": label})
            )
        unread = row.unread and self._unread([each for each in read if each])
        missing = "; ".join(f"{name} could not be searched ({reason})" for name, reason in self.missing.items())
        row = row.model_copy(
            update={
                "doc_id": "",
                "documents": {each.name: each.chance for each in self.members},
                "support": support,
                "retrieved": [self._hit_to_document(hit, names) for hit in row.retrieved],
                "retrieved_pages": [each[1] for each in retrieved if each],
                "retrieved_documents": [names[each[0]] for each in retrieved if each],
                "read_pages": None if row.read_pages is None else [each[1] for each in read if each],
                "read_documents": [names[each[0]] for each in read if each],
                "unread": "; ".join(filter(None, [unread, missing])) or None,
            }
        )
        if missing and row.abstained and row.status == "ok":
            return row.model_copy(update={"status": "partial", "reason": "missing_documents", "confidence": None})
        return row

    def _hit_to_document(self, hit: Retrieved, names: Sequence[str]) -> Retrieved:
        number, page = self.pages.of_page(hit.page) or (0, hit.page)
        path = [_own(each) for each in hit.path]
        return hit.model_copy(
            update={"doc_id": names[number], "node_id": _own(hit.node_id), "page": page, "path": path}
        )

    def _unread(self, read: Sequence[tuple[int, int]]) -> str:
        """Of each document its pages that could not be read."""
        found = []
        for number, member in enumerate(self.members):
            own = [page for place, page in read if place == number]
            found += [f"{member.name}, {each}" for each in unread_sentences(member.retriever.tree.pages, own)]
        return "; ".join(found)


@dataclass(frozen=True)
class _Page:
    """A page of one document's ranking."""

    number: int
    page: int
    rank: int
    score: float
    parts: dict[str, float]
    needed: float
    """The chance that the question needs it."""
