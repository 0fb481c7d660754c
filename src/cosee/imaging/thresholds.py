"""Limits of rendering, and of what is measured and mended on pictures. Lengths are pixels unless said otherwise."""

MAX_RENDERED_PIXELS = 16_000_000
"""No rendered picture has more; the resolution is lowered instead, since a page may be metres wide."""
PART_PIXELS = 1_048_576
"""That a part of a page is rendered with where its resolution may be as high."""
COARSEST_PART_DPI, FINEST_PART_DPI = 144, 432
"""No part of a page is rendered coarser than a page is for a model, nor finer than prints are."""
FIGURE_PIXELS = 200_000
"""Of a figure that its quality is measured on: more take time and say the same."""
MIN_MEASURED_SIDE = 48
"""The quality of what is smaller is not measured: it has too few edges."""
MEMORY_LIMIT = 3 << 30
"""Bytes of a process that renders files that nobody vouches for."""
SECONDS_A_RENDERING = 60.0
"""In which such a process has to have made its pictures."""
MOST_WORKERS = 4
"""Such processes that stay; each takes memory, and a model is slower than four of them."""
CROPS_FROM_WHOLE_PAGE = 3
"""Figures from which a page is drawn once and cut: drawing each by itself would take longer."""
BLANK_ROW = 48
"""Difference between the brightest and the darkest value of a row of pixels, of 255, below which nothing is on it."""
BORDER_ROOM = 0.01
"""Points added at the right and at the foot of a region, so that what ends on a pixel's edge is in it."""

PHOTOGRAPH_SAMPLES = 64
"""Looked at along each side for whether a picture is a photograph, evenly spaced."""
PHOTOGRAPH_SHADES = 64
"""Steps of brightness that are told apart for it."""
MIN_PHOTOGRAPH_SIDE = 16
"""A smaller picture is an icon, whatever its shades."""
MIN_PHOTOGRAPH_ENTROPY = 4.6
"""Bits of the histogram of brightness; drawings and screenshots of few tones have under three."""
MAX_GROUND_SHARE = 0.25
"""Largest share of the most frequent shade; charts, screenshots and drawings stand on one ground."""

MIN_LETTER_INCHES, MAX_LETTER_INCHES = 0.035, 0.45
"""Height of a mark that may be a letter."""
MIN_LETTER_PIXELS = 4.0
"""The same where the resolution is low: smaller marks are dust."""
MIN_STROKE_PIXELS = 2
"""Shorter side of such a mark."""
LETTERS_IN_A_WORD = 12
"""By the least height of a letter: length of a word whose letters run into each other."""
MAX_LETTERS_MEASURED = 6_000
"""Marks looked at; more are thinned out evenly, since they say the same."""
MIN_LETTERS_IN_LINES = 8
"""Marks below which lines of text are not told from chance."""
MIN_LETTERS = 12
"""The same for the height and slant of letters, which then count as measured."""
NEAREST_MARKS = 5
"""Marks, itself included, among which a letter's neighbour on its line is looked for."""
MAX_LETTER_GAP = 1.2
"""By the height of the taller: white space between two letters of a line."""
MAX_BASELINE_SHIFT = 0.3
"""By the height of the taller: how far feet or middles of two letters of a line are apart."""
MIN_LETTER_LIKENESS = 0.35
"""Shorter by taller of two letters of a line: an x beside a capital with an accent."""
MERGED_LETTERS = 1.5
"""Marks that are by so much longer in one direction are words whose letters run into each other."""
MAX_SKEW_DEGREES = 15.0
"""Slant that is looked for; a scan that is further askew is a turned page."""
SKEW_STEPS = ((MAX_SKEW_DEGREES, 0.5), (0.5, 0.1))
"""Span and step in degrees of the search, coarse and then fine."""
MIN_SKEW_GAIN = 1.05
"""By which lines must be sharper at a slant than straight: less is chance."""
MIN_CONTRAST = 24
"""Grey levels by which ink is darker than what is around it; figures are told from paper by twice as many."""
SURROUNDINGS_IN_AN_INCH = 3
"""Squares of a pixel's surroundings in an inch."""
RULE_INCHES = 0.5
"""Length of the shortest straight line that is a rule."""
RULES_IN_AN_INCH = 25
"""Rules of the largest thickness in an inch."""
MIN_RULE_THICKNESS = 3.0
"""The same where the resolution is low."""
MIN_RULE_SHARE = 0.97
"""Share of dark pixels along a rule."""
PICTURE_GAP_INCHES, PICTURE_SIDE_INCHES = 0.15, 0.6
"""Marks of one picture are less than the first apart, and a picture is larger than the second."""
MIN_PICTURE_SHADE = 24
"""Of 255: mean ink of a square of pixels from which it belongs to a picture."""
MIN_PICTURE_INK = 0.04
"""Share of dark squares in the box of a picture: less is a frame or dust."""

