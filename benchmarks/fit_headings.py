"""Fits what decides which texts are headings: ``python -m benchmarks.fit_headings --truth FOLDER``.

Boosted trees (scikit-learn's histogram-based ones) over the evidence of every candidate of the set's documents, slides
left out (``benchmarks.heading_evidence``). Families are shared out over ``FOLDS`` folds; beside the package's weights,
fitted on all, ``heading_folds.json`` keeps for each fold the model that saw none of its families, so that a change of
the reader is judged by the weights that the package has and not by those of another fit.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.common import ROOT, progress
from benchmarks.heading_evidence import FOLDS, Example, examples
from benchmarks.structure_set import Reader, read_truth
from cosee.artifacts import files
from cosee.structure.headings.model import WEIGHTS, HeadingModel

SHAPE = {
    "max_iter": 150, "learning_rate": 0.08, "max_leaf_nodes": 12, "min_samples_leaf": 15, "l2_regularization": 2.0,
    "max_features": 0.2,
}  # fmt: skip
MORE = (
    "size", "above", "bolder", "listed", "colour", "typeface", "largest", "before_gap", "look_before_gap", "followed",
)  # fmt: skip
LESS = ("outranks", "ended", "commas", "lower", "unfinished", "bullet", "counted", "behind_lower", "media", "list")
"""Columns of which more never speaks against (for) a heading, so that documents unlike the set's are read sensibly."""
THRESHOLD = -1.1
"""Log odds from which a text is a heading: below 0, for many a true heading is not in the truth."""
DIGITS = 5
FOLD_MODELS = Path(__file__).parent / "heading_folds.json"


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


def fold_models(path: Path = FOLD_MODELS) -> list[HeadingModel]:
    """For each fold the model that was fitted without its families, at the same time as the package's weights."""
    return [HeadingModel.of(table) for table in files.read_json(path)["folds"]]


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.fit_headings", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--truth", type=Path, required=True, help="folder with truth/ and docs/")
    parser.add_argument("--out", type=Path, default=WEIGHTS, help="where the weights are written")
    parser.add_argument("--folds", type=Path, default=FOLD_MODELS, help="where those of the folds are written")
    parser.add_argument("--work", type=Path, default=ROOT / ".cache" / "benchmarks", help="folder for artifacts")
    options = parser.parse_args(arguments)
    documents = read_truth(options.truth)
    taught = examples(documents, Reader(options.work))
    folds = [sorted({one.truth.family for one in taught if one.fold == fold}) for fold in range(FOLDS)]
    tables = []
    for fold in range(FOLDS):
        progress("fold", fold + 1, FOLDS, "fitting")
        tables.append(fit([one for one in taught if one.fold != fold]))
    progress("", 0, 0, "")
    files.write_json(options.folds, {"folds": tables})
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
