"""The annual report of Atlas Coldway: cover, contents, front matter with roman numbers, five chapters."""

from __future__ import annotations

from functools import partial

import pymupdf
from charts import Axis, Box, bars, level_bars, lines, pie
from facts import ATLAS, MONTHS, YEARS
from flow import Flow
from page_canvas import GREY, PALE, SANS, SANS_BOLD, WHITE, Canvas, Colour, text_width
from source_text import load_text
from tables import Table, columns
from theme import Figure, Heading, HeadingLook, Item, Theme

PAGE = (595.0, 842.0)
FRONT_PAGES = 4
NAVY: Colour = (0.06, 0.20, 0.36)
TEAL: Colour = (0.05, 0.49, 0.54)
ICE: Colour = (0.55, 0.75, 0.84)
AMBER: Colour = (0.87, 0.60, 0.16)
THEME = Theme(
    columns=((84.0, 92.0, 520.0, 770.0),),
    headings=(
        HeadingLook(SANS_BOLD, 21, 0, 26, NAVY),
        HeadingLook(SANS_BOLD, 13, 14, 5, NAVY),
        HeadingLook(SANS_BOLD, 10.4, 9, 3, TEAL),
    ),
    font=SANS,
    size=9.6,
    leading=13.9,
    paragraph_gap=7,
    accent=TEAL,
    chapter_starts_page=True,
)
ROMAN = ("i", "ii", "iii", "iv")


def page_label(index: int) -> str:
    """The printed number of a page: roman in the front matter, arabic from the first chapter."""
    return ROMAN[index] if index < FRONT_PAGES else str(index - FRONT_PAGES + 1)


def build() -> pymupdf.Document:
    """Set the report; a first pass finds the page of each heading for the printed contents."""
    headings: list[Heading] = []
    for _ in range(2):
        document = pymupdf.open()
        _cover(Canvas(document.new_page(width=PAGE[0], height=PAGE[1])))
        _contents(Canvas(document.new_page(width=PAGE[0], height=PAGE[1])), headings)
        flow = Flow(document, THEME, _items(), PAGE, _furniture)
        flow.run(load_text("atlas.md", ATLAS))
        headings = flow.headings
    document.set_toc([[1, "Contents", 2], *([h.level, f"{h.number} {h.title}".strip(), h.page + 1] for h in headings)])
    document.set_page_labels(
        [
            {"startpage": 0, "prefix": "", "style": "r", "firstpagenum": 1},
            {"startpage": FRONT_PAGES, "prefix": "", "style": "D", "firstpagenum": 1},
        ]
    )
    return document


def _cover(canvas: Canvas) -> None:
    canvas.rect(0, 0, canvas.width, canvas.height, fill=NAVY)
    for i in range(9):
        shade = (0.06 + 0.018 * i, 0.20 + 0.032 * i, 0.36 + 0.030 * i)
        y = 470 + i * 34
        canvas.polygon(
            [(0, y + 90), (200 + 9 * i, y), (430 - 5 * i, y + 64), (595, y + 8), (595, 842), (0, 842)], shade
        )
    canvas.text(84, 120, "ATLAS COLDWAY", SANS_BOLD, 15, WHITE)
    canvas.rect(84, 136, 130, 139, fill=AMBER)
    canvas.text(84, 262, "Annual Report", SANS_BOLD, 44, WHITE)
    canvas.text(84, 310, "2024", SANS, 44, ICE)
    canvas.paragraph(84, 356, 330, "Fuller halls, longer trains, less grid power", SANS, 15, colour=WHITE)
    canvas.text(84, 790, "Atlas Coldway AB (publ), Malmö", SANS, 9.5, WHITE)
    canvas.text(511, 790, "coldway.example", SANS, 9.5, WHITE, "right")
    canvas.close()


