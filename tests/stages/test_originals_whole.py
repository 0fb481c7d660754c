"""What a print of a file would cut off, and what stands beside its text, is in the tree all the same."""

from __future__ import annotations

from pathlib import Path

import docx
import openpyxl
import openpyxl.drawing.image
import pymupdf
import pytest
from openpyxl.comments import Comment
from PIL import Image

from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.documents.original import Original
from cosee.artifacts.settings.parsing import AdaptSettings, BuildSettings, EnhanceSettings
from cosee.parse.originals import office, web
from cosee.parse.originals.sheets import sheet_blocks
from cosee.parse.originals.web import parsed, shown_text
from cosee.pipeline.stage import DocFolder
from cosee.stages.adapt import AdaptStage
from cosee.stages.build import BuildStage
from cosee.stages.enhance import EnhanceStage

needs_office = pytest.mark.skipif(office.soffice() is None, reason="LibreOffice is not installed")
needs_pango = pytest.mark.skipif(not web.version(), reason="Pango is not installed")


def document(folder: Path, suffix: str) -> tuple[DocFolder, Path]:
    doc = DocFolder("d", "file", folder / "file", folder / "index")
    doc.data.mkdir(parents=True)
    return doc, doc.data / f"original.{suffix}"


def read(doc: DocFolder) -> DocTree:
    assert AdaptStage().run(doc, AdaptSettings()).status == "ok"
    result = EnhanceStage().run(doc, EnhanceSettings())
    assert (result.status, result.message) == ("ok", None)
    BuildStage().run(doc, BuildSettings())
    return DocTree.load(doc.data / "doctree.mm.json")


@needs_office
def test_a_sheet_is_whole_whatever_its_columns_and_has_its_comments(tmp_path: Path) -> None:
    doc, path = document(tmp_path, "xlsx")
    book = openpyxl.Workbook()
    sheet = book.active
    rows = [["Region", "Sold", "Tons"], ["Northern districts and isles", 45_000_123.25, 12], ["Southern", 7, 1]]
    for row in rows:
        sheet.append(row)
    sheet["B2"].number_format = "#,##0.00"
    sheet.column_dimensions["B"].width = 4
    sheet["A3"].comment = Comment("Counted twice", "Ada")
    dot = Image.new("RGB", (200, 120), "teal")
    dot.save(tmp_path / "dot.png")
    sheet.add_image(openpyxl.drawing.image.Image(tmp_path / "dot.png"), "F2")
    for number in range(60):
        sheet.append([f"Station {number} behind the long hill", number, 2 * number])
    book.save(path)
    tree = read(doc)
    (table,) = [node for node in tree.nodes if node.type == "table"]
    assert table.table is not None and len(table.table.rows) == 63
    assert table.table.rows[1:3] == [["Northern districts and isles", "45,000,123.25", "12"], ["Southern", "7", "1"]]
    rest = [node.text for node in tree.nodes if node.type not in ("table", "document", "section")]
    assert [text for text in rest if text] == ["Southern: Counted twice"]
    blocks = Original.load(doc.data / "original.json").blocks
    assert [block.kind for block in blocks] == ["sheet", "table", "picture", "notes"]


def test_comments_leave_the_values_of_their_cells_and_stand_where_there_are_none(tmp_path: Path) -> None:
    """As LibreOffice writes cells in the default font: the value stands behind the comment."""
    page = tmp_path / "made.html"
    page.write_text(
        "<h1><em>Yield</em></h1><table><tr><td>Region</td><td>Tons</td></tr><tr>"
        '<td><a class="comment-indicator"></a>\n<comment>Counted twice</comment>\nSouthern</td>'
        "<td><comment>seven?</comment>\n7</td></tr></table>"
        "<h1><em>Notes</em></h1><table><tr><td><comment>Only this</comment></td></tr></table>",
        encoding="utf-8",
    )
    found = [(block.kind, block.table.rows if block.table else block.text) for block in sheet_blocks(page)]
    assert found == [
        ("sheet", "Yield"), ("table", [["Region", "Tons"], ["Southern", "7"]]),
        ("notes", "Southern: Counted twice\n7: seven?"), ("sheet", "Notes"), ("notes", "Only this"),
    ]  # fmt: skip


