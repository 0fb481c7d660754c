"""Charts drawn as vectors: their axes, marks and values."""
