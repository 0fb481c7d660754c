"""What the versions of MinerU wrote, field by field, in every wrapping; and lists that no version wrote."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cosee.artifacts.documents.content import ContentItem, ContentList, PageInfo
from cosee.artifacts.files import canonical_json
from cosee.parse.mineru import content_list as mineru
from cosee.parse.mineru.source import read_source
from cosee.parse.tables.html_table import table_from_markup
from cosee.structure.enhance import check_conservation, enhance
from cosee.structure.tree.tree_builder import build_tree

LETTER = [PageInfo(page_idx=n, width=612, height=792) for n in range(3)]


def only(block: dict[str, Any], **options: Any) -> ContentItem:
    return mineru.adapt([{"page_idx": 0, **block}], "doc", **options).items[0]


def lines(*texts: str, starts: bool = False) -> list[dict[str, Any]]:
    spans = [{"spans": [{"type": "text", "content": text}]} for text in texts]
    return [{**line, "is_list_start_line": True} for line in spans] if starts else spans


MIDDLE = {
    "_backend": "pipeline",
    "_version_name": "2.1.0",
    "pdf_info": [
        {
            "page_idx": 0,
            "page_size": [612, 792],
            "para_blocks": [
                {"type": "title", "level": 2, "bbox": [61.2, 79.2, 306, 118.8], "lines": lines("Flow of wa-", "ter")},
                {"type": "text", "bbox": [61.2, 120, 306, 140], "lines": [
                    {"spans": [{"type": "text", "content": "Rate"}, {"type": "inline_equation", "content": "q"}]}]},
                {"type": "text", "bbox": [61.2, 600, 306, 640], "lines": [], "lines_deleted": True},
                {"type": "list", "bbox": [61.2, 145, 306, 190], "lines": lines("1. one", "2. two", starts=True)},
                {"type": "image", "bbox": [61.2, 200, 306, 400], "blocks": [
                    {"type": "image_body", "lines": [{"spans": [{"type": "image", "image_path": "a.jpg"}]}]},
                    {"type": "image_caption", "lines": lines("Figure 1: Flow.")}]},
                {"type": "table", "bbox": [61.2, 410, 306, 500], "blocks": [
                    {"type": "table_caption", "lines": lines("Table 1: Values.")},
                    {"type": "table_body", "lines": [
                        {"spans": [{"type": "table", "html": "<table><tr><td>a</td><td>1</td></tr></table>"}]}]}]},
                {"type": "code", "sub_type": "code", "bbox": [61.2, 510, 306, 590], "blocks": [
                    {"type": "code_body", "lines": lines("def f():", "    return 1")}]},
                {"type": "interline_equation", "bbox": [61.2, 650, 306, 690], "lines": [
                    {"spans": [{"type": "interline_equation", "content": "q = a v"}]}]},
            ],
            "discarded_blocks": [
                {"type": "discarded", "bbox": [280, 770, 300, 780], "lines": lines("12")},
                {"type": "discarded", "bbox": [61, 10, 300, 20], "lines": lines("Handbook")},
            ],
        }
    ],
}  # fmt: skip


def test_middle_json_is_read_with_its_points() -> None:
    # contract: D4, D7
    content = mineru.adapt(MIDDLE, "doc", pages=LETTER[:1])
    assert content.source == "mineru-2" and content.bbox_unit == "grid"
    texts = [(item.role, item.text) for item in content.items if item.role not in ("image", "table")]
    assert texts == [
        ("heading", "Flow of water"),
        ("paragraph", "Rate $q$"),
        ("list", "1. one\n2. two"),
        ("caption", "Figure 1: Flow."),
        ("caption", "Table 1: Values."),
        ("code", "def f():\n    return 1"),
        ("equation", "q = a v"),
        ("page_number", "12"),
        ("header", "Handbook"),
    ]
    assert content.items[0].level == 2 and content.items[0].bbox == (0.1, 0.1, 0.5, 0.15)
    image = next(item for item in content.items if item.role == "image")
    assert image.image_path == "images/a.jpg" and image.caption == "Figure 1: Flow."
    assert [item.reason for item in content.dropped] == ["empty"]
    assert content.pages[0].page_label == "12"


def test_a_block_that_only_the_layout_has_is_in_the_drop_list() -> None:
    # contract: D22
    listed = [
        {"type": "text", "text": "Intro", "page_idx": 0, "bbox": [100, 100, 500, 150]},
        {"type": "image", "img_path": "images/1.jpg", "page_idx": 0, "bbox": [100, 200, 500, 400]},
    ]
    layout = {"pages": [{"page_idx": 0, "blocks": [
        {"type": "text", "bbox": [101, 99, 499, 151]},
        {"type": "image", "bbox": [100, 200, 500, 400]},
        {"type": "image", "bbox": [100, 500, 500, 700]},
    ]}]}  # fmt: skip
    content = mineru.adapt(listed, "doc", layout=layout)
    assert [(item.reason, item.bbox) for item in content.dropped] == [("lost_by_source", (0.1, 0.5, 0.5, 0.7))]
    assert mineru.warnings_of(content) == {"lost_block": 1}
    assert "lost_block" not in mineru.warnings_of(mineru.adapt(MIDDLE, "doc", layout=MIDDLE))


@pytest.mark.parametrize(
    "caption", ["Figure 1 Flow", ["Figure 1", "Flow"], [{"type": "text", "content": "Figure 1 Flow"}]]
)
@pytest.mark.parametrize("key", ["img_caption", "image_caption", "chart_caption"])
def test_captions_are_text_lists_or_spans(key: str, caption: Any) -> None:
    # contract: D4, D15
    item = only({"type": "image", "img_path": "images/a.png", key: caption})
    assert item.caption == "Figure 1 Flow" and item.image_path == "images/a.png"


def test_discarded_blocks_and_the_odd_types_of_each_version() -> None:
    # contract: D4
    roles = {
        "phonetic": "paragraph", "ref_text": "list", "aside_text": "footer", "page_footnote": "footnote",
        "index": "toc", "abstract": "paragraph", "isolate_formula": "equation", "algorithm": "code",
    }  # fmt: skip
    for kind, role in roles.items():
        item = only({"type": kind, "text": "x = 1"})
        assert (item.role, item.flags) == (role, ["no_bbox"]), kind
    assert only({"type": "discarded", "text": "- 7 -", "bbox": [1, 1, 5, 5]}).role == "page_number"
    assert only({"type": "discarded", "text": "Draft", "bbox": [10, 950, 50, 980]}).role == "footer"
    assert only({"type": "text", "text": "Scope", "text_level": "2"}).level == 2
    assert only({"type": "text", "text": "Body", "text_level": 0}).role == "paragraph"


def test_pictures_without_a_file_and_charts_with_content() -> None:
    for nothing in ("", None, "images/"):
        assert only({"type": "image", "img_path": nothing}).flags == ["no_bbox", "image_missing"]
    chart = only({"type": "chart", "img_path": "images/c.png", "sub_type": "bar_chart",
                  "content": "<table><tr><td>2019</td><td>4</td></tr></table>"})  # fmt: skip
    assert (chart.role, chart.kind, chart.chart_form, chart.text) == ("image", "statistical", "bar", "2019 4")
    equation = only({"type": "equation", "img_path": "images/e.png"})
    assert equation.image_path == "images/e.png" and not equation.text


def test_text_is_free_of_entities_escapes_and_fences() -> None:
    # contract: D9
    assert only({"type": "text", "text": r"R&amp;D cost \$5 \* $a\_b$ &nope"}).text == r"R&D cost $5 * $a\_b$ &nope"
    code = only({"type": "code", "code_body": "```python\nif a &lt; b:\n    pass\n```"})
    assert code.text == "if a &lt; b:\n    pass"
    item = {"item_type": "text", "prefix": "2.", "item_content": [{"type": "text", "content": "two"}]}
    assert only({"type": "list", "content": {"list_items": [item]}}).text == "2. two"
    garbage = mineru.adapt([{"type": "text", "text": "\ue001\ue002 \ufffd", "page_idx": 0}], "doc")
    assert [(item.reason, item.text) for item in garbage.dropped] == [("garbage_text", "\ue001\ue002 \ufffd")]
    unknown = only({"type": "hologram", "note": "Keep me", "extra": ["and me"]})
    assert unknown.text == "Keep me and me"


@pytest.mark.parametrize(
    ("markup", "rows"),
    [
        ("<table><tr><td>a<table><tr><td>b</td><td>c</td></tr></table></td><td>d</td></tr></table>", [["a b c", "d"]]),
        ("<tr><td rowspan=2>a</td><td colspan=2>b</td></tr><tr><td>c</td>", [["a", "b", "b"], ["a", "c", ""]]),
        (
            f"<tr><td rowspan=002>a</td><td colspan={'0' * 5000}>b</td></tr><tr><td>c</td></tr>",
            [["a", "b"], ["a", "c"]],
        ),
        (f"<tr><td colspan={'9' * 5000}>a</td></tr>", [["a"] * 200]),
        ("<tr><td>a<script>x()</script></td><td>2&lt;5</td></tr>", [["a", "2<5"]]),
        ("<table><tr><td>a<td>b<tr><td>c", [["a", "b"], ["c", ""]]),
        ("<td>a</td><td>b &amp; c</td>", [["a", "b & c"]]),
        ("<html><body><table><tr><td colspan='x'>a</td></tr></table></body></html>", [["a"]]),
        ("<table><![bad<tr><td>a</td></tr></table>", None),
        ("| Site | Mean |\n|---|---:|\n| North | 4\\|1 |", [["Site", "Mean"], ["North", "4|1"]]),
        (
            r"$\begin{tabular}{lr}\hline \textbf{Site} & Mean\\ \hline R\&D & \multicolumn{1}{c}{4.1}\\ \end{tabular}$",
            [["Site", "Mean"], ["R&D", "4.1"]],
        ),
        ("no table at all", []),
    ],
)
def test_tables_come_in_html_markdown_and_latex(markup: str, rows: list[list[str]] | None) -> None:
    found = table_from_markup(markup).rows
    assert rows is None or found == rows


def test_what_a_table_says_outside_of_its_cells_is_kept() -> None:
    table = "<table><caption>Table 4 Yields</caption><tr><td>a</td><td>1</td></tr></table>"
    content = mineru.adapt([{"type": "table", "table_body": table, "page_idx": 0}], "doc")
    assert [item.text for item in content.items] == ["a | 1", "Table 4 Yields"]
    assert content.items[0].caption == "Table 4 Yields"
    assert only({"type": "table", "table_body": "just words"}).text == "just words"


@pytest.mark.parametrize(
    ("boxes", "pages", "unit", "first"),
    [
        ([[100, 200, 300, 400], [10, 10, 900, 950]], None, "grid", (0.1, 0.2, 0.3, 0.4)),
        ([[61.2, 79.2, 306.0, 396.5], [72.5, 100.1, 540.2, 700.9]], LETTER, "points", (0.1, 0.1, 0.5, 0.500631)),
        ([[170, 220, 850, 1100], [200, 300, 1500, 2000]], LETTER, "pixels", (0.1, 0.1, 0.5, 0.5)),
        ([[0.1, 0.2, 0.3, 0.4]], LETTER, "fraction", (0.1, 0.2, 0.3, 0.4)),
        ([[100, 200, 300, 400, 10, 10, 5, 5]], None, "grid", (0.005, 0.005, 0.3, 0.4)),
        ([[300, 400, 100, 200]], None, "grid", (0.1, 0.2, 0.3, 0.4)),
        ([[100, 200, 300, 400]] * 30 + [[0, 0, 90_000, 90_000]], LETTER, "grid", (0.1, 0.2, 0.3, 0.4)),
    ],
)
def test_the_unit_of_boxes_is_one_for_the_list(
    boxes: list[list[float]], pages: list[PageInfo] | None, unit: str, first: tuple[float, ...]
) -> None:
    # contract: D7
    raw = [{"type": "text", "text": f"t{n}", "page_idx": 0, "bbox": box} for n, box in enumerate(boxes)]
    content = mineru.adapt(raw, "doc", pages=pages)
    assert (content.bbox_unit, content.items[0].bbox) == (unit, first)
    assert all(0 <= value <= 1 for item in content.items for value in item.bbox)


def test_wrappings_and_versions_are_recognised() -> None:
    block = {"type": "text", "text": "a", "page_idx": 0, "bbox": [1, 1, 9, 9]}
    for raw in ([block], {"content_list": json.dumps([block])}, {"results": {"f": {"content_list": [block]}}}):
        assert [item.text for item in mineru.adapt(raw, "doc").items] == ["a"]
    assert read_source([[{"type": "text", "bbox": [0.1, 0.1, 0.2, 0.2], "content": "a"}]]).version == "mineru-2.5"
    assert read_source({"pdf_info": [], "_version_name": f"{'9' * 5000}.0"}).version == "mineru-2"
    mixed = mineru.adapt([block, "stray text", None, 7], "doc")
    assert [(item.reason, item.text) for item in mixed.dropped] == [("not_a_block", "stray text"), ("not_a_block", "")]


def test_pages_out_of_order_are_put_in_order() -> None:
    # contract: D5
    raw = [{"type": "text", "text": f"{page}{part}", "page_idx": page} for part in "ab" for page in (2, 0)]
    content = mineru.adapt(raw, "doc")
    assert [item.text for item in content.items] == ["0a", "0b", "2a", "2b"]
    assert build_tree(enhance(content)).quality.problems == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 2000) | st.floats(allow_nan=True) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
KEYS = (
    "text", "text_level", "img_path", "img_caption", "image_caption", "image_footnote", "table_body", "table_caption",
    "list_items", "code_body", "content", "sub_type", "image_source", "page_idx", "bbox", "blocks", "lines", "level",
)  # fmt: skip
TYPES = (
    "text", "title", "image", "table", "equation", "list", "code", "chart", "index", "header", "page_number",
    "page_footnote", "discarded", "ref_text", "odd",
)  # fmt: skip
TEXT = st.sampled_from(
    ["1 Scope", "Plain words here.", "Figure 1: Flow.", "Table 2 Yields", "• one\n• two", "", " ", "第一章", "7", "(a)"]
)
BOX = st.lists(st.integers(0, 1000), min_size=4, max_size=4)
BLOCK = st.fixed_dictionaries(
    {"type": st.sampled_from(TYPES), "page_idx": st.integers(0, 3)},
    optional={
        "text": TEXT,
        "bbox": BOX,
        "text_level": st.integers(0, 6),
        "image_caption": st.lists(TEXT, max_size=2) | TEXT,
        "table_body": st.sampled_from(["<table><tr><td>a</td><td>1</td></tr></table>", "<td", ""]),
        "list_items": st.lists(TEXT, max_size=3),
        "code_body": TEXT,
        "img_path": st.sampled_from(["images/a.png", "/etc/x", "", None]),
    },
)
GARBAGE = st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=5), JSON, max_size=6) | JSON


def tree_is_sound(adapted: ContentList) -> None:
    enhanced = enhance(adapted)
    assert check_conservation(adapted, enhanced) == []
    tree = build_tree(enhanced)
    assert tree.quality.problems == [] or not enhanced.items
    kept = [item_id for node in tree.nodes for item_id in node.item_ids]
    assert sorted(kept + [item.id for item in tree.dropped]) == sorted(
        [item.id for item in adapted.items] + [item.id for item in adapted.dropped]
    )


@settings(max_examples=120, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.lists(BLOCK, max_size=14), st.booleans())
def test_every_block_of_a_list_ends_in_a_node_or_in_the_drop_list(blocks: list[dict[str, Any]], known: bool) -> None:
    # contract: D4, D22, D8
    raw = [{**block, "text": f"{block.get('text', '')}"} for block in blocks]
    content = mineru.adapt(raw, "doc", pages=LETTER if known else None)
    assert len(content.items) + len(content.dropped) >= len(raw)
    again = mineru.adapt(json.loads(json.dumps(raw)), "doc", pages=LETTER if known else None)
    assert content == again
    tree_is_sound(content)


@settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.lists(GARBAGE, max_size=8) | st.dictionaries(st.sampled_from(["pdf_info", "results", "content"]), JSON))
def test_no_list_gives_a_traceback(raw: Any) -> None:
    # contract: D4
    try:
        content = mineru.adapt(raw, "doc", pages=LETTER, layout={"pdf_info": raw})
    except mineru.NotAContentList:
        return
    assert all(0 <= value <= 1 for item in content.items for value in item.bbox)
    canonical_json(content.model_dump(mode="json")).encode("utf-8")
    tree_is_sound(content)


HOSTILE = (
    "\ud800", "\x00", "(cid:12)", "\u200b", "\u202e", "<script>x</script>", "\\tag{", "&#0;", "&#xd800;", "$" * 9, "\\",
)  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_odd_characters_reach_no_artifact(text: str, tmp_path: Path) -> None:
    # contract: D9
    rows = f"<table><caption>{text}</caption><tr><td>{text}a</td></tr></table>"
    raw = [
        {"type": "text", "text": f"{text}a", "text_level": 1},
        {"type": "image", "img_path": f"images/{text}.png", "image_caption": [f"{text}Figure 1"]},
        {"type": "table", "table_body": rows, "table_caption": f"{text}b"},
        {"type": "list", "list_items": [f"{text}c", {"item_content": text}]},
        {"type": "code", "code_body": f"{text}d"},
        {"type": "equation", "text": f"{text}e"},
        {"type": text, "text": "f", "bbox": text},
        {"type": "chart", "content": f"{text}g", "sub_type": text},
    ]
    content = mineru.adapt([{"page_idx": 0, **block} for block in raw], "doc")
    content.save(tmp_path / "content_list.json")
    assert ContentList.load(tmp_path / "content_list.json") == content
    said = "".join(f"{item.text}{item.caption}" for item in content.items)
    assert not any(char in said for char in "\ud800\x00\u200b\u202e") and "(cid:" not in said
    tree_is_sound(content)


@pytest.mark.parametrize(
    "path",
    ["../x.png", "/etc/x.png", "images/../../x.png", "C:/x.png", "C:\\x.png", "//host/x.png", "s3://b/x.png",
     "~/x\n.png", "images//x.png", "./x.png", "data:image/png;base64,AAAA", "images/x\x00.png"],
)  # fmt: skip
def test_no_path_leaves_the_folder(path: str) -> None:
    item = only({"type": "image", "img_path": path}, folder="mineru")
    assert item.image_path is None and {"unsafe_path", "image_missing"} <= set(item.flags)
