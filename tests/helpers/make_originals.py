"""Six files that people have, made by code: a report, a deck, a workbook, a letter, a web page and a fax."""

from __future__ import annotations

import base64
import datetime
import io
import zipfile
from pathlib import Path
from typing import Any

import docx
import openpyxl
import openpyxl.drawing.image
import pptx
from docx.shared import Cm
from helpers.make_pdf import sentence
from openpyxl.styles import Border, Side
from PIL import Image, ImageDraw, ImageFont
from pptx.util import Inches

CHART_ALT = "Bars of the harvest in three years, each higher than the one before"
PLAN_ALT = "Plan of the mill with its two wheels"
LOGO_ALT = "A green square over a blue one"
DESK_ALT = "Two desks by the window"
HEADINGS = [
    (1, "The year in the valley"),
    (2, "Harvest"),
    (3, "Apples and pears"),
    (3, "Losses by frost"),
    (2, "Repairs of the mill, of its two wheels and of the long wooden channel that brings the water down to them"),
    (1, "Plans"),
]
HARVEST = [["Fruit", "Tons"], ["", "2022", "2023"], ["Apples", "410", "468"], ["Pears", "95", "102"], ["", "90", "97"]]
"""The first row's second cell is over two columns; ``Fruit`` and ``Pears`` are over two rows."""
SLIDES = [("Water for the town", "The new well gives 40 litres a second."), ("What it costs", "")]
NOTES = ["Thank the town council first.", "The pump alone cost 72,000 crowns."]
SHEETS = {
    "Sales 2023": [["Region", "Share", "Sold on"], ["North", 0.256, datetime.date(2023, 3, 5)], ["South", 0.744, None]],
    "Costs & more": [["Item", "Crowns"], ["Diesel", 1234567.5], ["Wages", -98000]],
    "People": [["Name", "Desk"], ["Ada", 12], ["Bo", 14]],
}
FAX = ["Order number 5581", "Please send nine barrels", "Signed by the harbour master"]


