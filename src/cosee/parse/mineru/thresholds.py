"""Limits of what is taken over from another reader: from MinerU, and in part from docling."""

GRID = 1000.0
"""Content lists of MinerU 2 and later give boxes as 0..1000 of the page."""
BOX_ROOM = 1.02
"""Share of its page that a box may reach to, from rounding and bleed; a larger one is measured in another unit."""
STRAY_BOXES = 0.05
"""Share of all boxes that may not fit the unit of the others: damage, not another unit."""
MAX_COORDINATE = 1e6
"""A coordinate beyond is damage: no page is so large in any unit."""
RESOLUTIONS = (96 / 72, 100 / 72, 2.0, 150 / 72, 200 / 72, 300 / 72, 400 / 72)
"""Pixels of a point at the resolutions at which pages are usually drawn, ascending."""
MAX_PAGES = 20_000
"""Pages of a document whose PDF is not at hand; a number beyond is damage and must not make that many pages."""
DEFAULT_SIZE = 612.0, 792.0
"""Page size in points (US letter) where nothing says it; boxes are shares of the page, so that any size serves."""
MAX_LEVEL = 9
"""Deepest level of a heading; a deeper one is taken for this."""
UNPLACED_AREA = (0.1, 0.15, 0.9, 0.85)
"""Shares of a page over which items without a box are spread: clear of the margins, where furniture is looked for."""
UNPLACED_HEIGHT = 0.8
"""Share of its step down the page that an item without a box fills, so that no two touch."""
SAME_BLOCK = 0.5
"""Share of a layout block's area that an item has to cover to stand for it; without one the list lost the block."""
MAX_WRAPS = 4
"""Values inside values in which the list of blocks is looked for."""
MAX_DEPTH = 40
"""Spans inside spans that are read; a file nested deeper is hostile and must not exhaust the stack."""
MAX_QUOTED_TYPE, MAX_QUOTED_PATH = 60, 80
"""Characters of a block's type and of a picture's path that a message quotes."""
