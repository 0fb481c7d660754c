"""Fits what decides which texts are headings: ``python -m benchmarks.fit_headings --truth ../shared/structure``.

Boosted trees (scikit-learn's histogram-based ones) over the evidence of every candidate of the set's documents, slides
left out. Families are shared out over ``FOLDS`` folds; ``fold_models`` gives for each fold the model that saw none of
its families.

Candidates that pair with the truth are headings. The others are none where the truth is complete; where it is not,
those alone that are set like the body and carry no number. What stands before the first true heading and is set off
(title, abstract, heading of the contents) counts neither way, for authors do not list it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.common import ROOT
from benchmarks.doctree_headings import Title, compare
from benchmarks.doctree_read import progress
from benchmarks.structure_set import Reader, Truth, fold_of, read_truth
from cosee.artifacts import files
from cosee.artifacts.documents.content import ContentList
from cosee.structure.enhance import enhance
from cosee.structure.headings.candidate import Candidate
from cosee.structure.headings.model import WEIGHTS, HeadingModel

FOLDS = 5
SHAPE = {
    "max_iter": 150, "learning_rate": 0.08, "max_leaf_nodes": 12, "min_samples_leaf": 15, "l2_regularization": 2.0,
    "max_features": 0.2,
}  # fmt: skip
MORE = ("size", "above", "bolder", "listed")
LESS = ("outranks", "ended", "commas", "lower", "unfinished", "bullet", "counted", "behind_lower", "media", "list")
"""Columns of which more never speaks against (for) a heading, so that documents unlike the set's are read sensibly."""
CUT = 3
"""Pages of the parts that are learned from beside the whole document."""
TYPICAL = 60
"""Candidates from which a document's weight grows with their root alone, so that long ones do not decide all."""
THRESHOLD = -1.25
"""Log odds from which a text is a heading: below 0, for many a true heading is not in the truth."""
DIGITS = 5


@dataclass
class Example:
    """The candidates of one document: their evidence, whether they are headings, and the weight of each."""

    truth: Truth
    candidates: Sequence[Candidate]
    rows: Sequence[Mapping[str, float]]
    labels: list[bool]
    weights: list[float]

    @property
    def fold(self) -> int:
        """The fold of the document's family."""
        return fold_of(self.truth.family, FOLDS)


class _Recorder(HeadingModel):
    """Keeps what a document's candidates look like, and takes none of them."""

    seen: tuple[Sequence[Candidate], Sequence[Mapping[str, float]]] = ((), ())

    def scores(self, candidates: Sequence[Candidate], rows: Sequence[Mapping[str, float]]) -> list[float]:
        """Nothing is a heading."""
        object.__setattr__(self, "seen", (candidates, rows))
        return [-1.0] * len(rows)


def example(truth: Truth, adapted: ContentList) -> Example:
    """What one document teaches."""
    recorder = _Recorder([], 0.0, 0.0, [], [])
    enhance(adapted, heading_model=recorder)
    candidates, rows = recorder.seen
    titles = [Title(candidate.text, candidate.item.page_idx + 1, 1) for candidate in candidates]
    found = {id(title) for _, title in compare(truth.headings, titles).pairs}
    labels = [id(title) in found for title in titles]
    share = min(1.0, TYPICAL / max(1, len(rows))) ** 0.5
    first = labels.index(True) if any(labels) else 0
    weights = []
    for index, (label, row) in enumerate(zip(labels, rows, strict=True)):
        plain = abs(row["size"] - 1.0) < 0.05 and not row["bolder"] and not row["upper"]
        unnumbered = not row["number_depth"]
        known = label or (plain if index < first else truth.complete or (plain and unnumbered))
        weights.append(share if known else 0.0)
    return Example(truth, candidates, rows, labels, weights)


def cut(truth: Truth, adapted: ContentList, start: int) -> tuple[Truth, ContentList]:
    """``CUT`` pages of a document as one of its own: short documents have few likes to tell a heading by."""
    pages = range(start, start + CUT)
    part = adapted.model_copy(
        update={
            "pages": [
                page.model_copy(update={"page_idx": page.page_idx - start})
                for page in adapted.pages[start : pages.stop]
            ],
            "items": [
                item.model_copy(update={"page_idx": item.page_idx - start, "regions": []})
                for item in adapted.items
                if item.page_idx in pages and all(region.page_idx in pages for region in item.regions)
            ],
            "dropped": [],
        }
    )
    kept = [replace(title, page=title.page - start) for title in truth.headings if title.page - 1 in pages]
    return replace(truth, headings=kept), part


