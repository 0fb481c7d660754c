"""The research paper on tidal currents: two columns, equations, figures with parts, no outline."""

from __future__ import annotations

import io
import math

import numpy as np
import pymupdf
from charts import DASHES, Axis, Box, Plot, lines, scatter
from facts import TIDAL
from flow import Flow
from page_canvas import GREY, INK, PALE, SERIF, SERIF_BOLD, SERIF_ITALIC, WHITE, Canvas, Colour, parse_rich, wrap
from PIL import Image
from source_text import load_text
from tables import Table, columns
from theme import Equation, Figure, HeadingLook, Item, Theme

PAGE = (612.0, 792.0)
BLUE: Colour = (0.12, 0.33, 0.58)
RED: Colour = (0.75, 0.22, 0.17)
GREEN: Colour = (0.20, 0.50, 0.32)
SEA: Colour = (0.86, 0.92, 0.96)
LAND: Colour = (0.90, 0.87, 0.78)
THEME = Theme(
    columns=((54.0, 66.0, 297.0, 724.0), (315.0, 66.0, 558.0, 724.0)),
    headings=(
        HeadingLook(SERIF_BOLD, 11.6, 12, 4),
        HeadingLook(SERIF_BOLD, 9.8, 9, 3),
        HeadingLook(SERIF_ITALIC, 9.8, 8, 2),
    ),
    font=SERIF,
    size=10,
    leading=12.2,
    paragraph_gap=0.8,
    indent=10,
    justify=True,
    caption_size=8.4,
    caption_bold=False,
    table_size=8.2,
    figure_word="Fig.",
    caption_mark=".",
)
TITLE = ("Shoal: Short-Horizon Forecasting of Tidal Currents", "from a Sparse Array of Low-Cost Meters")
AUTHORS = "Mirela Vantongeren^{1}, Okke Saarinen-Blythe^{1,2}, and Ruaridh McAllan^{2}"
PLACES = (
    "^{1} Institute for Coastal Measurement, Port Ellery",
    "^{2} School of Marine Energy, University of Strand Hills",
)
ABSTRACT = (
    "Operators of tidal turbines need to know the current of the next two hours. The astronomical part is known; the "
    "remainder has to be measured upstream. We moored five mechanical current meters, each of which costs EUR "
    f"{TIDAL['unit_cost']:,}, in a strait for {TIDAL['days']} days, and trained a small graph network, Shoal, to "
    "forecast how deviations from the tide travel between them. Its root mean square error is "
    f"{TIDAL['at']['Shoal'][30]} m/s at 30 minutes and {TIDAL['at']['Shoal'][120]} m/s at two hours, "
    f"{TIDAL['gain'][30]} and {TIDAL['gain'][120]} per cent below harmonic prediction. "
    "Neighbouring meters matter most at short horizons and the removal of the tide at long ones. "
    "The model tolerates the loss of any single meter."
)


def build() -> pymupdf.Document:
    """Set the paper."""
    document = pymupdf.open()
    flow = Flow(document, THEME, {**_figures(), **_tables(), **_equations()}, PAGE, _furniture)
    flow.run(load_text("tidal.md", TIDAL), top=_title_block(flow.start_page()))
    return document


def _title_block(canvas: Canvas) -> float:
    middle, y = PAGE[0] / 2, 92.0
    for part in TITLE:
        canvas.text(middle, y, part, SERIF_BOLD, 17, align="centre")
        y += 21
    y += 6
    for text, size in ((AUTHORS, 11.0), (PLACES[0], 9.4), (PLACES[1], 9.4)):
        line = wrap(parse_rich(text, SERIF, size), PAGE[0])[0]
        canvas.words(middle - line.width / 2, y, line)
        y += size * 1.4
    y += 14
    canvas.text(middle, y, "Abstract", SERIF_BOLD, 10, align="centre")
    y += 15
    for line in wrap(parse_rich(ABSTRACT, SERIF, 9.2), 400, hyphenate=True):
        canvas.words(middle - 200, y, line, fill_to=None if line.last else 400)
        y += 11.2
    return y + 8


