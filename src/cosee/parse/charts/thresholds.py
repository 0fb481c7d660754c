"""Limits by which charts are told and read. Lengths are points of the page, shares are of what the name says.

Set by hand, not fitted.
"""

# What makes a chart, and of which form.
MAX_PATHS = 1_500
"""Paths looked at for a chart's form; comparing all of a map's would take long and tell no more."""
MIN_NUMBERS = 2
"""Numeric labels that a chart has at least, as ticks or at its marks; below it only named bars on an axis are one."""
MIN_NUMBERS_OF_OTHER = 4
"""Numeric labels that make a chart of marks that are not understood; with fewer a diagram with a number would be."""
MIN_NAMES, MIN_LABELS = 3, 3
"""Labels that name bars where there are no numbers; labels from which on a drawing counts as labelled."""
MAX_SPACES_OF_LABEL = 3.0
"""Labels with more spaces than this on average are sentences: no chart."""
SURE_BARS, MIN_BARS = 3, 2
"""Bars that are a bar chart beside lines, and where there are none: two rectangles beside lines may be a legend."""
BARS_OVER_LINES = 2
"""Bars for each line from which on the chart is one of bars."""
MAX_LINES = 120
"""More runs from left to right than this are no chart: a map, a hatched area."""
MIN_VERTICES_OF_LINE = 3
"""Points of a line where no axis is readable, or of one beside markers that is more than the line through them."""
SURE_LINES = 2
"""Lines that are a chart where neither an axis nor the boxes' form says that it is one."""
FRAME_SHARE = 0.5
"""A rectangle over more than this share of the chart's area is its ground or frame, no mark."""
THIN = 2.0
"""Thickness up to which a rectangle is a rule."""
AXIS_SHARE = 0.4
"""A rule along at least this share of a chart's side may be its axis; ticks and strokes of a legend are shorter."""

# Bars.
MAX_BAR_SHARE = 0.5
"""A bar is thinner than this share of the chart."""
BAR_TOLERANCE = 1.0
"""Bars whose thickness or base line differs by no more are alike: line widths and rounding."""
SAME = 1.2
"""Coordinates of outlines that differ by no more are equal."""
MIN_BAR = 2.0
"""Thinnest bar; less is a rule."""
MIN_DIFFERENCE = 2.5
"""The longest bar exceeds the shortest by at least this; squares of one size are no bars."""
MIN_LENGTHS = 3
"""Lengths of which the bars are that the boxes show; rows of equal boxes are a legend or a table."""
MIN_PLACES = 2
"""Places on the base line on which bars stand."""
NAME_BESIDE = 4.0
"""Names of lying bars begin or end at most this far inside of them."""
NAME_REACH = 2.5
"""A bar's name is at most this many of its thicknesses from its middle."""
NUMBER_PAST_END, NUMBER_ABOVE_END = 30.0, 14.0
"""Room behind a lying and over a standing bar in which its number is printed: a wide number, a line of text."""
NUMBER_BEFORE, NUMBER_BESIDE, NUMBER_OVERLAP = 4.0, 3.0, 1.0
"""How far the number in a bar may reach over its start, its sides, and the edge where its neighbour follows."""
STACKED = 1.0
"""A bar that begins at most this far from another one's end is stacked on it."""

# Lines.
LINE_SHARE = 0.35
"""Share of the chart's width that a single path of a line is wide; arrows and strokes of a legend are shorter."""
MIN_SLANT = 1.0
"""Width of a slanted path; one that is narrower is upright."""
MIN_SEGMENT, SEGMENT_GAP = 3.0, 2.0
"""Width of a piece of a line that is drawn in pieces, and the gap to the next piece at most."""
MIN_JOINED, JOINED_SHARE = 3, 0.5
"""Pieces that follow one another, in number and as a share of those of one colour, before they are a line."""
MIN_REACH, MIN_REACH_LENGTH = 0.3, 12.0
"""A line reaches over at least this share of the plot, and so far in a narrow plot ..."""
SHORT_TRACE, MIN_SHORT_VERTICES = 24.0, 4
"""... or, in one of several panels, over this many points with at least so many vertices."""
MAX_BACK = 0.05
"""Share of its reach that a line may go back to the left; outlines of shapes go back wholly."""
SLANT_ACROSS, SLANT_UP = 1.0, 0.4
"""A piece of a line that is at least so wide and high is a slope; less is a level stroke with rounding."""
STEP_ACROSS, STEP_UP, MIN_STEPS = 0.2, 1.0, 3
"""A piece at most so wide and at least so high is a step; so many are a staircase rather than a frame."""
MAX_RUNS = 2_000
"""Runs of one colour that are still chained; more are hatching."""
NAME_OVER_END, NAME_AT_END, NAME_OFF_LEVEL = 2.0, 16.0, 6.0
"""A line's name begins at most so far before or behind its end, and is at most so far off its level."""