def _contents(canvas: Canvas, headings: list[Heading]) -> None:
    x0, x1 = THEME.columns[0][0], THEME.columns[0][2]
    canvas.text(x0, 114, "Contents", SANS_BOLD, 21, NAVY)
    canvas.rect(x0, 124, x0 + 46, 126.5, fill=TEAL)
    y = 152.0
    for heading in headings:
        if heading.level == 3 or (heading.level == 2 and heading.page < FRONT_PAGES):
            continue
        top = heading.level == 1
        y += 11 if top else 0
        code, size, left = (SANS_BOLD, 10.2, x0) if top else (SANS, 9.4, x0 + 22)
        text_x = left + (22 if heading.number or not top else 0)
        if heading.number:
            canvas.text(left, y, heading.number, code, size)
        end = text_x + canvas.text(text_x, y, heading.title, code, size)
        label = page_label(heading.page)
        dots = int((x1 - 24 - end) / text_width(". ", SANS, 9.4))
        canvas.text(x1 - 20 - text_width(". " * dots, SANS, 9.4), y, ". " * dots, SANS, 9.4, GREY)
        canvas.text(x1, y, label, code, size, align="right")
        y += 15.6
    _furniture(canvas, 1, "Contents")
    canvas.close()


def _furniture(canvas: Canvas, index: int, chapter: str) -> None:
    x0, x1 = THEME.columns[0][0], THEME.columns[0][2]
    canvas.text(x0, 56, "Atlas Coldway · Annual Report 2024", SANS, 7.8, GREY)
    canvas.text(x1, 56, chapter, SANS, 7.8, GREY, "right")
    canvas.line([(x0, 63), (x1, 63)], PALE, 0.6)
    canvas.line([(x0, 796), (x1, 796)], PALE, 0.6)
    canvas.text(x0, 809, "Atlas Coldway AB (publ)", SANS, 7.8, GREY)
    canvas.text(x1, 809, page_label(index), SANS_BOLD, 8.6, NAVY, "right")


def _amount(value: float) -> str:
    return f"{value:,.1f}".replace("-", "−")


def _items() -> dict[str, Item]:
    return {**_figures(), **_tables(), **_governance()}


def _figures() -> dict[str, Item]:
    a = ATLAS
    years = [str(year) for year in YEARS]
    quarters = [f"Q{i % 4 + 1} {2023 + i // 4}" for i in range(8)]

    segments = [
        (name, row[2024], colour)
        for (name, row), colour in zip(a["segments"].items(), (NAVY, TEAL, ICE, AMBER), strict=True)
    ]
    revenue = partial(
        bars,
        labels=years,
        series=[("", list(a["revenue"].values()), NAVY)],
        y=Axis(0, 900, 150, title="EUR million"),
        values="{:.1f}",
    )
    utilisation = partial(
        lines,
        labels=quarters,
        series=[("Use", a["utilisation"], TEAL)],
        y=Axis(80, 94, 2, title="per cent of positions"),
    )
    on_time = partial(
        lines,
        labels=MONTHS,
        series=[("Trains on time", a["on_time"], NAVY), ("Goal", [a["on_time_goal"]] * 12, AMBER)],
        y=Axis(86, 98, 2, title="per cent"),
    )
    debt = partial(
        bars, labels=years, series=[("", a["debt_ratio"], TEAL)], y=Axis(0, 5, 1, title="ratio"), values="{:.1f}"
    )
    rates = [(str(year), rate) for year, rate in a["accidents"].items()]
    accidents = partial(level_bars, rows=rates, high=8, colour=AMBER, values="{:.1f}")
    sources = [
        (name, row, colour) for (name, row), colour in zip(a["electricity"].items(), (NAVY, AMBER, TEAL), strict=True)
    ]
    power = partial(bars, labels=years, series=sources, y=Axis(0, 350, 50, title="GWh"), stacked=True, values="{:g}")
    return {
        "revenue": Figure("Group revenue, 2020 to 2024", 172, revenue),
        "split": Figure("Revenue by segment in 2024, per cent of the total", 158, partial(pie, slices=segments)),
        "utilisation": Figure("Use of pallet positions by quarter", 160, utilisation),
        "on-time": Figure("Departures on time by month in 2024, line chart with the goal of the year", 172, on_time),
        "debt": Figure("Net debt in relation to profit before interest, tax and depreciation", 150, debt),
        "accidents": Figure("Lost-time accidents per million hours worked", 108, accidents),
        "power": Figure("Stacked bar chart of electricity used, by source", 186, power),
    }


