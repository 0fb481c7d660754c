"""The benchmark of a collection: its fit, its measures, and its large index."""

import numpy
from benchmarks.corpus import Asked, fit, measure
from benchmarks.corpus_scale import scale

from cosee.artifacts.datasets.questions import Question
from cosee.retrieval.collection.rows import DocumentRows
from cosee.retrieval.collection.search import FEATURES

DOCUMENTS = [("qa", "a"), ("qa", "b"), ("qa", "c")]


def question(number: int, doc_id: str) -> Question:
    return Question(question_id=f"q{number}", doc_id=doc_id, question="Which?", evidence_pages=[2])


def test_a_feature_that_tells_gets_a_weight_and_noise_none():
    generator = numpy.random.default_rng(0)
    rows = []
    for number in range(60):
        features = numpy.zeros((len(FEATURES), 3))
        features[FEATURES.index("page")] = generator.normal(0, 1, 3)
        features[FEATURES.index("page"), number % 3] += 3
        features[FEATURES.index("title")] = generator.normal(0, 1, 3)
        rows.append(Asked(question(number, "abc"[number % 3]), {}, features, False, 0.0))
    weights = fit(rows, DOCUMENTS)
    assert weights.page > 1 and weights.page > 3 * weights.title and min(weights.vector, weights.subject) >= 0
    assert fit(rows, DOCUMENTS) == weights


def test_a_page_of_another_document_is_no_hit():
    asked = [question(1, "a"), question(2, "b")]
    found = measure(asked, {"q1": [("b", 2), ("a", 2)], "q2": []}, {"q2": ["c", "b"]})
    assert found["recall@1"] == [0.0, 0.0] and found["recall@3"] == [1.0, 0.0]
    assert found["document@1"] == [0.0, 0.0] and found["document@3"] == [1.0, 1.0]


def test_a_large_index_is_made_of_known_rows(tmp_path):
    cells = numpy.array([[0, 0, 200], [1, 0, 90], [1, 1, 80], [2, 1, 70]])
    rows = DocumentRows("A", 3, ["pump", "valve"], cells, numpy.eye(3, 4, dtype=numpy.float32))
    vector = numpy.eye(1, 4, dtype=numpy.float32)[0]
    found = scale({"a": rows}, ("x", "1", 4), [({"pump": 1.0}, vector)], 2500, tmp_path)
    assert (found["rows"], found["documents"], found["shards"]) == (2502, 834, 3)
    assert found["disk_mb"] > 0 and found["query_ms_mean"] > 0
