"""From the words of a page to its blocks in reading order."""
