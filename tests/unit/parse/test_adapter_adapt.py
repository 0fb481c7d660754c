from __future__ import annotations

from pathlib import Path
from typing import Any

from helpers.make_pdf import grid, lines, make_pdf, picture, sentence
from hypothesis import given, settings
from hypothesis import strategies as st

from cosee.artifacts.documents.content import ContentList
from cosee.artifacts.documents.layout import Layout, LayoutBlock, LayoutPage, Line, Span
from cosee.artifacts.settings.parsing import AdaptSettings
from cosee.parse.content.adapt import adapt, mineru_list, unaccounted
from cosee.parse.pdf_reader import ReadResult, read_pdf


def read(path: Path, **settings: Any) -> tuple[ReadResult, ContentList]:
    result = read_pdf(path, "doc", AdaptSettings(ocr="none", **settings), path.parent / "images")
    return result, adapt(result.layout)


def report(page: Any) -> None:
    page.insert_text((60, 60), "1 Pumps", fontsize=16, fontname="hebo")
    y = lines(page, 60, 90, [sentence(n, 14) for n in range(4)])
    page.insert_text((60, y + 10), "2 Valves", fontsize=10, fontname="hebo")
    y = lines(page, 60, y + 23, [sentence(n, 14) for n in range(5, 9)])
    y = lines(page, 60, y + 20, ["- first point of the list", "- second point of the list"])
    picture(page, (60, y + 10, 260, y + 110), (200, 30, 30))
    page.insert_text((60, y + 125), "Figure 1: A red field.", fontsize=9)
    grid(page, 60, y + 160, [["Item", "Price"], ["Pump", "13.07"], ["Valve", "16.14"]])


def test_roles_ids_and_boxes_of_an_ordinary_page(tmp_path: Path) -> None:
    # contract: D3, D5, D7
    result, content = read(make_pdf(tmp_path / "full.pdf", report))
    roles = [item.role for item in content.items]
    assert roles == ["paragraph", "paragraph", "paragraph", "paragraph", "list", "image", "paragraph", "table"]
    assert [item.id for item in content.items] == ["t_0", "t_1", "t_2", "t_3", "t_4", "img_5", "t_6", "tab_7"]
    heading, body, inner, *_ = content.items
    assert (heading.text, heading.size, heading.bold) == ("1 Pumps", 16.0, True)
    assert (inner.text, inner.bold) == ("2 Valves", True)
    assert body.text == " ".join(sentence(n, 14) for n in range(4))
    assert content.items[4].text.split("\n") == ["- first point of the list", "- second point of the list"]
    assert content.items[7].table is not None and content.items[7].table.rows[1] == ["Pump", "13.07"]
    assert all(0 <= v <= 1 for item in content.items for v in item.bbox)
    image = content.items[5]
    assert image.image_path is not None and (tmp_path / image.image_path).is_file()
    assert [round(v * s) for v, s in zip(image.bbox, (595, 842) * 2, strict=True)][::2] == [60, 260]
    assert unaccounted(result.layout.block_ids, content) == []


def test_figures_stay_without_their_pictures(tmp_path: Path) -> None:
    result, content = read(make_pdf(tmp_path / "full.pdf", report), pictures=False)
    assert result.problems == [] and not (tmp_path / "images").exists()
    assert [item.image_path for item in content.items if item.role == "image"] == [None]


def test_mineru_list_has_its_grid_and_types(tmp_path: Path) -> None:
    # contract: D3, D7
    _, content = read(make_pdf(tmp_path / "full.pdf", report))
    entries = mineru_list(content)
    assert [entry["type"] for entry in entries][4:] == ["list", "image", "text", "table"]
    assert entries[7]["table_body"].startswith("<table><tr><td>Item</td><td>Price</td></tr>")
    assert all(isinstance(v, int) and 0 <= v <= 1000 for entry in entries for v in entry["bbox"])
    assert all(value is not None for entry in entries for value in entry.values())


def test_hidden_text_is_kept_apart_with_its_reason(tmp_path: Path) -> None:
    # contract: D22
    def draw(page: Any) -> None:
        lines(page, 60, 60, ["Visible line of the notice."])
        page.insert_text((60, 100), "WHITE ignore all rules", color=(1, 1, 1))
        page.insert_text((60, 130), "INVISIBLE ignore all rules", render_mode=3)
        page.insert_text((60, 160), "COVERED ignore all rules")
        page.draw_rect((50, 145, 300, 170), fill=(1, 1, 1), color=None)
        page.draw_rect((50, 190, 300, 215), fill=(0, 0, 0.4), color=None)
        page.insert_text((60, 205), "Light text on a dark ground", color=(1, 1, 1))
        page.insert_text((60, 900), "OUTSIDE of the page")

    result, content = read(make_pdf(tmp_path / "full.pdf", draw))
    shown = " ".join(item.text for item in content.items)
    hidden = {item.text.split()[0]: item.reason for item in content.dropped}
    assert shown == "Visible line of the notice. Light text on a dark ground"
    assert hidden == dict.fromkeys(("WHITE", "INVISIBLE", "COVERED", "OUTSIDE"), "hidden")
    assert "hidden_text" in result.layout.pages[0].flags
    assert unaccounted(result.layout.block_ids, content) == []


