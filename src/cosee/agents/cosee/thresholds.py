"""Limits of a collaboration over a shared board: what an action may hold, and how much of the board is shown."""

MAX_CELLS_PER_PAGE = 8
"""Newest cells of a page that the board's text shows; agents repeat themselves, and older cells say the same."""
MAX_BOARD_CHARACTERS = 2_000
"""Bound of the board's text, which every agent reads in every round beside the pages."""
TURN_REPLY_TOKENS = 400
"""Longest reply of an agent: one action with a few quotes."""
MAX_CONTENT_CHARACTERS = 4_000
"""Characters kept of an action's content, answer or quote: a model that runs away must not fill the trace."""
MAX_FURTHER_QUOTES = 16
"""Further quotes kept of one action."""
MAX_TAGS = 16
"""Tags kept of one action."""
MAX_TAG_CHARACTERS = 60
"""Characters kept of a tag."""
MAX_NOTE_CHARACTERS = 200
"""Characters kept of a view's description, and of a note on what of an action could not be used."""
MAX_UNUSABLE_CHARACTERS = 500
"""Characters of an unusable action that the trace keeps: enough to see what was wrong with it."""
REPEATED_NOTE_SHARE = 0.8
"""Share of common words, of all words of both, from which a note repeats an earlier one of its page."""
