"""What an original states is laid over what was seen: found by text, order and words; told where it is not."""

from __future__ import annotations

from cosee.artifacts.documents.content import ContentItem, ContentList, PageInfo, TableData
from cosee.artifacts.documents.layout import CellSpan, OutlineEntry
from cosee.artifacts.documents.original import Original, OriginalBlock
from cosee.parse.originals.unprinted import sheet_pages
from cosee.structure.enhance import enhance
from cosee.structure.original import not_found


def content(*texts: tuple[int, str] | tuple[int, list[list[str]]]) -> ContentList:
    """Items from top to bottom: (page, text) or (page, cells)."""
    items = []
    for number, (page_idx, what) in enumerate(texts):
        top = 0.1 + 0.08 * sum(item.page_idx == page_idx for item in items)
        box = (0.1, top, 0.9, top + 0.05)
        if isinstance(what, str):
            items.append(
                ContentItem(id=f"t_{number}", role="paragraph", text=what, page_idx=page_idx, bbox=box, size=10)
            )
        else:
            table = TableData(rows=what)
            items.append(ContentItem(id=f"tab_{number}", role="table", page_idx=page_idx, bbox=box, table=table))
    pages = [PageInfo(page_idx=n, width=600, height=800) for n in range(1 + max(page for page, _ in texts))]
    return ContentList(doc_id="d", stage="adapted", source="pymupdf", pages=pages, items=items)


def original(*blocks: OriginalBlock) -> Original:
    return Original(doc_id="d", name="original.docx", sha256="0" * 64, kind="docx", converter="x", blocks=list(blocks))


def heading(text: str, level: int) -> OriginalBlock:
    return OriginalBlock(kind="heading", text=text, level=level)


def text(words: str) -> OriginalBlock:
    return OriginalBlock(kind="text", text=words)


PROSE = "Words that go on for a while, as they do in a paragraph of a report about nothing at all."


def test_headings_are_found_behind_numbers_over_lines_and_where_their_words_repeat() -> None:
    seen = content(
        (0, "Costs"), (0, PROSE), (0, "2.1 Costs"), (0, PROSE + " More."), (0, "A heading that is so"), (0, "long")
    )  # fmt: skip
    stated = original(
        heading("Costs", 1), text(PROSE), heading("Costs", 4), text(PROSE + " More."),
        heading("A heading that is so long", 2),
    )  # fmt: skip
    enhanced = enhance(seen, original=stated)
    found = [(item.level, item.text) for item in enhanced.items if item.role == "heading"]
    assert found == [(1, "Costs"), (4, "2.1 Costs"), (2, "A heading that is so long")]
    assert not_found(stated, enhanced) is None


def test_what_is_on_no_page_is_told_and_nothing_else_becomes_a_heading() -> None:
    seen = content((0, "Costs"), (0, PROSE))
    stated = original(
        heading("Costs", 1),
        heading("Elsewhere", 1),
        text(PROSE),
        OriginalBlock(kind="table", table=TableData(rows=[["a", "b"]])),
        OriginalBlock(kind="picture", text="A mill"),
    )
    enhanced = enhance(seen, original=stated)
    assert [item.text for item in enhanced.items if item.role == "heading"] == ["Costs"]
    told = not_found(stated, enhanced)
    assert told == "of the original, 1 headings, 1 tables, 1 alternative texts were not found on the pages"


def test_a_table_is_put_together_from_what_was_seen_of_it() -> None:
    rows = [["Year", "Tons", "Tons"], *([f"{year}", f"{year}7", f"{year}9"] for year in range(2000, 2009))]
    table = TableData(rows=rows, spans=[CellSpan(row=0, column=1, columns=2)])
    seen = content(
        (0, "Before it."), (0, [["Year", "Tons", ""], *rows[1:4]]), (0, "2003 20037 20039"),
        (1, "YearTonsTons"), (1, [*rows[5:8]]), (1, "2008 20087 20089"), (1, "After it."),
    )  # fmt: skip
    stated = original(text("Before it."), OriginalBlock(kind="table", table=table), text("After it."))
    enhanced = enhance(seen, original=stated)
    (found,) = [item for item in enhanced.items if item.role == "table"]
    assert found.table is not None and (found.table.rows, found.table.spans) == (rows, table.spans)
    assert [(region.page_idx, region.begins) for region in found.regions] == [(0, 0), (1, 5)]
    assert [item.text for item in enhanced.items if item.role != "table"] == ["Before it.", "After it."]


def test_a_page_that_shows_little_of_its_words_is_told() -> None:
    stated = original(text("Stories that a script would unfold from here"), text("Loading"))
    told = not_found(stated, enhance(content((0, "Loading")), original=stated))
    assert told is not None and "most words" in told
    assert not_found(stated, enhance(content((0, "Stories that a script would unfold"), (0, "Loading")))) is None


def test_words_of_a_table_that_no_cell_has_stay_with_it() -> None:
    rows = [["Tower", "Height"], ["Skagen", "46"], ["Lindesnes", "16"]]
    stated = original(OriginalBlock(kind="table", table=TableData(rows=rows)))
    seen = content((0, "Tower Height"), (0, [["Skagen", "46"], ["Lindesnes", "16"], ["Closed", ""]]))
    (found,) = [item for item in enhance(seen, original=stated).items if item.role == "table"]
    assert found.table is not None and found.table.rows == [*rows, ["Closed", ""]]
    assert "text_without_cell" in found.flags and "from_original" in found.flags


def test_a_sheet_has_the_cells_that_its_columns_are_too_narrow_for() -> None:
    rows = [["Region", "When", "Tons"], ["Northern districts", "2024-03-05 14:30", "12"], ["Southern", "", "7"]]
    blocks = [OriginalBlock(kind="sheet", text="Yield"), OriginalBlock(kind="table", table=TableData(rows=rows))]
    seen = content(
        (0, "Region When Tons"), (0, "Northern di"), (0, "###"), (0, "12"), (0, "Southern 7"), (0, "A remark")
    )
    seen.outline = [OutlineEntry(level=1, title="Yield", page_idx=0)]
    enhanced = enhance(seen, original=original(*blocks))
    assert [item.table.rows if item.table else item.text for item in enhanced.items] == [rows, "A remark"]


def test_two_tables_without_a_word_between_them_stay_two() -> None:
    one, two = [["a", "10"], ["b", "20"]], [["a", "30"], ["b", "40"]]
    seen = content((0, "Both:"), (0, one), (0, two))
    stated = original(
        text("Both:"),
        *(OriginalBlock(kind="table", table=TableData(rows=rows)) for rows in (one, two)),
    )
    enhanced = enhance(seen, original=stated)
    assert [item.table.rows for item in enhanced.items if item.table] == [one, two]


def test_sheets_have_the_pages_from_their_bookmark_to_the_next() -> None:
    outline = [OutlineEntry(level=1, title=name, page_idx=page) for name, page in (("A", 0), ("B ", 3), ("C", 4))]
    assert sheet_pages(["A", "B", "X"], outline, 9) == [("A", range(0, 3)), ("B", range(3, 4)), ("X", None)]
