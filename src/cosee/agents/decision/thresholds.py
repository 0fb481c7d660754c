"""Limits of the decision agent: what its prompts show, and when its own choices no longer count."""

CHARACTERS_A_TOKEN = 4
"""How the size of the environment is estimated without a tokenizer."""
DECISION_CONTEXT_TOKENS = 10_000
"""Evidence that a decision is made on: the next step needs less than the answer."""
DECISION_REPLY_TOKENS = 300
"""Longest reply that picks a tool."""
MIN_CONTEXT_TOKENS = 200
"""Evidence that is shown however small the model's context is."""
CALLS_KEPT_FOR_ANSWER = 1
"""Calls that every request but the last leaves of the budget."""
TOKENS_KEPT_FOR_ANSWER = 200
"""Tokens written that every request but the last leaves of the budget: a short answer without its quotes."""
NEWEST_TOLD = 10
"""Of what calls found, and of errors, so many are told to the next decision."""
MAX_QUERY_CHARACTERS = 1_000
"""Characters of a question that are searched for."""
MAX_LINE_CHARACTERS = 300
"""Characters of what a call found in a line, and of an error that comes from outside."""

MAX_REFUSED_IN_A_ROW = 3
"""Refused decisions in a row after which the rest follows the fixed order."""
MAX_REFUSED = 6
"""The same over the whole question: every other call refused is no plan either."""
MAX_FRUITLESS_CALLS = 2
"""Calls of tools after which an environment that is still empty is filled by the fixed order, which searches pages."""
MIN_LOOKS = 2
"""Calls of other tools before which an abstention is held back once, unless every page has been seen."""
MAX_FAULTS_TOLD = 3
"""Faults of a tool's inputs that an error names."""
MAX_INPUTS_CHARACTERS = 200
"""Characters of a call's inputs that an error repeats."""

PREVIEW_CHARACTERS = 1_200
"""Characters of a page's best nodes in its ``text``: enough for the rows of a table that answer."""
MIN_CUT_CHARACTERS = 240
"""Characters below which a cut object says nothing any more, and is left out."""
MIN_CUT_STEP = 40
"""Characters by which a cut is made shorter at least, so that it comes to an end."""
MARKUP_CHARACTERS = 60
"""Characters of the marks around a page, and around a node in it, about."""
MAX_FRAME_CHARACTERS = 600
"""Characters of an object's text in a frame of the trace."""
MAX_NAMES_LISTED = 12
"""Names of what exists that an error lists."""
MAX_NAME_CHARACTERS = 40
"""Characters of a title or cell in such a list."""

MAX_EXPRESSION_CHARACTERS = 300
"""Longest expression that is computed."""
MAX_EXPRESSION_DEPTH = 20
"""Brackets or signs inside each other: the parser calls itself for each."""
MAX_RESULT = 1e300
"""Largest result: beyond it numbers become infinite."""
