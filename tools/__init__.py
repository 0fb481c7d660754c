"""Commands that only developers run."""
