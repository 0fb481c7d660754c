"""M1: the adapted content list becomes the enhanced one, and that the document tree."""
