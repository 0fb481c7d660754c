"""A page tree made anew for a PDF that has lost its own: no ``/Kids``, a wrong ``/Count``, a cycle, no catalogue."""

from __future__ import annotations

from typing import Any

from cosee.imaging.pdf_faults import pdf_faults

MAX_OBJECTS = 1_000_000
MAX_DEPTH = 100
_INHERITED = ("Resources", "MediaBox", "CropBox", "Rotate")


def rebuilt(document: Any) -> Any | None:
    """The document with every page object that was found in a new tree, or None where its own tree leads to pages.

    Pages come in the order in which what is left of the old tree names them, then in that of their numbers.
    """
    import pymupdf

    # A file that MuPDF takes for something else (HTML) has no objects: asking for one ends the process.
    if not document.is_pdf or _has_pages(document) or document.xref_length() > MAX_OBJECTS:
        return None
    pages = _page_objects(document)
    if not pages:
        return None
    try:
        inherited = {page: _inherited(document, page) for page in pages}
        tree = document.get_new_xref()
        kids = " ".join(f"{page} 0 R" for page in pages)
        document.update_object(tree, f"<</Type/Pages/Count {len(pages)}/Kids[{kids}]>>")
        for page in pages:
            for name, value in {**inherited[page], "Parent": f"{tree} 0 R"}.items():
                document.xref_set_key(page, name, value)
        catalogue = document.get_new_xref()
        document.update_object(catalogue, f"<</Type/Catalog/Pages {tree} 0 R>>")
        document.xref_set_key(-1, "Root", f"{catalogue} 0 R")
        found = pymupdf.open("pdf", document.tobytes())
        return found if _has_pages(found) else None
    except pdf_faults():
        return None


def _has_pages(document: Any) -> bool:
    """Whether the tree has pages, and the first one is there and can be loaded."""
    try:
        if not document.page_count or document.xref_object(document.page_xref(0)) == "null":
            return False
        return document.load_page(0) is not None
    except pdf_faults():
        return False


def _page_objects(document: Any) -> list[int]:
    numbers = range(1, document.xref_length())
    kinds = {number: _key(document, number, "Type")[1] for number in numbers}
    pages = dict.fromkeys(number for number in numbers if kinds[number] == "/Page")
    named: list[int] = []
    seen: set[int] = set()
    waiting = [number for number in numbers if kinds[number] == "/Pages"][:1]
    while waiting:
        number = waiting.pop()
        if number in seen:
            continue
        seen.add(number)
        if number in pages:
            named.append(number)
        waiting += _references(_key(document, number, "Kids")[1])[::-1]
    return list(dict.fromkeys([*named, *pages]))


def _inherited(document: Any, page: int) -> dict[str, str]:
    """What a page has only by its ancestors."""
    found: dict[str, str] = {}
    node, seen = page, set[int]()
    while node and node not in seen and len(seen) < MAX_DEPTH:
        seen.add(node)
        for name in _INHERITED:
            kind, value = _key(document, node, name)
            if kind != "null" and name not in found:
                found[name] = value
        node = next(iter(_references(_key(document, node, "Parent")[1])), 0)
    own = {name for name in found if _key(document, page, name)[0] != "null"}
    return {name: value for name, value in found.items() if name not in own}


def _references(value: str) -> list[int]:
    """Object numbers of ``3 0 R`` or of an array of such."""
    words = value.strip("[] ").split()
    return [int(word) for word, mark in zip(words, words[2:], strict=False) if mark == "R" and word.isdigit()]


def _key(document: Any, number: int, name: str) -> tuple[str, str]:
    """Kind and value of an object's key; ``null`` where the object cannot be read."""
    try:
        kind, value = document.xref_get_key(number, name)
    except pdf_faults():
        return "null", ""
    return str(kind), str(value)
