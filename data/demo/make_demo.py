"""Writes the demo corpus: four invented PDFs and thirty questions about them.

    python data/demo/make_demo.py [--out DIR]     write the files (default: this folder)
    python data/demo/make_demo.py --check         compare the files that are there with the facts, write nothing

Running it again gives the same bytes with the same versions of PyMuPDF, Pillow and NumPy.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import annual_report
import letter
import paper
import pymupdf
import questions
import slides
from drawn_boxes import DRAWN

HERE = Path(__file__).resolve().parent
BUILDERS: dict[str, Callable[[], pymupdf.Document]] = {
    "atlas": annual_report.build,
    "tidal": paper.build,
    "harbor": slides.build,
    "letter": letter.build,
}
TITLES = {
    "atlas": ("Atlas Coldway Annual Report 2024", "Atlas Coldway AB (publ)"),
    "tidal": ("Shoal: Short-Horizon Forecasting of Tidal Currents", "M. Vantongeren, O. Saarinen-Blythe, R. McAllan"),
    "harbor": ("Shore Power at Kestrel Bay", "Oriane Castell"),
    "letter": ("", ""),
}
PAGES = {"atlas": 20, "tidal": 6, "harbor": 15, "letter": 2}
DATE = "D:20250301090000Z"


def main(arguments: list[str] | None = None) -> int:
    """Write or check the corpus; returns the exit status."""
    parser = argparse.ArgumentParser(description="Write the CoSee demo corpus.")
    parser.add_argument("--out", type=Path, default=HERE, help="folder to write to (default: data/demo)")
    parser.add_argument("--check", action="store_true", help="check the files in the folder instead of writing them")
    options = parser.parse_args(arguments)
    if not options.check:
        write(options.out)
    problems = check(options.out)
    for problem in problems:
        sys.stderr.write(f"{problem}\n")
    return 1 if problems else 0


def write(folder: Path) -> None:
    """Write the PDFs, then the questions, whose evidence pages are found in the PDFs."""
    for name, build in BUILDERS.items():
        target = folder / name / "full.pdf"
        target.parent.mkdir(parents=True, exist_ok=True)
        save(build(), name, target)
    (folder / "qa").mkdir(exist_ok=True)
    (folder / "qa" / "questions.jsonl").write_text(questions_text(folder), encoding="utf-8")


def save(document: pymupdf.Document, name: str, target: Path) -> None:
    """Save a document with fixed dates and without a file identifier."""
    title, author = TITLES[name]
    document.set_metadata(
        {
            "title": title,
            "author": author,
            "creator": "CoSee demo corpus",
            "producer": "PyMuPDF",
            "creationDate": DATE,
            "modDate": DATE,
        }
    )
    document.subset_fonts()
    document.save(target, garbage=3, deflate=True, no_new_id=True)


def misplaced(folder: Path) -> list[str]:
    """Quotes that the generator put outside of the boxes drawn for their question, and boxes without a quote."""
    problems = []
    counts: Counter[str] = Counter()
    for item in questions.all_questions():
        counts[item.doc] += 1
        name = f"{item.doc}-{counts[item.doc]:03d}"
        drawn = DRAWN.get(name, [])
        found = {quote: list(quote_boxes(folder, item.doc, quote)) for quote in item.quotes}
        problems += [f"{name}: the words {quote!r} were not found" for quote, places in found.items() if not places]
        placed = [each for places in found.values() for each in places]
        if bool(drawn) != bool(item.quotes):
            problems.append(f"{name}: {len(drawn)} boxes are drawn for {len(item.quotes)} quotes")
        for page, box in placed:
            if not any(page == other and inside(box, area) > 0.9 for other, area in drawn):
                rounded = tuple(round(edge) for edge in box)
                problems.append(f"{name}: words stand at {rounded} of page {page}, outside of the boxes drawn")
    return problems


def quote_boxes(folder: Path, name: str, quote: str) -> Iterator[tuple[int, pymupdf.Rect]]:
    """Page and place of every word of a quote; of the letter, where the scan has turned it to."""
    wanted = questions.plain(quote).split()
    with pymupdf.open(folder / name / "full.pdf") as document:
        for number, page in enumerate(with_text(name, document), start=1):
            words = page.get_text("words")
            for start in range(len(words) - len(wanted) + 1):
                *before, last = (word[4] for word in words[start : start + len(wanted)])
                if before == wanted[:-1] and last.startswith(wanted[-1]):  # a comma or full stop may follow
                    for word in words[start : start + len(wanted)]:
                        box = pymupdf.Rect(word[:4])
                        yield number, letter.scanned(box, number) if name == "letter" else box


def inside(box: pymupdf.Rect, area: tuple[float, float, float, float]) -> float:
    """Share of a box that is inside an area."""
    common = pymupdf.Rect(area) & box
    return 0.0 if common.is_empty else float(common.get_area() / box.get_area())


def questions_text(folder: Path) -> str:
    """Content of questions.jsonl for the PDFs in a folder."""
    texts: dict[str, list[str]] = {}
    sizes: dict[str, list[tuple[float, float]]] = {}
    for name in BUILDERS:
        with pymupdf.open(folder / name / "full.pdf") as document:
            sizes[name] = [(page.rect.width, page.rect.height) for page in document]
            texts[name] = [questions.plain(page.get_text()) for page in with_text(name, document)]
    rows = questions.rows(texts, sizes)
    return "".join(json.dumps(row, ensure_ascii=False, sort_keys=True) + "\n" for row in rows)


def with_text(name: str, document: pymupdf.Document) -> pymupdf.Document:
    """A document as it has a text: the scanned letter as it was set before the scan."""
    return letter.typeset() if name == "letter" else document


def check(folder: Path) -> list[str]:
    """What is wrong with the corpus in a folder: page counts, outline, text layers, answers and evidence."""
    problems = []
    for name, pages in PAGES.items():
        with pymupdf.open(folder / name / "full.pdf") as document:
            if len(document) != pages:
                problems.append(f"{name}: {len(document)} pages, expected {pages}")
            if bool(document.get_toc()) != (name == "atlas"):
                problems.append(f"{name}: outline missing or not wanted")
            if any(bool(page.get_text().strip()) == (name == "letter") for page in document):
                problems.append(f"{name}: a page without text, or a scan with text")
            labels = [page.get_label() for page in document]
            if name == "atlas" and labels != [annual_report.page_label(i) for i in range(pages)]:
                problems.append(f"{name}: page labels {labels}")
    try:
        expected = questions_text(folder)
    except ValueError as error:
        return [*problems, str(error)]
    if expected.count("\n") != 30:
        problems.append(f"questions.jsonl: {expected.count(chr(10))} questions, expected 30")
    if (folder / "qa" / "questions.jsonl").read_text(encoding="utf-8") != expected:
        problems.append("questions.jsonl differs from the facts; run make_demo.py again")
    return [*problems, *misplaced(folder)]


if __name__ == "__main__":
    sys.exit(main())
