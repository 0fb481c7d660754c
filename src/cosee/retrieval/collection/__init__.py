"""Many documents: an index over all of them, the choice of those that a question needs, and these as one document."""
