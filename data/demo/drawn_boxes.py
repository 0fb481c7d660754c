"""Where the evidence of each answerable question stands: boxes drawn by hand on renders of the pages.

Each is the smallest block that shows the answer: a line, a paragraph, a row of a table, a table or a figure with its
caption. Page (from 1) and box in PDF points from the top-left corner. `make_demo.py --check` holds them against the
places where the documents' generator put the quotes.
"""

from __future__ import annotations

Box = tuple[float, float, float, float]

DRAWN: dict[str, list[tuple[int, Box]]] = {
    "atlas-001": [(3, (84, 401, 520, 456))],
    "atlas-002": [(8, (84, 549, 520, 568))],
    "atlas-003": [(9, (84, 187, 520, 205))],
    "atlas-004": [(8, (84, 497, 520, 516)), (8, (84, 690, 520, 708)), (9, (84, 222, 520, 240))],
    "atlas-005": [(9, (84, 394, 520, 571)), (10, (84, 357, 520, 550))],
    "atlas-006": [(12, (84, 246, 521, 385))],
    "atlas-007": [(19, (84, 232, 521, 406))],
    "atlas-008": [(12, (84, 278, 521, 296)), (12, (84, 295, 521, 313))],
    "atlas-009": [(14, (84, 320, 521, 339))],
    "atlas-010": [(10, (84, 357, 520, 550)), (10, (84, 560, 520, 613))],
    "atlas-011": [(17, (84, 215, 520, 419))],
    "atlas-012": [(9, (84, 394, 520, 571))],
    "atlas-013": [(4, (84, 496, 520, 553)), (4, (84, 295, 521, 314))],
    "tidal-001": [(6, (53, 83, 298, 133))],
    "tidal-002": [(3, (314, 563, 559, 582))],
    "tidal-003": [(3, (54, 303, 298, 376))],
    "tidal-004": [(3, (314, 471, 559, 582))],
    "tidal-005": [(5, (54, 446, 298, 464)), (5, (54, 463, 298, 481))],
    "tidal-006": [(5, (314, 278, 559, 456))],
    "harbor-001": [(1, (97, 239, 456, 263)), (15, (60, 336, 901, 387))],
    "harbor-002": [(7, (468, 119, 906, 272))],
    "harbor-003": [(10, (60, 305, 901, 337))],
    "harbor-004": [(10, (60, 120, 901, 337))],
    "letter-001": [(1, (79, 205, 214, 222))],
    "letter-002": [(2, (113, 164, 459, 184))],
    "letter-003": [(2, (82, 349, 512, 416))],
}
