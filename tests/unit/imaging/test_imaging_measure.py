"""Measured quality: each statistic gets worse with its own distortion, is read by OCR better when mended, and stays."""

from __future__ import annotations

import io
import time
from pathlib import Path

import numpy as np
import pytest
from helpers.make_pdf import make_pdf
from PIL import Image, ImageDraw, ImageFilter

from cosee.artifacts.documents.content import ContentList
from cosee.artifacts.documents.picture_quality import Distortion
from cosee.artifacts.settings.parsing import AdaptSettings
from cosee.imaging.measure import jpeg_coarseness, measure_gray, measure_picture, score_of
from cosee.imaging.model_pictures import mended, mended_page
from cosee.imaging.restore import restore
from cosee.imaging.thresholds import RAMPS
from cosee.models.vision.ocr_tesseract import installed_languages
from cosee.parse.content.adapt import adapt
from cosee.parse.pdf_reader import read_pdf

needs_tesseract = pytest.mark.skipif(not installed_languages(), reason="tesseract is not installed")
WORDS = [
    "Pumps", "lift", "water", "from", "the", "lower", "basin", "to", "the", "upper", "one", "and", "need", "oil",
    "every", "second", "week",
]  # fmt: skip


def page(size: int = 22) -> Image.Image:
    """Print on a page of 150 dpi."""
    picture = Image.new("L", (1240, 1000), 255)
    draw = ImageDraw.Draw(picture)
    for row in range(24):
        words = WORDS[row % 8 :] + WORDS[: row % 8]
        draw.text((90, 60 + 38 * row), " ".join(words[:11]), fill=20, font_size=size)
    return picture


def blur(picture: Image.Image, amount: float) -> Image.Image:
    return picture.filter(ImageFilter.GaussianBlur(amount))


def noise(picture: Image.Image, amount: float) -> Image.Image:
    values = np.asarray(picture, dtype=np.float64)
    values = values + np.random.default_rng(1).normal(0, amount, values.shape)
    return Image.fromarray(np.clip(values, 0, 255).astype(np.uint8))


def pale(picture: Image.Image, amount: float) -> Image.Image:
    return picture.point(lambda value: round(220 - (220 - value * 220 / 255) * (1 - amount)))


def dark(picture: Image.Image, amount: float) -> Image.Image:
    return picture.point(lambda value: round(value * (1 - amount)))


def jpeg(picture: Image.Image, amount: float) -> Image.Image:
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=round(100 - amount))
    return Image.open(buffer).convert("L")


def smaller(picture: Image.Image, amount: float) -> Image.Image:
    size = round(picture.width * (1 - amount)), round(picture.height * (1 - amount))
    return picture.resize(size, Image.Resampling.LANCZOS)


def askew(picture: Image.Image, amount: float) -> Image.Image:
    return picture.rotate(-amount, Image.Resampling.BICUBIC, expand=True, fillcolor=255)


def yellow(picture: Image.Image, amount: float) -> Image.Image:
    red, green, blue = picture.convert("RGB").split()
    return Image.merge("RGB", (red, green, blue.point(lambda value: round(value * (1 - amount)))))


KINDS = [
    ("blur", blur, (0, 1, 2, 3)),
    ("noise", noise, (0, 8, 20, 50)),
    ("low_contrast", pale, (0, 0.6, 0.8, 0.95)),
    ("darkness", dark, (0, 0.5, 0.7, 0.9)),
    ("small_text", smaller, (0, 0.45, 0.6)),
    ("skew", askew, (0, 3, 8)),
    ("colour_cast", yellow, (0, 0.3, 0.6)),
]


@pytest.mark.parametrize(("name", "spoil", "amounts"), KINDS, ids=[kind[0] for kind in KINDS])
def test_each_statistic_falls_with_its_distortion(name: Distortion, spoil: object, amounts: tuple[float, ...]) -> None:
    assert callable(spoil)
    found = [measure_picture(spoil(page(), amount), 150 if name != "small_text" else None) for amount in amounts]
    scores = [quality.scores[name] for quality in found]
    assert scores[0] > 4.2 and scores == sorted(scores, reverse=True) and scores[-1] < scores[0] - 0.5
    assert name in found[-1].faults and found[-1].faults[0] == name
    assert found[-1].score < found[0].score and not found[0].faults


