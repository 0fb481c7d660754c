"""Every ``ix-*`` case, and every key of what it expects."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest
from benchmarks.small_embedder import small_embedder
from helpers.index_trees import TreeBuilder

from cosee.artifacts import files
from cosee.artifacts.base import load_rows
from cosee.artifacts.documents.index import SparseDoc
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.settings.index import IndexSettings
from cosee.index.build import build_index
from cosee.index.sparse import FIELDS, SparseIndex
from cosee.index.store import load_index
from cosee.index.vectors import make_view
from cosee.text.tokens import analyze, query_weights

CASES = Path(__file__).parents[2] / "cases"
INDEX_CASES = sorted(path.parent.name for path in CASES.glob("ix-*/expected.json"))


def search(documents: list[SparseDoc], text: str) -> dict[str, float]:
    return dict(SparseIndex.build(documents, FIELDS["leaf"]).search(query_weights(text), 100))


def inputs(folder: Path) -> list[list[SparseDoc]]:
    return [load_rows(SparseDoc, path) for path in sorted(folder.glob("*.jsonl"))]


def asked(folder: Path) -> list[tuple[list[SparseDoc], dict[str, Any]]]:
    queries = json.loads((folder / "expected.json").read_text())["expect"].get("queries", [])
    return [(load_rows(SparseDoc, folder / query.get("file", "nodes.jsonl")), query) for query in queries]


def check_queries(folder: Path, value: Any, out: Path) -> None:
    rules: dict[str, Callable[[dict[str, float], Any], bool]] = {
        "top": lambda hits, top: list(hits)[:1] == [top],
        "hits": lambda hits, names: sorted(hits) == names,
        "order": lambda hits, names: [name for name in hits if name in names] == names,
        "hits_include": lambda hits, names: set(names) <= set(hits),
        "hits_exclude": lambda hits, names: not set(names) & set(hits),
        "top_score_gt": lambda hits, least: next(iter(hits.values())) > least,
        "min_score_gt": lambda hits, least: min(hits.values()) > least,
    }
    for documents, query in asked(folder):
        hits = search(documents, query["q"])
        wanted = {name: each for name, each in query.items() if name not in ("q", "file")}
        assert {name: rules[name](hits, each) for name, each in wanted.items()} == dict.fromkeys(wanted, True), query


def check_nonnegative(folder: Path, value: Any, out: Path) -> None:
    for documents, query in asked(folder):
        scores = SparseIndex.build(documents, FIELDS["leaf"]).scores(query_weights(query["q"]))
        assert (scores >= 0).all()


def check_monotone(folder: Path, value: Any, out: Path) -> None:
    """One more matching term in the query, or in the document, never lowers a document's score."""
    for documents, query in asked(folder):
        index, terms = SparseIndex.build(documents, FIELDS["leaf"]), query_weights(query["q"])
        before = numpy.zeros(len(documents))
        for count in range(1, len(terms) + 1):
            after = index.scores(dict(list(terms.items())[:count]))
            assert (after >= before).all()
            before = after
        for place, document in enumerate(documents):
            fuller = [*documents]
            fuller[place] = document.model_copy(update={"body": f"{document.body} {query['q']}"})
            assert SparseIndex.build(fuller, FIELDS["leaf"]).scores(terms)[place] >= before[place]


def check_never_raises(folder: Path, value: Any, out: Path) -> None:
    for documents in inputs(folder):
        for text in ("", "???", "valve", "\u200b", "%"):
            search(documents, text)


def check_artifacts_written(folder: Path, value: Any, out: Path) -> None:
    for number, documents in enumerate(inputs(folder)):
        build = TreeBuilder()
        for document in documents:
            build.leaf(document.id, document.body)
        tree = build.build()
        written, _ = build_index(tree, out / str(number), IndexSettings(), small_embedder())
        assert all(path.is_file() for path in written)
        assert load_index(out / str(number), tree).sparse_leaf.search({"valv": 1.0}, 5) is not None


def check_same_analyzer(folder: Path, value: Any, out: Path) -> None:
    for documents in inputs(folder):
        for document in documents:
            assert set(query_weights(document.body)) <= set(analyze(document.body))
            assert document.id in search(documents, document.body)


def check_batches(folder: Path, sizes: list[int], out: Path) -> None:
    (documents,) = inputs(folder)
    texts = [document.body for document in documents]
    whole = small_embedder().encode(texts)
    for size in sizes:
        parts = [small_embedder().encode(texts[start : start + size]) for start in range(0, len(texts), size)]
        assert (numpy.concatenate(parts) == whole).all()


def check_order_irrelevant(folder: Path, value: Any, out: Path) -> None:
    for documents, query in asked(folder):
        assert list(search(documents, query["q"]).items()) == list(search(documents[::-1], query["q"]).items())


def check_bytes(folder: Path, value: Any, out: Path) -> None:
    (documents,) = inputs(folder)
    paths = [SparseIndex.build(documents, FIELDS["leaf"]).save(out / name, "leaf") for name in "ab"]
    assert [files.sha256_file(path) for path in paths[0]] == [files.sha256_file(path) for path in paths[1]]