RAMPS = {
    "blur": (0.34, 0.08),
    "noise": (26.0, 4.0),
    "blocking": (0.4, 0.06),
    "low_contrast": (20.0, 110.0),
    "darkness": (40.0, 150.0),
    "colour_cast": (120.0, 20.0),
    "small_text": (4.0, 9.0),
    "skew": (10.0, 1.0),
}
"""Useless and flawless: width of edges by the height of an x (or by ``PLAIN_EDGE`` without text), noise and contrast in
grey levels, height of an x in pixels, degrees."""
COARSENESS_RAMP = (14.0, 2.0)
"""Useless and flawless ``jpeg_coarseness``: a fault from quality 6 downwards; at 10 pages are read as well unmended."""
INK_PERCENTILE, PAPER_PERCENTILE = 0.1, 95
"""Of grey levels, taken for ink and paper: a page has little ink, and glare or a margin is lighter than its paper."""
LIGHT_PERCENTILE = 90
"""Of brightness, from which pixels are paper for their colour, and for what is darker than it by far."""
PLAIN_EDGE = 24.0
"""By which the width of edges is divided where there is no text."""
WEIGHTS = {"colour_cast": 0.5, "skew": 0.5}
"""Parts of the score that hinder reading less than others."""
FAULT = 3.5
"""A score below it is a fault."""
MEASURED_PIXELS = 1_000_000
"""Looked at of one picture: more take time and say the same."""
STRIP_HEIGHT = 64
"""Of the strips, evenly spaced, that pixels are looked at in."""
FEWEST_STRIPS = 8
"""Strips over the height of a picture: fewer may all lie in its margins."""
LETTER_DPI = 150
"""Resolution at which letters are measured."""
PAGE_INCHES = 11.0
"""Longer side of a picture of unknown resolution if it is a page; a part of one is tried at a half and a quarter."""
NOISY = 10.0
"""Noise in grey levels above which a picture is smoothed before letters are looked for."""
PALE, CLEAR = 8.0, 120.0
"""Contrast in grey levels between which a picture is stretched before letters are looked for: below there is nothing to
see, above it is not needed."""
SCALED = 0.1
"""By which a pixel's pitch differs from 1 where a picture has been scaled, which smooths the finest noise."""
LONELY_STEP = 48
"""Grey levels by which a speckle differs from all around it."""
EDGE_REACH = 6
"""Looked at on both sides of an edge."""
MIN_EDGES = 40
"""Fewer edges say nothing of blur."""
MIN_EDGE_STEP, MIN_EDGE_CONTRAST = 8.0, 0.5
"""Grey levels, and share of the contrast, from which a step is an edge."""
WIDE_EDGE = 4.5
"""Width from which edges are measured in the picture at half its size, since ``EDGE_REACH`` may not hold them."""
MIN_PROFILE_STEP = 0.02
"""Mean step in grey levels around a column from which it shows something."""
MAX_PROFILE_STEP = 12.0
"""Grey levels at which a step is cut: the edges of blocks are small steps."""
MIN_PROFILE_COLUMNS = 8
"""Columns of each phase of the grid of blocks, so that a median means something."""
FLAT_STEP = 0.05
"""Grey levels added to the steps beside the grid, so that flat pictures divide by no zero."""
COLOUR_SAMPLES = 100_000
"""Pixels that the colour of the paper is taken from."""

FINE_DPI = 300
"""Resolution at which a page is rendered again where its picture is blurred, noisy or blocked."""
MAX_DPI = 450
"""Finest resolution at which it is: more costs time and shows no more."""
READABLE_X_HEIGHT = 18.0
"""Height of an x that small text is enlarged to."""
SOFT = 4.25
"""Score of ``blur`` below which a picture is sharpened: recognition suffers before the eye does."""
UNKNOWN_LETTER_INCHES = 0.07
"""Taken for the height of an x where none was found: print of ten points."""
SHARPEN_PERCENT = 200
"""Of the lost detail that unsharp masking puts back."""
DENOISE_LETTERS, MIN_DENOISE, MAX_DENOISE = 16, 0.8, 2.5
"""Sigmas of the blur against noise in the height of an x, and the least and largest sigma: wider ones fill letters."""
DEBLOCK_LETTERS, MIN_DEBLOCK, MAX_DEBLOCK = 19, 0.6, 1.5
"""The same for the edges of JPEG blocks."""
SHARPEN_WIDER = 1.3
"""By which the radius of unsharp masking exceeds the sigma of the blur that is measured."""
MIN_SHARPEN, MAX_SHARPEN = 1.0, 8.0
"""Least and largest radius of unsharp masking."""
TURNED = 0.05
"""Degrees of slant below which a picture is turned by quarters alone."""
