"""Word recall of OCR with and without the quality gate, on scans and on degraded copies of them.

A copy is a PDF of the page's picture at ``COPY_DPI``, spoilt in one way; ``clean`` is the scan itself. Both are read by
M0, once with ``adapt.restore`` and once without, which also leaves lines askew. ``word_recall`` is the share of the
words of the truth that were read, over all pages. The truth is what people read on the page (``variety/facts.jsonl``)
and the silver text beside ``docling/ocr_pdf``. Every second scan was used for development (``development`` in the
detail).
"""

from __future__ import annotations

import argparse
import io
import re
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import print_table, write_report
from cosee.artifacts import files
from cosee.artifacts.documents.layout import Layout
from cosee.artifacts.settings.parsing import AdaptSettings
from cosee.models.vision import ocr_rapid, ocr_tesseract
from cosee.models.vision.engine import OcrEngine
from cosee.parse.pdf_reader import read_pdf

COPY_DPI = 150
BLUR, NOISE, PALE, ANGLE, QUALITY = 1.6, 50.0, 0.05, 5.0, 10
"""Sigma in pixels; sigma in grey levels; share of the contrast that is left; degrees; of the JPEG."""
FORMULAS = {
    "clean": "the scan itself",
    "blur": f"Gaussian, sigma {BLUR} pixels at {COPY_DPI} dpi",
    "noise": f"Gaussian, sigma {NOISE} grey levels at {COPY_DPI} dpi",
    "low_contrast": f"{PALE:.0%} of the contrast left",
    "skew5": "turned by 5 degrees",
    "jpeg10": f"JPEG of quality 10 at {COPY_DPI} dpi",
}
Words = Counter[str]


@dataclass(frozen=True)
class Scan:
    """One page (0-based) of a PDF and the words that are known to stand on it."""

    pdf: Path
    page_idx: int
    truth: Words
    development: bool

    @property
    def name(self) -> str:
        """File and page."""
        return f"{self.pdf.stem} p{self.page_idx + 1}"


def words_of(text: str) -> Words:
    """Words of at least two letters or digits, without case."""
    return Counter(
        word for word in re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", text).lower()) if len(word) > 1
    )


def recall(truth: Words, read: Words) -> tuple[int, int]:
    """Words of the truth that were read, and all of them."""
    return sum(min(read[word], count) for word, count in truth.items()), truth.total()


def find_scans(parse: Path) -> list[Scan]:
    """Pages with known words of the scans below a folder of ``variety/`` and ``docling/``."""
    found: list[tuple[Path, int, str]] = []
    facts = parse / "variety" / "facts.jsonl"
    for _, row in files.iter_jsonl(facts) if facts.is_file() else ():
        pdf = parse / "variety" / row["file"]
        if row.get("has_text_layer") or not pdf.is_file():
            continue
        for number in sorted({phrase["page"] for phrase in row.get("expect_text") or ()}):
            text = " ".join(phrase["text"] for phrase in row["expect_text"] if phrase["page"] == number)
            found.append((pdf, number - 1, text))
    silver = parse / "docling" / "ocr_groundtruth_tesseract"
    for pdf in sorted((parse / "docling" / "ocr_pdf").glob("*.pdf")):
        for text_file in sorted(silver.glob(f"{pdf.stem}.*.md")):
            found.append((pdf, 0, text_file.read_text(encoding="utf-8")))
    return [Scan(pdf, idx, words_of(text), number % 2 == 0) for number, (pdf, idx, text) in enumerate(found)]


def degraded(scan: Scan, name: str) -> bytes:
    """The PDF of a spoilt copy of the page, or the page itself for ``clean``."""
    import pymupdf
    from PIL import Image

    with pymupdf.open(scan.pdf) as document, pymupdf.open() as copy:
        if name == "clean":
            copy.insert_pdf(document, from_page=scan.page_idx, to_page=scan.page_idx)
            return bytes(copy.tobytes())
        page = document[scan.page_idx]
        pixmap = page.get_pixmap(dpi=COPY_DPI, colorspace=pymupdf.csGRAY)
        picture = Image.frombytes("L", (pixmap.width, pixmap.height), pixmap.samples)
        spoilt = _SPOILERS[name](picture)
        width, height = (72 * side / COPY_DPI for side in spoilt.size)
        buffer = io.BytesIO()
        spoilt.save(buffer, "JPEG" if name == "jpeg10" else "PNG", **({"quality": QUALITY} if name == "jpeg10" else {}))
        target = copy.new_page(width=width, height=height)
        target.insert_image(target.rect, stream=buffer.getvalue())
        return bytes(copy.tobytes())


