"""The limits of what importers read and write, each with its unit and its reason."""

FREE_TEXT_WORDS = 12
"""A gold answer of more words is a sentence or more."""
LONGEST_LIST = 20_000
"""Characters of a text that is read as a list; model output is data and may be anything."""
LARGEST_PICTURE = 200_000_000
"""Bytes of a page image; a larger one is no page."""
LARGEST_OCR = 50_000_000
"""Bytes of one page's OCR, unpacked; a larger file is none, or unpacks without end."""
LARGEST_WORKBOOK = 200_000_000
"""Bytes. A workbook is a ZIP file; one that unpacks to more is not opened."""
TITLE_ROWS = 20
"""Rows at the top of a sheet or file among which the names of the columns are looked for."""
FAULTS_NAMED = 5
"""Lines of a question file whose faults are named; the rest are counted."""
TABLE_BATCH = 8
"""Rows of a parquet table that are in memory at a time: a row can hold the pictures of twenty slides."""
LONGEST_NAME = 100
"""Characters of an id or of a dataset's name: file systems take 255 bytes, and names of files are made of ids."""
LONGEST_HASHED_STEM = 88
"""Characters of an id to which a hash of nine characters is added; the whole stays below ``LONGEST_NAME``."""
PAGE_LONG_SIDE = 792.0
"""Points of the longer side of a page (11 inches): page images of benchmarks rarely know their true size."""
LEAST_WORD = 0.1
"""Points of width and height below which a word of a text layer has no area, and could not be written."""
LINE_OVERLAP = 0.5
"""Share of the lower word's height that two words of one line share: a raised word shares less with the next line."""
WHOLE_BELOW = 1e15
"""Whole numbers of a sheet that are shown with all their digits: a sheet keeps fifteen."""
