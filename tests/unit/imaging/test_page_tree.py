"""PDFs that have lost the list of their pages are read by the page objects that are there."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from cosee.imaging.page_tree import rebuilt
from cosee.imaging.pdf_file import is_rebuilt, open_pdf
from cosee.imaging.render import render_region

TREES = {
    "no_kids": ("/Type/Pages/Count 3", "/Type/Catalog/Pages 2 0 R"),
    "no_count": ("/Type/Pages/Kids[5 0 R 3 0 R 7 0 R]", "/Type/Catalog/Pages 2 0 R"),
    "negative_count": ("/Type/Pages/Kids[3 0 R 5 0 R 7 0 R]/Count -3", "/Type/Catalog/Pages 2 0 R"),
    "cycle": ("/Type/Pages/Kids[2 0 R]/Count 3", "/Type/Catalog/Pages 2 0 R"),
    "catalogue_names_no_tree": ("/Type/Pages/Kids[3 0 R 5 0 R 7 0 R]/Count 3", "/Type/Catalog"),
    "catalogue_names_a_page": ("/Type/Pages/Kids[3 0 R 5 0 R 7 0 R]/Count 3", "/Type/Catalog/Pages 3 0 R"),
    "kids_are_gone": ("/Type/Pages/Kids[90 0 R 91 0 R 92 0 R]/Count 3", "/Type/Catalog/Pages 2 0 R"),
}


def broken(pages: str, catalogue: str) -> bytes:
    """Three pages that take size and font from their parent, numbered 3, 5 and 7, below the tree given."""
    objects = {1: f"<<{catalogue}>>", 2: f"<<{pages}/MediaBox[0 0 200 100]/Resources<</Font<</F 9 0 R>>>>>>"}
    for number, text in ((3, "one"), (5, "two"), (7, "three")):
        content = f"BT /F 12 Tf 20 50 Td ({text}) Tj ET"
        objects[number] = f"<</Type/Page/Parent 2 0 R/Contents {number + 1} 0 R>>"
        objects[number + 1] = f"<</Length {len(content)}>>stream\n{content}\nendstream"
    objects[9] = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
    body, places = b"%PDF-1.4\n", {}
    for number, value in sorted(objects.items()):
        places[number] = len(body)
        body += f"{number} 0 obj\n{value}\nendobj\n".encode()
    table = "".join(f"{places[number]:010d} 00000 n \n" for number in sorted(objects))
    end = f"xref\n0 10\n0000000000 65535 f \n{table}trailer\n<</Size 10/Root 1 0 R>>\nstartxref\n{len(body)}\n%%EOF\n"
    return body + end.encode()


@pytest.mark.parametrize("tree", TREES.values(), ids=TREES)
def test_pages_are_found_without_their_tree_and_keep_what_they_inherit(tmp_path: Path, tree: tuple[str, str]) -> None:
    (tmp_path / "full.pdf").write_bytes(broken(*tree))
    with open_pdf(tmp_path / "full.pdf") as document:
        assert is_rebuilt(document)
        assert [page.get_text().strip() for page in document] in (["one", "two", "three"], ["two", "one", "three"])
        assert {(page.rect.width, page.rect.height) for page in document} == {(200.0, 100.0)}
    assert render_region(tmp_path / "full.pdf", 3, (0.0, 0.0, 1.0, 1.0), 72).startswith(b"\x89PNG")


def test_the_order_of_what_is_left_of_the_tree_is_kept(tmp_path: Path) -> None:
    (tmp_path / "full.pdf").write_bytes(broken(*TREES["no_count"]))
    with open_pdf(tmp_path / "full.pdf") as document:
        assert [page.get_text().strip() for page in document] == ["two", "one", "three"]


def test_a_sound_tree_and_a_file_without_any_page_are_left_alone(tmp_path: Path) -> None:
    whole = broken("/Type/Pages/Kids[3 0 R 5 0 R]/Count 2", "/Type/Catalog/Pages 2 0 R")
    (tmp_path / "full.pdf").write_bytes(whole)
    with open_pdf(tmp_path / "full.pdf") as document:
        assert document.page_count == 2
        assert not is_rebuilt(document)
    (tmp_path / "full.pdf").write_bytes(b"<!DOCTYPE html><html><body>A %PDF is a file</body></html>")
    with open_pdf(tmp_path / "full.pdf") as document:
        assert not document.is_pdf
    empty = whole.replace(b"/Type/Page/", b"/Type/Pag_/").replace(b"Kids[3 0 R 5 0 R]", b"Kids[             ]")
    with pymupdf.open("pdf", empty) as document:
        assert rebuilt(document) is None
