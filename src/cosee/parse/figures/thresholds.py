"""Limits by which figures are told from text, tables and decoration.

Lengths are points of the page, shares are of what the name says. Set by hand, not fitted.
"""

SLACK = 1.0
"""A middle this far outside of a box is still in it: line widths and rounding."""
SLANTED_PICTURE = 3
"""Curved or slanted paths from which on a group is a picture rather than the rules and shading of text."""

# Pictures.
MIN_SIDE = 16.0
"""Shortest side of a picture; a smaller one is decoration."""
MIN_SHARE = 0.002
"""A picture with a smaller share of the page is decoration."""
MIN_IN_CELL = 10.0
"""Shortest side of a picture that counts in a table's cell."""
MAX_ASPECT = 25.0
"""Long side over short side beyond which a picture is a rule or border."""
MIN_PIXELS = 64
"""A bitmap of fewer pixels shows nothing: it fills a shape with a colour."""
MAX_SHADOW, MIN_COVERED = 2.6, 0.3
"""A picture at most this many font sizes high, of which text covers at least this share, is the ground of text."""
MARGIN, MAX_LOGO = 0.1, 0.005
"""A picture with a smaller share of the page, within this share of its height from the top or foot and beyond all text,
is a logo."""
MANY_PICTURES = 40
"""Pictures of a page from which on they are snippets of artwork, joined where they lie close together."""
SNIPPET_GAP, TILE_GAP = 6.0, 1.0
"""Gap between the snippets of artwork, and between the tiles of one picture, at most."""
TILE_OVERLAP, TILE_COVER = 1.15, 0.9
"""Sum of the tiles' areas over that of the whole: tiles hardly overlap and leave hardly a hole."""
MIN_STRIPS, STRIP = 3, 8.0
"""Pictures this many times as long as high are strips; so many alike are one picture, not one that is repeated."""
MAX_PARTS = 64
"""Strips and tiles of one picture that are told one by one."""
MAX_IDENTIFYING = 50
"""Tiles whose identities are the identity of the whole."""
MAX_FIGURES = 200
"""Figures of a page; it has the flag ``too_many_figures`` where more are left out."""
MAX_CROPS = 4_000
"""Crops of a document on the disk: of figures, and as many of formulas."""
CROP_DPI, CROP_PIXELS = 144, 2_000_000
"""Sharpness of a crop in dots an inch, and its pixels at most, against the memory of a poster."""
FORMULA_MARGIN, FORMULA_REACH = 2.0, 72.0
"""What a formula's crop shows beside its box, and how far above and below it white space is looked for: brackets,
limits and denominators that were read apart reach beyond it."""

# Labels.
OVERLAID_MARGIN = 2.0
"""Labels printed over a picture may reach this far beyond it."""
MAX_OVERLAID_WORDS, MAX_OVERLAID_LABEL = 40, 4
"""Words printed over a picture in all, and of one label, that are its own; more is text that runs over it."""
MAX_LABEL = 7
"""Words of a label inside a figure."""
TICK_REACH, TITLE_REACH = 12.0, 13.0
"""How far outside a drawing its tick labels and then its axis titles stand."""
MAX_TICK_WORDS, MAX_TITLE_WORDS = 3, 7
"""Words of a tick label and of an axis title; longer is running text."""
BESIDE = 1.7
"""Tick labels and turned axis titles left and right of a drawing may be this many times further off."""
TICK_SIZE, TITLE_SIZE = 1.3, 1.02
"""Largest tick label and axis title, in sizes of the running text; larger ones are headings."""
LEGEND_REACH = 26.0
"""Height of a legend's swatches, and their gap to the chart, at most."""
LEGEND_UNDER, LEGEND_WIDTH = 0.5, 0.5
"""Share of a legend's width that is over or under its chart, and of the chart's that swatches without labels take."""

# What joins a picture and a drawing.
DRAWING_OVER = 0.8
"""Share of a drawing that lies on a picture and is a part of it; with less lines point into the picture."""
DRAWINGS_SHARED, PICTURE_SHARED = 0.05, 0.15
"""Share of the smaller area that two drawings, or a picture and a drawing, have in common to be one figure."""
MIN_HOST = 0.4
"""Share of a drawing's area that a picture has at least to take it in."""
DECORATION_MARGIN = 2.0
"""Decoration may reach this far beyond the figure that it belongs to."""
PICTURE_IN_DRAWING, PICTURE_IN_PICTURE = 0.6, 0.8
"""Share of a picture that lies in a drawing, or in another picture, to be a part of it."""
HOST_OVER_PART, MIN_OVERLAPPING = 3, 3
"""A picture in pieces is this many times as large as a piece, and each piece overlaps so many others."""

