"""Which lines are headings, and at which level."""
