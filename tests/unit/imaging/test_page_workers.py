"""Pages made by processes that stay: once each, whoever asks, and whatever becomes of a process."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from helpers.make_pdf import lines, make_pdf
from PIL import Image, ImageChops, ImageStat

from cosee.imaging import page_workers
from cosee.imaging.page_workers import PageWorkers
from cosee.imaging.render import RenderError, render_page
from cosee.imaging.thresholds import PART_PIXELS
from cosee.models.blocks import PageImage


@pytest.fixture
def pdf(tmp_path: Path) -> Path:
    return make_pdf(tmp_path / "a.pdf", *(lambda page, n=n: lines(page, 50, 80, [f"page {n}"]) for n in range(3)))


def test_a_page_that_many_threads_want_is_made_once_and_as_ever(pdf, tmp_path, monkeypatch):
    workers, asked = PageWorkers(), []
    make = PageWorkers._make
    monkeypatch.setattr(
        PageWorkers, "_make", lambda self, request: (asked.append(request["page"]), make(self, request))
    )
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda n: workers.page(pdf, n % 3 + 1, 40, tmp_path / "cache"), range(24)))
    assert sorted(asked) == [1, 2, 3] and len(set(found)) == 3
    alone = render_page(pdf, 2, 40, tmp_path / "alone")
    assert alone.read_bytes() == workers.page(pdf, 2, 40, tmp_path / "cache").read_bytes()
    assert workers.page(pdf, 2, 40, tmp_path / "cache", mended=True).name == "2.mended.png"


def test_a_page_that_cannot_be_rendered_is_an_error_and_the_next_is_made(pdf, tmp_path):
    workers = PageWorkers()
    (tmp_path / "b.pdf").write_bytes(b"no pdf")
    for broken, page, words in ((tmp_path / "b.pdf", 1, "b.pdf, page 1"), (pdf, 9, "no page 9")):
        with pytest.raises(RenderError, match=words):
            workers.page(broken, page, 40, tmp_path / "cache")
    assert workers.page(pdf, 1, 40, tmp_path / "cache").is_file()


def test_a_process_that_died_or_stalls_is_replaced(pdf, tmp_path, monkeypatch):
    monkeypatch.setattr(page_workers, "MOST_WORKERS", 1)
    workers = PageWorkers()
    workers.start()
    workers._idle.queue[0]._process.kill()
    assert workers.page(pdf, 1, 40, tmp_path / "cache").is_file()
    monkeypatch.setattr(page_workers, "SECONDS_A_RENDERING", 0.0)
    with pytest.raises(RenderError, match="died, or took more than"):
        workers.page(pdf, 2, 40, tmp_path / "cache")
    monkeypatch.setattr(page_workers, "SECONDS_A_RENDERING", 60.0)
    assert workers.page(pdf, 2, 40, tmp_path / "cache").is_file()


def test_a_part_of_a_page_is_drawn_anew_as_fine_as_it_needs(pdf, tmp_path):
    workers = PageWorkers()
    cache = tmp_path / "cache"
    page = PageImage(
        1,
        partial(workers.page, pdf, 1, 144, cache),
        rendered=partial(workers.part, pdf, 1, cache),
    )
    width, height = page.size
    small, large = page.region((0.0, 0.05, 0.2, 0.15)), page.region((-0.1, -0.1, 1.4, 1.0))
    assert small.size == pytest.approx((0.2 * width * 3, 0.1 * height * 3), abs=4), "three times as fine, at most"
    assert large.size == (width, height), "never coarser than the page"
    line = page.region((0.1, 0.5, 0.9, 0.5001))
    assert line.size[0] / line.size[1] < 60, "a line is shown with what is around it"
    part = page.region((0.0, 0.0, 0.6, 0.5))
    assert 0.97 < part.size[0] * part.size[1] / PART_PIXELS <= 1.02
    # The same letters: shrunk to the page's pixels, what was drawn anew looks like what is cut out.
    cut = PageImage(1, page.load()).region((0.0, 0.05, 0.2, 0.15)).load()
    difference = ImageChops.difference(small.load().resize(cut.size, Image.Resampling.BOX), cut).convert("L")
    assert ImageStat.Stat(difference).mean[0] < 6 < ImageStat.Stat(cut.convert("L")).stddev[0]
    assert workers.part(pdf, 1, cache, (0.0, 0.0, 0.5, 0.5), mended=True).name == "1.0-0-5000-5000.mended.png"