# Groups of paths.
PAGE_GROUND = 0.7
"""Share of the page from which on a path is its ground."""
TABLE_MARGIN = 3.0
"""Paths whose middle is this near to a table are its own."""
THIN = 2.5
"""Thickness up to which a path is a rule."""
MIN_UNDERLINE = 8.0
"""Shortest rule that may underline a word."""
UNDERLINE_FROM, UNDERLINE_TO = 0.4, 0.15
"""An underline is lower than this share of its text's height and at most this share below it."""
UNDERLINE_ENDS = 2.0
"""An underline reaches at most this far beyond its text."""
RULES_AT_ONCE = 500
"""Rules compared with all lines at once, against the memory that they take."""
GROUP_GAP = 9.0
"""Paths at most this far apart on both axes are one group."""
MAX_COMPARED = 300
"""Up to this many boxes are compared one by one; more are painted on a raster."""
RASTER = 500
"""Cells of that raster along the longer side of the page."""
RASTER_MARGIN = RASTER // 50
"""Cells before the page's own, for paths that begin outside."""
MAX_GROUPS = 400
"""Groups of a page among which repeats are looked for."""
SAME_EXTENT = 3
"""Rules that begin and end in the same interval of this length have one extent."""
MIN_RULE = 40.0
"""Shortest rule of a chart's grid."""
MAX_GRID_GAP = 60.0
"""Widest gap between the parallel rules of one grid."""
MIN_GRID_STEPS = 2
"""Gaps between rules that are a grid."""
MIN_TEXT_WORDS = 4
"""Words of a line that is text and no label."""
MIN_BAR, MAX_BAR = 4.0, 90.0
"""Thickness of a bar."""
BAR_GAP = 2.6
"""Widest gap between bars of one chart, in bar thicknesses."""
MAX_BAR_GAP = 80.0
"""Widest gap between bars of one chart."""
SAME_BAR, SAME_SEGMENT = 1.0, 1.5
"""Difference in thickness of two bars of a chart, and of the segments stacked to one bar, at most."""
BAR_OFFSET, BAR_OVERLAP = 2.0, 1.0
"""Bars may miss each other by this much along their length, and overlap by this much across it."""
MAX_SEGMENTS = 24
"""Segments stacked to one bar."""

# What makes a group of paths a drawing.
MAX_CHECKED = 400
"""Groups of a page that are looked at, the largest first."""
MIN_WIDTH, MIN_HEIGHT = 24.0, 18.0
"""Smallest drawing."""
MIN_TIMELINE, MIN_TIMELINE_SYMBOLS, MIN_TIMELINE_LABELS = 100.0, 3, 4
"""Width of a timeline, its symbols and its labels at least."""
STRIPE_HEIGHT, STRIPE_ASPECT = 32.0, 6
"""A group lower than this and so many times as wide as high is a stripe behind a heading."""
ICON_WIDTH, ICON_HEIGHT, ICON_AREA = 60.0, 30.0, 4000.0
"""A group narrower or lower than this, with a smaller area in square points, is decoration."""
MIN_PROSE, FRAMED_DENSITY = 3, 0.2
"""Lines of running text, and the share of the area that text covers, from which on paths are a frame of text."""
DENSE, DENSE_WORDS = 0.3, 12
"""Share of the area that text covers, and its words, beyond which only bars may be a chart."""
PLAIN_DENSITY, PLAIN_WORDS = 0.12, 30
"""The same for straight paths without the form of a chart."""
MIN_ROW_RULE, FULL_RULE, MIN_ROW_RULES = 20.0, 0.9, 3
"""Length of a rule between rows, its share of the group's width, and how many of them rule a list."""
MIN_LIST_TEXTS, LIST_EDGE = 4, 3
"""Texts of a ruled list, and the interval in which they begin at one edge."""
MIN_AT_EDGE, LIST_EDGE_SHARE = 3, 0.3
"""Texts that begin at that edge, in number and as a share of all."""
COMPLEX, MAX_COMPLEX_PATHS, MIN_COMPLEX_SIDE = 40, 12, 30.0
"""Line segments and curves of a few paths that make them a picture, how many these are, and their shortest side."""
MIN_FILLED = 4.0
"""Shortest side of a filled rectangle that is no rule."""
VARIED = 0.6
"""Share of the filled rectangles that have their own place and length: bars. Shading repeats both."""
TEXT_ON_SHADING = 0.5
"""Share of the filled rectangles from which on they are the ground of text."""
MIN_VARIED_BARS = 4
"""Rectangles whose lengths tell something."""
MIN_TABLE_ROWS, MIN_TABLE_CELLS, TABLE_CELLS_SHARE = 3, 3, 0.6
"""Rows of a table among paths, cells of a row that tells of one, and the share of all texts that such rows hold."""
MIN_SLANTED, MIN_PATHS_OF_SLANTED = 4, 6
"""Curved or slanted paths that are a drawing alone; paths among which a single one is enough."""
MIN_BOX, MIN_BOXES = 8.0, 3
"""Shortest side of a stroked box, and boxes of a drawing."""
RULE_IN_DRAWING, MIN_RULES = 3.0, 2
"""Thickness of a rule in a drawing, and rules beside its boxes."""
MIN_NODE, MAX_NODE_SHARE, MAX_NODES = 12.0, 0.8, 200
"""Shortest side of a box with text in a diagram, the share of the diagram's width that it is narrower than, and how
many are looked at."""
NODE_MARGIN, NODE_GAP, NODES_APART = 2.0, 4.0, 0.6
"""A box in a box is its frame; boxes of a diagram are this far apart, most of them."""
MIN_JOINT, JOINT_REACH = 6.0, 3.0
"""Length of the line between two boxes of a diagram, and how near it ends to them."""

