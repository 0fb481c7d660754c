"""What the tree is worth: the same retrieval over the same documents in other representations.

``python -m benchmarks.representation --qa DIR --json OUT``. ``flat`` is each page's text as PyMuPDF gives it, a
paragraph a page; ``tree`` ours; ``tree_without_headings`` ours with every heading a paragraph; ``mineru`` and
``docling`` are taken in from files in the form of MinerU 2.5 and docling-core 1.10 that hold our reading
(``foreign_forms``), so that they show what those forms and their importers keep, not what the tools would read.

Each has an index with the same settings and is asked the same questions. Page recall is as in ``retrieval``. A gold
place is where the answer's words stand on a gold page, for answers of three characters or more; ``box@5`` is the share
of questions where a box of one of the first five hits holds the middle of one, ``area@5`` how many pages these boxes
cover together. Tokens are those of the first five pages as a reader is given them, four characters each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pymupdf

from benchmarks.common import QaSet, argument_parser, chosen, interval, print_table, signed, write_report
from benchmarks.foreign_forms import docling_form, mineru_form
from benchmarks.prepare import Prepared, add_options, failures, is_prepared, prepare_as_asked
from benchmarks.quoted_words import Words, folded, words_of
from benchmarks.retrieval import CUTS, measures
from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.documents.content import ContentItem, ContentList
from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.settings.answer import RetrievalSettings
from cosee.artifacts.settings.index import IndexSettings
from cosee.index.build import build_index
from cosee.index.store import load_index
from cosee.index.vectors import load_view
from cosee.models.blocks import estimate_tokens
from cosee.models.embedding.embedders import Embedder, load_embedder
from cosee.models.evidence import page_evidence
from cosee.models.messages import evidence_message
from cosee.parse.docling import content as docling
from cosee.parse.mineru import content_list as mineru
from cosee.retrieval.ranking import Ranking
from cosee.retrieval.retriever import Retriever
from cosee.structure.enhance import enhance
from cosee.structure.tree.tree_builder import build_tree

HITS, PAGES = 5, 5
SHORTEST = 3
"""Characters of an answer whose place on the page says anything."""
MEASURES = (*(f"recall@{k}" for k in CUTS), "mrr", "all_gold@5", "box@5", "area@5", "tokens")


def flat(content: ContentList, pdf: Path) -> ContentList:
    """A paragraph a page, of the page's text in PyMuPDF's order."""
    with pymupdf.open(pdf) as document:
        texts = [page.get_text() for page in document]
    items = [
        ContentItem(id=f"t_{page}", role="paragraph", text=text, page_idx=page, bbox=(0.0, 0.0, 1.0, 1.0))
        for page, text in enumerate(texts[: len(content.pages)])
        if text.strip()
    ]
    return content.model_copy(update={"items": items, "dropped": [], "title": None, "outline": []})


def without_headings(content: ContentList, _: Path) -> ContentList:
    """Every heading a paragraph."""
    items = [
        item.model_copy(update={"role": "paragraph", "level": None} if item.role == "heading" else {})
        for item in content.items
    ]
    return content.model_copy(update={"items": items})


def from_mineru(content: ContentList, _: Path) -> ContentList:
    """Through MinerU's form and M1."""
    read = mineru.adapt(mineru_form(content), content.doc_id, pages=content.pages, has_image=lambda _: True)
    return enhance(read.model_copy(update={"title": content.title, "outline": content.outline}))


def from_docling(content: ContentList, _: Path) -> ContentList:
    """Through docling's form and M1."""
    read = docling.adapt(docling_form(content), content.doc_id, pages=content.pages)
    return enhance(read.model_copy(update={"title": content.title, "outline": content.outline}))


OTHERS: dict[str, Callable[[ContentList, Path], ContentList]] = {
    "flat": flat,
    "tree_without_headings": without_headings,
    "mineru": from_mineru,
    "docling": from_docling,
}
"""Representation -> what makes it of our enhanced content list and the PDF; ``tree`` is the list as it is."""
METHODS = ("flat", "tree", "tree_without_headings", "mineru", "docling")


def retrievers(
    prepared: Prepared, pdf: Path, embedder: Embedder | None, settings: IndexSettings, scratch: Path
) -> Iterator[tuple[str, Retriever]]:
    """(representation, its retriever) of one document; indexes of the others are written below ``scratch``."""
    folder = prepared.doc.data
    content = ContentList.load(folder / "content_list.enhanced.json")
    questions = load_view(prepared.doc.index, "questions") if embedder else None
    yield "tree", Retriever.load(DocTree.load(folder / "doctree.mm.json"), prepared.doc.index, RetrievalSettings())
    for name, make in OTHERS.items():
        tree = build_tree(make(content, pdf))
        build_index(tree, scratch / name, settings, embedder)
        yield name, Retriever(tree, load_index(scratch / name, tree), RetrievalSettings(), questions)


def run_document(
    qa: QaSet, doc_id: str, prepared: Prepared, embedder: Embedder | None, settings: IndexSettings
) -> dict[str, dict[str, dict[str, float]]]:
    """Question id -> representation -> measures, for the questions of one document that have gold pages."""
    asked = [each for each in qa.questions if each.doc_id == doc_id and each.evidence_pages]
    places = {each.question_id: gold_places(each, qa.rows[each.question_id], qa.pdf(doc_id)) for each in asked}
    found: dict[str, dict[str, dict[str, float]]] = {each.question_id: {} for each in asked}
    with TemporaryDirectory() as scratch:
        for name, retriever in retrievers(prepared, qa.pdf(doc_id), embedder, settings, Path(scratch)):
            for each in asked:
                ranking = retriever.search(each.question, question_id=each.question_id)
                row = measures(each, ranking.pages)
                row |= box_measures(retriever.tree, ranking, places[each.question_id])
                row["tokens"] = float(tokens_given(retriever.tree, each.question, ranking.pages[:PAGES]))
                found[each.question_id][name] = row
    return found