# Markers.
MIN_MARKER, MAX_MARKER = 1.0, 12.0
"""Sides of a marker."""
MIN_MARKER_ASPECT, MAX_MARKER_ASPECT = 0.6, 1.7
"""Width over height of a marker."""
MIN_MARKERS_OF_SERIES = 5
"""Markers of one size and colour that are a series; fewer are the legend's or signs."""
MIN_MARKERS = 8
"""Markers of a scatter chart; fewer are the vertices of a line."""
SIZE_TOLERANCE = 1.0
"""Markers whose width differs from the usual by less are of one size."""
SPREAD_STEP, MIN_SPREAD = 4, 4
"""Markers of the boxes stand on at least so many levels of so many points on both axes: no row of bullets."""
SERIES_SPREAD_STEP, MIN_SERIES_SPREAD = 3, 3
"""The same for the markers of one series among the outlines."""

# Pies.
MIN_SECTORS, MAX_SECTORS = 2, 24
"""Sectors of a pie."""
MIN_SECTOR_AREA = 100.0
"""Smallest area of a sector's box in square points; less is a marker or an arrow head."""
MAX_SECTOR_SHARE = 0.98
"""A sector whose box is a larger share of the chart is its ground."""
CENTRE_SHARE = 0.12
"""Share of the pie's size, or of a sector's radius, by which apexes may be apart: exploded slices."""
CENTRE_ROOM = 1.0
"""Points that are added to it for tiny pies."""
MIN_PIE_ASPECT, MAX_PIE_ASPECT = 0.75, 1.35
"""Width over height of a pie: slices pulled out make it uneven."""
TOUCHING_SHARE = 0.8
"""Share of the sectors that touch the middle; the others are shadows or highlights."""
MIN_PIE = 30.0
"""Smallest width of a pie; less is a sign."""
MIN_FULL, MAX_FULL = 1.6, 2.05
"""Sum of the sectors' angles over pi: a whole circle, with room for a slice that was missed."""
MAX_CURVES, MAX_RUNS_OF_SECTOR, MAX_OUTLINE = 12, 2, 14
"""Curves, runs and points of a sector's outline; a shape of more is a drawing."""
MIN_SECTOR_SIDE, MIN_RADIUS = 4.0, 6.0
"""Smallest side of a sector's box, and smallest radius: less is a rounded corner."""
RADIUS_SHARE, RADIUS_ROOM = 0.03, 0.3
"""Share of the radius, and points, by which the points of an arc may be off the circle."""
NO_TURN, MIN_ANGLE = 1e-3, 0.01
"""Radians: a smaller turn has no direction; a smaller sector is a stroke."""
NAME_OFF_SECTOR = 2.0
"""A sector's name is at most this many radii from the middle of its arc."""

# Outlines.
SAME_POINT, STRAIGHT = 0.1, 0.2
"""Points of an outline this close are one; coordinates of a side this close make it level or upright."""

# Legends.
MAX_SWATCH = 14.0
"""Largest side of a swatch."""
NAME_BEHIND_SWATCH = 14.0
"""Gap between a swatch and its name at most."""
MIN_STROKE, MAX_STROKE, MAX_STROKE_SHARE, FLAT_STROKE = 6.0, 40.0, 0.2, 1.0
"""Width of a line's stroke in a legend in points and as a share of the chart, and its height at most."""

# Axes.
ALIGNED = 2.5
"""Tick labels of one axis share an edge or their middle to this many points."""
MIN_TICKS = 3
"""Ticks of a scale; through two points there is always a line."""
MAX_NUMBER = 40
"""Characters of a number; hundreds of digits in a row have no finite value."""
MIN_SCALE = 12.0
"""Shortest scale, from the middle of its first tick to that of the last."""
MIN_LOG_RATIO = 8
"""Largest over smallest tick of a logarithmic scale; short of a decade a straight one cannot be told from it."""
EXACT = 0.02
"""Largest deviation of a tick from the scale, as a share of the axis."""
AT_TICK, AT_STEP = 0.6, 2.0
"""A mark this close to a tick's middle is at the tick; along the axis that counts, labels are set wider."""
VALUE_DIGITS, MIN_DECIMALS, MAX_DECIMALS = 3, -6, 9
"""A value read has so many digits behind the first one of the axis's length: no finer than it was drawn."""
TICKS_INSIDE = 3.0
"""Tick labels may reach this far into the plot that they belong to, category labels as well."""
ON_OTHER_SIDE, INSIDE_PLOT = 1_000, 10_000
"""Added to a scale's distance where it is right of (above) the plot, and taken for it where it is inside: last."""
TICKS_ALONG = 0.4
"""Share of a mark's extent that a scale's ticks run along."""
CATEGORY_OVERHANG = 20.0
"""How far outside of a plot the middle of a category's label may be."""
SAME_ROW = 0.4
"""Share of a label's height that labels of one row have in common."""
WORDS_APART = 0.6
"""Words with wider gaps than this many of their heights are labels of their own."""

# What is written down.
MAX_SERIES, MAX_POINTS = 24, 60
"""A chart with more is cut to these; a line keeps evenly spaced vertices."""
