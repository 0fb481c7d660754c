"""Headings and their levels on documents whose structure is known, judged by family.

``python -m benchmarks.structure --truth FOLDER --json OUT``

The truth (``truth/<doc_id>.json`` beside ``docs/<doc_id>.pdf``) are the author's bookmarks or tags that are printed on
their pages. Both are taken out of the files before they are read; ``--outline`` leaves them in, which is the second
figure, also given for the files alone that carry bookmarks (those cut out of longer ones carry none). Titles are paired
as in ``doctree_headings``. A document's figures:

- ``recall``: share of the true titles that are found. What is listed and is the caption of a figure or table is no
  heading, unless it is found as one; ``recall_listed`` misses it;
- ``levels``: share of the found ones with the right level, after one shift for the whole document;
- ``precision`` and ``f1``: where the truth is complete (its ``coverage`` is ``full``) and at least a quarter of what is
  found is listed. What stands before the first heading that is listed is left out (title, abstract, the heading of the
  contents: authors do not list them); ``precision_strict`` counts it as false.

Figures are means over documents, for all of them, by genre, language and family, and for those families of which no
document was opened by whoever shaped the rules (``OPENED`` names the others). What is fitted
(``benchmarks.fit_headings``) reads each document with the weights that were fitted without its family. Nothing is read
by OCR.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.common import ROOT, mean, print_table, progress, write_report
from benchmarks.doctree_headings import Comparison, Title, compare, describe, headings_of
from benchmarks.fit_headings import fold_models
from benchmarks.heading_evidence import FOLDS
from benchmarks.structure_set import Reader, Truth, fold_of, read_truth
from cosee.structure.captions.labels import caption_label
from cosee.structure.enhance import enhance
from cosee.structure.tree.tree_builder import build_tree

OPENED = frozenset(
    {
        "0xcorolaire", "1252803058", "annualreport-a3f4ca", "annualreport-d603c4", "arbimaps10", "bquast", "brangpt",
        "cmu-senate", "doxygen-otf2", "gaia-unal", "gobo7793", "govdataofficial", "jartigag", "jiangjm20",
        "joaomlourenco", "lenis2000", "misc-2310-09158v1", "misc-not-parsing2", "openchain-jwg", "openchain-spec",
        "owasp", "paper-arcalab", "paper-bmc", "silver812", "simcom", "vendor-beamrobotics-specs", "vendor-st",
        "vendor-stanford-ssi-iridiumsbd-arduino-libr",
    }
)  # fmt: skip
"""Families of which a document, or what is wrong in it, was looked at.

