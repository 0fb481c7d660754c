r"""Page texts of the tree beside PyMuPDF's, both against OHR-Bench's human-verified page texts.

``ohr_text_similarity`` is the mean over pages of 1 - edit distance / longer length, so that reading order counts. The
truth writes tables and formulas as LaTeX or HTML: their commands are taken out, cells become words. On all sides
compatibility forms are folded, the signs ``\ { } $ ^ _ & | * #`` dropped and white space joined. Beside it stands
the F1 of words without order (``ohr_word_f1``). PyMuPDF's text is ``page.get_text()``, as a user gets it; it holds
running headers, which the truth and the tree leave out on some pages. Pages without a text in the truth are not scored.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.common import f1, mean, progress
from benchmarks.doctree_markdown import plain_pages
from benchmarks.doctree_read import Measured, Sources
from cosee.artifacts import files
from cosee.artifacts.documents.doctree import DocTree

_KEPT = re.compile(r"\\multi(?:column|row)\*?\{[^{}]*\}\{[^{}]*\}|\\multirow\*?\{[^{}]*\}(?:\[[^\]]*\])?\{[^{}]*\}")
_DROPPED = re.compile(
    r"\\(?:begin|end)\{[^{}]*\}(?:\[[^\]]*\])?(?:\{[^{}]*\})?|\\c(?:line|midrule)(?:\([^)]*\))?\{[^{}]*\}"
)
_SCRIPT = re.compile(r"\s*\^\s*\{\s*\\(?:text|mathrm)\s*\{\s*([a-z]{1,3})\s*\}\s*\}")
_COMMAND = re.compile(r"\\[A-Za-z]+\*?")
_ESCAPED = re.compile(r"\\([%$&#_])")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_SIGNS = re.compile(r"[\\{}$^_&|*#]")


def without_markup(text: str) -> str:
    """A page of the truth without LaTeX commands and HTML tags; what they mark up stays."""
    text = html.unescape(_TAG.sub(" ", text))
    text = _DROPPED.sub(" ", _KEPT.sub(" ", text))
    text = _SCRIPT.sub(r"\1", text).replace("\\\\", " ")
    return _COMMAND.sub(" ", _ESCAPED.sub(r"\1", text))


def compared(text: str) -> str:
    """A text as it is compared."""
    return " ".join(_SIGNS.sub("", unicodedata.normalize("NFKC", text).replace("&", " ")).split())


def similarity(first: str, second: str) -> float:
    """1 - edit distance / longer length of two compared texts."""
    from rapidfuzz.distance import Levenshtein

    return float(Levenshtein.normalized_similarity(first, second))


def word_f1(first: str, second: str) -> float:
    """F1 of two texts' words as multisets, case folded."""
    one, other = Counter(first.casefold().split()), Counter(second.casefold().split())
    return f1((one & other).total(), one.total(), other.total())


def page_texts(path: Path, pdf: Path, tree: DocTree | None) -> Iterator[tuple[int, str, str, str]]:
    """For each page with a truth its number, the truth, the tree's text and PyMuPDF's, as they are compared."""
    own = plain_pages(tree, pdf) if tree else []
    for row, (page, peer) in zip(files.read_json(path), _peer_pages(pdf), strict=False):
        truth = compared(without_markup(row["text"]))
        if truth and row["page"] == page:
            yield page, truth, compared(own[page - 1]) if own else "", compared(peer)


def measure(sources: Sources) -> Measured:
    """Every page with a truth of every document whose PDF is in ``qa``."""
    measured = Measured()
    paths = sources.chosen((sources.parse / "ohr_gt").glob("*.json"))
    values: dict[str, list[float]] = {}
    documents: dict[str, Any] = {}
    table: list[list[str | float | int | None]] = []
    for number, path in enumerate(paths, start=1):
        progress("ohr", number, len(paths), path.stem)
        pdf = sources.qa / "docs" / f"{path.stem}.pdf"
        if not pdf.is_file():
            measured.missing[f"ohr_text_similarity: {path.stem}"] = "its PDF is absent"
            continue
        result = sources.read(pdf)
        rows = []
        for page, truth, ours, peer in page_texts(path, pdf, result.tree):
            scores = {
                "text_similarity": similarity(truth, ours),
                "text_similarity_pymupdf": similarity(truth, peer),
                "word_f1": word_f1(truth, ours),
                "word_f1_pymupdf": word_f1(truth, peer),
            }
            for name, value in scores.items():
                values.setdefault(f"ohr_{name}", []).append(value)
            rows.append({"page": page} | {name: round(value, 4) for name, value in scores.items()})
        means = {name: mean([row[name] for row in rows]) for name in (rows[0] if rows else {}) if name != "page"}
        documents[path.stem] = {"failure": result.failure, "means": means, "pages": rows}
        table.append([path.stem, len(rows), *means.values()])
    progress("", 0, 0, "")
    if not values:
        measured.missing["ohr_text_similarity*"] = "no truth with its PDF in ohr_gt/"
        return measured
    measured.figures = {name: sum(found) / len(found) for name, found in values.items()}
    measured.detail = documents
    measured.tables.append(("OHR-Bench page texts", ("document", "pages", *(name[4:] for name in values)), table))
    return measured


def _peer_pages(pdf: Path) -> list[tuple[int, str]]:
    import pymupdf

    with pymupdf.open(pdf) as document:
        return [(number, page.get_text()) for number, page in enumerate(document, start=1)]