def _furniture(canvas: Canvas, index: int, _: str) -> None:
    if index:
        canvas.text(54, 46, "Vantongeren, Saarinen-Blythe, and McAllan", SERIF_ITALIC, 8.6, GREY)
        canvas.text(558, 46, "Shoal: Short-Horizon Forecasting of Tidal Currents", SERIF_ITALIC, 8.6, GREY, "right")
    canvas.text(PAGE[0] / 2, 758, str(index + 1), SERIF, 9, align="centre")


def _equations() -> dict[str, Item]:
    return {
        "harmonic": Equation(
            "*u*_{i}(*t*) = *ū*_{i} + ∑_{k} *A*_{ik} cos(*ω*_{k}*t* + *φ*_{ik}) + *r*_{i}(*t*),   *k* = 1, …, *K*,"
        ),
        "model": Equation("*q*_{i}(*t* + *h*) = *f*_{h}( *r*_{i}, {*r*_{j} : *j* ∈ *N*(*i*)}, *p* )."),
        "power": Equation("*P* = ½ *ρ* *A* *C*_{p} |*u*|^{3},"),
        "loss": Equation("*L* = |*M*|^{−1} ∑_{(i,t) ∈ M} *m*_{i}(*t*) ( *q*_{i}(*t*) − *r*_{i}(*t*) )^{2},"),
    }


def _tables() -> dict[str, Item]:
    horizons = [f"{h} 1" for h in TIDAL["horizons"]]
    errors = [[name, *(f"{value:.3f}" for value in row)] for name, row in TIDAL["errors"].items()]
    stations = [
        [name, f"{depth:.1f}", f"{peak:.2f}", f"{records:,}", f"{missing:.1f}"]
        for name, depth, peak, records, missing in TIDAL["stations"]
    ]
    return {
        "stations": Table(
            "The five moorings. Peak is the mean of the highest speed at spring tides.",
            columns("Meter 1 left", "Depth, m 1.2", "Peak, m/s 1.3", "Records 1.2", "Missing, % 1.4"),
            stations,
            look="booktabs",
        ),
        "errors": Table(
            "Root mean square error in m/s by horizon in minutes, mean of five meters.",
            columns("Method 2.2 left", *horizons),
            errors,
            look="booktabs",
            strong=frozenset({3}),
        ),
        "by-meter": Table(
            "Error of the model in m/s at each meter, by horizon in minutes.",
            columns("Meter 1.4 left", *horizons),
            [[name, *(f"{value:.3f}" for value in row)] for name, row in TIDAL["by_meter"].items()],
            look="booktabs",
        ),
        "ablation": Table(
            "Error in m/s without parts of the model.",
            columns("Variant 3 left", "30 min 1", "120 min 1"),
            [[name, f"{short:.3f}", f"{long:.3f}"] for name, short, long in TIDAL["ablation"]],
            look="booktabs",
        ),
    }


def _figures() -> dict[str, Item]:
    return {
        "map": Figure("The Sound of Ellery with the five moorings. Arrows show the direction of the flood.", 168, _map),
        "pipeline": Figure("Parts of the model, from raw records to the forecast.", 92, _pipeline),
        "curves": Figure("Error against horizon; persistence is off the scale.", 150, _curves),
        "example": Figure(
            "Forecasts in September. (a) Measured current at K3 and two forecasts made 60 minutes earlier. "
            "(b) Forecasts for 30 minutes against measurements at all meters.",
            170,
            _example,
            span=True,
        ),
        "heat": Figure(
            "Error at 30 minutes in m/s at each meter (rows) when one meter is silent (columns); darker is worse.",
            150,
            _heat,
        ),
    }


