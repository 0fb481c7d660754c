"""Reading text from pictures: one interface, and tesseract through its command line."""

from __future__ import annotations

import shutil
import subprocess
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from cosee.artifacts.base import BBox

MIN_CONFIDENCE = 0.3
"""Words that the engine trusts less are noise from pictures."""


class OcrError(RuntimeError):
    """Recognition failed; the message says which engine, on what, and why."""


@dataclass(frozen=True)
class OcrWord:
    """One recognised word: ``bbox`` in pixels of the picture, ``confidence`` in 0..1."""

    text: str
    bbox: BBox
    confidence: float


@dataclass(frozen=True)
class OcrLine:
    """Words on one line; lines with equal ``block`` belong to one block of text, in the engine's reading order."""

    block: int
    words: tuple[OcrWord, ...]


class OcrEngine(ABC):
    """Something that reads text from a picture."""

    name: str = "unnamed"

    @abstractmethod
    def read(self, picture: Path) -> list[OcrLine]:
        """Lines in reading order. Raises OcrError."""


class Tesseract(OcrEngine):
    """The ``tesseract`` program; ``languages`` such as ``eng+deu``, languages that are not installed are left out."""

    def __init__(self, languages: str = "eng", timeout: float = 120.0) -> None:
        installed = installed_languages()
        wanted = [language for language in languages.split("+") if language in installed]
        if not wanted:
            raise OcrError(f"tesseract has none of the languages {languages!r}; install e.g. tesseract-ocr-eng")
        self.languages = "+".join(wanted)
        self.timeout = timeout
        self.name = f"tesseract {_version()} {self.languages}"

    def read(self, picture: Path) -> list[OcrLine]:
        """Recognise one picture with automatic page segmentation."""
        command = ["tesseract", str(picture), "stdout", "-l", self.languages, "--psm", "3", "tsv"]
        try:
            child = subprocess.run(
                command, capture_output=True, timeout=self.timeout, check=False, env=_one_thread_environment()
            )
        except subprocess.TimeoutExpired as error:
            raise OcrError(f"tesseract took more than {self.timeout:g} s on {picture.name}") from error
        if child.returncode != 0:
            message = child.stderr.decode("utf-8", "replace").strip().splitlines()
            raise OcrError(f"tesseract failed on {picture.name}: {message[-1] if message else child.returncode}")
        return parse_tsv(child.stdout.decode("utf-8", "replace"))


def parse_tsv(text: str) -> list[OcrLine]:
    """Tesseract's TSV output as lines; words under ``MIN_CONFIDENCE`` and rows that do not parse are left out."""
    lines: dict[tuple[int, ...], list[OcrWord]] = {}
    blocks: dict[tuple[int, ...], int] = {}
    for row in text.splitlines()[1:]:
        columns = row.split("\t")
        if len(columns) != 12 or columns[0] != "5" or not columns[11].strip():
            continue
        try:
            key = tuple(int(value) for value in columns[1:5])
            left, top, width, height = (int(value) for value in columns[6:10])
            confidence = float(columns[10]) / 100
        except ValueError:
            continue
        if confidence < MIN_CONFIDENCE:
            continue
        box = (float(left), float(top), float(left + width), float(top + height))
        lines.setdefault(key, []).append(OcrWord(columns[11].strip(), box, round(confidence, 4)))
        blocks.setdefault(key[:3], len(blocks))
    return [OcrLine(blocks[key[:3]], tuple(words)) for key, words in lines.items()]


def find_engine(choice: str, languages: str) -> OcrEngine | None:
    """The engine for the setting ``ocr``: None for ``none``, or for ``auto`` where tesseract is not installed.

    Raises:
        OcrError: ``tesseract`` is asked for by name and is not installed, or lacks the languages.
    """
    if choice == "none":
        return None
    if shutil.which("tesseract") is None:
        if choice == "tesseract":
            raise OcrError("tesseract is not installed: apt-get install tesseract-ocr, or set ocr: none")
        return None
    try:
        return Tesseract(languages)
    except OcrError:
        if choice == "tesseract":
            raise
        return None


@lru_cache(maxsize=1)
def installed_languages() -> frozenset[str]:
    """Languages that the installed tesseract can read; empty when it is not installed."""
    output = _ask("--list-langs")
    return frozenset(line.strip() for line in output.splitlines()[1:] if line.strip())


@lru_cache(maxsize=1)
def _version() -> str:
    first = _ask("--version").splitlines()
    return first[0].removeprefix("tesseract ").strip() if first else "unknown"


def _ask(option: str) -> str:
    if shutil.which("tesseract") is None:
        return ""
    child = subprocess.run(["tesseract", option], capture_output=True, timeout=30, check=False)
    return (child.stdout or child.stderr).decode("utf-8", "replace")


def _one_thread_environment() -> dict[str, str]:
    """One thread per process: pages are the unit of parallel work, and results do not depend on the thread count."""
    import os

    return {**os.environ, "OMP_THREAD_LIMIT": "1", "OMP_NUM_THREADS": "1"}
