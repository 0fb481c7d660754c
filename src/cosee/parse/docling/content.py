"""A ``DoclingDocument`` becomes our adapted content list.

Every text, table and picture of the document is one item or in the drop list; of a list group the items are one item,
of an inline group the parts are one paragraph, and what stands inside a picture is the picture's text. Captions and
notes are tied to what names them. Docling numbers pages from 1 and gives boxes in points, from either corner.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from typing import Any

from cosee.artifacts.documents.chart import ChartForm
from cosee.artifacts.documents.content import ContentItem, ContentList, DroppedItem, ImageKind, PageInfo, Region, Role
from cosee.parse.docling.document import Fields, Nodes, NotADoclingDocument, collection, dicts, refs
from cosee.parse.docling.places import Places, by_page, is_whole
from cosee.parse.docling.tables import table_of, texts_of
from cosee.parse.docling.thresholds import MAX_QUOTED, MAX_QUOTED_REFERENCE
from cosee.parse.mineru.collector import Collector, count_warnings, equation_label, margin_role, tie_caption
from cosee.parse.mineru.text import encodable, is_readable, plain, text_of
from cosee.parse.mineru.thresholds import MAX_LEVEL

__all__ = ["NotADoclingDocument", "adapt", "warnings_of"]

# General knowledge: docling-core's DocItemLabel.
_LABELS: dict[Role, str] = {
    "heading": "title section_header field_heading",
    "paragraph": "text paragraph handwritten_text checkbox_selected checkbox_unselected empty_value grading_scale "
    "field_region field_item field_key field_value field_hint marker",
    "list": "list_item reference form key_value_region",
    "caption": "caption",
    "footnote": "footnote",
    "code": "code",
    "equation": "formula",
    "table": "table",
    "toc": "document_index",
    "image": "picture chart",
    "header": "page_header",
    "footer": "page_footer",
}
_ROLES: dict[str, Role] = {label: role for role, labels in _LABELS.items() for label in labels.split()}
_BOXES = {"checkbox_selected": "☑", "checkbox_unselected": "☐"}
_JOINED: dict[str, Role] = {"list": "list", "ordered_list": "list", "inline": "paragraph"}
"""Groups whose members are one item."""
_UNSEEN = ("background", "invisible")
"""Layers that nobody sees on the page."""
# General knowledge: docling-core's PictureClassificationLabel.
_KINDS: dict[ImageKind, str] = {
    "statistical": "bar_chart box_plot line_chart pie_chart scatter_plot scatter_chart stacked_bar_chart other_chart "
    "heatmap",
    "diagram": "flow_chart engineering_drawing cad_drawing electrical_diagram chemistry_structure "
    "chemistry_markush_structure chemistry_molecular_structure stratigraphic_chart",
    "photo": "photograph natural_image remote_sensing",
    "screenshot": "screenshot screenshot_from_computer screenshot_from_manual",
    "logo": "logo icon",
}
_KIND_OF: dict[str, ImageKind] = {name: kind for kind, names in _KINDS.items() for name in names.split()}
_FORMS: dict[str, ChartForm] = {
    "bar_chart": "bar", "stacked_bar_chart": "bar", "line_chart": "line", "pie_chart": "pie",
    "scatter_plot": "scatter", "scatter_chart": "scatter",
}  # fmt: skip
_BROKEN = "not_a_block"
"""Drop reason of a reference that leads nowhere."""
_log = logging.getLogger(__name__)


def adapt(raw: Any, doc_id: str, *, pages: Sequence[PageInfo] | None = None) -> ContentList:
    """The adapted content list of a parsed ``DoclingDocument``; ``pages`` are the PDF's, where known.

    What is wrong with an item is in its flags: ``unknown_type`` (kept as a paragraph), ``no_bbox`` (its box only keeps
    the order), ``bad_page``, ``image_missing`` (a picture without a place). A reference to a node that is not there is
    in the drop list.

    Raises:
        NotADoclingDocument: it is none, or of a version that is not known.
    """
    nodes = Nodes(raw)
    builder = _Builder(doc_id, nodes, Places(nodes.raw, pages))
    for ref, node in nodes.in_order():
        builder.add(ref, node)
    return builder.finish()


def warnings_of(content: ContentList) -> dict[str, int]:
    """Flag -> number of items that have it, for the flags that tell of something wrong in the source.

    ``lost_block`` counts references to nodes that the source lacks.
    """
    return count_warnings(content, _BROKEN)


class _Builder(Collector):
    """Collects the items of a document's nodes, in the order of reading."""

    def __init__(self, doc_id: str, nodes: Nodes, places: Places) -> None:
        super().__init__(doc_id)
        self.nodes = nodes
        self.places = places
        self._item_of: dict[str, ContentItem] = {}
        self._owners = {name: self._named(name) for name in ("captions", "footnotes")}
        self._has_title = any(_label(each) == "title" for each in dicts(nodes.raw.get("texts")))

    def _named(self, field: str) -> dict[str, str]:
        """Reference of each text that a table, picture or listing names in ``field`` -> the first that names it."""
        found: dict[str, str] = {}
        for name, listed in self.nodes.raw.items():
            for place, node in enumerate(listed if isinstance(listed, list) else ()):
                for ref in refs(node, field):
                    found.setdefault(ref, f"#/{name}/{place}")
        return found

    def add(self, ref: str, node: Fields) -> None:
        """Add a node and what it leads to; without recursion, since captions may have captions without end."""
        begun = [self._add_node(ref, node)]
        while begun:
            following = next(begun[-1], None)
            if following is None:
                begun.pop()
            else:
                begun.append(self._add_node(*following))

    def _add_node(self, ref: str, node: Fields) -> Iterator[tuple[str, Fields]]:
        """Add one node; those below it that are part of it are taken. Gives what is to be added behind it."""
        label = _label(node)
        if collection(ref) == "groups":
            if label in _JOINED:
                yield from self._add_group(node, _JOINED[label])
            return
        flags: list[str] = []
        role = self._role(ref, node, label, flags)
        regions = self.places.of(node, flags)
        item = self._item(role, regions, flags)
        inner, behind = self._inner(node) if role in ("image", "table", "toc") else ([], [])
        item.text = self._text(item, node, label, inner)
        if role == "image":
            _describe(item, node, label)
            if not regions:
                item.flags.append("image_missing")
        elif role == "heading":
            item.level = _level(node, label, self._has_title)
        elif role == "equation":
            item.label = equation_label(item.text)
            decoded = node.get("text")  # docling leaves it empty where no model has read the formula
            item.latex = item.text if isinstance(decoded, str) and decoded.strip() else None
        self._keep(ref, node, item)
        if role in ("table", "toc"):
            self._add_outside(item, inner)
        yield from behind
        for part in (*refs(node, "captions"), *refs(node, "footnotes")):
            if self._owner(part) == ref and (found := self.nodes.take(part)) is not None:
                yield part, found

    def _text(self, item: ContentItem, node: Fields, label: str, inner: Sequence[str]) -> str:
        own = _text(node)
        if item.role == "image":
            return "\n".join(filter(None, [plain(own), *inner]))
        if item.role in ("table", "toc"):
            data = node.get("data")
            item_table = table_of(data)
            if item.role == "toc":
                rows = [" ".join(dict.fromkeys(filter(None, row))) for row in item_table.rows]
            else:
                item.table = item_table
                rows = [" | ".join(row) for row in item_table.rows]
            return "\n".join(rows or texts_of(data)) or plain(own)
        if label in _BOXES:
            own = f"{_BOXES[label]} {own}"
        return text_of({"text": _graph_text(node) or own}, item.role)

    def _add_group(self, group: Fields, role: Role) -> Iterator[tuple[str, Fields]]:
        """A list, or a run of inline parts, as one item; gives the nodes of other kinds in it."""
        flags: list[str] = []
        lines: list[str] = []
        regions: list[Region] = []
        behind: list[tuple[str, Fields]] = []
        first = ""
        for ref, node in self.nodes.below(group):
            if collection(ref) == "groups":
                parts = list(self.nodes.below(node)) if _label(node) == "inline" else []
            else:
                parts = [(ref, node)]
            texts = [(each, part) for each, part in parts if collection(each) == "texts" and not self._owner(each)]
            behind += [each for each in parts if each not in texts and collection(each[0]) != "groups"]
            line = " ".join(filter(None, (_line(part) for _, part in texts)))
            for own, part in texts:
                first = first or own
                begins = sum(len(known) + 1 for known in lines)
                regions += [each.model_copy(update={"begins": begins}) for each in self.places.of(part, flags)]
            lines += [line] if line else []
        if first:
            item = self._item(role, by_page(regions), list(dict.fromkeys(flags)))
            item.text = text_of({"text": ("\n" if role == "list" else " ").join(lines)}, role)
            self._keep(first, group, item)
        yield from behind

    def _owner(self, ref: str) -> str | None:
        """The table, picture or listing whose caption or note a text is."""
        return self._owners["captions"].get(ref) or self._owners["footnotes"].get(ref)

    def _role(self, ref: str, node: Fields, label: str, flags: list[str]) -> Role:
        if collection(ref) == "tables" and label not in ("table", "document_index"):
            return "table"
        if collection(ref) == "pictures":
            return "image"
        if ref in self._owners["captions"]:
            return "caption"
        if ref in self._owners["footnotes"]:
            return "footnote"
        role = _ROLES.get(label)
        if role is None:
            _log.warning("%s: %s has the unknown label %r; kept as a paragraph", self.doc_id, ref, label[:MAX_QUOTED])
            flags.append("unknown_type")
            role = "paragraph"
        if role in ("header", "footer") or node.get("content_layer") == "furniture":
            regions = self.places.of(node, [])
            found = margin_role(plain(_text(node)), regions[0].bbox if regions else None)
            return found if found == "page_number" or role not in ("header", "footer") else role
        return role

    def _item(self, role: Role, regions: Sequence[Region], flags: list[str]) -> ContentItem:
        if regions:
            self.page_idx = regions[0].page_idx
        else:
            flags.append("no_bbox")
        box = regions[0].bbox if regions else (0.0, 0.0, 0.0, 0.0)
        several = list(regions) if len(regions) > 1 else []
        return ContentItem(
            id=self.new_id(role), role=role, page_idx=self.page_idx, bbox=box, regions=several, flags=flags
        )

    def _keep(self, ref: str, node: Fields, item: ContentItem) -> None:
        """An item among the items, or its text in the drop list where nobody sees or can read it."""
        seen = node.get("content_layer") not in _UNSEEN
        solid = item.role in ("image", "table") or bool(item.text)
        if seen and solid and (item.role in ("image", "table") or is_readable(item.text)):
            item.regions = [r.model_copy(update={"begins": min(r.begins, len(item.text))}) for r in item.regions]
            self.note_page_number(item)
            self.items.append(item)
            self._item_of[ref] = item
        else:
            self.drop_item(item, "hidden" if not seen else "garbage_text" if item.text else "empty")

    def _inner(self, node: Fields) -> tuple[list[str], list[tuple[str, Fields]]]:
        """Texts that stand inside a picture or table, captions and notes apart; and the other nodes below it."""
        texts: list[str] = []
        others: list[tuple[str, Fields]] = []
        for ref, each in self.nodes.below(node):
            if collection(ref) == "texts" and not self._owner(ref):
                texts.append(_line(each))
            elif collection(ref) != "groups":
                others.append((ref, each))
        return [text for text in texts if text], others

    def _add_outside(self, table: ContentItem, inner: Sequence[str]) -> None:
        """Texts below a table that none of its cells says."""
        said = plain(table.text)
        for text in inner:
            if text not in said:
                regions = [Region(page_idx=table.page_idx, bbox=table.bbox)]
                item = self._item("paragraph", regions, [flag for flag in table.flags if flag == "no_bbox"])
                item.text = text
                self.items.append(item)

    def finish(self) -> ContentList:
        """The list of everything added, captions and notes tied to what they belong to."""
        for ref in self.nodes.broken:
            text = encodable(ref[:MAX_QUOTED_REFERENCE])
            dropped_id = self.new_id("paragraph")
            self.dropped.append(DroppedItem(id=dropped_id, reason=_BROKEN, page_idx=self.page_idx, text=text))
        self._tie_named()
        return self.content_list(f"docling-{self.nodes.version}", "points", self.places.info())

    def _tie_named(self) -> None:
        """Captions and notes to the picture or table that names them; those of other items are text of their own."""
        for field, owners in self._owners.items():
            for ref, owner in owners.items():
                part, whole = self._item_of.get(ref), self._item_of.get(owner)
                if part is None:
                    continue
                if whole is None or whole.role not in ("image", "table"):
                    part.role = "paragraph" if part.role == "caption" else part.role
                elif field == "footnotes":
                    whole.footnote_ids.append(part.id)
                elif part.role == "caption":
                    tie_caption(part, whole)