# Figures above or below a caption.
MAX_CAPTION_GAP = 60.0
"""Largest distance between a caption and its figure, and between the pieces of one."""
MAX_RASTER_GAP = 30.0
"""A picture further from what is joined already is a figure of its own."""
PANEL_SHARE = 0.15
"""A piece with at least this share of the whole is a panel; figures of several panels stay apart (later joined)."""
PIECES_TOUCH = 6.0
"""Gap up to which the pieces of one picture hang together."""
UNEVEN_PANELS = 1.1
"""Largest over smallest width or height of panels that are not of equal size."""
GROWN = 1.1
"""Area over that of its only member from which on joining gains more than the member's frame."""
MIN_JOINED_WIDTH, MIN_JOINED_HEIGHT = 40.0, 30.0
"""Smallest figure that is put together above a caption."""
MAX_PIECES = 3_000
"""Paths of a page that are still put together."""
MAX_CAPTIONS = 40
"""A page with more lines that open like captions is a list of figures."""
MIN_PIECE = 8.0
"""Shortest side of a path that is more than a rule."""
MAX_PIECE_SHARE = 0.5
"""Share of the page from which on a path is its ground."""
UNDER_CAPTION = 0.5
"""Share of a piece's width that lies in the caption's column."""
GROWING_ROUNDS, ACROSS_EDGE = 3, 0.1
"""How often pieces are taken in that lie across the edge, and the share of such a piece that is inside."""
BARRIER_OVERLAP, COLUMN_EDGE = 2.0, 3.0
"""Text may reach this far into the caption's line; lines of a column begin and end this near to its edges."""
MIN_GROUND_HEIGHT, MIN_GROUND_WIDTH = 12.0, 30.0
"""Smallest piece that text can stand on."""
BARRIER_WORDS, BARRIER_SIZE = 4, 0.9
"""Words of a line that no figure reaches over, and its size in sizes of the running text."""
BETWEEN_COLUMNS = 2.0
"""A caption between columns may begin this far inside its figure, and be wider by this on both sides."""

# Frames of two rules.
MIN_FRAME_RULE = 100.0
"""Shortest rule of a frame."""
MIN_FRAME, MAX_FRAME = 40.0, 0.8
"""Height of a frame, at most as a share of the page: more is a header and a footer rule."""
FRAME_EDGE = 3.0
"""The rules of a frame begin and end this near to each other; panels reach this far beyond them."""
MAX_FRAME_RULES = 60
"""Rules of a page beyond which they are those of tables."""
FRAME_TEXT_SIZE = 0.95
"""Size of running text in a frame, in sizes of the page's; smaller text belongs to the panels."""

# Charts.
MIN_PATHS, MAX_PATHS = 2, 3_000
"""Paths of a drawing without labels that is still looked at as a chart."""

# Ink.
MIN_INK, MIN_INK_LEFT = 0.0005, 0.0007
"""Shares of a page: of ink that makes a picture of a page with nothing else, and that nothing explains on another.
General knowledge: a line of text takes about 0.001."""
INK_EDGE = 2.0
"""How far strokes and letters reach beyond their boxes."""
