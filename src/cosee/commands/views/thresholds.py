"""How much of an artifact a terminal shows: enough to know what it is. ``--id`` and the file have the rest."""

from __future__ import annotations

NARROW_CELL, CELL, WIDE_CELL, WIDEST_CELL = 60, 80, 100, 120
"""Characters of a text in a table: beside many columns, beside some, and where it is what the table is for."""
LINE = 160
"""Characters of an answer, a quote or what was found, on a line of its own."""
DETAILS = 240
"""Characters of what an event of a trace holds beside its words."""
QUESTION = 300
"""Characters of a question that flips."""
MESSAGE = 400
"""Characters of an event's own words."""
NODE_TEXT = 600
"""Characters of a node that was asked for."""
AUTHOR_COLUMN = 15
"""Columns of the name of who acts, in a trace: the longest name of ours is ``image_observer``."""
ENTRIES = 5
"""Hits, observed nodes or found objects of one event that are told; the first are the best."""
PAIRS = 20
"""Pairs of methods that are compared in words; a run of ten methods has 45."""
PROBLEMS, LAST_PROBLEMS = 20, 5
"""Documents that failed, which are told one by one: by ``cosee show``, and at the end of a run."""
PAGES = 12
"""Pages that a sentence names."""
LEFT_OUT_QUESTIONS = 5
"""Ids of questions that differ between two runs."""
LIKENESS, LIKE_NODES = 0.6, 3
"""How alike the id of a node must be to be offered for one that is not there, and how many are."""
PAGE_DPI, CROP_DPI = 110, 150
"""Resolution of a page with its boxes, and of what one node covers, which is looked at for its words."""