def _map(canvas: Canvas, box: Box) -> None:
    x0, y0, x1, y1 = box
    canvas.rect(x0, y0, x1, y1, fill=SEA, edge=GREY)
    north = [
        (0, 0),
        (0, 0.46),
        (0.10, 0.40),
        (0.20, 0.43),
        (0.33, 0.30),
        (0.45, 0.33),
        (0.60, 0.20),
        (0.72, 0.14),
        (0.8, 0),
    ]
    south = [
        (0.14, 1),
        (0.22, 0.86),
        (0.36, 0.80),
        (0.48, 0.70),
        (0.60, 0.69),
        (0.72, 0.55),
        (0.86, 0.50),
        (1, 0.38),
        (1, 1),
    ]
    for coast in (north, south):
        canvas.polygon([(x0 + u * (x1 - x0), y0 + v * (y1 - y0)) for u, v in coast], LAND, GREY)
    for u, v in ((0.87, 0.33), (0.90, 0.37), (0.85, 0.40)):
        canvas.circle(x0 + u * (x1 - x0), y0 + v * (y1 - y0), 3.2, LAND, GREY)
    spots = [(0.12, 0.68), (0.29, 0.60), (0.46, 0.51), (0.62, 0.41), (0.78, 0.29)]
    for (u, v), row in zip(spots, TIDAL["stations"], strict=True):
        x, y = x0 + u * (x1 - x0), y0 + v * (y1 - y0)
        canvas.circle(x, y, 3, RED)
        canvas.text(x + 5, y + 9, row[0], SERIF_BOLD, 8.6)
    canvas.arrow((x0 + 22, y1 - 26), (x0 + 62, y1 - 44), BLUE, 1.1)
    canvas.arrow((x0 + 112, y0 + 76), (x0 + 152, y0 + 58), BLUE, 1.1)
    canvas.text(x0 + 14, y0 + 22, "Ellery Head", SERIF_ITALIC, 9)
    canvas.text(x1 - 12, y1 - 22, "Strand Hills", SERIF_ITALIC, 9, align="right")
    canvas.text(x1 - 6, y0 + 80, "Skerries", SERIF_ITALIC, 8, align="right")
    canvas.line([(x1 - 70, y1 - 9), (x1 - 12, y1 - 9)], INK, 1.4)
    canvas.text(x1 - 41, y1 - 12, "1 km", SERIF, 7.6, align="centre")
    canvas.arrow((x1 - 16, y0 + 30), (x1 - 16, y0 + 10))
    canvas.text(x1 - 16, y0 + 40, "N", SERIF_BOLD, 8, align="centre")


def _pipeline(canvas: Canvas, box: Box) -> None:
    x0, y0, x1, _ = box
    names = (("Five-minute", "records"), ("Harmonic", "fit"), ("Residuals", "and mask"), ("Temporal", "convolution"))
    rest = (("Message", "passing ×2"), ("Linear layer", "per horizon"), ("Add the", "tide"), ("Forecast", ""))
    step = (x1 - x0) / 4
    for row, cells in enumerate((names, rest)):
        y = y0 + 4 + row * 46
        for i, (first, second) in enumerate(cells):
            left = x0 + i * step
            canvas.rect(
                left, y, left + step - 12, y + 32, fill=SEA if row == 0 or i < 2 else WHITE, edge=BLUE, radius=0.12
            )
            canvas.text(left + step / 2 - 6, y + (14 if second else 19), first, SERIF, 8, align="centre")
            canvas.text(left + step / 2 - 6, y + 25, second or " ", SERIF, 8, align="centre")
            if i < 3:
                canvas.arrow((left + step - 12, y + 16), (left + step, y + 16), BLUE, 0.9, 4)
    turn = y0 + 43
    canvas.line([(x1 - step / 2, y0 + 36), (x1 - step / 2, turn), (x0 + step / 2 - 6, turn)], BLUE, 0.9)
    canvas.arrow((x0 + step / 2 - 6, turn), (x0 + step / 2 - 6, y0 + 50), BLUE, 0.9, 4)


def _curves(canvas: Canvas, box: Box) -> None:
    colours = {"Harmonic": GREY, "Autoregressive": RED, "Shoal": BLUE}
    series = [(name, TIDAL["errors"][name], colour) for name, colour in colours.items()]
    labels = [str(h) for h in TIDAL["horizons"]]
    axis = Axis(0.05, 0.25, 0.05, "{:.2f}", "error, m/s")
    lines(canvas, box, labels, series, axis, x_title="horizon, minutes", font=SERIF, size=7.8)


def _speed(hours: np.ndarray) -> np.ndarray:
    """Invented along-channel current with two constituents, in m/s."""
    return 2.55 * np.sin(2 * math.pi * hours / 12.42) + 0.42 * np.sin(2 * math.pi * hours / 6.21 + 0.8)


