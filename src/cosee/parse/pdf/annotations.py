"""What stands on a page beside its own text: annotations, form fields, and layers that are switched off."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.artifacts.documents.layout import Span
from cosee.imaging.pdf_faults import pdf_faults
from cosee.parse.pdf import thresholds
from cosee.parse.pdf.page_model import Fragment, RawPage, Word
from cosee.parse.pdf.turning import seen_box
from cosee.text.cleaning import clean, one_line

NOT_SHOWN = 2 | 32
"""Flags of an annotation that is hidden, or not to be viewed."""
_FIELD_NOT_SHOWN = (1, 3)
"""MuPDF's numbers for the display of a form field that is hidden, or not to be viewed."""
_LAYERS_ON, _LAYERS_OFF = 0, 2
"""MuPDF's actions that switch a layer."""
_PRINTED = {"FreeText", "Stamp"}
_WITHOUT_TEXT = {"Link", "Popup", "Widget", "FileAttachment"}
_WRITTEN = {"Text", "ComboBox", "ListBox"}
_BUTTONS = {"CheckBox": ("☑", "☐"), "RadioButton": ("◉", "○")}
"""Kind of button -> the sign of one that is on, and of one that is off."""


def add_annotations(page: Any, raw: RawPage) -> None:
    """Flag what annotations print on the page, and keep what they say beside it: hidden, with its reason."""
    if page.first_annot is None:
        return
    for annotation in _bounded(page.annots(), raw):
        kind = annotation.type[1]
        if kind in _WITHOUT_TEXT:
            continue
        box = seen_box(annotation.rect, page.rotation_matrix)
        if kind in _PRINTED and not annotation.flags & NOT_SHOWN:
            _flag_text(raw, box, "annotation")
            continue
        text = one_line(clean((annotation.info or {}).get("content") or ""))[: thresholds.MAX_COMMENT]
        if text:
            raw.fragments.append(_fragment(text, box, reason="comment"))


def add_form_values(page: Any, raw: RawPage) -> None:
    """Flag the values of form fields, show ticks as ticks, and add values that the file does not draw."""
    if page.first_widget is None:
        return
    for widget in _bounded(page.widgets(), raw):
        box = seen_box(widget.rect, page.rotation_matrix)
        if geometry.area(geometry.clamp(box, raw.bbox)) <= 0:
            continue
        value = widget.field_value
        if widget.field_display in _FIELD_NOT_SHOWN:
            if isinstance(value, str) and value.strip():
                raw.fragments.append(_fragment(one_line(clean(value)), box, reason="hidden"))
            continue
        kind = widget.field_type_string
        if kind in _BUTTONS:
            sign_on, sign_off = _BUTTONS[kind]
            text = sign_off if value in (None, False, "", "Off") else sign_on
            raw.fragments = [f for f in raw.fragments if not _is_drawn_tick(f, box)]
            raw.fragments.append(_fragment(text, box, source="form_value"))
        elif not _flag_text(raw, box, "form_value") and kind in _WRITTEN and str(value or "").strip():
            raw.fragments.append(_fragment(one_line(clean(str(value))), box, source="form_value"))


def _bounded(found: Iterable[Any], raw: RawPage) -> Iterator[Any]:
    """The first ``MAX_ANNOTATIONS``; the page is flagged where there are more."""
    for number, each in enumerate(found):
        if number >= thresholds.MAX_ANNOTATIONS:
            raw.flags.append("too_many_annotations")
            return
        yield each


def _is_drawn_tick(fragment: Fragment, box: BBox) -> bool:
    return len(fragment.text) <= thresholds.MAX_TICK_CHARACTERS and geometry.center_inside(fragment.bbox, box)


def _flag_text(raw: RawPage, box: BBox, source: str) -> bool:
    """Say of the fragments in a box where they come from; whether there are any."""
    found = False
    for fragment in raw.fragments:
        inside = geometry.intersection(fragment.bbox, box)
        smaller = min(geometry.area(fragment.bbox), geometry.area(box))
        if not fragment.hidden and inside > thresholds.FIELD_OVERLAP * smaller:
            fragment.source, found = source, True
    return found


def _fragment(text: str, box: BBox, *, reason: str | None = None, source: str | None = None) -> Fragment:
    smallest, largest = thresholds.FIELD_SIZES
    size = round(min(largest, max(smallest, thresholds.FIELD_SIZE * geometry.height(box))), 1)
    span = Span(text=text, bbox=geometry.rounded(box), size=size, font="")
    return Fragment(box, [span], [Word(text, box)], hidden=reason is not None, hidden_reason=reason, source=source)


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
        known = {_text_and_corner(word) for fragment in raw.fragments for word in fragment.words}
        self._switch(_LAYERS_ON)
        try:
            whole = read(page)
        finally:
            self._switch(_LAYERS_OFF)
        for fragment in whole.fragments:
            new = [word for word in fragment.words if _text_and_corner(word) not in known]
            if new:
                box = geometry.union(word.bbox for word in new)
                span = fragment.spans[0].model_copy(
                    update={"text": " ".join(word.text for word in new), "bbox": geometry.rounded(box)}
                )
                raw.fragments.append(Fragment(box, [span], new, hidden=True))
                if "hidden_text" not in raw.flags:
                    raw.flags.append("hidden_text")

    def _switch(self, action: int) -> None:
        """Show or hide the layers that are off."""
        for number in self._off:
            self._document.set_layer_ui_config(number, action=action)


def _text_and_corner(word: Word) -> tuple[str, int, int]:
    return word.text, round(word.bbox[0]), round(word.bbox[1])


def attached_files(document: Any) -> list[str]:
    """Names of the files that a document carries, sorted; they are data: nothing is opened or written."""
    try:
        names = {_file_name(document, key) for key in document.embfile_names()}
    except pdf_faults():
        return []
    return sorted(name for name in names if name)[: thresholds.MAX_ANNOTATIONS]


def _file_name(document: Any, key: str) -> str:
    """The name a reader is shown; ``key`` is only what the file's list of attachments sorts by."""
    info = document.embfile_info(key)
    return _cleaned_name(info.get("ufilename") or info.get("filename") or key)


def attached_to_page(page: Any) -> list[str]:
    """Names of the files that are pinned to a page."""
    if page.first_annot is None:
        return []
    import pymupdf

    found = []
    for annotation in page.annots(types=[pymupdf.PDF_ANNOT_FILE_ATTACHMENT]):
        try:
            found.append(_cleaned_name(annotation.file_info["filename"]))
        except pdf_faults():
            continue
    return [name for name in found if name]


def _cleaned_name(name: Any) -> str:
    return one_line(clean(str(name)))[: thresholds.MAX_NAME]
