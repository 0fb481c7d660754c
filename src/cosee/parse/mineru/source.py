"""Where MinerU's blocks are in a file, whatever wraps them: content lists of every version, model and middle JSON.

A content list is flat; version 2 of it and the model's own output are a list of blocks for each page; middle JSON
(``pdf_info``) has pages of blocks, each with blocks, lines and spans inside, in points of the page.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from cosee.parse.mineru.thresholds import GRID, MAX_WRAPS
from cosee.text.cleaning import join_lines
from cosee.text.scripts import is_cjk

_LISTS = ("content_list_v2", "content_list", "structured_content", "content", "results", "data")
_PAGE_BLOCKS = ("para_blocks", "preproc_blocks", "blocks")
_NEWER = frozenset(("list", "code", "header", "footer", "page_number", "aside_text", "page_footnote"))
_VERSION = re.compile(r"(\d{1,4})\.(\d{1,4})")


class NotAContentList(ValueError):
    """The value is not a content list of any known version; the message says what was found."""


@dataclass(frozen=True)
class SourceBlock:
    """An entry of a list as it was found: a dict of fields, or something that is no block at all."""

    value: Any
    listed_on: int | None = None
    """Page under which it was listed; None where the block has to say."""


@dataclass(frozen=True)
class Source:
    """All blocks in order, the version they show, and whether their boxes are certain to be on the 0..1000 grid."""

    blocks: list[SourceBlock]
    version: str
    on_grid: bool = False


def read_source(raw: Any) -> Source:
    """The blocks of a parsed file.

    Raises:
        NotAContentList: no list of blocks was found.
    """
    if (pages := _middle_pages(raw)) is not None:
        blocks = [SourceBlock(block, page_idx) for page_idx, page in pages for block in _page_blocks(page)]
        return Source(blocks, _version_of_middle(raw), on_grid=True)
    found = _unwrapped(raw, 0)
    if found is None:
        raise NotAContentList(f"no list of MinerU blocks in it, but {type(raw).__name__}")
    if any(isinstance(page, list) for page in found):
        paged = [
            SourceBlock(block, page_idx)
            for page_idx, page in enumerate(found)
            for block in (page if isinstance(page, list) else [page])
        ]
        return Source(paged, "mineru-3" if any(_has_inner(block.value) for block in paged) else "mineru-2.5")
    flat = [SourceBlock(value) for value in found]
    dicts = [value for value in found if isinstance(value, dict)]
    keys = {key for value in dicts for key in value}
    types = {str(value.get("type")) for value in dicts}
    if types & {"chart", "seal"} or "chart_caption" in keys:
        return Source(flat, "mineru-3")
    if types & _NEWER:
        return Source(flat, "mineru-2.5")
    return Source(flat, "mineru-1" if "img_caption" in keys or "bbox" not in keys else "mineru-2")


def layout_blocks(raw: Any) -> Iterator[tuple[int, dict[str, Any]]]:
    """(page, block) of a layout file that MinerU left beside its list; blocks that were emptied by a join are left out.

    A block's box is on the 0..1000 grid where the page's size is known, else as it was found.
    """
    pages = _middle_pages(raw)
    if pages is None:
        pages = [(n, page) for n, page in enumerate(_list_in(raw, "pages")) if isinstance(page, dict)]
    for page_idx, page in pages:
        for block in _page_blocks(page):
            if isinstance(block, dict) and not block.get("joined"):
                yield page_idx, block


def _has_inner(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("content"), dict)


def _unwrapped(raw: Any, depth: int) -> list[Any] | None:
    """The list of blocks (or of pages of blocks) inside a value of any wrapping."""
    if isinstance(raw, str):
        raw = _parsed(raw)
    if isinstance(raw, list):
        return raw if not raw or any(isinstance(entry, (dict, list)) for entry in raw) else None
    if not isinstance(raw, dict) or depth >= MAX_WRAPS:
        return None
    for key in (*_LISTS, *(key for key in raw if key not in _LISTS)):
        value = raw.get(key)
        known = key in _LISTS
        found = _unwrapped(value, depth + 1) if isinstance(value, (list, dict)) or known else None
        if found is not None and (known or any(isinstance(entry, list) or _is_block(entry) for entry in found)):
            return found
    return None


def _is_block(entry: Any) -> bool:
    return isinstance(entry, dict) and "type" in entry


def _parsed(text: str) -> Any:
    """A list that a service gave as a string of JSON; None for any other text."""
    if not text.lstrip().startswith(("[", "{")):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _middle_pages(raw: Any) -> list[tuple[int, dict[str, Any]]] | None:
    """(page, its dict) of middle JSON; None for anything else."""
    pages = raw.get("pdf_info") if isinstance(raw, dict) else None
    if isinstance(pages, dict):
        pages = list(pages.values())
    if not isinstance(pages, list):
        return None
    found: list[tuple[int, dict[str, Any]]] = []
    for place, page in enumerate(pages):
        if isinstance(page, dict):
            named = page.get("page_idx")
            found.append((named if isinstance(named, int) and not isinstance(named, bool) else place, page))
    return found


def _version_of_middle(raw: dict[str, Any]) -> str:
    match = _VERSION.match(str(raw.get("_version_name", "")))
    major, minor = (int(match.group(1)), int(match.group(2))) if match else (2, 0)
    if major >= 3:
        return "mineru-3"
    return "mineru-1" if major < 2 else "mineru-2.5" if minor >= 5 else "mineru-2"


def _page_blocks(page: dict[str, Any]) -> Iterator[Any]:
    """A page's blocks as a content list has them: text in ``text`` or ``list_items``, boxes on the grid."""
    listed = next((value for key in _PAGE_BLOCKS if isinstance(value := page.get(key), list)), [])
    for block in [*listed, *_list_in(page, "discarded_blocks")]:
        yield _flattened(block, page.get("page_size")) if isinstance(block, dict) else block