def tokens_given(tree: DocTree, question: str, pages: Sequence[int]) -> int:
    """Tokens of a prompt with these pages' text, 1-based."""
    return estimate_tokens([evidence_message(question, evidence=[page_evidence(tree, page) for page in pages])])


def box_measures(tree: DocTree, ranking: Ranking, places: Mapping[int, Sequence[BBox]]) -> dict[str, float]:
    """Whether a box of the first hits holds the middle of a gold place, and the area of these boxes in pages."""
    if not places:
        return {}
    boxes: dict[int, list[BBox]] = {}
    for hit in ranking.hits[:HITS]:
        node = tree.node(hit.node_id)
        for region in node.regions:
            boxes.setdefault(region.page_idx, []).append(region.bbox)
    held = any(
        geometry.center_inside(place, box)
        for page, found in places.items()
        for place in found
        for box in boxes.get(page - 1, ())
    )
    return {"box@5": float(held), "area@5": sum(geometry.union_area(each) for each in boxes.values())}


def gold_places(question: Question, row: Mapping[str, Any], pdf: Path) -> dict[int, list[BBox]]:
    """1-based gold page -> the boxes in which an answer's words stand there, one after the other; empty: nowhere."""
    answers = row.get("answer")
    wanted = [
        [plain for part in text.split() if (plain := folded(part))]
        for text in (answers if isinstance(answers, list) else [answers])
        if isinstance(text, str) and len(text) >= SHORTEST
    ]
    found: dict[int, list[BBox]] = {}
    for page in question.evidence_pages:
        words = words_of(pdf, page)
        boxes = [box for each in wanted if each for box in _runs(words, each)]
        if boxes:
            found[page] = boxes
    return found


def _runs(words: Words, wanted: Sequence[str]) -> list[BBox]:
    """Boxes of the runs of words that are the wanted ones."""
    size = len(wanted)
    return [
        geometry.union(box for box, _ in words[start : start + size])
        for start in range(len(words) - size + 1)
        if [text for _, text in words[start : start + size]] == list(wanted)
    ]


def report(
    qa: QaSet, rows: Mapping[str, Mapping[str, Mapping[str, float]]]
) -> tuple[dict[str, float], dict[str, Any], dict[str, int]]:
    """Figures ``<measure>.<representation>``, the paired differences of the tree to each other one with intervals,
    and how many questions each measure has."""
    owner = {each.question_id: each.doc_id for each in qa.questions}
    figures: dict[str, float] = {}
    paired: dict[str, Any] = {}
    counts: dict[str, int] = {}
    for name in MEASURES:
        asked = [key for key, row in rows.items() if all(name in row[method] for method in METHODS)]
        counts[name] = len(asked)
        for method in METHODS if asked else ():
            values = [rows[key][method][name] for key in asked]
            figures[f"{name}.{method}"] = sum(values) / len(values)
            differences = [rows[key]["tree"][name] - rows[key][method][name] for key in asked]
            ends = interval(differences, [owner[key] for key in asked])
            if method != "tree" and ends:
                paired[f"{name}.tree-{method}"] = [round(sum(differences) / len(differences), 6), *ends]
    return figures, paired, counts


def main() -> int:
    """Run the benchmark."""
    parser = argument_parser(__doc__ or "")
    add_options(parser, precision="auto")
    parser.add_argument("--prepared", action="store_true", help="only documents that the work folder has an index of")
    parser.add_argument("--every", type=int, default=1, help="every Nth document by id (default: 1, all)")
    options = parser.parse_args()
    qa, documents = chosen(parser, options)
    documents = sorted(documents)[:: options.every]
    if options.prepared:
        documents = [each for each in documents if is_prepared(qa.pdf(each), options.work)]
    embedder = load_embedder(options.embedder, options.precision)
    settings = IndexSettings(embedder=options.embedder, precision=options.precision)
    rows: dict[str, dict[str, dict[str, float]]] = {}
    prepared = prepare_as_asked(qa, documents, options)
    failed = failures(prepared)
    for doc_id in documents:
        if doc_id not in failed:
            rows |= run_document(qa, doc_id, prepared[doc_id], embedder, settings)
    figures, paired, counts = report(qa, rows)
    print(f"{len(rows)} questions with gold pages about {len(documents) - len(failed)} documents")
    print_table(
        ["representation", *MEASURES],
        [[method, *(figures.get(f"{name}.{method}") for name in MEASURES)] for method in METHODS],
    )
    print("\nThe tree less each other one: difference and paired 95 % interval over documents")
    shown = ("recall@1", "recall@5", "recall@10", "mrr", "box@5", "tokens")
    differences = {
        method: [paired.get(f"{name}.tree-{method}") for name in shown] for method in METHODS if method != "tree"
    }
    print_table(
        ["representation", *shown],
        [
            [method, *(signed(each[0], each[1:]) if each else None for each in row)]
            for method, row in differences.items()
        ],
    )
    detail = {"questions": counts, "documents": documents, "failed": failed, "paired": paired}
    write_report(options.json, "representation", figures, detail)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