Of fourteen more, formulas and what was taken for tables of them alone were read, after the last rule of headings was
made: ``adrienblassiau``, ``bcl-group``, ``bemihai``, ``cran-actuar``, ``cran-lme4``, ``cran-vegan``, ``david-oswald``,
``iblech``, ``lotterbe``, ``paper-generic-latex-kermitt2``, ``paper-papers-we-love``, ``paper-runtimeverification``,
``pentest-secconsult``, ``victor-briganti``.
"""
LISTED = 0.25
"""Share of what is found that has to be listed before precision says anything."""
FEW = 0.5
"""Recall below which a document of ``MANY`` headings is named."""
MANY = 5


def figures_of(truth: Truth, headings: Sequence[Title], comparison: Comparison) -> dict[str, float | None]:
    """The figures of one document; None where it says nothing of one."""
    counts = comparison.counts
    listed = {id(found) for _, found in comparison.pairs}
    before = next((number for number, heading in enumerate(headings) if id(heading) in listed), 0)
    matched, found = counts["matched"], counts["found"] - before
    paired = {id(title) for title, _ in comparison.pairs}
    captions = [title for title in truth.headings if id(title) not in paired and caption_label(title.text)]
    wanted = counts["wanted"] - len(captions)
    judged = truth.complete and matched > 0 and matched >= LISTED * found
    return {
        "recall": matched / wanted if wanted else 1.0,
        "recall_listed": matched / counts["wanted"],
        "levels": counts["levels"] / matched if matched else None,
        "precision": matched / found if judged else None,
        "f1": 2 * matched / (found + wanted) if judged else None,
        "precision_strict": matched / counts["found"] if judged else None,
    }


NAMES = ("recall", "recall_listed", "levels", "precision", "f1", "precision_strict")
Row = tuple[Truth, dict[str, float | None]]


def means(rows: Iterable[Row]) -> dict[str, float | None]:
    """Mean of each figure over the documents that have it."""
    rows = list(rows)
    return {name: mean([value for _, own in rows if (value := own[name]) is not None]) for name in NAMES}


def tables(
    rows: Sequence[Row], carrying: Container[str] = ()
) -> Iterator[tuple[str, list[list[str | float | int | None]]]]:
    """Tables of the whole set, of the ids ``carrying`` bookmarks in their files, by genre, language and family."""
    carried = [row for row in rows if row[0].doc_id in carrying]
    whole = [
        ["all", *_cells(rows)],
        ["opened families", *_cells([row for row in rows if row[0].family in OPENED])],
        ["unopened families", *_cells([row for row in rows if row[0].family not in OPENED])],
        ["bookmarks in the file", *_cells(carried)],
        ["bookmarks in the file, unopened", *_cells([row for row in carried if row[0].family not in OPENED])],
    ]
    yield "documents", [row for row in whole if row[1]]
    keys: tuple[tuple[str, Callable[[Truth], str]], ...] = (
        ("genre", lambda one: one.genre), ("language", lambda one: one.language), ("family", lambda one: one.family),
    )  # fmt: skip
    for name, key in keys:
        groups: dict[str, list[Row]] = defaultdict(list)
        for row in rows:
            groups[key(row[0])].append(row)
        yield name, [[group, *_cells(own)] for group, own in sorted(groups.items())]


def _cells(rows: Sequence[Row]) -> list[float | int | None]:
    return [len(rows), *means(rows).values()]


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.structure", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--truth", type=Path, required=True, help="folder with truth/ and docs/")
    parser.add_argument("--json", type=Path, required=True, help="where the figures are written")
    parser.add_argument("--outline", action="store_true", help="leave bookmarks and tags in the files")
    parser.add_argument("--only", nargs="*", default=[], help="parts of document ids")
    parser.add_argument("--work", type=Path, default=ROOT / ".cache" / "benchmarks", help="folder for artifacts")
    options = parser.parse_args(arguments)
    documents = read_truth(options.truth, options.only)
    if not documents:
        parser.error(f"no documents in {options.truth}")
    reader = Reader(options.work, options.outline)
    models = fold_models()
    rows: list[Row] = []
    carrying: set[str] = set()
    detail: dict[str, Any] = {}
    for number, truth in enumerate(documents, start=1):
        progress("structure", number, len(documents), truth.doc_id)
        adapted = reader.adapted(truth.pdf)
        failure = adapted if isinstance(adapted, str) else None
        found = (
            []
            if isinstance(adapted, str)
            else headings_of(build_tree(enhance(adapted, heading_model=models[fold_of(truth.family, FOLDS)])))
        )
        if not isinstance(adapted, str) and adapted.outline:
            carrying.add(truth.doc_id)
        comparison = compare(truth.headings, found)
        rows.append((truth, figures_of(truth, found, comparison)))
        detail[truth.doc_id] = {**rows[-1][1], **describe(comparison), "failure": failure}
    progress("", 0, 0, "")
    figures: dict[str, float] = {}
    for name, table in tables(rows, carrying):
        print_table((name, "documents", *NAMES), table)
        for label, _, *values in table:
            prefix = "" if name == "documents" and label == "all" else f"{label}/".replace(" ", "_")
            figures |= {
                f"{prefix}{key}": value for key, value in zip(NAMES, values, strict=True) if isinstance(value, float)
            }
    low = [
        [truth.doc_id, len(truth.headings), own["recall"]]
        for truth, own in rows
        if len(truth.headings) >= MANY and (own["recall"] or 0.0) < FEW
    ]
    print_table((f"recall below {FEW}", "headings", "recall"), low)
    figures["documents_below_half"] = len(low)
    write_report(options.json, "structure", figures, {"opened": sorted(OPENED), "documents": detail})
    return 0


if __name__ == "__main__":
    sys.exit(main())
