"""Limits by which running headers, footers, page numbers and stamps are told from text.

Heights and lengths are shares of the page, 0..1.
"""

HEADER_BOTTOM, FOOTER_TOP = 0.14, 0.86
"""Headers end above the first, footers begin below the second."""
SIDE_MARGIN = 0.08
"""A tall item within this distance of the left or right edge is a margin stamp."""
STAMP_ELONGATION = 4
"""Height by width, as seen, from which an item at the side runs up or down the page."""
MIN_STAMP_HEIGHT = 0.1
"""Of a stamp at the side: a shorter one may be a letter or a number beside the text."""
OUTER_MARGIN = 0.09
"""At the edges of the page, where furniture is told by its form or by what stands beside it."""
SAME_HEIGHT = 0.012
"""Furniture that repeats stands at one height within this distance."""
NEAR_PAGES = 6
"""Repetition and counts are looked for on this many pages before and after."""
MAX_CHARACTERS = 250
"""A longer text is no furniture, whatever repeats."""
MAX_OUTER_CHARACTERS = 100
"""The same of a text that does not repeat and is told by its place at the edge."""
LARGER_THAN_BODY = 1.15
"""By the body size, or by the rest of a running title: from here on a text is set as a title."""
DISPLAY_SIZE = 20.0
"""Points from which text is never furniture by a counting number alone, however large the body is."""

SHORT_DOCUMENT = 2
"""Up to this many pages nothing can repeat often enough to be told by it."""
FEW_PAGES = 4
"""Up to this many pages two occurrences are enough, and three of a title."""
MIN_REPEATS = 3
"""Near pages on which a text has to stand in a longer document."""
MIN_REPEATS_TITLE = 4
"""The same of what looks like a title, so that each chapter's "Summary" stays."""
MIN_SHARE_REPEATED = 0.4
"""Of the pages from the first to the last near occurrence: left and right pages may differ in form."""
MIN_SHARE_COUNTED = 0.25
"""The same where a number in the text counts the pages, which says more than that the text repeats."""
MIN_SHARE_TITLE = 0.7
"""The same of what looks like a title."""
MIN_PAGES_FILLED = 4
"""Pages with furniture at a place from which other text at this place is furniture as well."""
MIN_SHARE_FILLED = 0.9
"""Of the near pages with a line at a place, where only pages further away have furniture there."""
ROOM_REPEATED, ROOM_BY_FORM = 1.0, 0.6
"""White space between a line at the edge and the text, by the line's height: where other pages have furniture at its
place, and where only its form speaks for it."""
OFF_CENTRE = 0.05
"""A page number below all else stands within this distance of the middle of the page."""
MIN_IMAGE_REPEATS = 3
"""Pages with the same picture at the same place from which it is a logo or frame."""
MIN_WATERMARK_REPEATS = 3
"""The same of text across the running text, which has to stand on half of the pages, too."""
PLACES_A_SIDE = 50
"""Steps of the page in which two boxes are at the same place."""

MIN_CAPITALS = 0.8
"""Share of the letters of a title in capitals: ``HUSBANDRY. [Ch. XIX.`` is one."""
MAX_STAMP_CHARACTERS = 120
"""Longest line that is an address or a mark of copyright, and no sentence with one."""
MAX_NUMBERED_CHARACTERS = 80
"""Longest line with a page number at its end."""

MIN_PAGES_COUNTED = 2
"""Near pages, its own included, on which the count of a lone page number has to go on."""
MIN_PAGES_COUNTED_IN_TEXT = 3
"""The same of a number that is only part of a text, or the last line of its page: such numbers agree by chance."""
SAME_PLACE_X, SAME_PLACE_Y = 0.02, 0.01
"""Page numbers of one document stand at one place within these distances."""