def _blurred(picture: Any) -> Any:
    from PIL import ImageFilter

    return picture.filter(ImageFilter.GaussianBlur(BLUR))


def _noisy(picture: Any) -> Any:
    from PIL import Image

    values = np.asarray(picture, dtype=np.float64)
    noise = np.random.default_rng(0).normal(0.0, NOISE, values.shape)
    return Image.fromarray(np.clip(np.round(values + noise), 0, 255).astype(np.uint8))


def _pale(picture: Any) -> Any:
    return picture.point(lambda value: round(200 + PALE * (value - 128)))


def _askew(picture: Any) -> Any:
    from PIL import Image

    return picture.rotate(ANGLE, Image.Resampling.BICUBIC, expand=True, fillcolor=255)


_SPOILERS: Mapping[str, Callable[[Any], Any]] = {
    "blur": _blurred,
    "noise": _noisy,
    "low_contrast": _pale,
    "skew5": _askew,
    "jpeg10": lambda picture: picture,
}


def read_words(pdf: bytes, engine: str, *, restore: bool) -> tuple[Words, list[str]]:
    """All words that M0 reads in a PDF, and what it did to its first page."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "full.pdf"
        path.write_bytes(pdf)
        settings = AdaptSettings.model_validate({"ocr": engine, "restore": restore, "pictures": False})
        layout = read_pdf(path, "scan", settings, Path(folder)).layout
    quality = layout.pages[0].quality
    return words_of(" ".join(_texts(layout))), list(quality.restored) if quality is not None else []


def _texts(layout: Layout) -> Iterator[str]:
    for page in layout.pages:
        for block in page.blocks:
            if "hidden" not in block.flags:
                yield " ".join(line.text for line in block.lines)
                yield " ".join(cell for row in block.rows or () for cell in row)


def engines_here() -> dict[str, type[OcrEngine]]:
    """The OCR engines that are installed."""
    found: dict[str, type[OcrEngine]] = {}
    if ocr_tesseract.installed_languages():
        found["tesseract"] = ocr_tesseract.Tesseract
    if ocr_rapid.is_installed():
        found["rapidocr"] = ocr_rapid.RapidOcr
    return found


def main(arguments: list[str] | None = None) -> int:
    """Read every scan in every state, with and without the gate."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parse", type=Path, required=True, help="folder with variety/ and docling/ocr_pdf/")
    parser.add_argument("--json", type=Path, required=True, help="where the figures are written")
    parser.add_argument("--engines", nargs="+", help="tesseract, rapidocr (default: the installed ones)")
    parser.add_argument("--only", nargs="+", default=[], help="only PDFs whose name holds one of these")
    parser.add_argument("--degradations", nargs="+", choices=list(FORMULAS), default=list(FORMULAS))
    options = parser.parse_args(arguments)
    engines = options.engines or list(engines_here())
    scans = [
        scan
        for scan in find_scans(options.parse)
        if not options.only or any(name in scan.pdf.name for name in options.only)
    ]
    figures: dict[str, float] = {}
    detail: dict[str, Any] = {"degradations": FORMULAS, "pages": {}}
    table: list[list[str | float | int | None]] = []
    for engine in engines:
        for name in options.degradations:
            totals = {"with": [0, 0], "without": [0, 0]}
            for scan in scans:
                pdf = degraded(scan, name)
                row: dict[str, Any] = {"words": scan.truth.total(), "development": scan.development}
                for side in totals:
                    read, steps = read_words(pdf, engine, restore=side == "with")
                    found, total = recall(scan.truth, read)
                    totals[side][0] += found
                    totals[side][1] += total
                    row[side] = found
                    if side == "with":
                        row["restored"] = steps
                detail["pages"].setdefault(engine, {}).setdefault(name, {})[scan.name] = row
            shares = {side: found / total for side, (found, total) in totals.items() if total}
            first = engine == engines[0]
            for side, share in shares.items():
                figures[f"word_recall.{name}.{side}" if first else f"word_recall_{engine}.{name}.{side}"] = share
            table.append([engine, name, shares.get("without"), shares.get("with"), totals["with"][1]])
            print_table(("engine", "degradation", "without", "with", "words"), table[-1:])
    print_table(("engine", "degradation", "without", "with", "words"), table)
    write_report(options.json, "quality", figures, detail)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
