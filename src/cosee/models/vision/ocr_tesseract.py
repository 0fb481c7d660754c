"""Tesseract through its command line: words with their confidence, direction and script of a page, languages."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

from cosee.artifacts.documents.unread import NO_ENGINE, NO_LANGUAGE
from cosee.machine import NO_LANGUAGES, installed_languages, version
from cosee.models.vision.engine import OcrEngine, OcrError, OcrLine, OcrWord, Survey, Unready
from cosee.models.vision.thresholds import (
    LEAST_SCRIPT_CERTAINTY,
    LEAST_TURN_CERTAINTY,
    LEAST_WORD_CONFIDENCE,
    MOST_LANGUAGES,
)

if TYPE_CHECKING:
    from cosee.imaging.ink import Gray

__all__ = ["Tesseract", "installed_languages", "languages_for", "languages_missed", "parse_osd", "parse_tsv", "version"]

_LANGUAGES_OF_SCRIPT = {
    "Cyrillic": ("rus", "ukr", "bul", "srp"),
    "Greek": ("ell",),
    "Arabic": ("ara", "fas"),
    "Hebrew": ("heb",),
    "Han": ("chi_sim", "chi_tra"),
    "Japanese": ("jpn",),
    "Hangul": ("kor",),
    "Korean": ("kor",),
    "Devanagari": ("hin",),
    "Thai": ("tha",),
    "Bengali": ("ben",),
    "Tamil": ("tam",),
    "Georgian": ("kat",),
    "Armenian": ("hye",),
}
_SCRIPT_FILES = {"Han": "HanS", "Korean": "Hangul"}
_NAME_OF_LANGUAGE = {"en": "eng", "de": "deu", "fr": "fra", "es": "spa", "it": "ita", "pt": "por", "nl": "nld"}
_READ_LATIN_TOO = {"chi_sim", "chi_tra", "jpn", "kor", "HanS", "HanT", "Japanese", "Hangul"}


class Tesseract(OcrEngine):
    """The ``tesseract`` program. ``languages`` is ``auto`` or a list such as ``eng+deu``, of which those that are not
    installed are left out; ``seconds`` bounds one call."""

    def __init__(self, languages: str, seconds: float) -> None:
        installed = installed_languages()
        if not installed:
            message = "tesseract is not installed: apt-get install tesseract-ocr, or set ocr: none"
            raise Unready(message, NO_ENGINE, ["tesseract"])
        self._missing = [] if languages == "auto" else [name for name in languages.split("+") if name not in installed]
        self._listed = [] if languages == "auto" else [name for name in languages.split("+") if name in installed]
        if languages != "auto" and not self._listed:
            first = languages.split("+")[0].replace("_", "-")
            message = f"tesseract has none of the languages {languages!r}; install e.g. tesseract-ocr-{first}"
            raise Unready(message, f"{NO_LANGUAGE}:{languages}", [f"tesseract:{name}" for name in self._missing])
        if languages == "auto" and not installed - NO_LANGUAGES:
            message = "tesseract has no language; install e.g. tesseract-ocr-eng"
            raise Unready(message, f"{NO_LANGUAGE}:eng", ["tesseract"])
        self._seconds = seconds
        self.name = f"tesseract {version()}"

    def languages(self, script: str | None = None, language: str | None = None) -> str:
        """The listed languages, else the installed ones that read the script and the language best."""
        if self._listed:
            return "+".join(self._listed)
        return languages_for(installed_languages(), script, language)

    def missed(self, script: str | None = None, language: str | None = None) -> frozenset[str]:
        """Languages of the setting that are not installed, else those of the text, where none of them is."""
        names = self._missing if self._listed else languages_missed(installed_languages(), script, language)
        return frozenset(f"tesseract:{name}" for name in names)

    def read(self, gray: Gray, dpi: int, languages: str) -> list[OcrLine]:
        """Recognise one picture with automatic page segmentation."""
        return parse_tsv(self._run(gray, dpi, "-l", languages, "--psm", "3", "tsv"))

    def survey(self, gray: Gray, dpi: int) -> Survey | None:
        """Direction and script as tesseract's ``osd`` data says; None without it, or where there is too little text."""
        if "osd" not in installed_languages():
            return None
        try:
            return parse_osd(self._run(gray, dpi, "-l", "osd", "--psm", "0"))
        except OcrError:
            return None

    def _run(self, gray: Gray, dpi: int, *options: str) -> str:
        picture = b"P5\n%d %d\n255\n" % (gray.shape[1], gray.shape[0]) + gray.tobytes()
        command = ["tesseract", "stdin", "stdout", "--dpi", str(dpi), *options]
        try:
            child = subprocess.run(
                command,
                input=picture,
                capture_output=True,
                timeout=self._seconds,
                check=False,
                # One thread: pages are the unit of parallel work, and words must not depend on the thread count.
                env={**os.environ, "OMP_THREAD_LIMIT": "1", "OMP_NUM_THREADS": "1"},
            )
        except subprocess.TimeoutExpired as error:
            raise OcrError(f"tesseract took more than {self._seconds:g} s") from error
        except OSError as error:
            raise OcrError(f"tesseract does not run: {error}") from error
        if child.returncode != 0:
            message = child.stderr.decode("utf-8", "replace").strip().splitlines()
            raise OcrError(f"tesseract failed: {message[-1] if message else child.returncode}")
        return child.stdout.decode("utf-8", "replace")