def test_blocking_falls_with_the_quality_of_a_jpeg() -> None:
    down, across = np.mgrid[0:600, 0:800]
    shades = 120 + 60 * np.sin(across / 90) + 50 * np.cos(down / 70 + across / 130)
    photograph = noise(Image.fromarray(shades.astype(np.uint8)), 3)
    scores = [measure_picture(jpeg(photograph, amount)).scores["blocking"] for amount in (2, 70, 92, 97)]
    assert scores == sorted(scores, reverse=True) and scores[0] > 4.5 and scores[-1] < 3


@pytest.mark.parametrize("name", list(RAMPS))
def test_scores_are_monotone_and_bounded(name: Distortion) -> None:
    worst, best = RAMPS[name]
    values = np.linspace(worst - (best - worst), best + (best - worst), 50)
    scores = [score_of(name, float(value)) for value in values]
    assert scores == sorted(scores) and (scores[0], scores[-1]) == (1.0, 5.0)


@pytest.mark.parametrize("size", [(1, 1), (3, 200), (200, 3), (64, 64), (900, 20)])
@pytest.mark.parametrize("mode", ["1", "L", "RGB", "RGBA", "P"])
def test_any_picture_can_be_measured(size: tuple[int, int], mode: str) -> None:
    quality = measure_picture(Image.new(mode, size))
    assert 1 <= quality.score <= 5


def test_a_blank_page_has_no_fault_of_print() -> None:
    quality = measure_picture(Image.new("L", (800, 1000), 255))
    assert quality.edge_width is None and quality.x_height is None
    assert "blur" not in quality.scores and "small_text" not in quality.scores


def test_speckles_are_noise() -> None:
    values = np.asarray(page()).copy()
    values[np.random.default_rng(2).random(values.shape) < 0.01] = 0
    assert measure_picture(Image.fromarray(values), 150).faults == ["noise"]


def test_time_and_result_are_bounded_by_the_pixels_looked_at() -> None:
    large = page().resize((6200, 5000))
    start = time.perf_counter()
    few = measure_picture(large, 750, pixels=100_000)
    assert few.faults == [] and few.letters > 100
    assert time.perf_counter() - start < 30


def test_a_picture_without_fault_is_left_alone() -> None:
    gray = np.asarray(page())
    found = restore(gray, 150, measure_gray(gray, 150), lambda dpi: (gray, dpi))
    assert found.gray is gray and found.dpi == 150 and found.quality.restored == []


def test_what_is_done_follows_from_the_fault() -> None:
    asked: list[int] = []

    def steps(picture: Image.Image) -> list[str]:
        gray = np.asarray(picture)

        def render(dpi: int) -> tuple[np.ndarray[tuple[int, int], np.dtype[np.uint8]], int]:
            asked.append(dpi)
            size = round(picture.width * dpi / 150), round(picture.height * dpi / 150)
            return np.asarray(picture.resize(size)), dpi

        return restore(gray, 150, measure_gray(gray, 150), render).quality.restored

    assert steps(blur(page(), 2)) == ["rendered_at_300_dpi", "sharpened"]
    assert steps(noise(page(), 50)) == ["rendered_at_300_dpi", "denoised"]
    assert steps(pale(page(), 0.93)) == ["stretched"]
    assert steps(page(10))[0].startswith("rendered_at_") and asked[-1] > 150


def test_a_model_is_shown_a_mended_picture_of_the_same_size(tmp_path: Path) -> None:
    poor = pale(page(), 0.95).convert("RGB")
    better = mended(poor, 150)
    assert better.size == poor.size and better.mode == "RGB"
    assert measure_picture(better, 150).contrast > 200 > measure_picture(poor, 150).contrast
    path = tmp_path / "1.png"
    poor.save(path)
    made = mended_page(path, 150)
    assert made.name == "1.mended.png" and Image.open(made).size == poor.size
    before = made.stat().st_mtime_ns
    assert mended_page(path, 150) == made and made.stat().st_mtime_ns == before