def picture(colours: tuple[str, str], size: tuple[int, int] = (480, 300)) -> bytes:
    """A PNG of two squares."""
    image = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(image)
    draw.rectangle((20, 20, size[0] // 2, size[1] - 20), fill=colours[0])
    draw.rectangle((size[0] // 2, size[1] // 3, size[0] - 20, size[1] - 20), fill=colours[1])
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def make_report(path: Path) -> None:
    """Headings of three levels, a table with cells over rows and columns, two pictures with alternative texts."""
    document = docx.Document()
    for number, (level, title) in enumerate(HEADINGS):
        document.add_heading(title, level)
        document.add_paragraph(" ".join(sentence(10 * number + n, 14) for n in range(5)))
        if title == "Harvest":
            _add_picture(document, picture(("darkgreen", "orange")), CHART_ALT)
        if title == "Apples and pears":
            _add_harvest(document)
            document.add_paragraph("The pears of the upper garden are in the last row.")
    document.add_paragraph("The mill's plan is below.")
    _add_picture(document, picture(("navy", "firebrick")), PLAN_ALT)
    document.save(str(path))


def _add_picture(document: Any, data: bytes, alt: str) -> None:
    shape = document.add_picture(io.BytesIO(data), width=Cm(9))
    shape._inline.docPr.set("descr", alt)


def _add_harvest(document: Any) -> None:
    table = document.add_table(len(HARVEST), 3)
    table.style = "Table Grid"
    for at, text in {(0, 0): "Fruit", (0, 1): "Tons", (3, 0): "Pears"}.items():
        table.cell(*at).text = text
    for r, row in enumerate(HARVEST):
        for c, text in enumerate(row):
            if text and (r, c) not in ((0, 0), (0, 1), (3, 0)):
                table.cell(r, c).text = text
    table.cell(0, 0).merge(table.cell(1, 0))
    table.cell(0, 1).merge(table.cell(0, 2))
    table.cell(3, 0).merge(table.cell(4, 0))


def make_deck(path: Path) -> None:
    """Slides with titles and speaker notes, a table with a cell over two columns and a picture."""
    deck = pptx.Presentation()
    for (title, text), notes in zip(SLIDES, NOTES, strict=True):
        slide = deck.slides.add_slide(deck.slide_layouts[1 if text else 5])
        slide.shapes.title.text = title
        if text:
            slide.placeholders[1].text = text
        else:
            _fill_slide(slide)
        slide.notes_slide.notes_text_frame.text = notes
    deck.save(str(path))


def _fill_slide(slide: Any) -> None:
    table = slide.shapes.add_table(3, 3, Inches(0.7), Inches(1.8), Inches(5), Inches(1.5)).table
    rows = [["Part", "Crowns", ""], ["Pump", "72,000", "paid"], ["Pipe", "31,500", "owed"]]
    for r, row in enumerate(rows):
        for c, text in enumerate(row):
            table.cell(r, c).text = text
    table.cell(0, 1).merge(table.cell(0, 2))
    shape = slide.shapes.add_picture(io.BytesIO(picture(("green", "blue"))), Inches(6), Inches(4), Inches(3))
    shape._element.nvPicPr.cNvPr.set("descr", LOGO_ALT)


def make_workbook(path: Path) -> None:
    """Three sheets with formats of numbers and dates and a title over two columns, and one that is hidden."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    line = Side(style="thin")
    for name, rows in SHEETS.items():
        sheet = book.create_sheet(name)
        for r, row in enumerate(rows, start=2):
            for c, value in enumerate(row, start=2):
                cell = sheet.cell(r, c, value)
                cell.border = Border(line, line, line, line)
                if isinstance(value, float):
                    cell.number_format = "0.0%" if value < 1 else "#,##0.00"
                elif isinstance(value, int) and value < 0:
                    cell.number_format = "#,##0;(#,##0)"
                elif isinstance(value, datetime.date):
                    cell.number_format = "d mmm yyyy"
    people = book["People"]
    people.cell(5, 2, "Both sit upstairs").border = Border(line, line, line, line)
    people.merge_cells("B5:C5")
    people.add_image(openpyxl.drawing.image.Image(io.BytesIO(picture(("teal", "red"), (200, 120)))), "B8")
    hidden = book.create_sheet("Secret")
    hidden["A1"] = "nobody sees this"
    hidden.sheet_state = "hidden"
    book.save(path)
    _name_pictures(path, DESK_ALT)


def _name_pictures(path: Path, alt: str) -> None:
    """Write the alternative text, which openpyxl does not."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data.replace(b'descr="Picture"', f'descr="{alt}"'.encode()))


def make_letter(path: Path) -> None:
    """A letter without any heading."""
    document = docx.Document()
    for text in (
        "Harbour Office, 3 Quay Street",
        "12 May 2024",
        "Dear Ms Lund,",
        "Your boat may lie at the northern pier until 30 September. The fee is 420 crowns a month, and is due on the "
        "first day of each month. Please bring the papers of the boat when you come to the office.",
        "The pier is closed to cars from June on, because the planks are being mended.",
        "Yours sincerely,",
        "Jon Berg",
    ):
        document.add_paragraph(text)
    document.save(str(path))


def make_page(path: Path) -> None:
    """A web page with three levels, a table with spans, a picture inside the file and others that are not."""
    inside = base64.b64encode(picture(("purple", "gold"))).decode()
    words = " ".join(sentence(n, 12) for n in range(4))
    path.write_text(
        f"""<!doctype html><html><head><meta charset="utf-8"><title>Lighthouses</title>
<link rel="stylesheet" href="http://example.org/a.css"><script>document.write("<h1>Scripted</h1>")</script></head><body>
<h1>Lighthouses of the coast</h1><p>{words}</p><h2>How they are lit</h2><p>{words}</p>
<table border="1"><tr><th rowspan="2">Tower</th><th colspan="2">Height in metres</th></tr>
<tr><th>built</th><th>today</th></tr><tr><td>Skagen</td><td>44</td><td>46</td></tr>
<tr><td>Lindesnes</td><td>16</td><td>16</td></tr></table>
<h3>Lamps &amp; lenses</h3><p>The lens of Skagen weighs 3 tons. {words}</p>
<p><img src="data:image/png;base64,{inside}" alt="{LOGO_ALT}" width="300"></p>
<iframe src="file:///etc/passwd"></iframe><img src="file:///etc/hostname"></body></html>""",
        encoding="utf-8",
    )


def make_fax(path: Path) -> None:
    """Three pages of large type as one TIFF."""
    frames = []
    for text in FAX:
        frame = Image.new("L", (1240, 877), 255)
        ImageDraw.Draw(frame).text((120, 300), text, fill=0, font=ImageFont.load_default(64))
        frames.append(frame.convert("1"))
    frames[0].save(path, save_all=True, append_images=frames[1:], dpi=(150, 150), compression="group4")


MAKERS = {
    "report.docx": make_report,
    "deck.pptx": make_deck,
    "book.xlsx": make_workbook,
    "letter.docx": make_letter,
    "page.html": make_page,
    "fax.tiff": make_fax,
}


def make_originals(folder: Path) -> dict[str, Path]:
    """The six files in ``folder``, by name."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in MAKERS.items():
        make(folder / name)
    return {name: folder / name for name in MAKERS}
