"""RapidOCR: the PP-OCR models that its package carries, run by onnxruntime in this process."""

from __future__ import annotations

from functools import lru_cache
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as version_of
from importlib.util import find_spec
from statistics import fmean
from typing import TYPE_CHECKING, Any

from cosee.artifacts.base import BBox
from cosee.artifacts.documents.unread import NO_ENGINE
from cosee.models.vision.engine import OcrEngine, OcrError, OcrLine, OcrWord, Unready
from cosee.models.vision.thresholds import LEAST_INK_CONTRAST, LEAST_WORD_CONFIDENCE

if TYPE_CHECKING:
    from cosee.imaging.ink import Gray


def is_installed() -> bool:
    """Whether ``rapidocr`` and ``onnxruntime`` can be imported (the extra ``ocr``)."""
    return find_spec("rapidocr") is not None and find_spec("onnxruntime") is not None


def version() -> str:
    """Version of the installed package."""
    try:
        return version_of("rapidocr")
    except PackageNotFoundError:
        return "unknown"


class RapidOcr(OcrEngine):
    """PP-OCR, one thread. One model reads Latin, Chinese and Japanese writing, so that no language is chosen."""

    def __init__(self) -> None:
        if not is_installed():
            message = "rapidocr is not installed: pip install 'cosee[ocr]', or set ocr: none"
            raise Unready(message, NO_ENGINE, ["rapidocr"])
        self.name = f"rapidocr {version()}"

    def read(self, gray: Gray, dpi: int, languages: str) -> list[OcrLine]:
        """Recognise one picture; a line of text is a block of its own."""
        import numpy as np

        try:
            found = _model()(np.repeat(gray[:, :, None], 3, axis=2))
        except Exception as error:  # whatever the package, OpenCV or onnxruntime raises is one failed picture
            raise OcrError(f"rapidocr failed: {type(error).__name__}: {error}") from error
        if found.boxes is None or found.txts is None:
            return []
        pieces = found.word_results if len(found.word_results or ()) == len(found.boxes) else [()] * len(found.boxes)
        lines = [
            _words(str(text), _bounds(box), float(score), words)
            for box, text, score, words in zip(found.boxes, found.txts, found.scores, pieces, strict=True)
        ]
        return [
            OcrLine(number, tuple(_tightened(word, gray) for word in words))
            for number, words in enumerate(lines)
            if words
        ]


@lru_cache(maxsize=1)
def _model() -> Any:
    """The loaded models. Lines are not turned one by one: the page is turned as a whole before it is read."""
    from rapidocr import RapidOCR

    return RapidOCR(
        params={
            "Global.log_level": "error",
            "Global.use_cls": False,
            "Global.return_word_box": True,
            "EngineConfig.onnxruntime.intra_op_num_threads": 1,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )


def _words(text: str, line: BBox, score: float, pieces: Any) -> tuple[OcrWord, ...]:
    """The words of a line where they stand; from the share of its letters where the model's pieces do not agree."""
    if score < LEAST_WORD_CONFIDENCE:
        return ()
    parts = text.split()
    boxes = [_bounds(piece[2]) for piece in pieces]
    scores = [float(piece[1]) for piece in pieces]
    texts = [str(piece[0]).strip() for piece in pieces]
    found: list[OcrWord] = []
    at = 0
    for part in parts:
        start, gathered = at, ""
        while at < len(texts) and len(gathered) < len(part):
            gathered += texts[at]
            at += 1
        if gathered != part:
            return _spread_by_letters(parts, line, score)
        members = boxes[start:at]
        box = (min(b[0] for b in members), line[1], max(b[2] for b in members), line[3])
        found.append(OcrWord(part, box, round(fmean(scores[start:at]), 4)))
    return tuple(found)


def _spread_by_letters(parts: list[str], line: BBox, score: float) -> tuple[OcrWord, ...]:
    count = sum(map(len, parts)) + len(parts) - 1
    step, at, found = (line[2] - line[0]) / max(count, 1), line[0], []
    for part in parts:
        found.append(OcrWord(part, (at, line[1], at + step * len(part), line[3]), round(score, 4)))
        at += step * (len(part) + 1)
    return tuple(found)


def _tightened(word: OcrWord, gray: Gray) -> OcrWord:
    """The word with its box drawn in to the rows that have ink: the model's boxes leave a margin."""
    import numpy as np

    x0, y0, x1, y1 = (max(0, round(value)) for value in word.bbox)
    part = gray[y0:y1, x0:x1]
    if part.size == 0:
        return word
    low, high = int(part.min()), int(part.max())
    rows = np.flatnonzero((part < (low + high) / 2).any(axis=1))
    if not len(rows) or high - low < LEAST_INK_CONTRAST:
        return word
    return OcrWord(
        word.text, (word.bbox[0], float(y0 + rows[0]), word.bbox[2], float(y0 + rows[-1] + 1)), word.confidence
    )


def _bounds(corners: Any) -> BBox:
    xs, ys = [float(x) for x, _ in corners], [float(y) for _, y in corners]
    return min(xs), min(ys), max(xs), max(ys)
