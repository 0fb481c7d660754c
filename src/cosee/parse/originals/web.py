"""Web pages through WeasyPrint, which runs no script: nothing but what is inside the file itself is ever opened."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from cosee.artifacts.documents.original import OriginalBlock
from cosee.parse.originals.kinds import Unconvertible
from cosee.parse.originals.thresholds import MARGIN, MAX_MESSAGE, MAX_SYMBOL_PARTS, MAX_WIDTH
from cosee.parse.tables.html_table import table_from_html
from cosee.text.cleaning import one_line

INSTALL = "apt-get install libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0"
# General knowledge: the elements of HTML whose text is not shown, those that stand inside a line, and its headings.
_UNSEEN = frozenset(("head", "script", "style", "template", "noscript", "svg", "math", "title", "option"))
# General knowledge: the second of these lists.
_INLINE = frozenset(
    ("a", "abbr", "b", "bdi", "bdo", "big", "br", "cite", "code", "data", "dfn", "del", "em", "font", "i", "ins", "kbd",
     "label", "mark", "q", "s", "samp", "small", "span", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr")
)  # fmt: skip
# General knowledge: elements of HTML that begin a line of their own.
_APART = frozenset(
    ("address", "article", "aside", "blockquote", "br", "caption", "dd", "details", "div", "dl", "dt", "fieldset",
     "figcaption", "figure", "footer", "form", "header", "hr", "li", "main", "nav", "ol", "p", "pre", "section",
     "summary", "table", "td", "th", "tr", "ul")
)  # fmt: skip
_ESCAPE = b"\x1b"
"""What shifts between the alphabets of ISO 2022, of which each byte is ASCII too."""
# General knowledge: encodings of which pages use a wider form than their name says.
_WIDER = {"shift_jis": "cp932", "euc-kr": "cp949"}
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_SCROLLS = re.compile(r"\boverflow(?P<way>-[xy])?\s*:\s*(?:auto|scroll)\b[^;}\"]*", re.IGNORECASE)
_WHOLE = r"overflow\g<way>: visible; height: auto !important; max-height: none !important"
_OVER_WIDE = re.compile(
    r"(?P<width>(?<![\w-])(?:m(?:ax|in)-)?width\s*:\s*|^\s*)(?!100(?:\.0*)?%)\d{3,}(?:\.\d+)?%", re.IGNORECASE
)
"""More than the whole width, in a style or as an attribute of its own."""
_TEXTS = {"text", "foreignObject"}
SYMBOL = "16"
"""Pixels of a side of a symbol."""
WRAPPED = "pre, code, samp, kbd { white-space: pre-wrap !important } body { overflow-wrap: break-word }"
"""Long lines go on below instead of running out of the page."""


def version() -> str:
    """``WeasyPrint 70.0``; empty where it, or the library that it draws text with, is absent."""
    try:
        return f"WeasyPrint {_weasyprint().__version__}"
    except (ImportError, OSError):
        return ""


def _weasyprint() -> Any:
    """The library, without what its import changes for everybody: half a picture would be taken for a whole one."""
    from PIL import ImageFile

    before = ImageFile.LOAD_TRUNCATED_IMAGES
    import weasyprint

    ImageFile.LOAD_TRUNCATED_IMAGES = before
    return weasyprint


def convert_page(source: Path, target: Path, name: str) -> list[OriginalBlock]:
    """Write the page's PDF to ``target``; gives its headings, texts, tables and pictures.

    Raises:
        Unconvertible: ``no_converter`` where a library is missing, ``damaged`` where the page cannot be laid out.
    """
    try:
        weasyprint = _weasyprint()
    except (ImportError, OSError) as error:
        message = f"{name} needs Pango, which is not installed: {INSTALL}"
        raise Unconvertible("no_converter", message, ("web",)) from error
    logging.getLogger("weasyprint").setLevel(logging.CRITICAL)  # what a page asks for and does not get
    fetcher = weasyprint.urls.URLFetcher(allowed_protocols=("data",), allow_redirects=False)
    try:
        page = weasyprint.HTML(string=_decoded(source), base_url="about:blank", url_fetcher=fetcher)
        blocks = list(html_blocks(page.etree_element))
        _prepare(page.etree_element)
        sheets = [weasyprint.CSS(string=WRAPPED)]
        page.write_pdf(target, stylesheets=sheets, presentational_hints=True)
        if (width := _width_of_tables(target, blocks)) is not None:
            size = f"{width:.0f}pt"
            sheets.append(weasyprint.CSS(string=f"@page {{ size: {size} {size} !important }}"))
            page.write_pdf(target, stylesheets=sheets, presentational_hints=True)
    except (MemoryError, Unconvertible):
        raise
    except Exception as error:  # whatever a layout engine raises on foreign markup
        message = f"{name} cannot be laid out: {type(error).__name__}: {error}"
        raise Unconvertible("damaged", message[:MAX_MESSAGE]) from error
    return blocks


def _prepare(root: Any) -> None:
    """Let what scrolls on a screen, or is wider than it, stand whole on the page, in style sheets and in styles of
    elements; small drawings without a size and without text are symbols, whose size a style sheet of another file
    says."""
    for element in root.iter():
        if element.tag == "style" and element.text:
            element.text = _whole(element.text)
        for name in {"style", "width"} & element.attrib.keys():
            element.set(name, _whole(element.get(name)))
        if _name(element) == "svg" and not {"width", "height", "style"} & element.attrib.keys():
            parts = [_name(part) for part in element.iter()]
            if len(parts) <= MAX_SYMBOL_PARTS and not _TEXTS.intersection(parts):
                element.attrib.update(width=SYMBOL, height=SYMBOL)


def _whole(style: str) -> str:
    return _OVER_WIDE.sub(r"\g<width>100%", _SCROLLS.sub(_WHOLE, style))


def _name(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]


def _width_of_tables(pdf: Path, blocks: Sequence[OriginalBlock]) -> float | None:
    """Points that pages have to be wide for the cells that run out of them; None where none do, or only further than
    ``MAX_WIDTH``."""
    import pymupdf

    cells = (cell for block in blocks if block.table for row in block.table.rows for cell in row)
    words = {word for cell in cells for word in cell.split()}
    widths = []
    with pymupdf.open(pdf) as document:
        for page in document if words else []:
            room = page.rect.width
            for start, _, end, _, word, *_ in page.get_text("words", clip=pymupdf.INFINITE_RECT()):
                width = max(end, room - start)
                if room < width <= MAX_WIDTH and word in words:
                    widths.append(width)
    return max(widths) + MARGIN if len(widths) > 1 else None


def _decoded(source: Path) -> str:
    """The page's text: in Unicode where it is that, else in the encoding that it states, else that of older pages."""
    from tinyhtml5.inputstream import lookup_encoding
    from tinyhtml5.parser import HTMLParser

    data = source.read_bytes()
    unicode = ("utf-8-sig", "utf-16") if data[:2] in (b"\xff\xfe", b"\xfe\xff") else ("utf-8-sig",)
    for encoding in unicode if _ESCAPE not in data else ():
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    parser = HTMLParser(namespace_html_elements=False)
    parser.parse(data)
    stated = parser.encoding or "windows-1252"
    if stated in _WIDER:
        return data.decode(_WIDER[stated], "replace")
    text: str = lookup_encoding(stated).codec_info.decode(data, "replace")[0]
    return text