def _flattened(block: dict[str, Any], size: Any) -> dict[str, Any]:
    kept = ("type", "sub_type", "guess_lang", "level", "text_level", "text", "content", "angle")
    flat: dict[str, Any] = {key: block[key] for key in kept if key in block}
    flat["bbox"] = _on_grid(block.get("bbox"), size)
    kind, children = str(block.get("type")), block.get("blocks")
    if kind == "title":
        flat.setdefault("text_level", block.get("level", 1))
    if not isinstance(children, list):
        _add_lines(flat, block, kind)
        return flat
    if kind in ("list", "index"):
        flat["list_items"] = [text for child in children if (text := "\n".join(_paragraphs(child)))]
        return flat
    for child in children:
        name = str(child.get("type")) if isinstance(child, dict) else ""
        text = " ".join(_paragraphs(child))
        if name.endswith(("_caption", "_footnote")):
            flat.setdefault(name, []).append(text)
        elif name == "code_body":
            flat["code_body"] = "\n".join(_lines(child))
        elif text and not name.endswith("_body"):
            flat["text"] = f"{flat.get('text', '')} {text}".strip()
        _add_media(flat, child)
    return flat


def _add_lines(flat: dict[str, Any], block: dict[str, Any], kind: str) -> None:
    """Fields of a block that has lines of its own."""
    if not isinstance(block.get("lines"), list):
        return
    paragraphs = _paragraphs(block)
    if kind in ("list", "index"):
        flat["list_items"] = paragraphs
    else:
        flat["text"] = "\n".join(_lines(block)) if kind == "code" else " ".join(paragraphs)
    if kind == "interline_equation":
        flat["text_format"] = "latex"
    _add_media(flat, block)
    flat["joined"] = not paragraphs and "img_path" not in flat and kind not in ("image", "table", "chart")


def _add_media(flat: dict[str, Any], block: Any) -> None:
    """Picture, cells and chart content that stand in a block's spans."""
    for span in _spans(block):
        path = span.get("image_path") or span.get("img_path")
        if isinstance(path, str) and path:
            flat.setdefault("img_path", path if "/" in path else f"images/{path}")
        for name in ("html", "latex"):
            if isinstance(span.get(name), str) and span[name]:
                flat.setdefault("table_body", span[name])
        if span.get("type") in ("chart", "image") and isinstance(span.get("content"), str) and span["content"]:
            flat.setdefault("content", span["content"])


def _list_in(value: Any, key: str) -> list[Any]:
    """The list in a field; an empty one where there is none."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, list) else []


def _spans(block: Any) -> Iterator[dict[str, Any]]:
    spans = (span for line in _list_in(block, "lines") for span in _list_in(line, "spans"))
    return (span for span in spans if isinstance(span, dict))


def _lines(block: Any) -> list[str]:
    """Text of each line of a block."""
    return [_line_text(line) for line in _list_in(block, "lines")]


def _line_text(line: Any) -> str:
    text = ""
    for span in _spans({"lines": [line]}):
        content = span.get("content")
        if not isinstance(content, str) or not content or span.get("type") in ("chart", "image", "table"):
            continue
        part = f"${content}$" if span.get("type") == "inline_equation" else content
        apart = text and not (text[-1].isspace() or part[0].isspace() or (is_cjk(text[-1]) and is_cjk(part[0])))
        text += f" {part}" if apart else part
    return text


def _paragraphs(block: Any) -> list[str]:
    """Texts of a block, one for each item that its lines begin; one in all where no line says so."""
    groups: list[list[str]] = []
    for line in _list_in(block, "lines"):
        starts = isinstance(line, dict) and bool(line.get("is_list_start_line"))
        if starts or not groups:
            groups.append([])
        groups[-1].append(_line_text(line))
    return [text for group in groups if (text := join_lines(group, set()))]


def _on_grid(box: Any, size: Any) -> Any:
    """A box in points as shares of a thousand of the page; as it is where the page's size is not known."""
    try:
        width, height = (float(value) for value in size)
        scaled = [value * GRID / side for value, side in zip(box, (width, height, width, height), strict=True)]
    except (TypeError, ValueError, ZeroDivisionError):
        return box
    return scaled
