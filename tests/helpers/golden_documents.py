"""Two small documents made by code, whose artifacts of every stage are checked in under ``tests/golden/``."""

from pathlib import Path

import pymupdf

REPORT_TEXT = (
    "The harbour handled 412 ships in 2023, eleven more than the year before. Table 1 gives the ships by quarter, and "
    "Figure 1 shows how the tonnage grew. The pilots worked 2,914 hours."
)
LETTER_TEXT = "Dear reader, the committee met on 4 May 2024 and agreed on three points, which are listed below."


def write_report(path: Path) -> None:
    """Two pages: numbered headings, a ruled table with its caption, a line chart with its caption, footers."""
    document = pymupdf.open()
    page = document.new_page(width=595, height=842)
    page.insert_text((72, 80), "1 Harbour traffic", fontsize=18, fontname="hebo")
    page.insert_textbox((72, 100, 520, 190), REPORT_TEXT, fontsize=11)
    page.insert_text((72, 215), "Table 1: Ships by quarter", fontsize=10)
    rows = [("Quarter", "Ships", "Pilot hours"), ("Q1", "96", "688"), ("Q2", "104", "731"), ("Q3", "110", "790")]
    for row, cells in enumerate(rows):
        for column, cell in enumerate(cells):
            box = pymupdf.Rect(72 + 120 * column, 225 + 20 * row, 192 + 120 * column, 245 + 20 * row)
            page.draw_rect(box, width=0.7)
            page.insert_text((box.x0 + 5, box.y1 - 6), cell, fontsize=10, fontname="hebo" if row == 0 else "helv")
    page.insert_text((290, 820), "1", fontsize=9)
    page = document.new_page(width=595, height=842)
    page.insert_text((72, 80), "1.1 Tonnage", fontsize=14, fontname="hebo")
    page.insert_textbox(
        (72, 95, 520, 160), "Tonnage rose in every quarter but one. The cranes held it back.", fontsize=11
    )
    page.draw_line((90, 400), (90, 220), width=1)
    page.draw_line((90, 400), (480, 400), width=1)
    for step in range(5):
        page.draw_line((90, 400 - 40 * step), (480, 400 - 40 * step), color=(0.8, 0.8, 0.8), width=0.4)
        page.insert_text((68, 403 - 40 * step), str(20 * step), fontsize=8)
    points = [(110, 380), (200, 330), (290, 345), (380, 270), (460, 240)]
    page.draw_polyline(points, color=(0.1, 0.3, 0.7), width=2)
    for quarter, (x, y) in enumerate(points, start=1):
        page.draw_circle((x, y), 3, color=(0.1, 0.3, 0.7), fill=(0.1, 0.3, 0.7))
        page.insert_text((x - 6, 411), f"Q{quarter}", fontsize=8)
    page.insert_text((72, 425), "Figure 1: Tonnage by quarter", fontsize=10)
    page.insert_text((290, 820), "2", fontsize=9)
    document.set_toc([[1, "1 Harbour traffic", 1], [2, "1.1 Tonnage", 2]])
    document.set_metadata({"title": "Harbour report"})
    document.save(path, no_new_id=True)


def write_letter(path: Path) -> None:
    """One page without headings: prose and a list."""
    document = pymupdf.open()
    page = document.new_page(width=595, height=842)
    page.insert_textbox((72, 100, 520, 150), LETTER_TEXT, fontsize=11)
    for number, point in enumerate(("Repair the north pier.", "Buy a second tug.", "Publish the tide tables.")):
        page.insert_text((90, 180 + 18 * number), f"\u2022 {point}", fontsize=11)
    document.set_metadata({"title": "Letter"})
    document.save(path, no_new_id=True)


DOCUMENTS = {"report": write_report, "letter": write_letter}
