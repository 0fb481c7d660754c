"""The demands that a case can make of what was read of its document, by what they look at."""
