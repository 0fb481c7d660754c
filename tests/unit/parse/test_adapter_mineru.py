from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from cosee.artifacts.documents.content import ContentList
from cosee.artifacts.settings.parsing import AdaptSettings
from cosee.parse.content.adapt import mineru_list
from cosee.parse.mineru import content_list as mineru
from cosee.pipeline.stage import DocFolder, StageFailure, StageResult
from cosee.stages.adapt import AdaptStage
from cosee.structure.enhance import enhance

HTML = "<table><tr><th>Site</th><th>Mean</th></tr><tr><td>North</td><td>4.1</td></tr></table>"
V1 = [
    {"type": "text", "text": "1 Flow", "text_level": 1, "page_idx": 0},
    {"type": "text", "text": "Plain text.", "page_idx": 0},
    {"type": "image", "img_path": "images/a.jpg", "img_caption": ["Figure 1: Flow."], "page_idx": 0},
    {"type": "table", "table_body": HTML, "table_caption": ["Table 1: Values."], "page_idx": 0},
    {"type": "equation", "text": "$$\nQ = A v \\tag{3.1}\n$$", "text_format": "latex", "page_idx": 0},
    {"type": "text", "text": "- one\n- two", "page_idx": 1},
]
V25 = [
    {**V1[0], "bbox": [60, 70, 200, 90]},
    {**V1[1], "bbox": [60, 95, 200, 99]},
    {"type": "image", "img_path": "images/a.jpg", "image_caption": ["Figure 1: Flow."], "page_idx": 0,
     "bbox": [60, 100, 300, 250]},
    {**V1[3], "bbox": [60, 260, 300, 300]},
    {**V1[4], "bbox": [60, 310, 300, 330]},
    {"type": "list", "list_items": ["- one", "- two"], "page_idx": 1, "bbox": [60, 100, 300, 250]},
    {"type": "page_number", "text": "12", "page_idx": 1, "bbox": [480, 950, 500, 960]},
]  # fmt: skip
V3 = [
    [
        {"type": "title", "content": {"title_content": [{"type": "text", "content": "1 Flow"}], "level": 1}},
        {"type": "paragraph", "content": {"paragraph_content": [{"type": "text", "content": "Plain "},
                                                                {"type": "text", "content": "text."}]}},
        {"type": "image", "content": {"image_source": {"path": "images/a.jpg"},
                                      "image_caption": [{"type": "text", "content": "Figure 1: Flow."}]}},
        {"type": "table", "content": {"html": HTML,
                                      "table_caption": [{"type": "text", "content": "Table 1: Values."}]}},
        {"type": "equation_interline", "content": {"math_content": "Q = A v \\tag{3.1}", "math_type": "latex"}},
    ],
    [
        {"type": "list", "content": {"list_items": [
            {"item_type": "text", "item_content": [{"type": "text", "content": "- one"}]},
            {"item_type": "text", "item_content": [{"type": "text", "content": "- two"}]}]}},
        {"type": "page_number", "content": {"page_number_content": [{"type": "text", "content": "12"}]}},
    ],
]  # fmt: skip


def body(content: ContentList) -> list[tuple[str, str, int, str | None]]:
    items = [item for item in content.items if item.role != "page_number"]
    return [("list" if "- one" in item.text else item.role, item.text, item.page_idx, item.caption) for item in items]


@pytest.mark.parametrize(
    ("raw", "source"),
    [
        (V1, "mineru-1"),
        (V25, "mineru-2.5"),
        (V3, "mineru-3"),
        ({"content_list": V25}, "mineru-2.5"),
        ({"results": {"report": {"md_content": "# 1 Flow", "content_list": V25}}}, "mineru-2.5"),
    ],
)
def test_every_version_gives_the_same_items(raw: Any, source: str) -> None:
    # contract: D4, D5
    content = mineru.adapt(raw, "doc")
    assert content.source == source
    assert body(content) == body(mineru.adapt(V25, "doc"))
    table = next(item for item in content.items if item.role == "table")
    assert table.table is not None and table.table.rows == [["Site", "Mean"], ["North", "4.1"]]
    equation = next(item for item in content.items if item.role == "equation")
    assert (equation.label, equation.latex) == ("(3.1)", "Q = A v \\tag{3.1}")
    assert [item.role for item in content.items[:4]] == ["heading", "paragraph", "image", "caption"]
    tied = {item.id: item for item in enhance(content).items}
    assert {item.label for item in tied.values() if item.role in ("image", "table")} == {"Figure 1", "Table 1"}


