"""Highlights lie where the evidence is, on pages of every kind, and the file's own content stays."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from cosee.artifacts.results.prediction import Prediction, Support
from cosee.export.highlights import Highlight, highlights, read_highlights, write_highlights

BOX = (0.1, 0.25, 0.55, 0.3125)


def write_pdf(path: Path, **saving: object) -> Path:
    """Pages plain, turned by each quarter, cropped, and with an origin of their own."""
    document = pymupdf.open()
    for turn in (0, 90, 180, 270):
        page = document.new_page(width=400, height=600)
        page.insert_text((50, 100), f"turned by {turn}")
        page.set_rotation(turn)
    for number, turn in enumerate((0, 90)):
        page = document.new_page(width=500, height=700)
        page.insert_text((150, 300), f"cropped {number}")
        page.set_cropbox(pymupdf.Rect(60, 80, 460, 580))
        page.set_rotation(turn)
    page = document.new_page(width=500, height=700)
    page.insert_text((150, 300), "own origin")
    document.xref_set_key(page.xref, "MediaBox", "[-136 -45 364 655]")
    document.save(path, **saving)
    return path


def dark_box(before: Path, after: Path, page: int) -> tuple[float, ...]:
    """The bounds, in points of the page as seen, of all pixels that the highlights made yellow."""
    with pymupdf.open(before) as one, pymupdf.open(after) as other:
        pictures = [document[page - 1].get_pixmap(dpi=72) for document in (one, other)]
    width, height, n = pictures[0].width, pictures[0].height, pictures[0].n
    first, second = (picture.samples for picture in pictures)
    changed = [
        (place % width, place // width)
        for place in range(width * height)
        if first[place * n + 2] - second[place * n + 2] > 40
    ]
    xs, ys = [x for x, _ in changed], [y for _, y in changed]
    return min(xs), min(ys), max(xs) + 1, max(ys) + 1


@pytest.mark.parametrize("encrypted", [False, True])
def test_boxes_are_where_the_evidence_is_and_the_text_stays(tmp_path: Path, encrypted: bool) -> None:
    saving = {"encryption": pymupdf.PDF_ENCRYPT_AES_256, "owner_pw": "o", "user_pw": ""} if encrypted else {}
    pdf, out = write_pdf(tmp_path / "full.pdf", **saving), tmp_path / "marked.pdf"
    marks = [Highlight(page, BOX, f"Question: why “{page}”?\nAnswer: é", "cosee") for page in range(1, 8)]
    assert write_highlights(pdf, [*marks, Highlight(9, BOX, "", "no such page")], out) == 7
    assert out.read_bytes().startswith(pdf.read_bytes()), "the file is continued"
    found = read_highlights(out)
    assert [(each.page, each.note, each.methods) for each in found] == [(m.page, m.note, m.methods) for m in marks]
    with pymupdf.open(pdf) as before, pymupdf.open(out) as after:
        for page, mark in zip(before, found, strict=True):
            wide, high = page.rect.width, page.rect.height
            wanted = (BOX[0] * wide, BOX[1] * high, BOX[2] * wide, BOX[3] * high)
            assert mark.bbox == pytest.approx(wanted, abs=0.01)
            assert dark_box(pdf, out, mark.page) == pytest.approx(wanted, abs=2)
            assert after[page.number].get_text("words") == page.get_text("words") != []
            assert after[page.number].read_contents() == page.read_contents()
    write_highlights(pdf, marks, tmp_path / "again.pdf")
    assert encrypted or (tmp_path / "again.pdf").read_bytes() == out.read_bytes()


def test_a_repaired_file_is_written_whole_with_its_text(tmp_path: Path) -> None:
    pdf = write_pdf(tmp_path / "full.pdf", no_new_id=True)
    pdf.write_bytes(pdf.read_bytes().replace(b"startxref", b"startxxxx"))
    out = tmp_path / "marked.pdf"
    assert write_highlights(pdf, [Highlight(1, BOX, "n", "m")], out) == 1
    with pymupdf.open(pdf) as before, pymupdf.open(out) as after:
        assert [page.get_text() for page in after] == [page.get_text() for page in before]
    assert [each.page for each in read_highlights(out)] == [1]


def test_without_evidence_the_file_is_a_copy(tmp_path: Path) -> None:
    pdf = write_pdf(tmp_path / "full.pdf")
    assert write_highlights(pdf, [], tmp_path / "out.pdf") == 0
    assert (tmp_path / "out.pdf").read_bytes() == pdf.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["full.pdf", "out.pdf"]


def answer(question: str, method: str, text: str, box: tuple[float, float, float, float] | None) -> Prediction:
    support = Support(page=2, bbox=box, quote="the quote", quote_verified=method == "cosee")
    return Prediction(
        question_id=question, doc_id="d", dataset="s", method=method, status="ok", exit_reason="answered", answer=text,
        abstained=False, support=[support],
    )  # fmt: skip


def test_answers_that_share_a_box_share_a_highlight() -> None:
    answers = [
        answer("q1", "page_rag", "42", BOX),
        answer("q1", "cosee", "42", BOX),
        answer("q2", "cosee", "7", BOX),
        answer("q2", "direct", "8", None),
    ]
    (mark,) = highlights(answers, {"q1": "How wide?"})
    assert (mark.page, mark.bbox, mark.methods) == (2, BOX, "page_rag, cosee")
    assert mark.note == (
        "Question: How wide?\nAnswer: 42\nMethod: page_rag, cosee\nQuote (not found on the page): the quote\n"
        "Quote: the quote\n\n"
        "Question: q2\nAnswer: 7\nMethod: cosee\nQuote: the quote"
    )
