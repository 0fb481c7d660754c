"""Running headers, footers, page numbers and printed page labels."""