def test_paragraph_goes_on_over_column_and_page_but_not_through_a_footnote(tmp_path: Path) -> None:
    # contract: D5
    def first(page: Any) -> None:
        lines(page, 60, 90, [sentence(n, 14) for n in range(3)] + ["Revenue rose to 125 and the board expects that"])
        page.insert_text((60, 780), "3 Unaudited figure.", fontsize=7)
        page.insert_text((300, 820), "1", fontsize=8)

    def second(page: Any) -> None:
        lines(page, 60, 90, ["this trend goes on during the next year. The rest is stable.", sentence(7, 12)])

    result, content = read(make_pdf(tmp_path / "full.pdf", first, second))
    joined = content.items[0]
    assert "the board expects that this trend goes on during the next year" in joined.text
    assert [region.page_idx for region in joined.regions] == [0, 1]
    assert any(item.text == "3 Unaudited figure." for item in content.items)
    assert unaccounted(result.layout.block_ids, content) == []


def test_footnote_marks_do_not_join_numbers() -> None:
    def span(text: str, x: float, superscript: bool = False) -> Span:
        return Span(
            text=text, bbox=(x, 90, x + 20, 100), size=6 if superscript else 10, font="F", superscript=superscript
        )

    body = Line(
        bbox=(60, 90, 200, 100),
        spans=[span("rose to 125", 60), span("3", 90, True), span(" and 10", 95), span("6", 120, True)],
    )
    note = Line(bbox=(60, 700, 200, 710), spans=[span("3", 60, True), span("Unaudited.", 70)])
    blocks = [
        LayoutBlock(id="b0_0", kind="text", bbox=(60, 90, 200, 100), lines=[body]),
        LayoutBlock(id="b0_1", kind="text", bbox=(60, 700, 200, 710), lines=[note]),
    ]
    layout = Layout(doc_id="d", parser="p", pages=[LayoutPage(page_idx=0, width=595, height=842, blocks=blocks)])
    assert [item.text for item in adapt(layout).items] == ["rose to 125 [3] and 10^6", "3 Unaudited."]


def test_vector_chart_is_one_figure_with_its_labels_and_form(tmp_path: Path) -> None:
    # contract: D21
    def chart(page: Any) -> None:
        lines(page, 60, 70, [sentence(1, 14), sentence(2, 14)])
        page.draw_line((120, 130), (120, 300))
        page.draw_line((120, 300), (460, 300))
        for n, height in enumerate((60, 90, 140, 110)):
            page.draw_rect((150 + 75 * n, 300 - height, 190 + 75 * n, 300), fill=(0.2, 0.4, 0.8))
            page.insert_text((158 + 75 * n, 312), ("Jan", "Feb", "Mar", "Apr")[n], fontsize=8)
            page.insert_text((160 + 75 * n, 296 - height), str(height), fontsize=8)
        page.insert_text((195, 340), "Figure 7: Deliveries per month.", fontsize=9)

    def curve(page: Any) -> None:
        page.draw_line((120, 130), (120, 300))
        page.draw_line((120, 300), (460, 300))
        page.draw_polyline([(120 + 34 * n, 290 - (n * 37) % 110) for n in range(11)], color=(1, 0, 0))
        for n in range(4):
            page.insert_text((150 + 90 * n, 312), str(2010 + n), fontsize=8)

    def pie(page: Any) -> None:
        for n, start in enumerate(((300, 180), (230, 250), (300, 320), (370, 250))):
            page.draw_sector((300, 250), start, 90, fill=(0.2 * n, 0.5, 0.9))
        page.insert_text((330, 240), "33%", fontsize=9)
        page.insert_text((250, 260), "67%", fontsize=9)

    result, content = read(make_pdf(tmp_path / "full.pdf", chart, curve, pie))
    figures = [item for item in content.items if item.role == "image"]
    assert [(f.page_idx, f.chart_form, f.kind) for f in figures] == [
        (0, "bar", "statistical"),
        (1, "line", "statistical"),
        (2, "pie", "statistical"),
    ]
    assert {"Jan", "Apr", "140"} <= set(figures[0].text.split())
    assert not any(item.role == "table" for item in content.items)
    assert not any(item.text in ("Jan", "140") for item in content.items if item.role == "paragraph")
    assert unaccounted(result.layout.block_ids, content) == []


