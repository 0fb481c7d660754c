"""Evidence as highlights in the document's own PDF: annotations are added, what the file holds stays as it is."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cosee.artifacts.base import BBox
from cosee.artifacts.results.prediction import Prediction, Support
from cosee.export.thresholds import BOX_DIGITS, HIGHLIGHT_OPACITY
from cosee.imaging.pdf_file import is_rebuilt, open_pdf

SUBJECT = "CoSee evidence"
COLOR = "1 0.84 0.2"


@dataclass(frozen=True)
class Highlight:
    """A box of a page (1-based, 0..1 of the page as seen) with what it supports, a paragraph for each question."""

    page: int
    bbox: BBox
    note: str
    methods: str


def highlights(answers: Iterable[Prediction], questions: Mapping[str, str]) -> list[Highlight]:
    """One for each box that an answer of the document stands on, in the order of pages.

    ``questions`` is question id -> its words. Answers that share a box share its highlight.
    """
    boxes: dict[tuple[int, BBox], list[tuple[Prediction, Support]]] = {}
    for answer in answers:
        for support in answer.support:
            if support.bbox is not None:
                left, top, right, bottom = (round(share, BOX_DIGITS) for share in support.bbox)
                boxes.setdefault((support.page, (left, top, right, bottom)), []).append((answer, support))
    found = []
    for (page, box), members in sorted(boxes.items(), key=lambda entry: (entry[0][0], entry[0][1][1], entry[0][1])):
        methods = ", ".join(dict.fromkeys(answer.method for answer, _ in members))
        found.append(Highlight(page, box, _note(members, questions), methods))
    return found


def _note(members: Sequence[tuple[Prediction, Support]], questions: Mapping[str, str]) -> str:
    """A paragraph for each question: its words, then each answer with the methods that gave it and their quotes."""
    told: dict[str, dict[str, list[tuple[Prediction, Support]]]] = {}
    for answer, support in members:
        told.setdefault(answer.question_id, {}).setdefault(answer.answer, []).append((answer, support))
    paragraphs = []
    for question_id, answers in told.items():
        lines = [f"Question: {questions.get(question_id) or question_id}"]
        for text, given in answers.items():
            methods = dict.fromkeys(answer.method for answer, _ in given)
            quotes = dict.fromkeys(f"Quote{_checked(each)}: {each.quote}" for _, each in given if each.quote)
            lines += [f"Answer: {text}", f"Method: {', '.join(methods)}", *quotes]
        paragraphs.append("\n".join(lines))
    return "\n\n".join(paragraphs)


def write_highlights(pdf: Path, marks: Sequence[Highlight], out: Path) -> int:
    """Write the PDF with the highlights to ``out``; returns how many, those of pages that it does not have left out.

    The file is continued, not written anew: its own bytes stand unchanged at the beginning of ``out``. Only a file
    that had to be repaired to be read, or that a password closes, is written whole. The same input gives the same
    bytes, unless the file is encrypted: encryption draws at random.

    Raises:
        PasswordError or one of ``pdf_faults``: the file cannot be opened.
    """
    import pymupdf

    out.parent.mkdir(parents=True, exist_ok=True)
    scratch = out.with_name(f".{out.name}.part")
    keep = {"no_new_id": True, "encryption": pymupdf.PDF_ENCRYPT_KEEP}
    try:
        with open_pdf(pdf) as document:
            if is_rebuilt(document) or document.needs_pass or not document.can_save_incrementally():
                count = _add_all(document, marks)
                document.save(scratch, **keep)
            else:
                shutil.copyfile(pdf, scratch)
                with pymupdf.open(scratch, filetype="pdf") as copy:
                    count = _add_all(copy, marks)
                    if count:
                        copy.save(scratch, incremental=True, **keep)
        scratch.replace(out)
    finally:
        scratch.unlink(missing_ok=True)
    return count


def read_highlights(pdf: Path) -> list[Highlight]:
    """The highlights that ``write_highlights`` set, page by page, with their boxes in points of the page as seen.

    Raises:
        PasswordError or one of ``pdf_faults``: the file cannot be opened.
    """
    import pymupdf

    found = []
    with open_pdf(pdf) as document:
        for page in document:
            for annotation in page.annots(types=[pymupdf.PDF_ANNOT_HIGHLIGHT]):
                info = annotation.info
                if info["subject"] == SUBJECT:
                    box = (annotation.rect * page.rotation_matrix).normalize()
                    found.append(Highlight(page.number + 1, tuple(box), info["content"], info["title"]))
    return found


def _add_all(document: Any, marks: Sequence[Highlight]) -> int:
    there = [mark for mark in marks if 1 <= mark.page <= document.page_count]
    for number, mark in enumerate(there, start=1):
        _add(document, mark, number)
    return len(there)


def _add(document: Any, mark: Highlight, number: int) -> None:
    """An annotation exactly as large as the box: the library's own drawing is rounded and reaches beyond it."""
    import pymupdf

    page = document[mark.page - 1]
    width, height = page.rect.width, page.rect.height
    left, top, right, bottom = mark.bbox
    seen = pymupdf.Rect(left * width, top * height, right * width, bottom * height)
    annotation = page.add_highlight_annot(quads=[(seen * page.derotation_matrix).normalize().quad])
    annotation.set_info(content=mark.note, title=mark.methods, subject=SUBJECT)
    xref = annotation.xref
    corners = [float(number) for number in document.xref_get_key(xref, "QuadPoints")[1].strip("[]").split()]
    x0, x1, y0, y1 = min(corners[::2]), max(corners[::2]), min(corners[1::2]), max(corners[1::2])
    box = f"[{x0:.3f} {y0:.3f} {x1:.3f} {y1:.3f}]"
    for key, value in (("Rect", box), ("C", f"[{COLOR}]"), ("NM", f"(cosee-{number})")):
        document.xref_set_key(xref, key, value)
    drawing = int(document.xref_get_key(xref, "AP/N")[1].split()[0])
    document.update_object(
        drawing,
        f"<</Type/XObject/Subtype/Form/BBox{box}/Group<</S/Transparency>>"
        f"/Resources<</ExtGState<</H<</BM/Multiply/ca {HIGHLIGHT_OPACITY}>>>>>>>>",
    )
    shape = f"/H gs {COLOR} rg {x0:.3f} {y0:.3f} {x1 - x0:.3f} {y1 - y0:.3f} re f"
    document.update_stream(drawing, shape.encode(), compress=False)


def _checked(support: Support) -> str:
    """What there is to say of a quote that was not found."""
    if support.unverified:
        return f" (unverified: {support.unverified})"
    return " (not found on the page)" if support.quote_found is False else ""
