"""The numbers of exports: most are limits of the formats."""

from __future__ import annotations

CELL_CHARACTERS = 32_767
"""Characters of one cell of a workbook: the format has no room for more."""
NUMBER_DIGITS = 15
"""Digits of a number that a workbook holds exactly; longer ones stay text."""
SHEET_NAME_CHARACTERS = 31
"""Characters of the name of a sheet, by the format."""
COLUMN_WIDTHS = (8, 50)
"""Narrowest and widest column of a sheet, in characters."""
HIGHLIGHT_OPACITY = 0.45
"""How much of the page's paper a highlight covers: the text below it stays readable."""
BOX_DIGITS = 4
"""Places of a box's shares by which two are the same box: a tenth of a point on a large page."""