def _tables() -> dict[str, Item]:
    a = ATLAS
    two_years = columns("EUR million 5 left", "2023 1.4", "2024 1.4")
    pairs = [
        ("Revenue, EUR million", _amount(a["revenue"][2023]), _amount(a["revenue"][2024])),
        ("Operating profit, EUR million", _amount(a["profit"][2023]), _amount(a["profit"][2024])),
        ("Operating margin, per cent", _amount(a["margin"][2023]), _amount(a["margin"][2024])),
        ("Dividend per share, EUR", f"{a['dividend'][2023]:.2f}", f"{a['dividend'][2024]:.2f}"),
        ("Employees at year end", f"{a['people'][2023]:,}", f"{a['people'][2024]:,}"),
        ("Electricity used, GWh", str(a["power"][2023]), str(a["power"][2024])),
        ("Accidents per million hours", str(a["accidents"][2023]), str(a["accidents"][2024])),
    ]
    segment_rows = [
        [name, *(_amount(row[year]) for year in (2022, 2023, 2024)), *map(_amount, a["profit_of"][name])]
        for name, row in a["segments"].items()
    ]
    segment_rows.append(["Group costs", "–", "–", "–", *map(_amount, a["profit_of"]["Group costs"])])
    segment_rows.append(
        ["Group", *(_amount(a["revenue"][year]) for year in (2022, 2023, 2024)), *map(_amount, a["profit"].values())]
    )
    income = [["Revenue", *(_amount(a["revenue"][year]) for year in (2023, 2024))]]
    income += [[name, *map(_amount, row)] for name, row in a["costs"].items()]
    income += [["Operating profit", *map(_amount, a["profit"].values())]]
    income += [[name, *map(_amount, row)] for name, row in a["below"].items()]
    income += [["Profit for the year", *map(_amount, a["net"].values())]]
    middle = round(a["cash_start"] + a["cash_change"][0], 1)
    cash = [[name, *map(_amount, row)] for name, row in a["cash"].items()]
    cash += [
        ["Change in cash", *map(_amount, a["cash_change"])],
        ["Cash at the start of the year", _amount(a["cash_start"]), _amount(middle)],
        ["Cash at the end of the year", _amount(middle), _amount(a["cash_end"])],
    ]
    people = [
        [name, str(old), str(new), f"{new - old:+d}".replace("-", "−")] for name, (old, new) in a["headcount"].items()
    ]
    people.append(["Group", f"{a['people'][2023]:,}", f"{a['people'][2024]:,}", f"+{a['people_gain']}"])
    investment = [[name, *map(_amount, row)] for name, row in a["investment"].items()]
    investment.append(["Total", *(_amount(sum(row[i] for row in a["investment"].values())) for i in (0, 1))])

    site_columns = columns(
        "Terminal 3.1 left",
        "Country 1.7 left",
        "Opened 1.2",
        "Pallet positions 1.6",
        "Use, per cent 1.4",
        "Energy class 1.4 centre",
    )
    return {
        "glance": Table(
            "Key figures",
            columns(" 5 left", "2023 1.4", "2024 1.4"),
            [list(row) for row in pairs],
        ),
        "sites": Table(
            "Terminals at 31 December 2024",
            site_columns,
            [[s[0], s[1], str(s[2]), f"{s[3]:,}", str(s[4]), s[5]] for s in a["sites"]],
            look="grid",
            splits=True,
        ),
        "segments": Table(
            "Revenue and operating profit by segment, EUR million",
            columns(
                "Segment 2.6 left",
                "Revenue 2022 1.4",
                "Revenue 2023 1.4",
                "Revenue 2024 1.4",
                "Profit 2023 1.3",
                "Profit 2024 1.3",
            ),
            segment_rows,
            strong=frozenset({5}),
        ),
        "income": Table(
            "Income statement",
            two_years,
            income,
            strong=frozenset({6, 9}),
            note="Other operating costs include insurance, property tax and information technology.",
        ),
        "cash": Table("Cash flow", two_years, cash, look="plain", strong=frozenset({5, 7})),
        "targets": Table(
            "Progress towards the targets for 2028",
            columns("Target 4 left", "2023 1", "2024 1", "Goal 1"),
            [list(row) for row in a["targets"]],
        ),
        "investment": Table("Investment by purpose", two_years, investment, strong=frozenset({7})),
        "quarters": Table(
            "Revenue and operating profit by quarter, EUR million",
            columns("Quarter 3 left", "Revenue 2023 1.3", "Revenue 2024 1.3", "Profit 2023 1.3", "Profit 2024 1.3"),
            [[row[0], *map(_amount, row[1:])] for row in a["quarters"]],
            look="grid",
        ),
        "workforce": Table(
            "Employees by country at year end",
            columns("Country 3 left", "2023 1", "2024 1", "Change 1"),
            people,
            look="grid",
            strong=frozenset({9}),
        ),
    }


