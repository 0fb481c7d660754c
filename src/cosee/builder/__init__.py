"""M1, second half: the enhanced content list becomes the document tree."""
