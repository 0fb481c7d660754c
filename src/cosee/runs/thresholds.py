"""The numbers that decide when a run stops adding, keeping, waiting or trusting, with the reason of each."""

from __future__ import annotations

ENOUGH_CHANCE = 0.95
"""Chance, 0 to 1, that a document holding the answer has been opened, from which no further one is added. Lower, the
document that is needed is left out; higher, unlikely ones take the room of its pages. Chosen, not fitted."""
DOCUMENTS_KEPT = 32
"""Retrievers of a collection's documents that stay in memory; fewer are read again for each question."""
UNBOUNDED_CALLS = 40
"""Calls that a question is taken to make at most where neither its method nor its budget bounds them."""
PROMPT_GROWTH = 2
"""Largest prompt of a method with an open number of calls, over the largest that the estimate made: boards and findings
grow from call to call."""
UNBOUNDED_PROMPT_GROWTH = 4
"""The growth of the largest prompt of a method that only the budget bounds: its findings grow the most."""
TOKENS_OVER_GUESS = 4 / 3.7
"""Tokens of a prompt over the client's guess of four characters each: tables, ids and schemas have shorter ones. Three
tokenizers find 3.4 to 3.7 characters a token in prompts over the demo (docs/measurements.md)."""
TOKEN_PIXELS = 32
"""Side of the square of a picture, in pixels, that makes one token of Qwen3-VL."""
SHOWN_DPI = 144
"""Resolution of the pages that a model is shown, and that an estimate counts."""
PLACE_MARGINS = (0.004, 0.012)
"""Shares of the page that are read around a cited place, the narrower first: half a line above or below would disturb
recognition, and models draw some boxes too tightly."""
WHITE_BORDER = 24
"""Pixels of white around what recognition reads, which it wants."""
LEAST_PLACE_DPI = 70
"""Resolution that recognition is told at least: a place may be magnified less than its page says."""
RECOGNITION_SECONDS = 30.0
"""Time for recognition to read one place, which takes a second or two; an engine that hangs must not hold an answer."""
RENDER_SECONDS = 300.0
"""Time for rendering one document's shown pages, far above the normal: a file that hangs costs its own pages only."""
RENDER_MEMORY_MB = 3000
"""Memory for rendering one document's shown pages."""
