"""What the vocabulary of finance is worth, out of fold by document.

``python -m benchmarks.finance_folds --qa DIR --json OUT``. The vocabulary was written while looking at such questions,
so that its worth on them flatters it. ``fold``: an entry counts for a document only if questions of another document
name it too. Intervals are 95 % bootstrap intervals over documents, of the difference to ``off``, paired by question.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping
from unittest.mock import patch

from benchmarks.common import argument_parser, chosen, print_table, write_report
from benchmarks.prepare import prepare
from benchmarks.retrieval import measures
from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.settings.answer import RetrievalSettings
from cosee.retrieval import finance
from cosee.retrieval.retriever import Retriever

WAYS = ("off", "on", "fold")
MEASURES = ("recall@1", "recall@5", "mrr")
RESAMPLES, SEED = 2000, 0
Scores = dict[str, dict[str, dict[str, float]]]
"""Way -> question id -> measure -> value."""


def differences(scores: Scores, of_document: Mapping[str, str], way: str, measure: str) -> list[float]:
    """Sorted means of the difference to ``off`` over resampled documents."""
    gains: dict[str, list[float]] = defaultdict(list)
    for question, values in scores[way].items():
        gains[of_document[question]].append(values[measure] - scores["off"][question][measure])
    draw, documents, means = random.Random(SEED), sorted(gains), []
    for _ in range(RESAMPLES):
        drawn = [gain for document in draw.choices(documents, k=len(documents)) for gain in gains[document]]
        means.append(sum(drawn) / len(drawn))
    return sorted(means)


def main() -> int:
    """Search every question in three ways."""
    parser = argument_parser((__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--precision", default="float32", help="as index.precision")
    options = parser.parse_args()
    qa, documents = chosen(parser, options)
    named = [{each.doc_id for each in qa.questions if entry[0].search(each.question)} for entry in finance.KNOWN]
    scores: Scores = {way: {} for way in WAYS}
    prepared = prepare(qa, documents, options.work, precision=options.precision)
    for doc_id, made in prepared.items():
        asked = [each for each in qa.questions if each.doc_id == doc_id and each.evidence_pages]
        if made.failure is not None:
            for way in WAYS:
                scores[way] |= {each.question_id: measures(each, []) for each in asked}
            continue
        tree = DocTree.load(made.doc.data / "doctree.mm.json")
        loaded = Retriever.load(tree, made.doc.index, RetrievalSettings())
        others = [entry for entry, where in zip(finance.KNOWN, named, strict=True) if where - {doc_id}]
        for way in WAYS:
            retriever = loaded.with_settings(RetrievalSettings(finance=way != "off"))
            with patch.object(finance, "KNOWN", others if way == "fold" else finance.KNOWN):
                for each in asked:
                    found = retriever.search(each.question, question_id=each.question_id)
                    scores[way][each.question_id] = measures(each, found.pages)
    of_document = {each.question_id: each.doc_id for each in qa.questions}
    figures: dict[str, float] = {}
    for way in WAYS:
        for measure in MEASURES:
            values = [each[measure] for each in scores[way].values()]
            figures[f"{measure}.{way}"] = sum(values) / len(values)
            if way != "off":
                means = differences(scores, of_document, way, measure)
                figures[f"{measure}.{way}.gain"] = figures[f"{measure}.{way}"] - figures[f"{measure}.off"]
                figures[f"{measure}.{way}.gain_low"] = means[int(0.025 * RESAMPLES)]
                figures[f"{measure}.{way}.gain_high"] = means[int(0.975 * RESAMPLES)]
    print_table(["figure", "value"], [[name, value] for name, value in sorted(figures.items())])
    write_report(options.json, "finance_folds", figures, {"questions": len(scores["off"]), "documents": len(documents)})
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
