"""Which pages are found for a question: CoSee and its ablation ladder beside BM25 and dense vectors over plain pages.

``python -m benchmarks.retrieval --qa DIR --json OUT``. Questions without gold pages do not count. Recall is the share
of gold pages among the first k (with evidence mode ``any``: whether there is one of them), the reciprocal rank that of
the first gold page; the ceiling is what a perfect ranking would reach, lower than 1 where a question has more gold
pages than k. Intervals are 95 % bootstrap intervals over documents, those of differences paired by question. A document
that could not be parsed counts 0 for CoSee. Every rung of the ladder adds one component to the rung above; up to
``+expansion`` pages are ranked by their best hit. ``cosee_without_ocr`` is the whole without text that was read from
pictures. ``cosee`` and what is taken off it are ranked with weights that were not fitted on the document (see
``benchmarks.folds``).

How often all pages that a question needs are given stands apart, for a fixed number of pages and for ``auto``, of
questions that need one page and of those that need several (``benchmarks.page_curve``). With ``--reranker FOLDER`` a
model reads the pages that a question may need, and ``cosee_read`` is the ranking with what it said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.common import QaSet, argument_parser, chosen, interval, print_table, signed, write_report
from benchmarks.folds import unseen_weights
from benchmarks.page_curve import READ, Given, curve, given_pages, print_curve
from benchmarks.page_peers import PEERS, PagePeers
from benchmarks.prepare import Prepared, add_options, failures, prepare_as_asked
from benchmarks.readings import add_reranker_option, load_retriever, readings
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.documents.index import PassageScores
from cosee.artifacts.settings.answer import FusionWeights, RetrievalSettings
from cosee.artifacts.settings.index import IndexSettings
from cosee.evaluation.retrieval_metrics import score_pages
from cosee.index.build import build_index
from cosee.index.store import load_index
from cosee.index.vectors import load_view
from cosee.models.embedding.embedders import Embedder, load_embedder
from cosee.retrieval.page_chances import enough
from cosee.retrieval.ranking import Ranking
from cosee.retrieval.retriever import Retriever

CUTS = (1, 3, 5, 10)
_BARE: dict[str, Any] = {
    "weights": FusionWeights(tree_prior=0, intent_bonus=0),
    "rerank": False,
    "expansion": False,
    "page_views": False,
    "rewriting": False,
    "named_places": False,
    "second_pages": False,
    "question_parts": False,
}
_LADDER: tuple[tuple[str, dict[str, Any]], ...] = (
    ("dense", {"channels": ["dense"]}),
    ("+bm25f", {"channels": ["dense", "sparse"]}),
    ("+tree_prior", {"weights": FusionWeights()}),
    ("+rerank", {"rerank": True}),
    ("+expansion", {"expansion": True}),
    ("+page_views", {"page_views": True}),
    ("+rewriting", {"rewriting": True}),
    ("+named_places", {"named_places": True}),
    ("cosee", {"second_pages": True}),
)
"""Name and what it adds; the last is the default settings."""


def ladder() -> dict[str, RetrievalSettings]:
    """The rungs, each with everything of those above it; ``cosee_sparse`` is the whole without vectors."""
    rungs: dict[str, RetrievalSettings] = {}
    values = dict(_BARE)
    for name, added in _LADDER:
        values.update(added)
        rungs[name] = RetrievalSettings(**values)
    rungs["cosee_sparse"] = rungs["cosee"].model_copy(update={"channels": ["sparse"]})
    return rungs


METHODS = (*(name for name, _ in _LADDER), "cosee_read", "cosee_sparse", "cosee_without_ocr", *PEERS)


def measures(question: Question, pages: Sequence[int]) -> dict[str, float]:
    """Every measure of one ranking."""
    scores = score_pages(pages, question.evidence_pages, CUTS, any_of=question.evidence_mode == "any")
    found = {f"recall@{k}": scores.recall[k] for k in CUTS}
    found |= {f"ndcg@{k}": scores.ndcg[k] for k in CUTS} | {f"all_gold@{k}": scores.all_gold[k] for k in CUTS}
    return {**found, "mrr": scores.reciprocal_rank}


def ceilings(question: Question) -> dict[str, float]:
    """The most that any ranking can reach."""
    scores = score_pages([], question.evidence_pages, CUTS, any_of=question.evidence_mode == "any")
    found = {f"recall@{k}": scores.recall_ceiling[k] for k in CUTS}
    return found | {f"all_gold@{k}": scores.all_gold_ceiling[k] for k in CUTS}


def run_document(
    qa: QaSet,
    doc_id: str,
    prepared: Prepared,
    embedder: Embedder | None,
    given: Given,
    read: Mapping[str, PassageScores],
) -> dict[str, dict[str, list[int]]]:
    """Question id -> method -> pages, for the questions of one document that have gold pages; what is given of them by
    the default ranking, and by the one with what a reranker ``read``, is put into ``given``."""
    asked = [each for each in qa.questions if each.doc_id == doc_id and each.evidence_pages]
    peers = PagePeers(qa.pdf(doc_id), embedder)
    found = {each.question_id: peers.rankings(each.question) for each in asked}
    rungs = {name: each for name, each in ladder().items() if embedder or each.channels != ["dense"]}
    if prepared.failure is not None:
        given |= {key: given_pages([], 0) | (given_pages([], 0, READ) if read else {}) for key in found}
        lost = (*rungs, "cosee_without_ocr", *(["cosee_read"] if read else []))
        return {key: rankings | {name: [] for name in lost} for key, rankings in found.items()}
    loaded = load_retriever(prepared)
    for name, settings in rungs.items():
        for key, pages in ranked_pages(loaded.with_settings(settings), asked).items():
            found[key][name] = pages
    given |= {key: given_pages(each.pages, enough(each.page_chances)) for key, each in ranked(loaded, asked).items()}
    for key, each in ranked(loaded.with_passage_scores(read[doc_id]), asked).items() if read else ():
        found[key]["cosee_read"] = each.pages
        given[key] |= given_pages(each.pages, enough(each.page_chances), READ)
    without = _without_ocr(doc_id, loaded.tree, prepared.doc.index, embedder)
    bare = ranked_pages(without, asked) if without else {key: rankings["cosee"] for key, rankings in found.items()}
    for key, pages in bare.items():
        found[key]["cosee_without_ocr"] = pages
    return found


def ranked(retriever: Retriever, asked: Sequence[Question]) -> dict[str, Ranking]:
    """Question id -> ranking."""
    return {each.question_id: retriever.search(each.question, question_id=each.question_id) for each in asked}


def ranked_pages(retriever: Retriever, asked: Sequence[Question]) -> dict[str, list[int]]:
    """Question id -> pages, best first."""
    return {key: found.pages for key, found in ranked(retriever, asked).items()}


def _without_ocr(doc_id: str, tree: DocTree, folder: Path, embedder: Embedder | None) -> Retriever | None:
    """A retriever of the document as it is without its OCR nodes; None where it has none."""
    nodes = [each.model_copy(update={"flags": [*each.flags, "hidden"]}) for each in tree.nodes if "ocr" in each.flags]
    if not nodes:
        return None
    hidden = {each.id: each for each in nodes}
    bare = tree.model_copy(update={"nodes": [hidden.get(each.id, each) for each in tree.nodes]})
    bare = DocTree.model_validate(bare.model_dump())
    with TemporaryDirectory() as scratch:
        build_index(bare, Path(scratch), IndexSettings(), embedder)
        index, questions = load_index(Path(scratch), bare), load_view(folder, "questions")
        return Retriever(bare, index, RetrievalSettings(), questions, unseen_weights(doc_id))


Values = dict[tuple[str, str], dict[str, list[float]]]
"""(source dataset or all, method) -> measure -> one value a question."""


def collect(qa: QaSet, rankings: Mapping[str, Mapping[str, list[int]]]) -> tuple[Values, dict[str, list[str]]]:
    """The measures of every ranking, the ceilings as method ``ceiling``, and the document of each question by group."""
    values: Values = {}
    documents: dict[str, list[str]] = {}
    for question in qa.questions:
        if question.question_id not in rankings:
            continue
        for group in (question.source_dataset or "unknown", "all"):
            documents.setdefault(group, []).append(question.doc_id)
            rows = {name: measures(question, pages) for name, pages in rankings[question.question_id].items()}
            for method, row in {**rows, "ceiling": ceilings(question)}.items():
                for name, value in row.items():
                    values.setdefault((group, method), {}).setdefault(name, []).append(value)
    return values, documents


def report(
    values: Values, documents: Mapping[str, list[str]]
) -> tuple[dict[str, float], dict[str, list[float] | None], dict[str, dict[str, Any]]]:
    """Figures ``<measure>.<group>.<method>``, their intervals, and the paired differences of cosee to each peer."""
    figures: dict[str, float] = {}
    intervals: dict[str, list[float] | None] = {}
    paired: dict[str, dict[str, Any]] = {}
    for (group, method), row in values.items():
        for name, each in row.items():
            figures[f"{name}.{group}.{method}"] = sum(each) / len(each)
            intervals[f"{name}.{group}.{method}"] = interval(each, documents[group])
    for group in documents:
        for peer in PEERS:
            for name in ("mrr", *(f"recall@{k}" for k in CUTS)):
                if (group, peer) in values and (group, "cosee") in values:
                    ours, theirs = values[group, "cosee"][name], values[group, peer][name]
                    differences = [a - b for a, b in zip(ours, theirs, strict=True)]
                    paired[f"{name}.{group}.cosee-{peer}"] = {
                        "difference": round(sum(differences) / len(differences), 6),
                        "interval": interval(differences, documents[group]),
                    }
    return figures, intervals, paired


def below_words(figures: Mapping[str, float], documents: Mapping[str, list[str]]) -> list[str]:
    """The sources of 10 or more questions where page BM25 is ahead at a cut by more than 0.02 or one question."""
    return [
        f"{group} recall@{k} {ours:.3f} / {theirs:.3f}"
        for group, owners in sorted(documents.items())
        for k in CUTS
        for ours, theirs in [(figures[f"recall@{k}.{group}.cosee"], figures[f"recall@{k}.{group}.page_bm25"])]
        if len(owners) >= 10 and theirs - ours > max(0.02, 1 / len(owners)) + 1e-9
    ]


def print_report(
    figures: Mapping[str, float],
    intervals: Mapping[str, list[float] | None],
    paired: Mapping[str, Mapping[str, Any]],
    documents: Mapping[str, list[str]],
) -> None:
    """Tables for a person."""
    names = [*(f"recall@{k}" for k in CUTS), "mrr", "ndcg@5", "all_gold@5"]
    for group in sorted(documents, key=lambda each: (each == "all", each)):
        print(f"\n{group}: {len(documents[group])} questions about {len(set(documents[group]))} documents")
        rows: list[list[str | float | int | None]] = []
        for method in (*METHODS, "ceiling"):
            if f"recall@5.{group}.{method}" in figures:
                bounds = intervals[f"recall@5.{group}.{method}"]
                span = f"{bounds[0]:.3f}-{bounds[1]:.3f}" if bounds else None
                rows.append([method, *(figures.get(f"{name}.{group}.{method}") for name in names), span])
        print_table(["method", *names, "recall@5 95 %"], rows)
    print("\nCoSee less each peer, all questions: difference and paired 95 % interval over documents")
    measured = ("recall@1", "recall@3", "recall@5", "recall@10", "mrr")
    print_table(
        ["peer", *measured],
        [
            [peer, *(signed(*paired[f"{name}.all.cosee-{peer}"].values()) for name in measured)]
            for peer in PEERS
            if f"mrr.all.cosee-{peer}" in paired
        ],
    )


def main() -> int:
    """Run the benchmark."""
    parser = argument_parser(__doc__ or "")
    add_options(parser)
    add_reranker_option(parser)
    options = parser.parse_args()
    qa, documents = chosen(parser, options)
    prepared = prepare_as_asked(qa, documents, options)
    read = readings(qa, prepared, options.reranker)
    embedder = load_embedder(options.embedder, options.precision)
    rankings: dict[str, dict[str, list[int]]] = {}
    given: Given = {}
    for doc_id in documents:
        rankings.update(run_document(qa, doc_id, prepared[doc_id], embedder, given, read))
    values, owners = collect(qa, rankings)
    figures, intervals, paired = report(values, owners)
    print_report(figures, intervals, paired, owners)
    below = below_words(figures, owners)
    print("\nSources of 10 or more questions below page BM25:", "; ".join(below) or "none")
    given_figures = curve(qa, given)
    print_curve(given_figures)
    figures |= given_figures
    detail: dict[str, Any] = {
        "questions": {group: len(each) for group, each in owners.items()},
        "documents": len(documents),
        "failed": failures(prepared),
        "reranker": next((f"{each.model} {each.revision}" for each in read.values()), "none"),
        "embedder": f"{embedder.name} {embedder.revision}" if embedder else "none",
        "intervals": intervals,
        "paired": paired,
        "below_page_bm25": below,
    }
    write_report(options.json, "retrieval", figures, detail)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