def scan(path: Path, picture: Image.Image) -> Path:
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    size = picture.width * 72 / 150, picture.height * 72 / 150
    return make_pdf(path, lambda page: page.insert_image(page.rect, stream=buffer.getvalue()), size=size)


def read(pdf: Path, *, restore: bool) -> ContentList:
    layout = read_pdf(pdf, "doc", AdaptSettings(ocr="tesseract", restore=restore), pdf.parent / "images").layout
    return adapt(layout)


def recall(content: ContentList) -> float:
    found = " ".join(item.text for item in content.items).split()
    wanted = [word for row in range(24) for word in (WORDS[row % 8 :] + WORDS[: row % 8])[:11]]
    return sum(min(found.count(word), wanted.count(word)) for word in set(wanted)) / len(wanted)


@needs_tesseract
@pytest.mark.parametrize(
    ("spoil", "amount", "step"),
    [(noise, 60, "denoised"), (blur, 2.2, "sharpened"), (askew, 5, "straightened")],
)
def test_a_poor_page_is_read_better_through_the_gate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoil: object, amount: float, step: str
) -> None:
    monkeypatch.setenv("COSEE_CACHE", str(tmp_path / "cache"))
    assert callable(spoil)
    pdf = scan(tmp_path / "poor.pdf", spoil(page(), amount))
    gated, plain = read(pdf, restore=True), read(pdf, restore=False)
    assert recall(gated) > recall(plain) + 0.05 and recall(gated) > 0.8
    quality = gated.pages[0].quality
    assert quality is not None and step in quality.restored and quality.score < 4.5
    assert plain.pages[0].quality is not None and plain.pages[0].quality.restored == []


@needs_tesseract
def test_a_good_page_is_read_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COSEE_CACHE", str(tmp_path / "cache"))
    content = read(scan(tmp_path / "good.pdf", page()), restore=True)
    assert recall(content) > 0.98
    quality = content.pages[0].quality
    assert quality is not None and quality.restored == [] and quality.faults == []


def test_a_bitmap_figure_carries_its_quality(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    blur(page().crop((0, 0, 600, 400)), 6).convert("RGB").save(buffer, "PNG")

    def draw(target: object) -> None:
        target.insert_text((72, 60), "Figure 1: A blurred photograph of a page")  # type: ignore[attr-defined]
        target.insert_image((72, 80, 372, 280), stream=buffer.getvalue())  # type: ignore[attr-defined]

    content = adapt(read_pdf(make_pdf(tmp_path / "a.pdf", draw), "doc", AdaptSettings(ocr="none"), tmp_path).layout)
    (figure,) = [item for item in content.items if item.role == "image"]
    assert figure.quality is not None and figure.quality.faults[0] == "blur"
    assert all(item.quality is None for item in content.items if item.role != "image")


def jpeg_file(quality: int) -> bytes:
    buffer = io.BytesIO()
    Image.new("L", (64, 64), 200).save(buffer, "JPEG", quality=quality)
    return buffer.getvalue()


def test_the_coarseness_of_a_jpeg_is_read_from_its_table() -> None:
    assert jpeg_coarseness(jpeg_file(50)) == pytest.approx(1.0)
    assert jpeg_coarseness(jpeg_file(25)) == pytest.approx(2.0, abs=0.01)
    found = [jpeg_coarseness(jpeg_file(quality)) or 0.0 for quality in (3, 5, 8, 10, 15, 75, 95)]
    assert found == sorted(found, reverse=True) and found[3] == pytest.approx(5.0, abs=0.2)
    assert jpeg_coarseness(b"") is None and jpeg_coarseness(b"\xff\xd8\xff broken") is None


def test_coarse_steps_are_a_fault_though_no_block_is_seen() -> None:
    gray = np.full((300, 300), 255, dtype=np.uint8)
    assert "blocking" not in measure_gray(gray, 150, pitch=1.0, coarseness=None).faults
    assert "blocking" not in measure_gray(gray, 150, pitch=1.0, coarseness=jpeg_coarseness(jpeg_file(10))).faults
    assert "blocking" in measure_gray(gray, 150, pitch=1.0, coarseness=jpeg_coarseness(jpeg_file(5))).faults