def parsed(data: str) -> Any:
    """The root element of HTML, however it is written."""
    import tinyhtml5

    return tinyhtml5.parse(data, namespace_html_elements=False)


def html_blocks(root: Any) -> Iterator[OriginalBlock]:
    """What a reader sees of the page, in order. A table that holds headings or tables only places what is in it."""
    for element in root:
        tag = element.tag
        if not isinstance(tag, str) or tag in _UNSEEN or "hidden" in element.attrib:
            continue
        if tag in _HEADINGS:
            if text := shown_text(element):
                yield OriginalBlock(kind="heading", text=text, level=_HEADINGS[tag])
            for picture in element.iter("img"):
                yield from _picture(picture)
        elif tag == "table" and not _only_places(element):
            markup = ElementTree.tostring(element, encoding="unicode", method="html")
            table = table_from_html(markup).model_copy(update={"html": None})
            if any(map(any, table.rows)):
                yield OriginalBlock(kind="table", table=table)
        elif tag == "img":
            yield from _picture(element)
        elif all(child.tag in _INLINE for child in element.iter() if child is not element):
            if text := shown_text(element):
                yield OriginalBlock(kind="text", text=text)
        else:
            yield from html_blocks(element)


def _only_places(table: Any) -> bool:
    inner = {child.tag for child in table.iter() if child is not table}
    return table.get("role") == "presentation" or bool(inner & {"table", *_HEADINGS})


def _picture(element: Any) -> Iterator[OriginalBlock]:
    """A picture that is in the file itself; of any other the page shows the alternative text at most."""
    if (element.get("src") or "").lstrip().lower().startswith("data:"):
        yield OriginalBlock(kind="picture", text=one_line(element.get("alt") or ""))


def shown_text(element: Any) -> str:
    """The text inside an element, on one line; what does not stand in a line stands apart."""
    return one_line("".join(_texts(element)))


def _texts(element: Any) -> Iterator[str]:
    left: list[Any] = [element]
    while left:
        item = left.pop()
        if isinstance(item, str):
            yield item
        elif item is element or (isinstance(item.tag, str) and item.tag not in _UNSEEN):
            apart = " " if item.tag in _APART else ""
            inside = [part for child in item for part in (child, child.tail or "")]
            left += [apart, *reversed(inside), item.text or "", apart]
