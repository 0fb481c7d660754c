"""Limits by which captions find their figures and tables.

Lengths, gaps and costs are shares of the page, 0..1; an overlap is a share of the shorter of two extents.
"""

MAX_GAP = 0.3
"""A caption stands at most this far above or below its figure or table."""
MAX_GAP_UNSEPARATED = 0.06
"""The same for a label that no separator follows ("Figure 3 Rainfall"): further away it is more likely prose."""
MIN_OVERLAP_STACKED = 0.1
"""Of the widths of a caption and the medium above or below it; less is the next column's."""
MIN_OVERLAP_BESIDE = 0.3
"""Of the heights of a caption and the medium that it stands beside."""
MAX_GAP_BESIDE = 0.06
"""White space between a caption and the medium that it stands beside."""
COST_BESIDE = 0.05
"""Added to the gap: most captions stand above or below."""
COST_WRONG_SIDE = 0.12
"""Added to the gap on the side on which this document does not put captions."""
COST_OTHER_MEDIUM = 0.15
"""Added to the gap between a caption of a table and an image, or the other way round."""
COST_OFF_CENTRE = 0.05
"""Weight of the distance between the middles of caption and medium: it decides between equal gaps."""
COST_UNPAIRED = 1.0
"""Of a caption without a medium: more than any pair costs, so that as many as possible are paired."""
MAX_ROWS_EXACT = 7
"""Captions of a page up to which all pairings are compared; for more that would take too long."""
MAX_COLUMNS_TRIED = 6
"""Nearest media that are tried for each caption, which bounds the number of pairings."""
MAX_CAPTION_CHARACTERS = 1200
"""A longer text is no caption unless a figure or table stands beside it."""
MAX_TITLE_LINE_CHARACTERS = 300
"""Longest line below a bare label ("Table 4") that is taken for its title."""
MAX_GAP_LABEL_TO_TITLE = 0.02
"""White space between a bare label and its title."""
MAX_GAP_TITLE_TO_MEDIUM = 0.04
"""White space between the title below a bare label and the figure or table."""
MIN_SENTENCE_WORDS = 12
"""Words after a label from which a text that goes on in lower case is a sentence even without a full stop."""

MAX_UNLABELLED_CHARACTERS = 300
"""Longest text that may be a caption without a label."""
MAX_CHART_TITLE_CHARACTERS = 150
"""Longest title over a chart."""
MAX_GAP_BELOW = 0.02
"""White space between a picture and the small text below it."""
MAX_GAP_CHART_TITLE = 0.03
"""White space between a chart, or its subtitle, and the title above."""
MAX_LINES_BELOW = 6
"""Texts below a picture that become its caption or its notes."""
OVERLAP_ALLOWED = 0.005
"""By which boxes of lines may reach into each other: ascenders and descenders do."""
OVERHANG_ALLOWED = 0.02
"""By which a caption may be wider than its picture at either side."""
LARGEST_CHART_TITLE = 1.15
"""By the body size: a larger title is a section's heading."""
LARGEST_CHART_TITLE_WITH_SUBTITLE = 1.3
"""The same over a small subtitle, which shows that the title is the chart's."""

MAX_GAP_PARTS = 0.07
"""White space between parts of one figure, labels not counted."""
MAX_GAP_LABELLED_PARTS = 0.2
"""The same between parts that have labels of their own, (a) and (b)."""
MAX_PART_LABEL_CHARACTERS = 120
"""Longest label of a part with its words: ``(a) Before``."""
MAX_GAP_PART_LABEL = 0.035
"""White space between a part and its label."""
MIN_OVERLAP_PART_LABEL = 0.3
"""Of the widths of a part and its label."""
LABEL_ABOVE = 0.01
"""A label that ends less than this below the top of its part stands above it."""
MIN_OVERLAP_CAPTION = 0.2
"""Of the widths of an unlabelled part and the caption that has to reach over it."""
MAX_IMAGES = 100
"""A page with more images than this is a mosaic; its pieces are left alone."""
MIN_BARRIER_CHARACTERS = 50
"""Shorter text between pictures may be an axis title or a name inside the figure."""
EQUAL_SIDES = 0.95
"""Smallest by largest width and height of parts without labels that are panels of one size."""
EQUAL_HEIGHTS = 0.8
"""Smallest by largest height of parts without labels that stand in a row."""
EQUAL_WIDTHS = 0.9
"""Smallest by largest width of parts without labels that stand in a column."""

MAX_DESCRIPTION_CHARACTERS = 400
"""Of a description made without a model: its words go into the index and into prompts."""
MAX_VALUES_CHARACTERS = 400
"""The same for the values of a chart behind it."""
MAX_MODEL_DESCRIPTION_CHARACTERS = 600
"""Of a description by a model: about three sentences."""
MAX_WARNING_CHARACTERS = 200
"""Of the reason that a model did not describe a figure."""
MIN_DIAGRAM_LETTERS = 6
"""Letters inside a drawing that is no chart: from there on it is a diagram."""
MAX_LOGO_AREA = 0.02
"""Share of the page up to which a picture in its margin, without words or caption, is a logo."""
LOGO_TOP, LOGO_BOTTOM = 0.12, 0.88
"""Heights of the page above and below which logos stand."""
