"""The commands behind ``cosee``, one module each; the top floor, which may import everything."""
