"""Benchmarks: figures measured beside peers, printed for a person and written as JSON."""