def examples(documents: Sequence[Truth], reader: Reader) -> list[Example]:
    """What the documents teach, those that cannot be read left out."""
    found = []
    for number, truth in enumerate(documents, start=1):
        progress("evidence", number, len(documents), truth.doc_id)
        adapted = reader.adapted(truth.pdf)
        if isinstance(adapted, ContentList):
            middle = len(adapted.pages) // 2
            parts = [(truth, adapted), *(cut(truth, adapted, start) for start in (0, middle, middle + CUT))]
            found += [one for part in parts if part[0].headings and (one := example(*part)).rows]
    progress("", 0, 0, "")
    return found


def fit(taught: Sequence[Example]) -> dict[str, Any]:
    """The table of a model."""
    import numpy as np
    from sklearn.ensemble import HistGradientBoostingClassifier

    columns = list(taught[0].rows[0])
    values = np.array([[row[name] for name in columns] for one in taught for row in one.rows])
    labels = np.array([label for one in taught for label in one.labels])
    weights = np.array([weight for one in taught for weight in one.weights])
    known = weights > 0
    directions = [(name in MORE) - (name in LESS) for name in columns]
    model = HistGradientBoostingClassifier(random_state=0, early_stopping=False, monotonic_cst=directions, **SHAPE)
    model.fit(values[known], labels[known], sample_weight=weights[known])
    return {
        "columns": columns,
        "base": round(float(model._baseline_prediction.ravel()[0]), DIGITS),
        "threshold": THRESHOLD,
        "trees": [_tree(one[0].nodes) for one in model._predictors],
    }


def _tree(nodes: Any) -> dict[str, Any]:
    inner = [n for n in range(len(nodes)) if not nodes[n]["is_leaf"]]
    leaves = [n for n in range(len(nodes)) if nodes[n]["is_leaf"]]
    place = {n: at for at, n in enumerate(inner)} | {n: -1 - at for at, n in enumerate(leaves)}
    return {
        "nodes": [
            [
                int(nodes[n]["feature_idx"]), round(float(nodes[n]["num_threshold"]), DIGITS),
                place[int(nodes[n]["left"])], place[int(nodes[n]["right"])],
            ]
            for n in inner
        ],
        "leaves": [round(float(nodes[n]["value"]), DIGITS) for n in leaves],
    }  # fmt: skip


def fold_models(documents: Sequence[Truth], reader: Reader) -> list[HeadingModel]:
    """For each fold the model fitted without its families; kept below the reader's folder."""
    taught = examples(documents, reader)
    key = files.sha256_value(
        [
            [[one.truth.doc_id, one.labels, one.weights, [list(row.values()) for row in one.rows]] for one in taught],
            files.sha256_file(Path(__file__)),
        ]
    )
    path = reader.work / "structure" / f"folds-{key[:16]}.json"
    if not path.exists():
        tables = []
        for fold in range(FOLDS):
            progress("fold", fold + 1, FOLDS, "fitting")
            tables.append(fit([one for one in taught if one.fold != fold]))
        progress("", 0, 0, "")
        files.write_json(path, {"folds": tables})
    return [HeadingModel.of(table) for table in files.read_json(path)["folds"]]


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.fit_headings", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--truth", type=Path, required=True, help="folder with truth/ and docs/")
    parser.add_argument("--out", type=Path, default=WEIGHTS, help="where the weights are written")
    parser.add_argument("--work", type=Path, default=ROOT / ".cache" / "benchmarks", help="folder for artifacts")
    options = parser.parse_args(arguments)
    documents = read_truth(options.truth)
    taught = examples(documents, Reader(options.work))
    folds = [sorted({one.truth.family for one in taught if one.fold == fold}) for fold in range(FOLDS)]
    table = {
        "fitted_by": "python -m benchmarks.fit_headings",
        "documents": len(taught),
        "candidates": sum(len(one.rows) for one in taught),
        "folds": folds,
        **fit(taught),
    }
    options.out.parent.mkdir(exist_ok=True)
    options.out.write_text(_plain(table), encoding="utf-8", newline="\n")
    return 0


def _plain(table: Mapping[str, Any]) -> str:
    """JSON with a line for each tree."""
    head = json.dumps({name: value for name, value in table.items() if name != "trees"}, indent=1)
    trees = ",\n".join(json.dumps(tree, separators=(",", ":")) for tree in table["trees"])
    return f'{head[:-2]},\n "trees": [\n{trees}\n]}}\n'


if __name__ == "__main__":
    sys.exit(main())
