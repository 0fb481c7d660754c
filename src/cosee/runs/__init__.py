"""Files of a run as a whole: which there are, what they cost, the pictures of their pages."""