def _governance() -> dict[str, Item]:
    risks = [
        [
            "Electricity price above EUR 130 for more than a quarter",
            "Medium",
            "High",
            "Wind contracts, solar roofs, price index in customer contracts",
        ],
        ["Failure of cooling in a heat wave", "Medium", "Medium", "Spare compressors, white roofs, drills in June"],
        ["Interruption of the Świnoujście ferry", "Low", "High", "Slots reserved on the Karlshamn route"],
        ["Attack on the booking system", "Medium", "High", "Paper procedure, tested twice a year at each terminal"],
        ["Loss of one of the ten largest customers", "Low", "Medium", "Contracts that end in different years"],
    ]

    def risk_path(canvas: Canvas, box: Box) -> None:
        x0, y0, x1, y1 = box
        names = ("Terminal", "Segment", "Risk office", "Audit committee", "Board")
        notes = ("monthly list", "above EUR 0.5 m", "above EUR 2 m", "each quarter", "each quarter")
        step = (x1 - x0) / len(names)
        for i, (name, note) in enumerate(zip(names, notes, strict=True)):
            left = x0 + i * step
            canvas.rect(
                left, y0 + 20, left + step - 20, y0 + 56, fill=NAVY if i == 4 else WHITE, edge=NAVY, radius=0.15
            )
            canvas.text(left + step / 2 - 10, y0 + 41, name, SANS_BOLD, 8, WHITE if i == 4 else NAVY, "centre")
            canvas.text(left + step / 2 - 10, y0 + 68, note, SANS, 7.4, GREY, "centre")
            if i:
                canvas.arrow((left - 19, y0 + 38), (left - 2, y0 + 38), TEAL)
        canvas.line([(x0 + 32, y0 + 20), (x0 + 32, y0 + 6), (x0 + 3.4 * step, y0 + 6)], AMBER, 0.9)
        canvas.arrow((x0 + 3.4 * step, y0 + 6), (x0 + 3.4 * step, y0 + 19), AMBER)
        canvas.text(x0 + 1.9 * step, y0 + 2, "anonymous letter", SANS, 7.4, AMBER, "centre")

    return {
        "board": Table(
            "Attendance of directors in 2024",
            columns("Director 3 left", "Since 1", "Board meetings 1.6", "Audit committee 1.6"),
            [
                [name, str(since), f"{met} of {ATLAS['meetings']}", audit]
                for name, since, met, audit in ATLAS["directors"]
            ],
        ),
        "risk-path": Figure("The path of a risk from a terminal to the board", 76, risk_path),
        "owners": Table(
            "Shareholders at year end, per cent of shares",
            columns("Shareholder 5 left", "Share 1.4"),
            [[name, _amount(share)] for name, share in ATLAS["owners"].items()],
        ),
        "risks": Table(
            "Principal risks",
            columns("Risk 3 left", "Likelihood 1.2 left", "Effect 1 left", "What we do about it 3 left"),
            risks,
        ),
    }
