"""Content lists made by code: pages of A4 filled from the top, one call an item."""

from __future__ import annotations

from typing import Any

from cosee.artifacts.documents.content import ContentItem, ContentList, PageInfo, TableData
from cosee.artifacts.documents.layout import OutlineEntry

SENTENCE = "the field station measured several samples near the harbour and wrote down what it saw that week"
WORDS = SENTENCE.split()


def prose(seed: int = 0, words: int = 40) -> str:
    """A sentence of body text that differs with ``seed``."""
    picked = [WORDS[(seed * 7 + index * (seed % 5 + 1)) % len(WORDS)] for index in range(words)]
    return f"{picked[0].capitalize()} {' '.join(picked[1:])} {seed}x."


class Pages:
    """Adds items below one another; ids count up, as M0 gives them."""

    def __init__(self, width: float = 595, height: float = 842) -> None:
        self.width, self.height = width, height
        self.items: list[ContentItem] = []
        self.outline: list[OutlineEntry] = []
        self.page_idx = 0
        self.y = 0.15

    def page(self) -> None:
        """Begin the next page."""
        self.page_idx += 1
        self.y = 0.15

    def add(
        self, text: str = "", role: str = "paragraph", prefix: str = "t", high: float = 0.02, **more: Any
    ) -> ContentItem:
        """Add an item of height ``high`` (share of the page) at the next free place, or in ``bbox``."""
        bbox = more.pop("bbox", None) or (0.1, round(self.y, 4), 0.9, round(self.y + high, 4))
        if "size" not in more and role not in ("image", "table"):
            more["size"] = 10.0
        values = {
            "id": f"{prefix}_{len(self.items)}",
            "role": role,
            "text": text,
            "page_idx": self.page_idx,
            "bbox": bbox,
        }
        item = ContentItem.model_validate({**values, **more})
        self.items.append(item)
        self.y = max(self.y, bbox[3]) + 0.015
        return item

    def heading(self, text: str, size: float = 14.0, bold: bool = True, **more: Any) -> ContentItem:
        """A line in heading type; its role stays paragraph, for M1 to decide."""
        return self.add(text, size=size, bold=bold, **more)

    def body(self, seed: int = 0, words: int = 40, **more: Any) -> ContentItem:
        """A paragraph of body text."""
        return self.add(prose(seed + len(self.items), words), high=0.06, **more)

    def image(self, bbox: tuple[float, float, float, float] | None = None, **more: Any) -> ContentItem:
        """A picture."""
        return self.add(role="image", prefix="img", high=0.2, bbox=bbox, **more)

    def table(self, rows: list[list[str]], **more: Any) -> ContentItem:
        """A table of these cells."""
        return self.add(role="table", prefix="tab", high=0.1, table=TableData(rows=rows), **more)

    def adapted(self, **more: Any) -> ContentList:
        """The content list."""
        pages = [PageInfo(page_idx=page, width=self.width, height=self.height) for page in range(self.page_idx + 1)]
        values = {"doc_id": "doc1", "stage": "adapted", "source": "pymupdf", "outline": self.outline, "pages": pages}
        return ContentList.model_validate({**values, "items": self.items, **more})


def outline_of(content: ContentList) -> list[tuple[int | None, str]]:
    """(level, text) of the headings in order."""
    return [(item.level, item.text) for item in content.items if item.role == "heading"]
