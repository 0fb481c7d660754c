"""The slide deck on shore power in the port of Kestrel Bay: 15 landscape pages."""

from __future__ import annotations

from collections.abc import Callable

import pymupdf
from charts import Axis, Box, bars, lines
from facts import HARBOR
from page_canvas import GREY, INK, PALE, SANS, SANS_BOLD, WHITE, Canvas, Colour, parse_rich, wrap
from source_text import load_text
from tables import Table, TablePainter, columns

PAGE = (960.0, 540.0)
DEEP: Colour = (0.07, 0.24, 0.30)
CORAL: Colour = (0.88, 0.39, 0.30)
SEA: Colour = (0.80, 0.90, 0.92)
QUAY: Colour = (0.93, 0.92, 0.88)
STEEL: Colour = (0.30, 0.53, 0.60)


def build() -> pymupdf.Document:
    """Draw the title slide and one slide for each part of the text."""
    document = pymupdf.open()
    _title(Canvas(document.new_page(width=PAGE[0], height=PAGE[1])))
    for number, part in enumerate(load_text("harbor.md", HARBOR).split("\n---\n"), start=2):
        canvas = Canvas(document.new_page(width=PAGE[0], height=PAGE[1]))
        _slide(canvas, part.strip(), number)
        canvas.close()
    return document


def _title(canvas: Canvas) -> None:
    canvas.rect(0, 0, *PAGE, fill=DEEP)
    for i in range(4):
        y = 420 + 30 * i
        points = [(-60 + 170 * k / 3, y + (0, 14, 14, 0, -14, -14)[k % 6]) for k in range(19)]
        canvas.curve(points, STEEL, 2)
    canvas.rect(72, 132, 78, 262, fill=CORAL)
    canvas.text(98, 172, "Shore Power at Kestrel Bay", SANS_BOLD, 44, WHITE)
    canvas.text(98, 214, "Report to the steering committee", SANS, 24, SEA)
    canvas.text(98, 256, f"{HARBOR['date']}  ·  {HARBOR['manager']}, project manager", SANS, 16, WHITE)
    canvas.text(98, 350, "Port of Kestrel Bay", SANS_BOLD, 16, WHITE)
    canvas.close()


def _slide(canvas: Canvas, text: str, number: int) -> None:
    blocks = [block.strip() for block in text.split("\n\n")]
    canvas.rect(0, 0, PAGE[0], 8, fill=DEEP)
    canvas.text(60, 74, blocks[0].removeprefix("# "), SANS_BOLD, 31, DEEP)
    canvas.rect(60, 90, 116, 94, fill=CORAL)
    bullets = [line[2:] for block in blocks for line in block.splitlines() if line.startswith("- ")]
    item = next((block.split(": ")[1].rstrip("]") for block in blocks if block.startswith("[")), "")
    quote = next((block[2:] for block in blocks if block.startswith("> ")), "")
    if item in FIGURES:
        beside = bool(bullets)
        FIGURES[item](canvas, (470, 124, 910, 440) if beside else (60, 116, 900, 476))
        _bullets(canvas, bullets, 60, 142, 370)
    elif item:
        painter = TablePainter(_tables()[item], 840, SANS, 15, DEEP, padding=6)
        y = painter.draw_row(canvas, 60, 122, -1)
        rows = len(painter.table.rows)
        for i in range(rows):
            y = painter.draw_row(canvas, 60, y, i, last=i == rows - 1)
        _bullets(canvas, bullets, 60, y + 40, 840)
    else:
        y = _bullets(canvas, bullets, 60, 150, 830, size=21.5)
        if quote:
            height = 26 + 23 * len(wrap(parse_rich(quote, SANS_BOLD, 17), 790))
            canvas.rect(60, y + 6, 900, y + 6 + height, fill=SEA)
            canvas.rect(60, y + 6, 66, y + 6 + height, fill=CORAL)
            canvas.paragraph(86, y + 35, 790, quote, SANS_BOLD, 17, 23, DEEP)
    canvas.line([(60, 500), (900, 500)], PALE, 0.8)
    canvas.text(60, 518, "Shore Power at Kestrel Bay", SANS, 10.5, GREY)
    canvas.text(900, 518, str(number), SANS_BOLD, 12, DEEP, "right")


def _bullets(canvas: Canvas, bullets: list[str], x: float, y: float, width: float, size: float = 18.5) -> float:
    for bullet in bullets:
        canvas.circle(x + 5, y - size / 3, 3.4, fill=CORAL)
        y = canvas.paragraph(x + 24, y, width - 24, bullet, SANS, size, size * 1.35) + size * 0.75
    return y


def _tables() -> dict[str, Table]:
    money = [[row[0], *(f"{value:.1f}" for value in row[1:])] for row in HARBOR["budget"]]
    money.append(["Total", *(f"{HARBOR[key]:.1f}" for key in ("approved", "spent", "forecast"))])
    return {
        "berths": Table(
            "",
            columns("Berth 2 left", "Power, MW 1.4 centre", "Ships 2.4 left", "Ready 1.4"),
            [[name, f"{power:.1f}", ships, ready] for name, power, ships, ready in HARBOR["berths"]],
            look="grid",
        ),
        "budget": Table(
            "",
            columns("EUR million 3 left", "Approved 1.2", "Spent 1.2", "Expected 1.2"),
            money,
            strong=frozenset({len(money) - 1}),
        ),
    }