def _example(canvas: Canvas, box: Box) -> None:
    x0, y0, x1, y1 = box
    middle = x0 + (x1 - x0) * 0.62
    plot = Plot.frame(
        canvas, (x0, y0 + 16, middle - 12, y1), Axis(-3, 3, 1, title="current, m/s"), SERIF, 7.8, below=34
    )
    left, _, right, _ = plot.area
    hours = np.linspace(0, 18, 145)
    delay = 0.66 * np.exp(-(((hours - 8.2) / 3.0) ** 2))
    noise = np.random.default_rng(7).normal(0, 0.05, hours.size)
    curves = (
        ("measured", _speed(hours - delay) + noise, INK, None),
        ("harmonic", _speed(hours), RED, DASHES[1]),
        ("Shoal", _speed(hours - 0.84 * delay), BLUE, DASHES[3]),
    )
    key = left
    for name, data, colour, dashes in curves:
        points = [
            (round(left + (right - left) * float(h) / 18, 2), round(plot.at_y(float(v)), 2))
            for h, v in zip(hours, data, strict=True)
        ]
        canvas.line(points, colour, 0.9, dashes)
        canvas.line([(key, y0 + 8), (key + 18, y0 + 8)], colour, 0.9, dashes)
        key += 34 + canvas.text(key + 22, y0 + 10.5, name, SERIF, 8)
    for hour in range(0, 19, 3):
        plot.label_x(left + (right - left) * hour / 18, str(hour))
    plot.title_x("hours after midnight")
    canvas.text(right, y0 + 11, "(a)", SERIF_BOLD, 9, align="right")

    random = np.random.default_rng(11)
    measured = _speed(random.uniform(0, 300, 260))
    forecast = measured * 0.985 + random.normal(0, 0.13, measured.size)
    points = [(round(float(a), 3), round(float(b), 3)) for a, b in zip(measured, forecast, strict=True)]
    axes = Axis(-3, 3, 1, title="measured, m/s"), Axis(-3, 3, 1, title="forecast, m/s")
    scatter(canvas, (middle + 6, y0 + 16, x1, y1), points, *axes, BLUE, SERIF, 7.8, diagonal=True, radius=1.1)
    canvas.text(x1 - 6, y0 + 11, "(b)", SERIF_BOLD, 9, align="right")


def silent_errors() -> list[list[float]]:
    """Error at each meter (rows) when one meter (columns) is silent."""
    distance = np.abs(np.subtract.outer(np.arange(5), np.arange(5)))
    weight = np.array([0.9, 1.1, 1.5, 1.0, 0.35])
    base = np.array([0.094, 0.096, 0.093, 0.099, 0.103])[:, None]
    spread = 0.021 * weight[None, :] / np.maximum(distance, 1) ** 1.4
    errors: list[list[float]] = np.round(base + np.where(distance == 0, 0.049, spread), 3).tolist()
    return errors


def _heat(canvas: Canvas, box: Box) -> None:
    x0, y0, x1, y1 = box
    values = np.array(silent_errors())
    share = (values - values.min()) / (values.max() - values.min())
    pixels = np.stack([235 - 190 * share, 241 - 150 * share, 247 - 95 * share], axis=-1).round().astype(np.uint8)
    picture = Image.fromarray(pixels).resize((500, 500), Image.Resampling.NEAREST)
    stream = io.BytesIO()
    picture.save(stream, "PNG")
    size = y1 - y0 - 18
    left = (x0 + x1 - size) / 2
    canvas.image((left, y0 + 14, left + size, y0 + 14 + size), stream.getvalue())
    for i, row in enumerate(TIDAL["stations"]):
        at = size * (i + 0.5) / 5
        canvas.text(left + at, y0 + 10, row[0], SERIF, 8, align="centre")
        canvas.text(left - 6, y0 + 17 + at, row[0], SERIF, 8, align="right")
        for j in range(5):
            tint = WHITE if share[i][j] > 0.5 else INK
            canvas.text(left + size * (j + 0.5) / 5, y0 + 17 + at, f"{values[i][j]:.3f}", SERIF, 7.8, tint, "centre")
    canvas.rect(left, y0 + 14, left + size, y0 + 14 + size, edge=PALE)
