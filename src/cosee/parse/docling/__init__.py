"""Docling's document as an input in place of our own reading."""
