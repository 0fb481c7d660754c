"""The sizes and limits of the index of a collection, each with its unit and its reason."""

from collections.abc import Mapping

USUAL_LENGTHS: Mapping[str, float] = {"body": 250.0, "headings": 12.0, "furniture": 8.0}
"""Terms of a usual page by field, in the place of the collection's mean: rows of one shard must not hang on another."""
TITLE_LENGTH = 12.0
"""Terms of a usual title, for the same reason."""
OPENING_PAGES = 2
"""Pages whose headings belong to the title of a document, beside its name: few files say what they are called."""
LARGEST_WEIGHT = 255
"""The weight of a term that no count can reach: weights take one byte."""
CANDIDATES = 100
"""Best documents by each of the other features whose pages' vectors are compared: these are most of the work."""
ALIGNMENT = 64
"""Bytes; each array of a shard begins at a multiple, where a processor reads it fastest from the mapped file."""
