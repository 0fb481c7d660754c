"""Limits of what is taken over from docling; those that MinerU's have too are there."""

MAX_SIDE = 20_000
"""Rows or columns of a table at most; a cell beyond is damage."""
MAX_QUOTED = 60
"""Characters of a label, a schema or a version that a message quotes."""
MAX_QUOTED_REFERENCE = 200
"""Characters of a reference that leads nowhere that are kept in the drop list."""
MAX_OFFSET = 10**9
"""A character's place in a text beyond this is damage."""