def test_text_nested_without_end_is_text() -> None:
    root = parsed("<h1>" + "<b>" * 3000 + "deep" + "</b>" * 3000 + "</h1>")
    assert shown_text(next(root.iter("h1"))) == "deep"


@needs_office
def test_the_comments_of_a_text_stand_behind_it(tmp_path: Path) -> None:
    doc, path = document(tmp_path, "docx")
    text = docx.Document()
    run = text.add_paragraph("The pier is closed to cars from June on, because the planks are being mended.").runs[0]
    text.add_comment(run, text="Until when?", author="Lund", initials="L")
    text.save(str(path))
    (*_, last) = read(doc).nodes
    assert last.text == "Lund: Until when?" and "unprinted" in last.flags


@needs_pango
def test_a_web_page_is_whole_where_a_screen_would_scroll(tmp_path: Path) -> None:
    doc, path = document(tmp_path, "html")
    cells = [f"Reading {number} of the gauge" for number in range(12)]
    row = "".join(f"<td style='min-width:150px'>{cell}</td>" for cell in cells)
    scrolled = " ".join(f"line {number} of the long box." for number in range(60))
    path.write_text(
        "<style>.box { height: 40px; overflow-y: auto }</style><h1>Gauges</h1>"
        f"<div class='box'>{scrolled}</div><pre>{'value ' * 60}END_OF_LINE</pre>"
        "<p><svg viewBox='0 0 9 9'><path d='M0 0h9v9z'/></svg></p>"
        f"<ol start='5'><li>fifth clause</li></ol><table border='1'><tr>{row}</tr><tr>{row}</tr></table>",
        encoding="utf-8",
    )
    tree = read(doc)
    text = " ".join(node.text for node in tree.nodes)
    assert "line 59 of the long box." in text and "END_OF_LINE" in text and "5. fifth clause" in text
    (table,) = [node for node in tree.nodes if node.type == "table"]
    assert table.table is not None and table.table.rows == [cells, cells]
    with pymupdf.open(doc.data / "full.pdf") as pages:
        assert pages[0].rect.width > 1200 and len(pages) == 1


@needs_pango
@pytest.mark.parametrize("wide", ["style='width: 150%'", "width='180%'", "class='wide'"])
def test_what_is_wider_than_the_page_by_its_own_word_is_whole_on_it(tmp_path: Path, wide: str) -> None:
    doc, path = document(tmp_path, "html")
    cells = [f"gauge {number}" for number in range(6)]
    row = "".join(f"<td>{cell}</td>" for cell in cells)
    path.write_text(
        f"<style>.wide {{ width: 240.5% }}</style><h1>Gauges</h1><table border='1' {wide}><tr>{row}</tr><tr>{row}</tr>"
        "</table>",
        encoding="utf-8",
    )
    (table,) = [node for node in read(doc).nodes if node.type == "table"]
    assert table.table is not None and table.table.rows == [cells, cells]


@needs_pango
@pytest.mark.parametrize(
    ("encoding", "stated", "words"),
    [
        ("iso-8859-1", "<meta charset='iso-8859-1'>", "Überfahrt nach Malmö"),
        ("koi8-r", "<meta http-equiv='Content-Type' content='text/html; charset=KOI8-R'>", "Переправа у мыса"),
        ("cp1252", "", "Überfahrt – 5 €"),
        ("utf-16", "", "Überfahrt nach Malmö"),
    ],
)
def test_a_web_page_is_read_in_the_encoding_that_it_states(
    tmp_path: Path, encoding: str, stated: str, words: str
) -> None:
    doc, path = document(tmp_path, "html")
    path.write_bytes(f"<html><head>{stated}</head><body><h1>{words}</h1><p>Text.</p></body></html>".encode(encoding))
    assert [(node.type, node.title) for node in read(doc).nodes[1:2]] == [("section", words)]


@needs_pango
def test_a_heading_of_several_lines_is_found_with_its_words_apart(tmp_path: Path) -> None:
    doc, path = document(tmp_path, "html")
    path.write_text("<h1>Pumps<br>and valves</h1><h2>Store<div>where cranes stand</div></h2><p>Text.</p>", "utf-8")
    titles = [node.title for node in read(doc).nodes if node.type == "section"]
    assert titles == ["Pumps and valves", "Store where cranes stand"]
