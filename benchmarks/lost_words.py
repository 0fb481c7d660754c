"""Words that a reader of the page sees and no node has: pages drawn at random, read by recognition as pictures.

``python -m benchmarks.lost_words --qa FOLDER --json OUT [--pages 300] [--seed 0]``. Of every document the drawn
pages are cut out and read by M0 and M1, with recognition where they need it; each is also drawn at ``DPI`` and read by
tesseract. A word of at least ``LETTERS`` letters that tesseract is sure of (``SURE``) is kept where a word of the
page's items, or of what was dropped with its reason, is at most one edit away; at the end or start of a line also where
it is the beginning or end of such a word, which was broken there. Pages that lose more than ``MUCH`` of their words are
listed with them. What was recognised is kept below ``--work``.
"""

from __future__ import annotations

import argparse
import functools
import multiprocessing
import random
import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.common import ROOT, print_table, progress, write_report
from cosee.artifacts import files
from cosee.artifacts.settings.parsing import AdaptSettings, EnhanceSettings
from cosee.models.vision.ocr_tesseract import Tesseract
from cosee.pipeline.stage import DocFolder
from cosee.stages.adapt import AdaptStage
from cosee.stages.enhance import EnhanceStage
from cosee.text.folding import fold

DPI = 200
SURE = 0.8
"""Confidence from which a recognised word is asked for."""
LETTERS = 3
"""Letters of the shortest word that is asked for."""
MUCH = 0.02
"""Share of its words that a page loses before it is listed."""
Found = dict[str, Any]
"""``words`` asked for and those ``lost``, of one page."""


def main() -> int:
    """Measure, print the pages that lose much, and write the figures; returns 0."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--qa", type=Path, required=True, help="folder with docs/*.pdf")
    parser.add_argument("--json", type=Path, required=True, help="where the figures are written")
    parser.add_argument("--pages", type=int, default=300, help="pages drawn from all documents (300)")
    parser.add_argument("--seed", type=int, default=0, help="of the draw (0)")
    parser.add_argument("--jobs", type=int, default=2, help="documents at a time (2)")
    parser.add_argument("--work", type=Path, default=ROOT / ".cache" / "benchmarks", help="folder for what is kept")
    options = parser.parse_args()
    drawn = drawn_pages(sorted((options.qa / "docs").glob("*.pdf")), options.pages, options.seed)
    pages: dict[str, Found] = {}
    with multiprocessing.get_context("spawn").Pool(options.jobs) as pool:
        measure = functools.partial(_measured, work=options.work / "lost_words")
        for number, (pdf, found) in enumerate(pool.imap(measure, drawn.items()), start=1):
            progress("lost words", number, len(drawn), pdf.stem)
            pages |= {f"{pdf.stem} p{page}": each for page, each in found.items()}
    progress("", 0, 0, "")
    words = sum(each["words"] for each in pages.values())
    lost = sum(len(each["lost"]) for each in pages.values())
    bad = [
        [name, each["words"], len(each["lost"]), " ".join(each["lost"])[:100]]
        for name, each in sorted(pages.items())
        if len(each["lost"]) > MUCH * each["words"]
    ]
    print_table(["page", "words", "lost", "which"], bad)
    figures = {
        "pages": float(len(pages)), "words": float(words), "lost": float(lost),
        "share_lost": lost / max(1, words), "pages_that_lose_much": float(len(bad)),
    }  # fmt: skip
    print_table(["figure", "value"], [[name, value] for name, value in figures.items()])
    write_report(options.json, "lost_words", figures, {"pages": pages})
    return 0


def drawn_pages(pdfs: Sequence[Path], count: int, seed: int) -> dict[Path, list[int]]:
    """Document -> the drawn pages of it, from 1 and ascending."""
    import pymupdf

    everything = []
    for pdf in pdfs:
        with pymupdf.open(pdf) as document:
            everything += [(pdf, number + 1) for number in range(document.page_count)]
    drawn: dict[Path, list[int]] = defaultdict(list)
    for pdf, page in sorted(random.Random(seed).sample(everything, min(count, len(everything)))):
        drawn[pdf].append(page)
    return dict(drawn)


def _measured(document: tuple[Path, list[int]], work: Path) -> tuple[Path, dict[int, Found]]:
    import pymupdf

    pdf, pages = document
    with tempfile.TemporaryDirectory() as folder, pymupdf.open(pdf) as source:
        source.select([page - 1 for page in pages])
        source.save(Path(folder) / "full.pdf", garbage=3, deflate=True, encryption=pymupdf.PDF_ENCRYPT_NONE)
        doc = DocFolder("lost_words", pdf.stem, Path(folder), Path(folder))
        AdaptStage().run(doc, AdaptSettings(pictures=False))
        EnhanceStage().run(doc, EnhanceSettings())
        content = files.read_json(Path(folder) / "content_list.enhanced.json")
        kept: dict[int, set[str]] = defaultdict(set)
        for item in [*content["items"], *content["dropped"]]:
            words = {word for text in _strings(item) for word in words_of(text)}
            for page_idx in {item["page_idx"], *(region["page_idx"] for region in item.get("regions", []))}:
                kept[page_idx] |= words
        recognised = [_recognised(source[n], files.sha256_file(pdf), page, work) for n, page in enumerate(pages)]
    found = {}
    for number, (page, lines) in enumerate(zip(pages, recognised, strict=True)):
        asked = [(word, n in (0, len(line) - 1)) for line in lines for n, word in enumerate(line)]
        asked = [(word, edge) for word, edge in asked if len(word) >= LETTERS and word.isalpha()]
        lost = [word for word, edge in asked if not is_kept(word, kept[number], at_edge=edge)]
        found[page] = {"words": len(asked), "lost": lost}
    return pdf, found


def _recognised(page: Any, sha256: str, number: int, work: Path) -> list[list[str]]:
    """Lines of the words that tesseract is sure of; the others are empty, so that ends of lines stay ends."""
    import numpy
    import pymupdf

    path = work / f"{sha256[:16]}-{number}-{DPI}.json"
    if not path.exists():
        drawn = page.get_pixmap(dpi=DPI, colorspace=pymupdf.csGRAY, alpha=False)
        gray = numpy.frombuffer(drawn.samples, dtype=numpy.uint8).reshape(drawn.height, drawn.stride)[:, : drawn.width]
        lines = Tesseract("eng", 300.0).read(numpy.ascontiguousarray(gray), DPI, "eng")
        told = [[letters(word.text) if word.confidence >= SURE else "" for word in line.words] for line in lines]
        files.write_json(path, {"lines": told})
    lines_kept: list[list[str]] = files.read_json(path)["lines"]
    return lines_kept


def letters(text: str) -> str:
    """Letters and digits of a folded text."""
    return "".join(filter(str.isalnum, fold(text)))


def words_of(text: str) -> Iterator[str]:
    """The words of a text, folded; those with a hyphen or slash also in their parts."""
    for word in text.split():
        yield letters(word)
        if not word.isalnum():
            yield from filter(None, map(letters, re.split(r"\W+", word)))


def is_kept(word: str, words: set[str], *, at_edge: bool = False) -> bool:
    """Whether one of ``words`` is at most one edit away or, ``at_edge`` of a line, begins or ends with ``word``."""
    from rapidfuzz import process
    from rapidfuzz.distance import Levenshtein

    if word in words or (at_edge and any(each.startswith(word) or each.endswith(word) for each in words)):
        return True
    return process.extractOne(word, words, scorer=Levenshtein.distance, score_cutoff=1) is not None


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from _strings(each)


if __name__ == "__main__":
    sys.exit(main())
