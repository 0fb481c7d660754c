"""How much the commands show, keep and hand out at a time."""

from __future__ import annotations

TABLE_WORDS_WIDTH = 12
"""Characters that a column of words keeps however narrow the terminal is: one squeezed away is lost without a word."""
FILE_TERMINAL_WIDTH = 100
"""Columns of the table at the end of a run where nothing tells the width of a terminal."""
PROBLEMS_SHOWN = 20
"""Problems and renamed files that ``cosee init`` tells one by one; the import report has all."""
CHANGES_SHOWN = 5
"""Ids that ``cosee init`` names of what was added, changed or removed."""
OUTPUTS_SHOWN = 3
"""Files that ``cosee export`` names of each form."""
NOTEBOOK_DPI = 100
"""Resolution of a page in a notebook."""
NOTEBOOK_PAGES = 3
"""Pages that an answer or a search shows in a notebook as pictures."""
NOTEBOOK_HEADINGS = 12
"""Headings that a document shows in a notebook."""
NOTEBOOK_CHARACTERS = 160
"""Characters of one text in a notebook's table."""
SERVED_PAGE_DPI = 120
"""Resolution of a page that ``cosee serve`` shows; pictures of the report's gallery are smaller."""
OPEN_DOCUMENTS = 8
"""Documents whose tree and index ``cosee serve`` keeps in memory; another one is read anew."""
KEPT_TURNS = 20
"""Turns of a conversation that are kept: earlier ones would fill the model's context."""
CONVERSATION_LOCKS = 1_000
"""Locks of conversations above which those that nobody holds are dropped, so that their number stays bounded."""
RESULT_ENTRIES = 100
"""Entries of a list in one result of a tool."""
RESULT_CHARACTERS = 20_000
"""Characters of documents' text in one result of a tool: about 5,000 tokens of an assistant's context."""
NODE_CHARACTERS = 10_000
"""Characters of one node's text in a result; read_pages and read_table give all of it."""
RESULT_PAGES = 20
"""Pages in one result of a tool."""
TITLE_CHARACTERS = 300
"""Characters of a heading in an outline."""
PICTURE_SIDE = 1_400
"""Pixels of the longer side of a picture for an assistant."""
VERSION_SECONDS = 20
"""Time for a program to tell its version; one that hangs must not hold ``cosee doctor``."""
