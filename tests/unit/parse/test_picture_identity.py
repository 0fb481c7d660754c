"""Which placements are of one picture: by the data behind them, not by their size."""

from __future__ import annotations

import io
from pathlib import Path

import pymupdf
from PIL import Image

from cosee.artifacts.documents.content import ContentList
from cosee.artifacts.settings.parsing import AdaptSettings
from cosee.parse.pdf.page_source import read_page
from cosee.pipeline.stage import DocFolder
from cosee.stages.adapt import AdaptStage


def picture(colour: tuple[int, int, int], *, kind: str = "BMP") -> bytes:
    """A picture of 80 x 60 with a border; of one kind all have the same number of bytes."""
    image = Image.new("RGB", (80, 60), (20, 20, 20))
    image.paste(Image.new("RGB", (60, 40), colour), (10, 10))
    data = io.BytesIO()
    image.save(data, kind)
    return data.getvalue()


def document(path: Path, pages: list[list[bytes]]) -> Path:
    """Each picture on its page at a place of its own, 160 x 120 points."""
    with pymupdf.open() as pdf:
        for pictures in pages:
            page = pdf.new_page(width=400, height=600)
            for place, data in enumerate(pictures):
                page.insert_image((60, 40 + 140 * place, 220, 160 + 140 * place), stream=data)
        pdf.save(path)
    return path


def identities(path: Path) -> list[tuple[int, ...]]:
    with pymupdf.open(path) as pdf:
        return [found.identity for page in pdf for found in read_page(page).pictures]


RED, BLUE = picture((200, 0, 0)), picture((0, 0, 200))


def test_the_same_picture_on_several_pages_is_one_and_another_of_its_size_is_not(tmp_path: Path) -> None:
    first, second, third = identities(document(tmp_path / "a.pdf", [[RED], [BLUE], [RED]]))
    assert first and first == third != second


def test_pictures_of_one_size_on_one_page_are_told_by_their_pixels(tmp_path: Path) -> None:
    first, second, third = identities(document(tmp_path / "a.pdf", [[RED, BLUE, RED]]))
    assert first and first == third != second


def test_one_picture_under_two_masks_is_two(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    with pymupdf.open() as pdf:
        for level in (90, 220):
            mask = io.BytesIO()
            Image.new("L", (80, 60), level).save(mask, "PNG")
            pdf.new_page(width=400, height=600).insert_image((60, 40, 220, 160), stream=RED, mask=mask.getvalue())
        pdf.save(path)
    first, second = identities(path)
    assert first and second and first != second


def test_every_picture_has_its_own_crop(tmp_path: Path) -> None:
    document(tmp_path / "full.pdf", [[RED], [BLUE]])
    AdaptStage().run(DocFolder("demo", "doc", tmp_path, tmp_path), AdaptSettings(ocr="none"))
    content = ContentList.load(tmp_path / "content_list.adapted.json")
    assert len({item.image_path for item in content.items if item.role == "image"}) == 2


def test_one_stream_under_two_decodings_is_two(tmp_path: Path) -> None:
    path = document(tmp_path / "a.pdf", [[RED], [BLUE]])
    with pymupdf.open(path) as pdf:
        first, second = (page.get_images()[0][0] for page in pdf)
        pdf.update_stream(second, pdf.xref_stream(first))
        pdf.xref_set_key(second, "Decode", "[1 0 1 0 1 0]")
        pdf.save(tmp_path / "b.pdf")
    one, other = identities(tmp_path / "b.pdf")
    assert one and other and one != other
