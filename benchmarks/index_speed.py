"""How fast an index is built, loaded and searched, beside bm25s, rank_bm25 and the bare embedder.

``python -m benchmarks.index_speed --qa DIR --json OUT``. All times are CPU seconds of this process on one thread, so
that other work on the machine does not count; they stand for a core that has nothing else to do.

- ``sparse_time_vs_bm25s``, ``sparse_time_vs_rank_bm25``: our time over the peer's, for the 200 best chunks of every
  document's leaf index and every question about it. All three are given the same terms (our analyzer's) of the same
  texts, and take turns question by question; the best of several rounds counts.
- ``build_pages_per_second``: a whole index without vectors, written, read back and checked; ``embed_overhead``: one
  with vectors, nothing cached, over what sentence-transformers by itself takes for the same texts (each once).
- ``load_ms``, ``query_ms_p50``: documents of about 100 pages, with vectors; loading reads and checks every file,
  a query is a question to ranked nodes and pages.
- ``kinds``, with ``--kinds``: one of these documents with the vectors of the default and with all kinds, in one run:
  bytes and vectors, milliseconds of a build whose vectors are known, of loading and of a query.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import bm25s
import numpy
from rank_bm25 import BM25Okapi

from benchmarks.common import QaSet, argument_parser, chosen, empty_cache, print_table, write_report
from benchmarks.prepare import add_options, prepare_as_asked
from cosee.artifacts.base import load_rows
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.documents.index import SparseDoc
from cosee.artifacts.settings.answer import RetrievalSettings
from cosee.artifacts.settings.index import IndexSettings
from cosee.index.build import build_index
from cosee.index.sparse import FIELDS, SparseIndex
from cosee.index.store import load_index
from cosee.index.vectors import make_view, save_view
from cosee.models.embedding.embedders import (
    Embedder,
    SentenceTransformerEmbedder,
    encode_texts,
    load_embedder,
)
from cosee.models.embedding.thresholds import TEXT_TOKENS
from cosee.models.embedding.torch_encoder import TorchEncoder
from cosee.retrieval.retriever import Retriever
from cosee.text.tokens import analyze, query_weights

RECALL = 200
ROUNDS = 5
ABOUT_100_PAGES = (80, 130)
EMBEDDED_PAGES = 16
"""Most pages of the document that is embedded twice."""


def cpu_seconds(work: Callable[[], Any]) -> float:
    """CPU time of one call."""
    started = time.process_time()
    work()
    return time.process_time() - started


def sparse_times(documents: Sequence[SparseDoc], questions: Sequence[str]) -> dict[str, float]:
    """Peer -> seconds for all questions; the best round of each question."""
    index = SparseIndex.build(documents, FIELDS["leaf"])
    terms = [[term for name in FIELDS["leaf"] for term in analyze(getattr(each, name))] or [""] for each in documents]
    fast, plain = bm25s.BM25(), BM25Okapi(terms)
    fast.index(terms, show_progress=False)
    count = min(RECALL, len(documents))
    total = dict.fromkeys(("cosee", "bm25s", "rank_bm25"), 0.0)
    for question in questions:
        weights = query_weights(question)
        asked = list(weights)
        if not any(term in index.terms for term in asked):
            continue
        ways: dict[str, Callable[[], Any]] = {
            "cosee": lambda weights=weights: index.search(weights, count),
            "bm25s": lambda asked=asked: fast.retrieve([asked], k=count, show_progress=False),
            "rank_bm25": lambda asked=asked: numpy.argsort(-plain.get_scores(asked), kind="stable")[:count],
        }
        rounds = [{name: cpu_seconds(way) for name, way in ways.items()} for _ in range(ROUNDS)]
        for name in total:
            total[name] += min(each[name] for each in rounds)
    return total


def embed_overhead(tree: DocTree, embedder: SentenceTransformerEmbedder) -> dict[str, float]:
    """Seconds of a build with vectors, and of the bare model on the same texts."""
    with tempfile.TemporaryDirectory() as name:
        folder, settings = Path(name), IndexSettings()
        embedder.encode(["warm up"])
        with empty_cache(folder):
            build = cpu_seconds(lambda: build_index(tree, folder / "index", settings, embedder))
        index = load_index(folder / "index", tree)
        texts = {each.dense_text for each in (*index.coarse, *index.leaves, *index.rows)}
        texts |= {each.raw_text for each in index.leaves}
    ordered = sorted(texts)
    model = TorchEncoder(embedder.folder, TEXT_TOKENS, "float32", "cpu").bare_model
    bare = cpu_seconds(lambda: model.encode(ordered, normalize_embeddings=True, show_progress_bar=False))
    return {"texts": len(ordered), "build_s": build, "bare_s": bare}


def by_kinds(tree: DocTree, qa: QaSet, embedder: Embedder) -> dict[str, dict[str, float]]:
    """The document's index with the default's vectors and with all; the least of several rounds counts."""
    questions = [each for each in qa.questions if each.doc_id == tree.doc_id]
    ids, texts = [each.question_id for each in questions], [each.question for each in questions]
    identity = (embedder.name, embedder.revision, embedder.dimensions)
    found = {}
    for name, settings in {"all": IndexSettings(vectors="all"), "default": IndexSettings()}.items():
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            build_index(tree, folder, settings, embedder)
            build = min(cpu_seconds(lambda f=folder, s=settings: build_index(tree, f, s, embedder)) for _ in range(3))
            files = [path for path in folder.rglob("*") if path.is_file()]
            size, vectors = sum(path.stat().st_size for path in files), 0
            for path in folder.glob("*.vectors.npy"):
                vectors += len(numpy.load(path, mmap_mode="r"))
            save_view(folder, make_view("questions", ids, texts, partial(encode_texts, embedder), identity))
            load, times = load_and_query(tree, folder, questions)
        found[name] = {
            "bytes": size, "vectors": vectors, "build_ms": 1000 * build, "load_ms": load,
            "query_ms_p50": statistics.median(times),
        }  # fmt: skip
    return found


def load_and_query(tree: DocTree, folder: Path, questions: Sequence[Question]) -> tuple[float, list[float]]:
    """Milliseconds of loading, and of each question once every question was asked."""
    settings = RetrievalSettings()
    load = min(cpu_seconds(lambda: Retriever.load(tree, folder, settings)) for _ in range(ROUNDS))
    retriever = Retriever.load(tree, folder, settings)
    times = [
        [cpu_seconds(lambda q=q: retriever.search(q.question, question_id=q.question_id)) for q in questions]
        for _ in range(ROUNDS)
    ]
    return 1000 * load, [1000 * min(each) for each in zip(*times, strict=True)]


def main() -> int:
    """Run the benchmark."""
    parser = argument_parser(__doc__ or "")
    add_options(parser)
    parser.add_argument("--kinds", action="store_true", help="also the default's vectors beside all kinds")
    options = parser.parse_args()
    qa, documents = chosen(parser, options)
    prepared = prepare_as_asked(qa, documents, options)
    trees = {
        doc_id: DocTree.load(each.doc.data / "doctree.mm.json")
        for doc_id, each in prepared.items()
        if each.failure is None
    }
    figures: dict[str, float] = {}
    total = dict.fromkeys(("cosee", "bm25s", "rank_bm25"), 0.0)
    builds: dict[str, float] = {}
    for tree in list(trees.values())[:1]:  # what is imported at the first build is no part of it
        with tempfile.TemporaryDirectory() as name:
            build_index(tree, Path(name), IndexSettings(), None)
    for doc_id, tree in trees.items():
        leaves = load_rows(SparseDoc, prepared[doc_id].doc.index / "sparse_leaf.jsonl")
        asked = [each.question for each in qa.questions if each.doc_id == doc_id]
        for name, seconds in sparse_times(leaves, asked).items() if leaves else ():
            total[name] += seconds
        with tempfile.TemporaryDirectory() as name:
            work = lambda tree=tree, folder=Path(name): build_index(tree, folder, IndexSettings(), None)  # noqa: E731
            builds[doc_id] = cpu_seconds(work)
    if total["cosee"]:
        figures["sparse_time_vs_bm25s"] = total["cosee"] / total["bm25s"]
        figures["sparse_time_vs_rank_bm25"] = total["cosee"] / total["rank_bm25"]
    if builds:
        figures["build_pages_per_second"] = sum(len(trees[each].pages) for each in builds) / sum(builds.values())
    detail: dict[str, Any] = {"documents": len(trees), "sparse_s": total, "build_s": builds}

    long = [each for each in trees if ABOUT_100_PAGES[0] <= len(trees[each].pages) <= ABOUT_100_PAGES[1]]
    asked_of = {each: [question for question in qa.questions if question.doc_id == each] for each in long}
    measured = {each: load_and_query(trees[each], prepared[each].doc.index, asked_of[each]) for each in long}
    if measured:
        figures["load_ms"] = statistics.median(load for load, _ in measured.values())
        figures["query_ms_p50"] = statistics.median(ms for _, times in measured.values() for ms in times)
        detail["load_ms"] = {doc_id: load for doc_id, (load, _) in measured.items()}
        detail["query_ms"] = {doc_id: statistics.median(times) for doc_id, (_, times) in measured.items()}
        detail["pages"] = {doc_id: len(trees[doc_id].pages) for doc_id in measured}
    embedder = load_embedder(options.embedder, options.precision)
    if options.kinds and embedder is not None and long:
        detail["kinds"] = {"document": long[0], **by_kinds(trees[long[0]], qa, embedder)}
        print_table(["kinds", "value"], [[name, str(value)] for name, value in detail["kinds"].items()])
    short = [each for each in trees if len(trees[each].pages) <= EMBEDDED_PAGES]
    if isinstance(embedder, SentenceTransformerEmbedder) and short:
        longest = max(short, key=lambda each: (len(trees[each].pages), each))
        detail["embed"] = {"document": longest, **embed_overhead(trees[longest], embedder)}
        figures["embed_overhead"] = detail["embed"]["build_s"] / detail["embed"]["bare_s"]
    print_table(["figure", "value"], [[name, value] for name, value in sorted(figures.items())])
    write_report(options.json, "index_speed", figures, detail)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