def check_scenarios(folder: Path, value: Any, out: Path) -> None:
    for scenario in json.loads((folder / "scenarios.json").read_text()):
        check_scenario(scenario)


def check_scenario(case: dict[str, Any]) -> None:
    """No id that is not there (FAISS gives -1 where it finds too few, which numpy reads as the last row)."""
    random = numpy.random.default_rng(0)
    rows = random.normal(size=(case["vectors"], 2 * case["dim"]))
    vectors = rows[:, ::2] if "layout" in case else rows[:, : case["dim"]]
    ids = [f"n{number}" for number in range(case["vectors"])]
    identity = ("test", "1", case["dim"])
    if "nan_row" in case:
        vectors[case["nan_row"]] = numpy.nan
        with pytest.raises(ArtifactError, match=f"n{case['nan_row']} is not finite"):
            make_view("coarse", ids, ids, lambda texts: vectors, identity)
        return
    if "zero_row" in case:
        vectors[case["zero_row"]] = 0
    view = make_view("coarse", ids, ids, lambda texts: vectors, identity)
    for _ in range(case.get("queries", 3)):
        query = random.normal(size=case.get("query_dim", case["dim"]))
        if "query_dim" in case:
            with pytest.raises(ArtifactError, match=r"16 dimensions.* 8 dimensions made by test"):
                view.search(query, case.get("k", 5))
            continue
        hits = view.search(query, case.get("k", 5))
        assert len(dict(hits)) == min(case.get("k", 5), case["vectors"])
        assert all(name in ids and numpy.isfinite(score) for name, score in hits)
        if "layout" in case:
            plain = numpy.ascontiguousarray(vectors, dtype=numpy.float32)
            assert hits == make_view("coarse", ids, ids, lambda texts, rows=plain: rows, identity).search(query, 5)
        if "zero_row" in case:
            assert dict(hits)[f"n{case['zero_row']}"] == 0


CHECKS: dict[str, Callable[[Path, Any, Path], None]] = {
    "queries": check_queries,
    "scores_nonnegative": check_nonnegative,
    "monotone_in_matches": check_monotone,
    "never_raises": check_never_raises,
    "artifacts_written": check_artifacts_written,
    "same_analyzer_for_index_and_query": check_same_analyzer,
    "batch_sizes_equal": check_batches,
    "input_order_irrelevant": check_order_irrelevant,
    "bytes_equal_between_runs": check_bytes,
    "no_id_minus_one": check_scenarios,
    "last_node_never_returned_for_minus_one": check_scenarios,
}


@pytest.mark.parametrize("name", INDEX_CASES)
def test_case(name: str, tmp_path: Path) -> None:
    # contract: D52, D53
    expect = json.loads((CASES / name / "expected.json").read_text())["expect"]
    assert len(INDEX_CASES) >= 5 and set(expect) <= set(CHECKS)
    for key, value in expect.items():
        CHECKS[key](CASES / name, value, tmp_path)


VARIANTS = {
    "magnitude": (
        "Sales came to 7.25 billion dollars.",
        ["7.25bn", "$7.25B", "7.25 billion", "7,25 Mrd"],
        ["7.5", "25"],
    ),
    "thousands": ("Headcount 12,480 at year end", ["12480", "12 480", "12,480", "12.480,0"], ["1248", "2480"]),
    "percent": ("Margin rose to 41.7 per cent", ["41.7%", "41.7 %", "41.7 percent", "41,7 Prozent"], ["417"]),
    "identifier": (
        "See form ZK-88/7a and main_loop.py",
        ["ZK-88/7a", "zk-88", "main_loop.py", "main_loop"],
        ["887"],
    ),
    "chinese": ("全年净利润大幅增长", ["净利润", "利润增长", "增长"], ["亏损"]),
    "japanese": ("売上高は前年より減少した", ["売上高", "減少"], ["増加"]),
    "thai": ("รายได้รวมของบริษัท", ["รายได้"], ["กำไร"]),
    "accents": ("Crédit à l’économie, naïve Übung in Łódź", ["credit", "ECONOMIE", "naive", "ubung"], ["ecole"]),
    "cyrillic": ("Чистая прибыль за год", ["ПРИБЫЛЬ", "чистая прибыль"], ["убыток"]),
    "arabic": ("بلغت الإيرادات مستوى قياسيًا", ["قياسيا"], ["خسارة"]),
    "full width": ("ＡＢＣ社の売上は１２３億円", ["ABC", "123"], ["456"]),
    "units": ("Flow of 15kg/h at 60 Hz", ["15 kg", "60Hz", "kg/h"], ["150", "5"]),
}


@pytest.mark.parametrize("name", VARIANTS)
def test_other_texts_of_the_same_kinds(name: str) -> None:
    text, found, missed = VARIANTS[name]
    documents = [SparseDoc(id="a", role="paragraph", body=text), SparseDoc(id="b", role="paragraph", body="none of it")]
    assert {query: "a" in search(documents, query) for query in found} == dict.fromkeys(found, True)
    assert {query: "a" in search(documents, query) for query in missed} == dict.fromkeys(missed, False)