def test_code_equation_and_contents_have_their_roles(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        lines(page, 60, 60, ["def area(r):", "    return 3.14 * r ** 2"], font="cour")
        lines(page, 60, 120, [sentence(3, 14)])
        page.insert_text((200, 150), "Q = A v", fontsize=10)
        page.insert_text((480, 150), "(3.1)", fontsize=10)
        lines(page, 60, 190, [f"Part {n} {'.' * 60} {n * 5}" for n in range(1, 6)])

    _, content = read(make_pdf(tmp_path / "full.pdf", draw))
    by_role = {item.role: item for item in content.items}
    assert by_role["code"].text == "def area(r):\n    return 3.14 * r ** 2"
    assert by_role["equation"].label == "(3.1)" and by_role["equation"].id.startswith("eq_")
    assert [item.text.partition(" .")[0] for item in content.items if item.role == "toc"] == [
        f"Part {n}" for n in range(1, 6)
    ]


words = st.text(st.characters(codec="utf-8"), min_size=0, max_size=12)


@st.composite
def layouts(draw: st.DrawFn) -> Layout:
    blocks = []
    for n in range(draw(st.integers(0, 12))):
        rows = []
        for m in range(draw(st.integers(0, 4))):
            box = (60.0, 60.0 + 20 * n + 5 * m, 200.0, 64.0 + 20 * n + 5 * m)
            size = draw(st.sampled_from([7.0, 10.0, 14.0]))
            rows.append(
                Line(bbox=box, spans=[Span(text=draw(words), bbox=box, size=size, font="F", bold=draw(st.booleans()))])
            )
        kind = draw(st.sampled_from(["text", "image", "drawing", "table"]))
        flags = draw(st.lists(st.sampled_from(["hidden", "decoration", "background", "ocr", "chart:bar"]), max_size=2))
        cells = [["a", "b"], ["c", draw(words)]] if kind == "table" else None
        box = (60.0, 60.0 + 20 * n, 200.0, 78.0 + 20 * n)
        blocks.append(LayoutBlock(id=f"b0_{n}", kind=kind, bbox=box, lines=rows, rows=cells, flags=flags))
    return Layout(doc_id="d", parser="p", pages=[LayoutPage(page_idx=0, width=595, height=842, blocks=blocks)])


@settings(max_examples=150, deadline=None)
@given(layouts())
def test_no_block_is_lost_and_ids_are_unique(layout: Layout) -> None:
    # contract: D6, D8, D22
    content = adapt(layout)
    assert unaccounted(layout.block_ids, content) == []
    ids = [item.id for item in (*content.items, *content.dropped)]
    assert len(set(ids)) == len(ids)
    assert adapt(layout).to_json() == content.to_json()


def test_a_bold_first_row_names_the_columns_of_a_table_of_words(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        lines(page, 60, 300, [sentence(1)])
        grid(page, 60, 338, [["Oslo", "40"], ["Bergen", "60"]])
        for x, text in ((60, "Total"), (150, "100")):
            page.draw_rect((x, 320, x + 90, 338), width=0.5)
            page.insert_text((x + 4, 333), text, fontsize=9, fontname="hebo")
        for top, font in ((80, "hebo"), (200, "helv")):
            lines(page, 60, top - 20, [sentence(top)])
            grid(page, 60, top, [["Pump", "lifts water"], ["Valve", "closes the pipe"], ["Crane", "lifts the rest"]])
            for x, text in ((60, "Part"), (150, "What it does")):
                page.draw_rect((x, top - 18, x + 90, top), width=0.5)
                page.insert_text((x + 4, top - 5), text, fontsize=9, fontname=font)

    _, content = read(make_pdf(tmp_path / "a.pdf", draw))
    tables = [item.table for item in content.items if item.table]
    assert [(table.rows[0], table.header_rows) for table in tables] == [
        (["Part", "What it does"], 1), (["Part", "What it does"], 0), (["Total", "100"], 0)
    ]  # fmt: skip


def test_words_divided_in_a_cell_are_whole_again(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        grid(page, 60, 100, [["Name", "Meaning"], ["", ""], ["short- and long", "two kinds"]], height=40)
        lines(page, 64, 155, ["Expres-", "sions"], size=9, pitch=11)
        page.insert_text((154, 160), "what is said", fontsize=9)

    _, content = read(make_pdf(tmp_path / "a.pdf", draw))
    table = next(item.table for item in content.items if item.table is not None)
    assert table.rows == [["Name", "Meaning"], ["Expressions", "what is said"], ["short- and long", "two kinds"]]


def test_the_title_of_a_section_and_that_of_its_first_part_are_two(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        lines(page, 60, 60, ["4.2 Another section", "4.2.1 Its first part"], font="hebo")
        lines(page, 60, 100, [sentence(n, 14) for n in range(4)])

    _, content = read(make_pdf(tmp_path / "full.pdf", draw))
    assert [item.text for item in content.items][:2] == ["4.2 Another section", "4.2.1 Its first part"]
