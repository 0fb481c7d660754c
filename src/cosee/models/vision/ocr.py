"""Reading text from pictures: the choice among the engines, and what was read before."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from cosee.artifacts import files
from cosee.artifacts.files import ArtifactError
from cosee.models.vision import ocr_rapid, ocr_tesseract
from cosee.models.vision.engine import OcrEngine, OcrError, OcrLine, OcrWord, Survey
from cosee.models.vision.thresholds import OCR_SECONDS

if TYPE_CHECKING:
    from cosee.imaging.ink import Gray


class CachedEngine(OcrEngine):
    """An engine whose words are kept below ``folder`` by picture, engine and languages, so that no redo reads again."""

    def __init__(self, engine: OcrEngine, folder: Path) -> None:
        self._engine = engine
        self._folder = folder / files.sha256_bytes(engine.name.encode())[:16]
        self.name = engine.name

    def read(self, gray: Gray, dpi: int, languages: str) -> list[OcrLine]:
        """The words known for the picture, else those that the engine reads now."""
        head = f"{gray.shape[1]}x{gray.shape[0]} {dpi} {languages}\n"
        path = self._folder / f"{files.sha256_bytes(head.encode() + gray.tobytes())}.json"
        if path.is_file():
            try:
                return [_line(row) for row in files.read_json(path)]
            except (ArtifactError, TypeError, ValueError, KeyError):
                path.unlink(missing_ok=True)
        lines = self._engine.read(gray, dpi, languages)
        files.write_json(path, [[line.block, [[w.text, w.bbox, w.confidence] for w in line.words]] for line in lines])
        return lines

    def survey(self, gray: Gray, dpi: int) -> Survey | None:
        """As the engine says."""
        return self._engine.survey(gray, dpi)

    def languages(self, script: str | None = None, language: str | None = None) -> str:
        """As the engine says."""
        return self._engine.languages(script, language)

    def missed(self, script: str | None = None, language: str | None = None) -> frozenset[str]:
        """As the engine says."""
        return self._engine.missed(script, language)


def _line(row: Any) -> OcrLine:
    words = tuple(OcrWord(str(text), (b[0], b[1], b[2], b[3]), float(trust)) for text, b, trust in row[1])
    return OcrLine(int(row[0]), words)


def find_engine(choice: str, languages: str, seconds: float = OCR_SECONDS) -> OcrEngine | None:
    """The engine for the setting ``ocr``: None for ``none``, or for ``auto`` where no engine is installed.

    ``auto`` takes tesseract, which is several times faster, before RapidOCR. ``seconds`` bounds one picture.

    Raises:
        Unready: an engine is asked for by name and is not installed, or lacks the languages.
    """
    if choice == "none":
        return None
    if choice == "tesseract":
        return ocr_tesseract.Tesseract(languages, seconds)
    if choice == "rapidocr":
        return ocr_rapid.RapidOcr()
    if ocr_tesseract.installed_languages():
        try:
            return ocr_tesseract.Tesseract(languages, seconds)
        except OcrError:
            if not ocr_rapid.is_installed():
                raise
    return ocr_rapid.RapidOcr() if ocr_rapid.is_installed() else None