def test_boxes_of_any_unit_and_none_at_all() -> None:
    # contract: D6, D7
    blocks = [
        {"type": "text", "text": "grid", "page_idx": 0, "bbox": [100, 200, 300, 400]},
        {"type": "text", "text": "  ", "page_idx": 0, "bbox": [0, 0, 10, 10]},
        {"type": "text", "text": "share", "page_idx": 0, "bbox": [0.1, 0.2, 0.3, 0.4]},
        {"type": "text", "text": "first", "page_idx": 0},
        {"type": "text", "text": "second", "page_idx": 0, "bbox": [5, 5]},
    ]
    content = mineru.adapt(blocks, "doc")
    assert [item.text for item in content.items] == ["grid", "share", "first", "second"]
    assert content.items[0].bbox == content.items[1].bbox == (0.1, 0.2, 0.3, 0.4)
    assert [item.reason for item in content.dropped] == ["empty"]
    loose = content.items[2:]
    assert all("no_bbox" in item.flags for item in loose) and loose[0].bbox[3] <= loose[1].bbox[1]


def test_unknown_types_and_unsafe_paths_are_kept_and_flagged() -> None:
    # contract: D4
    blocks = [
        {"type": "hologram", "text": "Keep me", "page_idx": 0},
        {"type": "image", "img_path": "../../secret.png", "page_idx": 0},
        {"type": "image", "img_path": "http://host/x.png", "page_idx": 0},
        {"type": "image", "img_path": "images/there.png", "page_idx": 0},
        {"type": "image", "img_path": "images/gone.png", "page_idx": 5_000_000},
    ]
    content = mineru.adapt(blocks, "doc", has_image={"images/there.png"}.__contains__, folder="mineru")
    assert content.items[0].role == "paragraph" and "unknown_type" in content.items[0].flags
    assert [item.image_path for item in content.items[1:]] == [None, None, "mineru/images/there.png", None]
    assert mineru.warnings_of(content) == {"unknown_type": 1, "unsafe_path": 2, "image_missing": 3, "bad_page": 1}
    for wrong in ({"pdf": "x"}, {}, [1, 2], "text"):
        with pytest.raises(mineru.NotAContentList):
            mineru.adapt(wrong, "doc")  # type: ignore[arg-type]


def test_a_formula_goes_out_and_comes_back_with_its_latex_and_its_picture() -> None:
    # contract: D3, D4
    block = {"type": "equation", "text": "$$\nq=\\frac{a}{b}\n$$", "text_format": "latex", "img_path": "images/e.png",
             "page_idx": 0, "bbox": [100, 100, 400, 200]}  # fmt: skip
    (item,) = mineru.adapt([block], "doc").items
    assert (item.text, item.latex, item.image_path) == (r"q=\frac{a}{b}", r"q=\frac{a}{b}", "images/e.png")
    assert mineru_list(mineru.adapt([block], "doc")) == [block]
    plain = {**block, "text": "∯ = ⌬ (3)"}
    del plain["text_format"]
    assert mineru.adapt([plain], "doc").items[0].latex is None and mineru_list(mineru.adapt([plain], "doc")) == [plain]
    assert mineru.adapt([{**plain, "text": r"$$p = 5\$$$"}], "doc").items[0].latex == r"p = 5\$"
    (without,) = mineru.adapt([block], "doc", has_image=lambda path: False).items  # its text says all that it says
    assert without.image_path is None and without.flags == []


def run(root: Path) -> StageResult:
    return AdaptStage().run(DocFolder("demo", "doc", root, root), AdaptSettings(ocr="none"))


def test_the_stage_takes_the_list_beside_the_pdf(tmp_path: Path) -> None:
    # contract: D4, D8
    with pymupdf.open() as document:
        for _ in range(2):
            document.new_page(width=400, height=600)
        document.save(tmp_path / "full.pdf")
    (tmp_path / "mineru").mkdir()
    (tmp_path / "mineru" / "content_list.json").write_text(json.dumps(V25), encoding="utf-8")
    result = run(tmp_path)
    content = ContentList.load(tmp_path / "content_list.adapted.json")
    assert result.status == "partial" and result.reason == "image_missing"
    assert [(page.width, page.page_label) for page in content.pages] == [(400, None), (400, "12")]
    before = [path.read_bytes() for path in result.outputs]
    assert [path.read_bytes() for path in run(tmp_path).outputs] == before
    assert (
        AdaptStage().inputs(DocFolder("demo", "doc", tmp_path, tmp_path), AdaptSettings())[-1].parent.name == "mineru"
    )
    (tmp_path / "mineru" / "content_list.json").write_text("{", encoding="utf-8")
    with pytest.raises(StageFailure) as caught:
        run(tmp_path)
    assert caught.value.reason == "bad_input"
