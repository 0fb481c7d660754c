"""What every engine that reads text from pictures is and gives: words, lines, a survey, and how it fails."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cosee.artifacts.base import BBox

if TYPE_CHECKING:
    from cosee.imaging.ink import Gray


class OcrError(RuntimeError):
    """Recognition failed; the message says which engine, on what, and why."""


class Unready(OcrError):
    """The engine that is asked for is not on this machine."""

    def __init__(self, message: str, unread: str, lacked: Sequence[str]) -> None:
        super().__init__(message)
        self.unread = unread
        """Flag of pages that stay unread for it (``cosee.artifacts.documents.unread``)."""
        self.lacked = tuple(lacked)
        """What it takes, by the names of ``cosee.machine``."""


@dataclass(frozen=True)
class OcrWord:
    """One recognised word: ``bbox`` in pixels of the picture, ``confidence`` in 0..1."""

    text: str
    bbox: BBox
    confidence: float


@dataclass(frozen=True)
class OcrLine:
    """Words on one line, from left to right; lines with equal ``block`` belong to one block of the engine's own."""

    block: int
    words: tuple[OcrWord, ...]


@dataclass(frozen=True)
class Survey:
    """What an engine says of a picture before it reads it: quarter turns clockwise that make it upright, its script."""

    quarters: int
    script: str | None


class OcrEngine(ABC):
    """Something that reads text from a picture. Equal pictures give equal words."""

    name: str = "unnamed"
    """Engine, version and settings: with the picture and the languages, all that its words depend on."""

    @abstractmethod
    def read(self, gray: Gray, dpi: int, languages: str) -> list[OcrLine]:
        """Lines of an upright picture. Raises OcrError."""

    def survey(self, gray: Gray, dpi: int) -> Survey | None:
        """Direction and script, None where the engine cannot tell."""
        return None

    def languages(self, script: str | None = None, language: str | None = None) -> str:
        """The engine's name for what it should read with: for text in ``script`` (as ``survey`` names it, None where
        unknown) and in ``language`` (ISO 639-1)."""
        return ""

    def missed(self, script: str | None = None, language: str | None = None) -> frozenset[str]:
        """What would read such text better if it were installed, by the names of ``cosee.machine``."""
        return frozenset()
