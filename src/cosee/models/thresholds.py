"""Limits of prompts and of what is read out of replies."""

CHARACTERS_OF_A_TOKEN = 4
"""On average, where there is no tokenizer to count with; English text has about so many."""
TOKENS_AROUND_A_PICTURE = 2
"""Where it begins, and where it ends."""
LEAST_SIDE_OF_A_PART = 0.015
"""Share of the page, each way: models refuse pictures that are little more than a line."""
JPEG_QUALITY = 90
"""In per cent, of pictures that are too large as PNG: high, since they hold small print."""
SMALLEST_HALVED_SIDE = 64
"""Pixels: a picture with a smaller side is not halved again, whatever its bytes; nothing is left to read on it."""
ATTRIBUTE_CHARACTERS = 80
"""Of a value inside a tag, such as a label or the titles of the sections above."""

MOST_CHART_ROWS = 60
"""Categories of a chart that are written out, so that no chart fills a prompt."""
MOST_CHART_SERIES = 12
"""Series of a chart that are written out: the columns of its table."""
MOST_DEVIATION_OF_A_LABEL = 0.015
"""How far a measured value may lie from the number printed beside it, as a share of the chart's largest value."""

MOST_LIST_ITEMS = 6
"""Of a list that is asked for, other than an answer's: a small model goes on counting ids or quoting for ever."""
RETRIES = 3
"""How often a reply of no use is asked for again at most, each a call that counts."""
FAULT_CHARACTERS = 300
"""Of what was wrong with a reply that stand in the request for another one."""
VALIDATION_CHARACTERS = 200
"""Of an error that a validator of our own raised."""
MOST_FAULTS_TOLD = 3
"""Of the fields that do not fit the schema; a model mends the first ones first."""
MOST_REPLY_CHARACTERS = 400_000
"""Of a reply that are read; a longer one repeats itself until its bound."""
MOST_CANDIDATES = 12
"""Values in a reply that are tried as the answer, so that a text full of brackets takes no time without end."""
MOST_LEVELS = 48
"""Of nesting that are read; deeper ones would exhaust the stack, and no schema has them."""
MOST_DIGITS = 300
"""Of an integer that is read as one; one with a few more exceeds every float, and no field takes it."""
CHARACTERS_AHEAD = 200
"""Behind a quotation mark that are looked at to tell whether it ends the string."""
QUOTED_CHARACTERS = 40
"""Of a key or value that an error names."""
STOP_TAIL_TOKENS = 8
"""Tokens decoded beyond the length of a stop string to find it: a character may take several."""