def _label(node: Fields) -> str:
    return str(node.get("label") or "").strip().lower()


def _text(node: Fields) -> str:
    """What the node says; where docling has read nothing of it (a formula), what the page has there."""
    found = (node.get(name) for name in ("text", "orig"))
    return encodable(next((text for text in found if isinstance(text, str) and text.strip()), ""))


def _line(node: Fields) -> str:
    """A list item with its mark, a check box with its own."""
    text, marker = plain(_text(node)), node.get("marker")
    if _label(node) in _BOXES:
        return f"{_BOXES[_label(node)]} {text}"
    mark = plain(encodable(marker)) if isinstance(marker, str) else ""
    return f"{mark} {text}" if mark and text and not text.startswith(mark) else text


def _graph_text(node: Fields) -> str:
    """Keys and values of a form, a line each; those that are nodes of their own are left to these."""
    graph = node.get("graph")
    cells = dicts(graph.get("cells")) if isinstance(graph, dict) else []
    return "\n".join(text for cell in cells if not cell.get("item_ref") and (text := plain(_text(cell))))


def _level(node: Fields, label: str, below_title: bool) -> int:
    """Docling's title stands above its headings of level 1."""
    level = node.get("level")
    level = level if is_whole(level) and level > 0 else 1
    return 1 if label == "title" else min(level + below_title, MAX_LEVEL)


def _describe(item: ContentItem, node: Fields, label: str) -> None:
    """Kind and description of a picture where a model of docling's gave them."""
    meta = node.get("meta")
    meta = meta if isinstance(meta, dict) else {}

    def given(kind: str) -> list[Fields]:
        older = [each for each in dicts(node.get("annotations")) if each.get("kind") == kind]
        return dicts([meta.get(kind), *older])

    if description := next((text for each in given("description") if (text := plain(_text(each)))), ""):
        item.description = description
        item.flags.append("described_by_model")
    ranked = (dicts(each.get("predictions") or each.get("predicted_classes")) for each in given("classification"))
    name = next((str(classes[0].get("class_name")) for classes in ranked if classes), "")
    kind: ImageKind | None = "statistical" if label == "chart" else _KIND_OF.get(name)
    if kind is not None:
        item.kind = kind
        item.chart_type = kind
        item.chart_form = _FORMS.get(name)
