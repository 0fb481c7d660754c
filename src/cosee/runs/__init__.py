"""A run as a whole: the client of its model, which files there are, what they cost, the pictures of their pages."""