def languages_for(installed: frozenset[str], script: str | None, language: str | None) -> str:
    """Installed languages, joined by ``+``, for text of a script (None and ``Latin`` alike) in a language."""
    by_file = {name.rsplit("/", 1)[-1]: name for name in sorted(installed, reverse=True)}
    if script in (None, "Latin"):
        own = _NAME_OF_LANGUAGE.get(language or "en")
        wanted = [own] if own in by_file else ["Latin"] if "Latin" in by_file else []
        fallback = ["eng", *sorted(set(by_file) - NO_LANGUAGES)]
        chosen = wanted or [name for name in fallback if name in by_file][:1]
    else:
        chosen = [name for name in _LANGUAGES_OF_SCRIPT.get(script or "", ()) if name in by_file][:1]
        whole = _SCRIPT_FILES.get(script or "", script or "")
        chosen = chosen or [name for name in (whole,) if name in by_file]
        if not set(chosen) & _READ_LATIN_TOO and "eng" in by_file:
            chosen.append("eng")
    return "+".join(by_file[name] for name in chosen[:MOST_LANGUAGES]) or "eng"


def languages_missed(installed: frozenset[str], script: str | None, language: str | None) -> tuple[str, ...]:
    """Languages any of which would read the text better than what is installed; empty where one of them is there."""
    by_file = {name.rsplit("/", 1)[-1] for name in installed}
    if script in (None, "Latin"):
        own = _NAME_OF_LANGUAGE.get(language or "")
        return () if own is None or {own, "Latin"} & by_file else (own,)
    whole = _SCRIPT_FILES.get(script or "", script or "")
    wanted = _LANGUAGES_OF_SCRIPT.get(script or "", ())
    return () if {*wanted, whole} & by_file else wanted


def parse_tsv(text: str) -> list[OcrLine]:
    """Tesseract's TSV output as lines; words that the engine hardly trusts and rows that do not parse are left out."""
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
        if confidence < LEAST_WORD_CONFIDENCE:
            continue
        box = (float(left), float(top), float(left + width), float(top + height))
        lines.setdefault(key, []).append(OcrWord(columns[11].strip(), box, round(confidence, 4)))
        blocks.setdefault(key[:3], len(blocks))
    return [OcrLine(blocks[key[:3]], tuple(words)) for key, words in lines.items()]


def parse_osd(text: str) -> Survey | None:
    """The answer of ``--psm 0``; a script or a turn that tesseract itself doubts is left out."""
    values = {}
    for row in text.splitlines():
        name, _, value = row.partition(": ")
        values[name.strip()] = value.strip()
    try:
        turn = int(values["Rotate"]) // 90 if float(values["Orientation confidence"]) >= LEAST_TURN_CERTAINTY else 0
        sure = float(values["Script confidence"]) >= LEAST_SCRIPT_CERTAINTY
    except (KeyError, ValueError):
        return None
    return Survey(turn % 4, (values.get("Script") or None) if sure else None)
