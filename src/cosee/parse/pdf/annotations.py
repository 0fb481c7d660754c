"""What stands on a page beside its own text: annotations, form fields, and layers that are switched off."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.artifacts.documents.layout import Span
from cosee.imaging.pdf_faults import pdf_faults
from cosee.parse.pdf.page_model import Fragment, RawPage, Word
from cosee.parse.pdf.turning import seen_box
from cosee.text.cleaning import clean, one_line

MAX_ANNOTATIONS = 2_000
MAX_COMMENT = 5_000
MAX_NAME = 200
CHECKED, UNCHECKED = "☑", "☐"
_HIDDEN, _NO_VIEW = 2, 32
_PRINTED = {"FreeText", "Stamp"}
_WITHOUT_TEXT = {"Link", "Popup", "Widget", "FileAttachment"}
_WRITTEN = {"Text", "ComboBox", "ListBox"}
_BUTTONS = {"CheckBox": (CHECKED, UNCHECKED), "RadioButton": ("◉", "○")}


def add_annotations(page: Any, raw: RawPage) -> None:
    """Flag what annotations print on the page, and keep what they say beside it: hidden, with its reason."""
    if page.first_annot is None:
        return
    for annotation in _bounded(page.annots(), raw):
        kind = annotation.type[1]
        if kind in _WITHOUT_TEXT:
            continue
        box = seen_box(annotation.rect, page.rotation_matrix)
        if kind in _PRINTED and not annotation.flags & (_HIDDEN | _NO_VIEW):
            _mark(raw, box, "annotation")
            continue
        text = one_line(clean((annotation.info or {}).get("content") or ""))[:MAX_COMMENT]
        if text:
            raw.fragments.append(_fragment(text, box, aside="comment"))


def add_form_values(page: Any, raw: RawPage) -> None:
    """Flag the values of form fields, show ticks as ticks, and add values that the file does not draw."""
    if page.first_widget is None:
        return
    for widget in _bounded(page.widgets(), raw):
        box = seen_box(widget.rect, page.rotation_matrix)
        if geometry.area(geometry.clamp(box, raw.bbox)) <= 0:
            continue
        value = widget.field_value
        if widget.field_display in (1, 3):
            if isinstance(value, str) and value.strip():
                raw.fragments.append(_fragment(one_line(clean(value)), box, aside="hidden"))
            continue
        marks = _BUTTONS.get(widget.field_type_string)
        if marks is not None:
            on = value not in (None, False, "", "Off")
            raw.fragments = [f for f in raw.fragments if len(f.text) > 2 or not geometry.center_inside(f.bbox, box)]
            raw.fragments.append(_fragment(marks[0] if on else marks[1], box, mark="form_value"))
        elif not _mark(raw, box, "form_value") and widget.field_type_string in _WRITTEN and str(value or "").strip():
            raw.fragments.append(_fragment(one_line(clean(str(value))), box, mark="form_value"))


def _bounded(found: Iterable[Any], raw: RawPage) -> Iterator[Any]:
    """The first ``MAX_ANNOTATIONS``; the page is flagged where there are more."""
    for number, each in enumerate(found):
        if number >= MAX_ANNOTATIONS:
            raw.flags.append("too_many_annotations")
            return
        yield each


def _mark(raw: RawPage, box: BBox, mark: str) -> bool:
    """Flag the fragments in a box; whether there are any."""
    found = False
    for fragment in raw.fragments:
        inside = geometry.intersection(fragment.bbox, box)
        if not fragment.hidden and inside > 0.3 * min(geometry.area(fragment.bbox), geometry.area(box)):
            fragment.mark, found = mark, True
    return found


def _fragment(text: str, box: BBox, *, aside: str | None = None, mark: str | None = None) -> Fragment:
    size = round(min(12.0, max(4.0, 0.7 * geometry.height(box))), 1)
    span = Span(text=text, bbox=geometry.rounded(box), size=size, font="")
    return Fragment(box, [span], [Word(text, box)], hidden=aside is not None, aside=aside, mark=mark)


class Layers:
    """The layers (optional content) of a document that its reader does not see."""

    def __init__(self, document: Any) -> None:
        self._document = document
        try:
            states = document.layer_ui_configs() if document.get_ocgs() else []
        except pdf_faults():
            states = []
        self._off = [state["number"] for state in states if state["type"] != "label" and not state["on"]]

    def add_hidden(self, page: Any, raw: RawPage, read: Callable[[Any], RawPage]) -> None:
        """Add the text of layers that are off: hidden, and otherwise as ``read`` finds it with every layer on."""
        if not self._off:
            return
        known = {_key(word) for fragment in raw.fragments for word in fragment.words}
        self._switch(0)
        try:
            whole = read(page)
        finally:
            self._switch(2)
        for fragment in whole.fragments:
            new = [word for word in fragment.words if _key(word) not in known]
            if new:
                box = geometry.union(word.bbox for word in new)
                span = fragment.spans[0].model_copy(
                    update={"text": " ".join(word.text for word in new), "bbox": geometry.rounded(box)}
                )
                raw.fragments.append(Fragment(box, [span], new, hidden=True))
                if "hidden_text" not in raw.flags:
                    raw.flags.append("hidden_text")

    def _switch(self, action: int) -> None:
        """Show (0) or hide (2) the layers that are off."""
        for number in self._off:
            self._document.set_layer_ui_config(number, action=action)


def _key(word: Word) -> tuple[str, int, int]:
    return word.text, round(word.bbox[0]), round(word.bbox[1])


def attached_files(document: Any) -> list[str]:
    """Names of the files that a document carries, sorted; they are data: nothing is opened or written."""
    try:
        names = {one_line(clean(_file_name(document, name)))[:MAX_NAME] for name in document.embfile_names()}
    except pdf_faults():
        return []
    return sorted(name for name in names if name)[:MAX_ANNOTATIONS]


def _file_name(document: Any, key: str) -> str:
    """The name a reader is shown; ``key`` is only what the file's list of attachments sorts by."""
    info = document.embfile_info(key)
    return str(info.get("ufilename") or info.get("filename") or key)


def attached_to_page(page: Any) -> list[str]:
    """Names of the files that are pinned to a page."""
    if page.first_annot is None:
        return []
    import pymupdf

    found = []
    for annotation in page.annots(types=[pymupdf.PDF_ANNOT_FILE_ATTACHMENT]):
        try:
            found.append(one_line(clean(str(annotation.file_info["filename"])))[:MAX_NAME])
        except pdf_faults():
            continue
    return [name for name in found if name]
