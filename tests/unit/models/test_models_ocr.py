from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from cosee import machine
from cosee.models.vision import ocr_rapid, ocr_tesseract
from cosee.models.vision.engine import OcrEngine, OcrError, OcrLine, OcrWord
from cosee.models.vision.ocr import CachedEngine, find_engine
from cosee.models.vision.ocr_tesseract import languages_for, languages_missed, parse_osd, parse_tsv


@pytest.fixture
def no_tesseract(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("PATH", "/nonexistent")
    ocr_tesseract.installed_languages.cache_clear()
    yield
    ocr_tesseract.installed_languages.cache_clear()


def test_tesseract_output_is_read_by_lines_and_noise_is_left_out() -> None:
    head = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext"
    rows = ["5\t1\t1\t1\t1\t1\t10\t20\t30\t12\t95.5\tHello", "5\t1\t1\t1\t1\t2\t45\t20\t30\t12\t90\tworld"]
    noise = ["5\t1\t2\t1\t1\t1\t0\t0\t9\t9\t5\t~~", "4\t1\t2\t1\t1\t0\t0\t0\t9\t9\t-1\t", "garbage"]
    lines_read = parse_tsv("\n".join([head, *rows, *noise]))
    assert [[word.text for word in line.words] for line in lines_read] == [["Hello", "world"]]
    assert lines_read[0].words[0].bbox == (10, 20, 40, 32) and lines_read[0].words[0].confidence == 0.955


@pytest.mark.usefixtures("no_tesseract")
def test_engines_that_are_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr_rapid, "is_installed", lambda: False)
    assert find_engine("none", "auto", 60) is None
    assert find_engine("auto", "auto", 60) is None
    with pytest.raises(OcrError, match="apt-get install tesseract-ocr"):
        find_engine("tesseract", "auto", 60)
    with pytest.raises(OcrError, match=r"cosee\[ocr\]"):
        find_engine("rapidocr", "auto", 60)


@pytest.mark.usefixtures("no_tesseract")
def test_auto_takes_rapidocr_where_tesseract_is_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr_rapid, "is_installed", lambda: True)
    engine = find_engine("auto", "auto", 60)
    assert engine is not None and engine.name.startswith("rapidocr")


@pytest.mark.parametrize(
    ("script", "language", "expected"),
    [
        (None, None, "eng"),
        ("Latin", "en", "eng"),
        ("Latin", "de", "deu"),
        ("Latin", "fr", "script/Latin"),
        ("Cyrillic", None, "rus+eng"),
        ("Japanese", None, "jpn"),
        ("Greek", None, "script/Greek+eng"),
        ("Runic", None, "eng"),
    ],
)
def test_languages_follow_script_and_language(script: str | None, language: str | None, expected: str) -> None:
    installed = frozenset(("osd", "eng", "deu", "rus", "jpn", "script/Latin", "script/Greek"))
    assert languages_for(installed, script, language) == expected


@pytest.mark.parametrize(
    ("script", "language", "expected"),
    [
        (None, None, ()),
        ("Latin", "en", ()),
        ("Latin", "de", ("deu",)),
        ("Cyrillic", None, ("rus", "ukr", "bul", "srp")),
        ("Greek", None, ()),
        ("Han", None, ()),
        ("Runic", None, ()),
    ],
)
def test_languages_that_would_read_better_are_missed(
    script: str | None, language: str | None, expected: tuple[str, ...]
) -> None:
    installed = frozenset(("osd", "eng", "script/Greek", "chi_tra"))
    assert languages_missed(installed, script, language) == expected
    assert languages_missed(installed | {"script/Latin"}, "Latin", "de") == ()


@pytest.mark.usefixtures("no_tesseract")
def test_what_is_there_is_looked_for_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COSEE_CACHE", str(tmp_path))
    names = ["tesseract", "tesseract:deu", "weights:m/w", f"folder:{tmp_path / 'model'}", "office", "unknown:x"]
    assert machine.found_of(names) == []
    for path in ("models/m/w", "model/config.json", "bin/soffice"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch(0o755)
    program = tmp_path / "bin" / "tesseract"
    program.write_text("#!/bin/sh\necho 'List of available languages (3):'\necho osd\necho eng\necho script/deu\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    machine.installed_languages.cache_clear()
    assert machine.found_of(names) == sorted(set(names) - {"unknown:x"})


def test_direction_and_script_that_tesseract_doubts_are_left_out() -> None:
    answer = "Rotate: {}\nOrientation confidence: {}\nScript: Cyrillic\nScript confidence: {}\n"
    sure, doubtful = parse_osd(answer.format(270, 9.1, 3.0)), parse_osd(answer.format(270, 0.2, 0.1))
    assert sure is not None and (sure.quarters, sure.script) == (3, "Cyrillic")
    assert doubtful is not None and (doubtful.quarters, doubtful.script) == (0, None)
    assert parse_osd("Too few characters. Skipping this page") is None


class Counting(OcrEngine):
    """Says how often it was asked."""

    name = "counting 1"
    calls = 0

    def read(self, gray: np.ndarray, dpi: int, languages: str) -> list[OcrLine]:
        self.calls += 1
        return [OcrLine(3, (OcrWord(f"read {languages}", (1.0, 2.0, 3.5, 4.0), 0.75),))]


def test_what_was_read_is_kept_by_picture_engine_and_languages(tmp_path: Path) -> None:
    engine, gray = Counting(), np.full((20, 30), 255, dtype=np.uint8)
    cached = CachedEngine(engine, tmp_path)
    first = cached.read(gray, 200, "eng")
    assert CachedEngine(engine, tmp_path).read(gray, 200, "eng") == first and engine.calls == 1
    cached.read(gray, 200, "deu")
    cached.read(gray.T.copy(), 200, "eng")
    assert engine.calls == 3
    for path in tmp_path.rglob("*.json"):
        path.write_text("[[", encoding="utf-8")
    assert cached.read(gray, 200, "eng") == first and engine.calls == 4