def _scheme(canvas: Canvas, box: Box) -> None:
    x0, y0, x1, _ = box
    names = ("33 kV grid", "Transformer", "50/60 Hz converter", "Switchgear", "Cable crane", "Ship")
    for i, name in enumerate(names):
        y = y0 + i * 53
        canvas.rect(x0 + 90, y, x1 - 90, y + 34, fill=DEEP if i == 5 else SEA, edge=DEEP, radius=0.2)
        canvas.text((x0 + x1) / 2, y + 22, name, SANS_BOLD, 14, WHITE if i == 5 else DEEP, "centre")
        if i < 5:
            canvas.arrow(((x0 + x1) / 2, y + 35), ((x0 + x1) / 2, y + 52), CORAL, 1.8, 8)


def _map(canvas: Canvas, box: Box) -> None:
    x0, y0, x1, y1 = box
    canvas.rect(x0, y0, x1, y1, fill=SEA)
    shore = [
        (x0, y1),
        (x0, y0 + 250),
        (x0 + 150, y0 + 232),
        (x0 + 300, y0 + 250),
        (x0 + 470, y0 + 222),
        (x0 + 640, y0 + 248),
    ]
    canvas.polygon([*shore, (x1, y0 + 230), (x1, y1)], QUAY)
    piers = ((130, 60, "Berth 2"), (330, 110, "Berth 4"), (430, 110, "Berth 5"), (660, 86, "Berth 7"))
    for left, top, name in piers:
        canvas.rect(x0 + left, y0 + top, x0 + left + 44, y0 + 262, fill=QUAY, edge=GREY)
        ship = [
            (left + 52, top + 22),
            (left + 62, top),
            (left + 72, top + 22),
            (left + 72, top + 112),
            (left + 52, top + 112),
        ]
        canvas.polygon([(x0 + u, y0 + v) for u, v in ship], WHITE, DEEP, 1)
        canvas.text(x0 + left + 22, y0 + top - 8, name, SANS_BOLD, 14, DEEP, "centre")
        canvas.line([(x0 + left + 22, y0 + top + 60), (x0 + left + 22, y0 + 286), (x0 + 520, y0 + 286)], CORAL, 2)
        canvas.circle(x0 + left + 22, y0 + top + 60, 5, CORAL)
    canvas.rect(x0 + 476, y0 + 272, x0 + 616, y0 + 304, fill=DEEP)
    canvas.text(x0 + 546, y0 + 293, "Converter hall", SANS_BOLD, 14, WHITE, "centre")
    canvas.line([(x0 + 546, y0 + 304), (x0 + 546, y0 + 334), (x0 + 690, y0 + 334)], CORAL, 2, "[6 4] 0")
    canvas.rect(x0 + 690, y0 + 318, x0 + 820, y0 + 350, fill=STEEL)
    canvas.text(x0 + 755, y0 + 339, "Cannery substation", SANS_BOLD, 12, WHITE, "centre")
    canvas.text(x0 + 24, y0 + 34, "Kestrel Bay", SANS, 17, STEEL)
    canvas.text(x0 + 24, y1 - 20, "Old Town", SANS, 17, GREY)


def _calls(canvas: Canvas, box: Box) -> None:
    years = ("2021", "2022", "2023", "2024")
    x0, y0, x1, y1 = box
    middle = (y0 + y1) / 2
    for (name, data), colour, top, axis in zip(
        HARBOR["calls"].items(), (CORAL, DEEP), (y0, middle + 6), (Axis(0, 150, 50), Axis(0, 1500, 500)), strict=True
    ):
        canvas.text(x0, top + 10, f"{name} ships, calls a year", SANS_BOLD, 13, colour)
        bars(
            canvas,
            (x0, top + 22, x1, top + (y1 - y0) / 2 - 8),
            years,
            [("", data, colour)],
            axis,
            values="{:g}",
            size=11,
        )


def _timeline(canvas: Canvas, box: Box) -> None:
    x0, y0, x1, y1 = box
    left, quarter = x0 + 190, (x1 - x0 - 190) / 8
    for i in range(8):
        canvas.rect(left + i * quarter, y0 + 26, left + (i + 1) * quarter, y1, fill=QUAY if i % 2 else WHITE)
        canvas.text(left + (i + 0.5) * quarter, y0 + 18, f"{2025 + i // 4} Q{i % 4 + 1}", SANS, 13, GREY, "centre")
    rows = (
        ("Grid connection", 0, 1.6),
        ("Converter hall", 0, 3.2),
        ("Berth 4", 1.4, 4),
        ("Berth 5", 2.2, 5),
        ("Berth 2", 3.4, 7),
        ("Berth 7", 4.6, 8),
    )
    for i, (name, start, end) in enumerate(rows):
        y = y0 + 44 + i * 53
        canvas.text(x0, y + 20, name, SANS_BOLD, 16, INK)
        canvas.rect(left + start * quarter, y, left + end * quarter, y + 30, fill=STEEL if i < 2 else CORAL, radius=0.3)
    canvas.line([(left + 0.86 * quarter, y0 + 26), (left + 0.86 * quarter, y1)], INK, 1.2, "[4 3] 0")
    canvas.text(left + 0.86 * quarter + 5, y1 - 4, "today", SANS, 12, INK)


def _emissions(canvas: Canvas, box: Box) -> None:
    series = [("Emissions", list(HARBOR["emissions"].values()), CORAL)]
    lines(canvas, box, list(HARBOR["emissions"]), series, Axis(0, 18, 3, title="kilotonnes a year"), size=12)


FIGURES: dict[str, Callable[[Canvas, Box], None]] = {
    "scheme": _scheme,
    "map": _map,
    "calls": _calls,
    "timeline": _timeline,
    "emissions": _emissions,
}
