"""OCR as benchmarks publish it, in the forms of Amazon Textract, Google Cloud Vision and Tesseract.

Each reader takes the parsed JSON of one page and gives its words in the order of the file; what has no text or no box
is passed over. A file of another form raises ValueError.
"""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from cosee.datasets.invisible_text import Box, Word
from cosee.datasets.thresholds import LARGEST_OCR, LINE_OVERLAP


def read_ocr(path: Path) -> Any:
    """The parsed JSON of an OCR file, which may be compressed whatever it is called. Raises ValueError or OSError."""
    with path.open("rb") as file:
        start = file.read(2)
        file.seek(0)
        source: Any = gzip.GzipFile(fileobj=file) if start == b"\x1f\x8b" else file
        try:
            data = source.read(LARGEST_OCR + 1)
        except (EOFError, gzip.BadGzipFile, OSError) as error:
            raise ValueError(f"cannot be read ({error})") from error
    if len(data) > LARGEST_OCR:
        raise ValueError(f"more than {LARGEST_OCR} bytes")
    try:
        return json.load(io.BytesIO(data))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not valid JSON ({error})") from error


def textract_words(value: Any) -> list[Word]:
    """Words of Amazon Textract: its ``Blocks``, or the blocks sorted into ``WORD`` and ``LINE``; boxes are in 0..1."""
    if not isinstance(value, dict):
        raise ValueError(f"expected an object, found {type(value).__name__}")
    if isinstance(value.get("Blocks"), list):
        blocks = _blocks(value["Blocks"])
        words = [block for block in blocks if block.get("BlockType") == "WORD"]
    elif isinstance(value.get("WORD", value.get("LINE")), list):
        words = _blocks(value.get("WORD", value.get("LINE")))
    elif set(value) <= {"PAGE"}:
        words = []  # A page on which nothing was recognised.
    else:
        raise ValueError(f"not Amazon Textract's form: its keys are {sorted(value)[:8]}")
    return lined((block.get("Text"), _textract_box(block)) for block in words)


def _blocks(value: Any) -> list[dict[str, Any]]:
    return [block for block in value if isinstance(block, dict)] if isinstance(value, list) else []


def _textract_box(block: dict[str, Any]) -> Box | None:
    try:
        box = block["Geometry"]["BoundingBox"]
        left, top, width, height = (float(box[key]) for key in ("Left", "Top", "Width", "Height"))
    except (KeyError, TypeError, ValueError):
        return None
    return _finite(left, top, left + width, top + height)


def vision_words(value: Any, size: tuple[int, int]) -> list[Word]:
    """Words of Google Cloud Vision's ``fullTextAnnotation``; its boxes are pixels of an image of ``size``."""
    pages = value.get("fullTextAnnotation", {}) if isinstance(value, dict) else None
    pages = pages.get("pages", []) if isinstance(pages, dict) else None
    if not isinstance(pages, list):
        raise ValueError("not Google Cloud Vision's form: needs 'fullTextAnnotation'")
    words = (
        word
        for page in _blocks(pages)
        for block in _blocks(page.get("blocks"))
        for paragraph in _blocks(block.get("paragraphs"))
        for word in _blocks(paragraph.get("words"))
    )
    return lined(
        (
            "".join(str(symbol.get("text", "")) for symbol in _blocks(word.get("symbols"))),
            _vision_box(word.get("boundingBox"), size),
        )
        for word in words
    )


def _vision_box(value: Any, size: tuple[int, int]) -> Box | None:
    corners = _blocks(value.get("vertices")) if isinstance(value, dict) else []
    try:
        # A coordinate of 0 is left out.
        across = [float(corner.get("x", 0)) / size[0] for corner in corners]
        down = [float(corner.get("y", 0)) / size[1] for corner in corners]
    except (TypeError, ValueError):
        return None
    return _finite(min(across), min(down), max(across), max(down)) if corners else None


def tesseract_words(value: Any, size: tuple[int, int]) -> list[Word]:
    """Words of Tesseract's columns (``image_to_data``); its boxes are pixels of an image of ``size``."""
    keys = ("text", "left", "top", "width", "height")
    columns = [value.get(key) for key in keys] if isinstance(value, dict) else []
    if not columns or any(not isinstance(column, list) for column in columns):
        raise ValueError(f"not Tesseract's form: needs the lists {', '.join(keys)}")
    return lined((text, _tesseract_box(numbers, size)) for text, *numbers in zip(*columns, strict=False))


def _tesseract_box(numbers: list[Any], size: tuple[int, int]) -> Box | None:
    try:
        left, top, width, height = map(float, numbers)
    except (TypeError, ValueError):
        return None
    return _finite(left / size[0], top / size[1], (left + width) / size[0], (top + height) / size[1])


def _finite(x0: float, y0: float, x1: float, y1: float) -> Box | None:
    """The box where it is one: NaN and boxes without area are none."""
    return (x0, y0, x1, y1) if -1 <= x0 < x1 <= 2 and -1 <= y0 < y1 <= 2 else None


def lined(words: Iterable[tuple[Any, Box | None]]) -> list[Word]:
    """Words with the height of their line: successive words that go to the right at one height are one.

    Words of a line get one height and baseline, however high their letters are, as text of a line has.
    """
    lines: list[list[tuple[str, Box]]] = []
    for text, box in words:
        if box is None or not isinstance(text, str) or not text.strip():
            continue
        last = lines[-1][-1][1] if lines else None
        if last is not None and box[0] > last[0] and _beside(last, box):
            lines[-1].append((text, box))
        else:
            lines.append([(text, box)])
    found = []
    for line in lines:
        heights = (min(box[1] for _, box in line), max(box[3] for _, box in line))
        found += [Word(text, box, heights) for text, box in line]
    return found


def _beside(first: Box, second: Box) -> bool:
    shared = min(first[3], second[3]) - max(first[1], second[1])
    return shared > LINE_OVERLAP * min(first[3] - first[1], second[3] - second[1])
